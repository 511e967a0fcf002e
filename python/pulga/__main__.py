"""`python -m pulga train ...` and the command pulga-train become the program itself; `python -m
pulga lab` and `same` are of this package."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import NoReturn

from . import wasm
from .models import lab
from .programs import NAMES, Error, program, webassembly
from .same import same


def _own(name: str) -> str | int:
    try:
        if name == "lab":
            lab()
            return 0
        good, line = same()
        print(line)
        return 0 if good else 1
    except Error as error:
        return f"pulga: {error}"


def main() -> NoReturn:
    """The program that the command is named after, or else its first word."""
    called, *words = sys.argv
    name = os.path.basename(called).removeprefix("pulga-").removesuffix(".exe")
    if name not in NAMES:
        name, words = (words or [""])[0], words[1:]
        if name in ("lab", "same"):
            sys.exit(_own(name))
        if name not in NAMES:
            sys.exit(f"Usage: python -m pulga {'|'.join(NAMES)} ...; --help after one explains it; "
                     "or lab, a page that trains; or same, whether this machine computes as others")
    called = f"pulga-{name}"  # in what it prints, if that can be typed
    if not shutil.which(called):
        called = os.path.join(os.path.dirname(sys.executable), called)
    try:
        if webassembly():
            sys.exit(wasm.become(webassembly(), [called, *words]))
        if sys.platform == "win32":  # where execv() ends this process while the other runs
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            done = subprocess.run([called, *words], executable=program(name), check=False)
            sys.exit(done.returncode)
        os.execv(program(name), [called, *words])
    except Error as error:
        sys.exit(f"pulga: {error}")


if __name__ == "__main__":
    main()
