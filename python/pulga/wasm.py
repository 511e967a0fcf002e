"""The programs as WebAssembly, which wasmtime runs in a thread of this process."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pathlib
import signal
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import wasmtime


@functools.cache
def _compiled(path: str) -> tuple[wasmtime.Engine, wasmtime.Module]:
    """The module. wasmtime keeps its machine code in the user's cache, for the next Python too."""
    import wasmtime

    config = wasmtime.Config()
    config.epoch_interruption = True
    with contextlib.suppress(wasmtime.WasmtimeError):  # there may be no place for it
        config.cache = True
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module.from_file(engine, path)


def _open(words: Sequence[str], config: wasmtime.WasiConfig) -> list[str]:
    """Lets a program open all files by the names that words have for them. Links to /... are not
    followed there: a folder that is one is opened by its name, a file gets its own name."""
    config.preopen_dir("/", "/")
    names = []
    for word in (*words, "runs"):  # that is where runs are, if no word says so
        option, equals, path = word.partition("=") if word[:2] == "--" else ("", "", word)
        if os.path.islink(path) and os.path.isabs(os.readlink(path)) and os.path.isfile(path):
            path = os.path.realpath(path)
        folder = os.path.abspath(path)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        if os.path.realpath(folder) != folder:
            config.preopen_dir(os.path.realpath(folder), folder)
        names.append(option + equals + path)
    return names[:-1]


class Program:
    """A program that runs, with methods of `Process`. It reads `given`; if that is None, its
    standard files are those of this process."""

    def __init__(self, path: str, words: Sequence[str], given: str | None) -> None:
        import wasmtime

        self._engine, module = _compiled(path)
        self._store, linker = wasmtime.Store(self._engine), wasmtime.Linker(self._engine)
        self._store.set_epoch_deadline(1)  # ends when it passes
        self._store.set_wasi(self._system(words, given))
        self._trains, self._shown = words[0].endswith("train"), given is None
        self._status, self._ended = 0, threading.Event()
        linker.define_wasi()
        try:
            exports = linker.instantiate(self._store, module).exports(self._store)
        except wasmtime.WasmtimeError as error:  # no room for its memory, where that is limited
            from .programs import Error

            raise Error(f"WebAssembly cannot start: {str(error).splitlines()[0]}") from None
        memory, at = exports["memory"], exports["stop_signal"]
        assert isinstance(memory, wasmtime.Memory) and isinstance(at, wasmtime.Global)
        first = ctypes.addressof(memory.data_ptr(self._store).contents)
        self._signal = ctypes.c_int.from_address(first + at.value(self._store))
        threading.Thread(target=self._run, args=(exports["_start"],), daemon=True).start()

    def _system(self, words: Sequence[str], given: str | None) -> wasmtime.WasiConfig:
        """What the program gets: its words, the environment, and its standard files."""
        import wasmtime

        if any("\0" in word for word in words):
            raise ValueError("embedded null byte")
        config = wasmtime.WasiConfig()
        self._folder = tempfile.TemporaryDirectory(prefix="pulga-")
        files = [pathlib.Path(self._folder.name, name) for name in ("in", "out", "err")]
        files[0].write_bytes((given or "").encode())
        files[1].touch()
        if given is None:
            config.inherit_stdin()
            config.inherit_stdout()
            config.inherit_stderr()
        else:
            config.stdin_file, config.stdout_file, config.stderr_file = map(str, files)
        self._out, self._errors = files[1].open("rb"), files[2]
        config.argv = _open(words, config)
        config.env = [(name, value.encode(errors="replace").decode())
                      for name, value in {**os.environ, "PWD": os.getcwd(),
                                          "TMPDIR": os.path.realpath(self._folder.name)}.items()]
        return config

    def _run(self, start: Callable[[wasmtime.Store], object]) -> None:
        import wasmtime

        try:
            start(self._store)
        except wasmtime.ExitTrap as end:
            self._status = end.code
        except wasmtime.WasmtimeError:  # a status that wasmtime does not know: a signal stopped it
            self._status = 128 + self._signal.value
        except wasmtime.Trap as trap:
            ended = trap.trap_code is wasmtime.TrapCode.INTERRUPT
            self._status = -(signal.SIGINT if ended else signal.SIGABRT)
        finally:
            self._ended.set()

    def readline(self) -> bytes:
        """The next line, when it comes; nothing at the end."""
        while True:
            ended = self._ended.is_set()
            line = self._out.readline()
            if line.endswith(b"\n") or ended:
                return line
            self._out.seek(-len(line), os.SEEK_CUR)
            self._ended.wait(0.01)

    def wait(self) -> int:
        """Its status, when it ends."""
        while not self._ended.wait(0.1):
            continue  # on some systems Ctrl-C comes only between two of them
        return self._status

    def read(self) -> bytes:
        """What it has printed, but for the lines that were read."""
        return self._out.read()

    def errors(self) -> str:
        """What it has written to standard error."""
        return self._errors.read_text("utf-8", "replace")

    def interrupt(self) -> None:
        """Ctrl-C: training saves and ends, if it has begun; all else ends at once."""
        begun = self._shown or os.fstat(self._out.fileno()).st_size
        if self._trains and begun and not self._ended.is_set() and not self._signal.value:
            self._signal.value = signal.SIGINT
        else:
            self._stop()

    def _stop(self) -> None:
        if not self._ended.is_set():
            self._engine.increment_epoch()
            self._ended.wait(1)  # but while it reads what is typed, it stays

    def end(self) -> None:
        """Ends it, if it still runs."""
        self._stop()
        self._out.close()
        self._folder.cleanup()


def run(path: str, words: Sequence[str], given: str) -> tuple[int, bytes, str]:
    """The status of a program, and what it prints and writes to standard error."""
    program = Program(path, words, given)
    try:
        return program.wait(), program.read(), program.errors()
    finally:
        program.end()


def become(path: str, words: Sequence[str]) -> int:
    """Runs a program with the standard files of this process, and returns its status."""
    program = Program(path, words, None)
    while True:
        try:
            status = program.wait()
            return status if status >= 0 else 128 - status
        except KeyboardInterrupt:
            program.interrupt()
