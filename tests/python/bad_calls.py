"""Bad calls: each is one clear line, an exception of Python. bad_calls.txt has them, with what they
say. Nothing is lost by them, and no process stays."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading
import unittest
import zipfile
from collections.abc import Sequence

import numpy
import pulga
from pulga.programs import NAMES, webassembly

TABLE = pathlib.Path(__file__).with_name("bad_calls.txt")
DATA = pathlib.Path(__file__).parents[2] / "data"
SMALL = {"layers": 1, "heads": 2, "width": 16, "quiet": True, "overwrite": True}
# What WebAssembly has not.
NATIVE = ("# Processes and a device that is full", "# The library")


def started(names: Sequence[str] = NAMES) -> list[str]:
    """The programs that run below this process, by their ids."""
    below = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], text=True,
                           capture_output=True, check=False).stdout
    return [line.split()[0] for line in below.splitlines() if line.split()[1] in names]


def copied(name: str = "copied") -> pulga.Run:
    shutil.rmtree(name, ignore_errors=True)
    return pulga.Run.read(shutil.copytree("runs/perro", name))


def damage(folder: pulga.Run, file: str, change: bytes | int | None) -> None:
    """Removes a file, cuts it, or puts something else in its place."""
    path = pathlib.Path(folder, file)
    if change is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:change] if isinstance(change, int) else change)


def damaged(file: str, change: bytes | int | None) -> str:
    run = copied("damaged")
    damage(run, file, change)
    return str(run.path)


def later(file: str, change: bytes | int | None) -> pulga.Model:
    """A model whose run is damaged when it is open."""
    run = copied("later")
    model = pulga.open(run)
    model.next("el")
    damage(run, file, change)
    return model


def gone() -> pulga.Model:
    model = pulga.open(copied("gone"))
    model.next("el")
    shutil.rmtree("gone")
    return model


def killed() -> pulga.Model:
    model, before = pulga.open("runs/perro"), set(started())
    model.next("el")
    for process in set(started()) - before:
        os.kill(int(process), signal.SIGKILL)
    return model


def while_training(call) -> None:
    """Calls it at the first step of a training that would take long."""
    pulga.train("perro.txt", out="busy", steps=1000000, val=0, log_every=1,
                on_step=lambda step: step.step and call(), **SMALL)


def kill() -> None:
    for process in started(["train"]):
        os.kill(int(process), signal.SIGKILL)


def full(call, *given, **options) -> None:
    """Calls it where a file may have 4 kB only."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        call(*given, **options)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents() -> str:
    """A checksum of all that is in the runs that these calls may not change."""
    files = sorted(path for path in pathlib.Path("runs").rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


class BadCalls(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.makedirs("bad", exist_ok=True)
        os.chdir("bad")
        shutil.copy(DATA / "perro.txt", "perro.txt")
        for name, text in (("empty.txt", b""), ("white.txt", b" \n\n"), ("latin.txt", b"ni\xf1o\n"),
                           ("bytes.bin", bytes(range(256))), ("other.txt", b"a b\n"),
                           ("reserved.txt", b"hola [bos]\n")):
            pathlib.Path(name).write_bytes(text)
        with zipfile.ZipFile("reserved.zip", "w") as file:
            file.write("empty.txt")
        os.symlink("/dev/full", "full.svg")
        pathlib.Path("pairs.txt").write_text("el gato\tthe cat\n" * 9)

    def names(self) -> dict[str, object]:
        """What the calls in the table use."""
        run = pulga.train("perro.txt", quiet=True)
        made = {name: pulga.train(text, steps=3, out=f"runs/{name}", **SMALL, **options).model
                for name, text, options in (
                    ("masked", "perro.txt", {"objective": "masked"}),
                    ("pairs", "pairs.txt", {"objective": "pairs"}),
                    ("gelu", DATA / "cuentos.txt", {"activation": "gelu", "positions": "learned"}))}
        file = open("perro.txt")  # noqa: SIM115
        self.addCleanup(file.close)
        found = {"open_file": file, "run": run, "model": pulga.open(run), **made, **globals(),
                 "train": lambda *texts, **options: pulga.train(*texts, quiet=True, **options),
                 "Path": pathlib.Path, "Run": pulga.Run, "numpy": numpy}
        if not webassembly():
            from pulga.library import Network

            found["Network"] = Network
        return found

    def test_each_is_one_line(self) -> None:
        names, section, count = self.names(), "", 0
        before, runs, threads = contents(), started(), threading.active_count()
        for line in TABLE.read_text().splitlines():
            if line.startswith("#"):
                section = line
                continue
            if webassembly() and section in NATIVE:
                continue
            call, kind, says = re.fullmatch(r"(.*?)  +(\w+): ?(.*)", line).groups()
            with self.subTest(call):
                try:
                    answer = eval(call, names)
                except BaseException as error:  # noqa: BLE001
                    told = f"{type(error).__name__}: {error}"
                    self.assertEqual((type(error).__name__, str(error).count("\n")), (kind, 0), told)
                    self.assertIn(says, told)
                else:
                    self.fail(f"it returns {answer!r}")
                self.assertEqual(contents(), before)
            count += 1
        self.assertGreaterEqual(count, 200)
        self.assertEqual(names["model"].next("el")[0].token, "muchacho")
        for name in ("model", "masked", "pairs", "gelu"):
            names[name].close()
        self.assertLessEqual(set(started()), set(runs))
        self.assertLessEqual(threading.active_count(), threads)
