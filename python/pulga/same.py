"""`python -m pulga same`: whether this machine computes what every other does."""

from __future__ import annotations

import pathlib
import platform
import tempfile

from .programs import webassembly
from .runs import Run, train

# Two rows of tests/same/table.txt.
_SUMS = ["e934a89039392319", "9b4647f978a4dcc7"]


def _runs(folder: str) -> list[Run]:
    here = pathlib.Path(__file__).parent
    data = next(there / "data" for there in (here, here.parents[1]) if (there / "data").exists())
    return [train(data / "perro.txt", out=f"{folder}/plain", quiet=True),
            train(data / "cuentos.txt", out=f"{folder}/words", quiet=True, steps=40, batch=20,
                  optimizer="adamw", dropout=0.2, decay=0.1, clip=0.5, log_every=5)]


def _processor() -> str:
    about = pathlib.Path("/proc/cpuinfo")
    for line in about.read_text(errors="replace").splitlines() if about.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def same() -> tuple[bool, str]:
    """Trains two models. Returns whether they are the same as everywhere, and a line about it."""
    with tempfile.TemporaryDirectory() as folder:
        runs = _runs(folder)
    sums, about = [run.checksum for run in runs], runs[0].settings
    engine = "wasm" if webassembly() else "native"
    return sums == _SUMS, (
        f"pulga {about['version']}, {platform.platform()}, {_processor()}, "
        f"Python {platform.python_version()}, {engine}/{about['kernel']}: {' '.join(sums)} "
        f"{'the same' if sums == _SUMS else 'DIFFERENT'}")
