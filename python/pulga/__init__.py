"""Pulga trains a tiny GPT from a text file, and shows all of it. The programs do the work; this
package calls them and reads what they print.

>>> import pulga
>>> run = pulga.train("perro.txt")
>>> run.checksum
'e934a89039392319'
>>> model = pulga.open("runs/perro")
>>> model.next("el", table=3)
token     probability  count  of
muchacho  0.399904     2      5
perro     0.399865     2      5
gato      0.199906     1      5
"""

from __future__ import annotations

from .models import Attention, Heads, Model, Page, Tokenizer, lab, open
from .programs import Error, Option, call, options
from .rows import Continuation, Gap, Head, Line, Near, Next, Step, Table, Token
from .runs import Comparison, Run, Verification, compare, train

__version__: str

__all__ = [
    "Attention", "Comparison", "Continuation", "Error", "Gap", "Head", "Heads", "Line", "Model",
    "Near", "Next", "Option", "Page", "Run", "Step", "Table", "Token", "Tokenizer", "Verification",
    "__version__", "compare", "lab", "open", "options", "train",
]


def __getattr__(name: str) -> str:
    """The version is that of the programs, which are asked when somebody wants to know it."""
    if name == "__version__":
        return call("train", ["--version"])[0].split()[-1]
    raise AttributeError(f"module 'pulga' has no attribute {name!r}")
