"""The programs of Pulga: where they are and what runs them, their options, how they fail."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple, Union

from . import wasm

NAMES = ("train", "sample", "attend", "export")

Path = Union[str, "os.PathLike[str]"]
Value = Union[str, float, "os.PathLike[str]", Sequence[str | float], None]
"""What an option may be given: a flag is True or False, a list is joined by commas, None is as if
the option were not there."""


class Error(Exception):
    """What cannot be done, in the one line that the program says."""


class Option(NamedTuple):
    """An option of a program, as `train --help json` has it."""

    name: str
    alias: str
    kind: str
    choices: list[str]
    help: str


def _path(name: str) -> str:
    folder = os.environ.get("PULGA_BIN") or os.path.join(os.path.dirname(__file__), "bin")
    return os.path.join(folder, name + ".exe" * (sys.platform == "win32" and name in NAMES))


def _there(path: str) -> str:
    if not os.path.exists(path):
        raise Error(f"there is no program {path}: let PULGA_BIN name the folder that has it")
    return path


def program(name: str) -> str:
    """The path of a program: in the folder PULGA_BIN, else in this package."""
    return _there(_path(name))


def webassembly() -> str:
    """The path of the programs as WebAssembly, if they are to run: where there are no others, or
    PULGA_ENGINE is wasm; else ""."""
    if sys.platform == "emscripten":
        raise Error("no program runs in Pyodide; the lab, pulga.html, trains in a browser")
    path = _path("programs.wasm")
    engine = os.environ.get("PULGA_ENGINE") or (
        "wasm" if os.path.exists(path) and not os.path.exists(_path("train")) else "native")
    if engine not in ("native", "wasm"):
        raise Error(f"PULGA_ENGINE is native or wasm, not {engine}")
    if engine == "native":
        return ""
    if sys.platform == "win32":
        raise Error("the programs as WebAssembly do not run on Windows, only those of its wheel")
    _there(path)
    if not importlib.util.find_spec("wasmtime"):
        raise Error("the programs as WebAssembly need wasmtime: pip install wasmtime")
    return path


def a_text(given: object) -> str:
    """What is given, if it is a text."""
    if not isinstance(given, str):
        raise TypeError(f"a text is a string, not {given!r:.60}")
    return given


@functools.cache
def options(name: str) -> dict[str, Option]:
    """The options of a program by their names in Python.

    >>> options("train")["norm"].choices
    ['pre', 'post']
    """
    if name not in NAMES:
        raise Error(f"there is no program {name}, only {', '.join(NAMES)}")
    table = {}
    for line in call(name, ["--help", "json"])[0].splitlines():
        option = Option(**json.loads(line))
        for called in filter(None, (option.name, option.alias)):
            table[called.replace("-", "_")] = option
    return table


def _text_of(option: Option, key: str, value: Any) -> str:
    """A value as one types it after --name; with the = before it."""
    if isinstance(value, bool) and option.kind == "flag":
        return "=on" if value else "=off"
    if isinstance(value, bool) and option.choices[:1] == ["off"]:
        return "" if value else "=off"
    if isinstance(value, (list, tuple)):
        return "=" + ",".join(map(str, value))
    if isinstance(value, (str, os.PathLike)):
        return "=" + os.fspath(value)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{key} cannot be {value!r}: {option.help}")
    return f"={value}"


def arguments(name: str, given: Mapping[str, Value], taken: Sequence[str] = ()) -> list[str]:
    """The options of a call as words of the command line. A name may end with _, as from_ does.
    Those in `taken` are for this package to give."""
    words = []
    known = [key for key in options(name) if key not in taken]
    for key, value in given.items():
        called = key.rstrip("_")
        if called not in known:
            near = [other for other in known if len(called) > 1 and other.startswith(called)]
            near += difflib.get_close_matches(called, known, 1)
            meant = f"; did you mean {near[0]}?" if near else f"; {name} has {', '.join(known)}"
            raise TypeError(f"{name} has no option {key}{meant}")
        if value is not None:
            option = options(name)[called]
            words.append(f"--{option.name}{_text_of(option, key, value)}")
    return words


def failure(name: str, status: int, errors: str) -> Error:
    """The last line that a program wrote to standard error, without its name."""
    line = (errors.strip().splitlines() or [""])[-1].removeprefix(f"{name}: ")
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return Error(line or f"{name} ended {how}")


def warn(name: str, errors: str) -> None:
    """What a program remarks although it succeeds."""
    for line in errors.splitlines():
        warnings.warn(line.removeprefix(f"{name}: "), stacklevel=5)


def call(name: str, words: Sequence[str], given: str = "",
         differs: bool = False) -> tuple[str, int]:
    """What a program prints if `given` is its standard input, and its status: 0; but 1 if it may
    find that something `differs`, about which it says nothing on standard error."""
    data = a_text(given).encode()
    if webassembly():
        status, printed, errors = wasm.run(webassembly(), [name, *words], data)
    else:
        try:
            done = subprocess.run([program(name), *words], input=data,
                                  capture_output=True, check=False)
        except OSError as error:  # a text with line ends that is too long for an argument
            raise Error(f"{name}: {error.strerror}") from None
        status, printed, errors = done.returncode, done.stdout, done.stderr.decode(errors="replace")
    if status and not (differs and status == 1 and not errors):
        raise failure(name, status, errors)
    warn(name, errors)
    return printed.decode(), status


class Process:
    """A program that runs and prints lines. It reads `given`, or else what `write` sends. It gets no
    Ctrl-C, which is for Python; and it ends when Python does, whatever ends that: then its pipes are
    closed."""

    def __init__(self, name: str, words: Sequence[str], given: bytes | None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        try:
            with tempfile.TemporaryFile() as file:
                file.write(given or b"")
                file.seek(0)
                self._process: subprocess.Popen[bytes] = subprocess.Popen(
                    [program(name), *words], stdin=subprocess.PIPE if given is None else file,
                    stdout=subprocess.PIPE, stderr=self._errors, **apart)
        except BaseException:
            self._errors.close()
            raise
        assert self._process.stdout
        self._out = self._process.stdout

    def end(self) -> None:
        """Ends it, if it still runs."""
        self._process.terminate()
        for pipe in (self._process.stdin, self._out, self._errors):
            with contextlib.suppress(OSError):
                if pipe:
                    pipe.close()
        self._process.wait()

    def readline(self) -> bytes:
        """The next line, when it comes; nothing at the end."""
        return self._out.readline()

    def wait(self) -> int:
        """Its status, when it ends; what it prints until then is lost."""
        self._out.read()
        return self._process.wait()

    def interrupt(self) -> None:
        """Ctrl-C; on Windows Ctrl-Break, which is the same to the programs and reaches only them."""
        if sys.platform == "win32":
            self._process.send_signal(signal.CTRL_BREAK_EVENT)
        else:
            self._process.send_signal(signal.SIGINT)

    def errors(self) -> str:
        """What it has written to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def write(self, data: bytes) -> None:
        """Sends something, unless the program has ended."""
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.write(data)
            self._process.stdin.flush()


def start(name: str, words: Sequence[str], given: str | None = None) -> Process | wasm.Program:
    """A program that runs and reads a text, or else what it is sent."""
    data = None if given is None else a_text(given).encode()
    if webassembly():
        return wasm.Program(webassembly(), [name, *words], data)
    return Process(name, words, data)
