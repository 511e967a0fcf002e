"""The programs as WebAssembly, which wasmtime runs in a thread of this process."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pathlib
import queue
import shutil
import signal
import tempfile
import threading
import weakref
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
    """A program that runs, with methods of `Process`. If it is `shown`, its standard files are those
    of this process."""

    def __init__(self, path: str, words: Sequence[str], given: bytes | None,
                 shown: bool = False) -> None:
        import wasmtime

        if any("\0" in word for word in words):
            raise ValueError("embedded null byte")
        self._engine, module = _compiled(path)
        self._store, linker = wasmtime.Store(self._engine), wasmtime.Linker(self._engine)
        self._store.set_epoch_deadline(1)  # ends when it passes
        linker.define_wasi()
        self._trains, self._begun = words[0].endswith("train"), shown
        self._status, self._ended = 0, threading.Event()
        self._printed, self._rest = queue.SimpleQueue[bytes](), b""
        self._errors: list[bytes] = []
        self._gone: list[threading.Event] = []
        config = wasmtime.WasiConfig()
        config.argv = _open(words, config)
        self._folder = tempfile.mkdtemp(prefix="pulga-")
        config.env = [(name, value.encode(errors="replace").decode())
                      for name, value in {**os.environ, "PWD": os.getcwd(),
                                          "TMPDIR": os.path.realpath(self._folder)}.items()]
        self._in = -1
        if shown:
            config.inherit_stdin()
            config.inherit_stdout()
            config.inherit_stderr()
        else:
            config.stdin_file = self._input(given)
            config.stdout_custom = self._callback(self._printed.put)
            config.stderr_custom = self._callback(self._errors.append)
        self._store.set_wasi(config)
        try:
            exports = linker.instantiate(self._store, module).exports(self._store)
        except wasmtime.WasmtimeError as error:  # no room for its memory, where that is limited
            from .programs import Error

            self._ended.set()
            self.end()
            raise Error(f"WebAssembly cannot start: {str(error).splitlines()[0]}") from None
        memory, at = exports["memory"], exports["stop_signal"]
        assert isinstance(memory, wasmtime.Memory) and isinstance(at, wasmtime.Global)
        first = ctypes.addressof(memory.data_ptr(self._store).contents)
        self._signal = ctypes.c_int.from_address(first + at.value(self._store))
        threading.Thread(target=self._run, args=(exports["_start"],), daemon=True).start()

    def _callback(self, take: Callable[[bytes], None]) -> Callable[[bytes], None]:
        """What wasmtime calls with output. A thread of its own lets go of it, some time after the
        store is closed; that must be before Python ends."""
        def callback(data: bytes) -> None:
            take(data)
        gone = threading.Event()
        self._gone.append(gone)
        weakref.finalize(callback, gone.set).atexit = False
        return callback

    def _input(self, given: bytes | None) -> str:
        """The path of what it reads: a file, or a pipe."""
        path = os.path.join(self._folder, "in")
        if given is None:
            os.mkfifo(path)
            self._in = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # which waits for no reader
        else:
            pathlib.Path(path).write_bytes(given)
        return path

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
            self._printed.put(b"")

    def _next(self) -> bytes:
        """What it prints next, when it comes; nothing at the end."""
        while True:
            ended = self._ended.is_set()
            try:
                return self._printed.get(timeout=0 if ended else 0.1)
            except queue.Empty:  # on some systems Ctrl-C comes only between two of these
                if ended:
                    return b""

    def readline(self) -> bytes:
        """The next line, when it comes; nothing at the end."""
        while b"\n" not in self._rest and (more := self._next()):
            self._rest += more
        line, end, self._rest = self._rest.partition(b"\n")
        self._begun = True
        return line + end

    def wait(self) -> int:
        """Its status, when it ends."""
        while not self._ended.wait(0.1):
            continue
        return self._status

    def read(self) -> bytes:
        """What it prints, when it has ended."""
        return b"".join(iter(self._next, b""))

    def errors(self) -> str:
        """What it has written to standard error."""
        return b"".join(self._errors).decode(errors="replace")

    def write(self, data: bytes) -> None:
        """Sends something, unless the program has ended."""
        while data and not self._ended.is_set():
            try:
                data = data[os.write(self._in, data):]
            except BlockingIOError:
                self._ended.wait(0.001)

    def interrupt(self) -> None:
        """Ctrl-C: training saves and ends, if it has begun; all else ends at once."""
        if self._trains and self._begun and not self._ended.is_set() and not self._signal.value:
            self._signal.value = signal.SIGINT
        else:
            self._stop()

    def _stop(self) -> None:
        if self._in >= 0:  # it ends when there is nothing to read
            os.close(self._in)
            self._in = -1
        elif not self._ended.is_set():
            self._engine.increment_epoch()
        self._ended.wait(1)  # but while it reads what is typed, it stays

    def end(self) -> None:
        """Ends it, if it still runs."""
        self._stop()
        if self._ended.is_set():
            self._store.close()
            for gone in self._gone:
                gone.wait(1)
        shutil.rmtree(self._folder, ignore_errors=True)


def run(path: str, words: Sequence[str], given: bytes) -> tuple[int, bytes, str]:
    """The status of a program, and what it prints and writes to standard error."""
    program = Program(path, words, given)
    try:
        return program.wait(), program.read(), program.errors()
    finally:
        program.end()


def become(path: str, words: Sequence[str]) -> int:
    """Runs a program with the standard files of this process, and returns its status."""
    program = Program(path, words, None, shown=True)
    while True:
        try:
            status = program.wait()
            return status if status >= 0 else 128 - status
        except KeyboardInterrupt:
            program.interrupt()
