"""Training: `train` makes a `Run`, which is a directory."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import wasm
from .programs import Error, Path, Process, Value, arguments, call, failure, start, warn
from .rows import Step

if TYPE_CHECKING:
    import numpy

    from .models import Model

OnStep = Callable[[Step], object]


class Verification(NamedTuple):
    """Whether a run came out the same again, bit by bit; and what `train --verify` printed."""

    same: bool
    text: str

    def __bool__(self) -> bool:
        return self.same


@dataclasses.dataclass(frozen=True, repr=False)
class Run:
    """A run: its directory and the result of its training as it was when this was made. What is
    not known is None; `docs/programs.md` explains each member.

    >>> run
    Run('runs/perro', step 300 of 300, best_loss 0.412301, checksum e934a89039392319)
    >>> round(run.best_loss - run.floor, 6)
    0.000322
    """

    path: pathlib.Path
    settings: dict[str, Any]
    step: int = 0
    best_step: int | None = None
    best_loss: float = float("nan")
    held_out: bool = False
    bits_per_byte: float | None = None
    floor: float | None = None
    counting: float | None = None
    counting_order: int | None = None
    counting_share: float | None = None
    mixed_loss: float | None = None
    checksum: str = ""
    seconds: float = 0

    @classmethod
    def read(cls, path: Path) -> Run:
        """The run in a directory."""
        config = pathlib.Path(path, "config.json")
        try:
            settings = dict(json.loads(config.read_bytes())["pulga"])
            result = dict(settings.pop("result", {}))
        except (OSError, ValueError, KeyError, TypeError):
            raise Error(f"{config.parent} is not a run: {config} is not that of one") from None
        known = {field.name for field in dataclasses.fields(cls)} - {"path", "settings"}
        return cls(config.parent, settings, **{
            name: result[name] for name in known & result.keys() if result[name] is not None})

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return (f"Run({str(self.path)!r}, step {self.step} of {self.settings['steps']}, "
                f"best_loss {self.best_loss:.6f}, checksum {self.checksum})")

    def _repr_html_(self) -> str:
        return f"<div>{self.curve}<pre>{self!r}</pre></div>"

    @property
    def curve(self) -> str:
        """The picture of the losses, curve.svg."""
        svg = pathlib.Path(self.path, "curve.svg")
        return svg.read_text("utf-8") if svg.exists() else ""

    @property
    def log(self) -> numpy.ndarray[Any, Any]:
        """log.csv as an array with names; `pandas.DataFrame(run.log)` takes it as it is.

        >>> float(run.log["evaluated"][-1]) - run.best_loss < 1e-8
        True
        """
        import numpy

        try:
            table = numpy.genfromtxt(self.path / "log.csv", delimiter=",", names=True)
        except (OSError, ValueError):
            raise Error(f"{self.path / 'log.csv'} is not the log of a run") from None
        return numpy.atleast_1d(table)

    @property
    def model(self) -> Model:
        """The model, to be asked: `pulga.open(run)`."""
        from .models import Model

        return Model(self.path)

    def resume(self, *, on_step: OnStep | None = None, quiet: bool = False,
               **options: Value) -> Run:
        """Trains on, for example up to a later step: `run.resume(steps=600)`."""
        return _train([], "", on_step, quiet, {**options, "resume": self.path})

    def verify(self, *texts: Path, threads: int | None = None) -> Verification:
        """Trains it again in memory and compares every bit. It needs its texts if it has no copy.

        >>> bool(run.verify())
        True
        """
        words = arguments("train", {"verify": self.path, "threads": threads})
        text, status = call("train", [*words, "--", *_paths(texts)], differs=True)
        return Verification(not status, text)


class Comparison(NamedTuple):
    """Runs, and the table that `train --compare` prints of them."""

    runs: list[Run]
    text: str

    @property
    def losses(self) -> numpy.ndarray[Any, Any]:
        """The best loss of each; `.mean()` and `.std(ddof=1)` of it are those of five seeds."""
        import numpy

        return numpy.array([run.best_loss for run in self.runs])

    def __repr__(self) -> str:
        return self.text.rstrip("\n")


def _paths(paths: Sequence[Path]) -> list[str]:
    return [os.fsdecode(path) for path in paths]


def compare(runs: Sequence[Path], picture: Path | None = None) -> Comparison:
    """Compares runs, and draws their losses if `picture` names a file.

    >>> pulga.compare([run, run]).losses.round(4).tolist()
    [0.4123, 0.4123]
    """
    runs = [runs] if isinstance(runs, (str, os.PathLike)) else runs
    words = arguments("train", {"compare": True, "out": picture})
    text, _ = call("train", [*words, "--", *_paths(runs)])
    return Comparison([Run.read(run) for run in runs], text)


def _progress(quiet: bool) -> Callable[[str], None]:
    """What writes a line again and again, on a terminal and in a notebook."""
    notebook = "ipykernel" in sys.modules
    out = sys.stdout if notebook else sys.stderr
    if quiet or not (notebook or (out and out.isatty())):
        return lambda line: None

    def show(line: str) -> None:
        out.write(f"\r{line:<78.78}\r")
        out.flush()
    return show


def _line(step: Step, first: int) -> str:
    """How far training is, which began after step `first`."""
    left = step.seconds * (step.steps - step.step) / max(step.step - first, 1)
    evaluated = "" if step.evaluated is None else f"  evaluated {step.evaluated:.4f}"
    return f"step {step.step}/{step.steps}  loss {step.loss:.4f}{evaluated}  {left:.0f}s left"


def _follow(process: Process | wasm.Program, on_step: OnStep | None, quiet: bool) -> dict[str, Any]:
    """Reads what train prints up to its end, the last line, or {} if it failed. The first Ctrl-C
    asks it to save and to end; the second ends it at once."""
    show = _progress(quiet)
    begin: dict[str, Any] = {}
    end: dict[str, Any] = {}
    asked = False

    def ask_to_stop() -> None:
        nonlocal asked
        asked = True
        process.interrupt()

    while True:
        try:
            line = process.readline()
            if not line:
                break
            row = json.loads(line)
            if not begin:
                begin = row
            elif "saved" in row:
                end = row
            else:
                step = Step(**row, steps=begin["steps"])
                if step.loss is not None:
                    show(_line(step, begin["step"]))
                if on_step and not asked and on_step(step) is False:
                    ask_to_stop()
        except KeyboardInterrupt:
            if asked:
                process.end()
                raise
            ask_to_stop()
        except BaseException:
            ask_to_stop()
            process.wait()
            raise
    show("")
    if asked and not begin:
        raise KeyboardInterrupt("before the first step: nothing was written")
    return end


def train(*texts: Path, text: str | None = None, on_step: OnStep | None = None,
          quiet: bool = False, **options: Value) -> Run:
    """Trains a model on files, or on a text, and returns the run. Options are those of `./train`
    with _ for -: `train("cuentos.txt", layers=2, seed=1)`; `pulga.options("train")` has them all.

    `on_step` gets each row of the log as a `Step`, at least one a second; if it returns False,
    training saves and stops. So does Ctrl-C: both return the run as it stands.

    >>> pulga.train("perro.txt", out="runs/short", on_step=lambda step: step.step < 30).step >= 30
    True
    """
    paths = _paths(texts)
    if options.get("resume") and paths:
        options["text"] = paths.pop(0)
    elif text is not None:
        paths.insert(0, "-")
    return _train(paths, text or "", on_step, quiet, options)


def _train(paths: list[str], text: str, on_step: OnStep | None, quiet: bool,
           options: dict[str, Value]) -> Run:
    words = arguments("train", options, ("json", "verify", "compare", "no_plot"))
    process = start("train", ["--json", *words, "--", *paths], text)
    try:
        end = _follow(process, on_step, quiet)
        status, errors = process.wait(), process.errors()
    finally:
        process.end()
    if not end.get("saved"):
        raise failure("train", status, errors)
    warn("train", errors)
    return Run.read(end["run"])
