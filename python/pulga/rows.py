"""What the programs print as rows, and tables of them."""

from __future__ import annotations

import html
from dataclasses import dataclass, fields
from typing import Any, TypeVar

Row = TypeVar("Row")


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


class Table(list[Row]):
    """A list of rows that prints as a table; `pandas.DataFrame(table)` takes it as it is. Columns
    that are empty, or hold lists, are not printed."""

    def _cells(self) -> list[list[str]]:
        names = [field.name for field in fields(self[0])] if self else []  # type: ignore[arg-type]
        columns = [(name, [getattr(row, name) for row in self]) for name in names]
        return [[name, *map(_shown, cells)] for name, cells in columns
                if any(cell is not None and not isinstance(cell, list) for cell in cells)]

    def __repr__(self) -> str:
        columns = self._cells()
        wide = [max(map(len, column)) for column in columns]
        rows = zip(*columns)
        return "\n".join("  ".join(map(str.ljust, row, wide)).rstrip() for row in rows) or "[]"

    def _repr_html_(self) -> str:
        lines = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row)
                 for row in zip(*self._cells())]
        return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


@dataclass(frozen=True)
class Next:
    """A token that may come next: `count` of `of` times the training text goes on so."""

    token: str
    probability: float
    count: int | None = None
    of: int | None = None
    model: float | None = None
    counting: float | None = None


@dataclass(frozen=True)
class Gap:
    """What may stand at a [mask], the token number `at` of `Model.fill`'s text."""

    at: int
    candidates: Table[Next]


@dataclass(frozen=True)
class Continuation:
    """A text that the model wrote after a prompt; `str()` of it is the text."""

    text: str
    tokens: list[str]
    log_probability: float
    ended: bool = True
    in_text: bool | None = None
    context_full: bool = False
    stopped: bool | None = None
    sources: list[dict[str, Any]] | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Token:
    """What a model makes of a token, or a word, of a text: see docs/programs.md."""

    line: int
    position: int
    token: str
    probability: float
    surprise: float
    rank: int
    entropy: float
    best: str
    best_probability: float
    count: int | None
    of: int | None
    model: float | None
    counting: float | None


@dataclass(frozen=True)
class Line:
    """The mean loss of a line, in nats, and the perplexity."""

    line: int
    text: str
    tokens: int
    loss: float
    perplexity: float | None


@dataclass(frozen=True)
class Head:
    """What a head does, or a whole layer if `head` is None: how much the loss rises without it, its
    attention to the previous token, and how far it copies."""

    layer: int
    head: int | None
    rise: float
    previous: float | None
    copies: float | None


@dataclass(frozen=True)
class Near:
    """A token, and how alike its embedding is."""

    token: str
    cosine: float
    count: int | None = None


@dataclass(frozen=True)
class Step:
    """A row of the log while a model trains, or the last step if that row is a second old."""

    step: int
    epoch: int
    loss: float | None
    evaluated: float | None
    bits_per_byte: float | None
    gap: float | None
    learning_rate: float | None
    gradient_norm: float | None
    tokens_per_second: float
    seconds: float
    shown: list[str]
    steps: int
