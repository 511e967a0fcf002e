"""A trained model, and what it can be asked."""

from __future__ import annotations

import dataclasses
import html
import json
import os
import pathlib
import re
import sys
import threading
import warnings
import weakref
import webbrowser
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from . import wasm
from .programs import Error, Path, Process, Value, a_text, arguments, call, failure, start, warn
from .rows import Continuation, Gap, Head, Line, Near, Next, Table, Token

if TYPE_CHECKING:
    from .library import Array, Forward, Gradients, Network, Patch

_OPEN = 4  # processes that a model keeps open
Open = dict[tuple[object, ...], "Process | wasm.Program"]
_GIVEN = ("json", "csv", "score", "near", "decode", "output", "heads", "positions", "help")


@dataclasses.dataclass(frozen=True, repr=False)
class Page:
    """A page that shows what a model attends to, and answers. It shows itself in a notebook."""

    html: str

    def __repr__(self) -> str:
        return f"Page({len(self.html)} characters)"

    def _repr_html_(self) -> str:
        inside = html.escape(self.html)
        return f'<iframe srcdoc="{inside}" style="width:100%;height:40em;border:0"></iframe>'

    def save(self, path: Path) -> pathlib.Path:
        """Writes the page into a file, for a browser."""
        pathlib.Path(path).write_text(self.html, "utf-8")
        return pathlib.Path(path)


@dataclasses.dataclass(frozen=True, eq=False)
class Attention:
    """What each head attends to: `weights` (layers, heads, T, T), float32; each row sums to 1."""

    text: str
    tokens: list[str]
    weights: Array = dataclasses.field(repr=False)
    _figure: Callable[[], str] = dataclasses.field(repr=False)

    def _repr_html_(self) -> str:
        return self._figure()

    def save(self, path: Path) -> pathlib.Path:
        """Writes the figure, an SVG, into a file."""
        pathlib.Path(path).write_text(self._figure(), "utf-8")
        return pathlib.Path(path)


class Heads(Table[Head]):
    """The heads and layers of a model, and the loss of the text with all of them."""

    loss: float


class Tokenizer:
    """From texts to ids and back, as a model reads and writes them.

    >>> model.tokenizer.encode("el perro come")
    [0, 2, 3, 4]
    >>> model.tokenizer.decode([0, 2, 3, 4])
    'el perro come'
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    def encode(self, text: str) -> list[int]:
        """The ids that the model reads of a prompt, with [bos] if it reads by lines."""
        return list(self._model._ask(["--count=0", "--table=0"], text, strict=True)["ids"])

    def decode(self, ids: Sequence[int]) -> str:
        """Their text, without [bos] and [eos]."""
        return str(self._model._ask(["--decode"], " ".join(str(index(id)) for id in ids))["text"])


def _close(processes: Open) -> None:
    for key in [key for key in processes if key[0] == os.getpid()]:
        processes.pop(key).end()


class Model:
    """A model in a directory: a run, a checkpoint of one, or a GPT-2 of Transformers. `open` makes
    it. Options are those of `./sample` and `./attend` with _ for -."""

    def __init__(self, path: Path) -> None:
        self.path = pathlib.Path(path)
        self._open: Open = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _close, self._open)
        self._networks: dict[int, Network] = {}  # one at most, by when its run was saved
        self._call("sample", ["--json"], [])  # says what is wrong with it, if anything is

    def __repr__(self) -> str:
        return f"pulga.open({str(self.path)!r})"

    def __fspath__(self) -> str:
        return str(self.path)

    def _call(self, name: str, options: Sequence[str], texts: Sequence[str],
              given: str = "", tells: bool = False) -> str:
        return call(name, [*options, "--", str(self.path), *texts], given, tells)[0]

    def _saved(self) -> int:
        weights = self.path / "model.safetensors"
        return weights.stat().st_mtime_ns if weights.exists() else 0

    def _ask(self, words: Sequence[str], prompt: str, strict: bool = False) -> dict[str, Any]:
        """The answer to a prompt, of a process that stays open; but if the prompt has line ends, of
        one for it alone. If it is strict, all of the prompt must be known."""
        if "\n" in a_text(prompt) or "\r" in prompt:
            return self._once(words, prompt, strict)
        key = (os.getpid(), self._saved(), *words)  # a forked process has its own, a trained run a new one
        with self._lock:
            process = self._open.pop(key, None) or start(
                "sample", ["--json", *words, "--", str(self.path)])
            try:
                process.write(prompt.encode() + b"\n")
                answer = process.readline()
                if not answer:
                    raise failure("sample", process.wait(), process.errors())
            except BaseException:
                process.end()  # a later answer would belong to this line
                raise
            self._open[key] = process  # now the last one
            while len(self._open) > _OPEN:
                self._open.pop(next(iter(self._open))).end()
        return self._checked(json.loads(answer), strict)

    def _once(self, words: Sequence[str], prompt: str, strict: bool = False) -> dict[str, Any]:
        words = ["--json", *words]
        if "\n" in a_text(prompt) or "\r" in prompt:
            answer = self._call("sample", words, [prompt], tells=True)
        else:
            answer = self._call("sample", words, [], prompt + "\n", tells=True)
        return self._checked(json.loads(answer), strict)

    def _checked(self, answer: dict[str, Any], strict: bool) -> dict[str, Any]:
        unknown = answer.get("unknown", "")
        wrong = answer.get("error", unknown if strict else "")
        wrong, unknown = (re.sub(r"^[^:]*:[0-9]+: ", "", line) for line in (wrong, unknown))
        if wrong:
            raise Error(wrong)
        warn("sample", unknown)
        return answer

    def close(self) -> None:
        """Ends the processes that are open, and forgets what was written into `parameters`. The
        end of this object, or of Python, ends them too."""
        self._networks.clear()
        _close(self._open)

    @property
    def tokenizer(self) -> Tokenizer:
        """From texts to ids and back."""
        return Tokenizer(self)

    def next(self, prompt: str = "", **options: Value) -> Table[Next]:
        """The most probable next tokens, and how often the training text goes on so.

        >>> model.next("el perro", table=2)
        token  probability  count  of
        come   0.999817     2      2
        gato   2.50749e-05  0      2
        """
        words = arguments("sample", options, (*_GIVEN, "count", "chat"))
        answer = self._ask(["--count=0", *words], prompt)
        if "next" not in answer:
            raise Error("this model fills gaps, it predicts no next token: fill() tells what with")
        return Table(Next(**each) for each in answer["next"])

    def fill(self, text: str, **options: Value) -> list[Gap]:
        """What may stand at each [mask] of a line, if the model was trained on masked tokens."""
        words = arguments("sample", options, (*_GIVEN, "count", "chat"))
        answer = self._ask(["--count=0", *words], text)
        if "gaps" not in answer:
            raise Error("this model predicts next tokens, it fills no gaps: next() tells them")
        return [Gap(gap["at"], Table(Next(**each) for each in gap["candidates"]))
                for gap in answer["gaps"]]

    def sample(self, prompt: str = "", **options: Value) -> Table[Continuation]:
        """Continuations of a prompt; of pairs its targets, of a line with gaps the whole line. The
        same seed draws the same.

        >>> [str(text) for text in model.sample("el perro", count=2)]
        ['come', 'come un hueso']
        """
        words = arguments("sample", options, _GIVEN)
        answer = self._once(words, prompt)
        written = answer["fillings" if "fillings" in answer else "continuations"]
        return Table(Continuation(**each) for each in written)

    def score(self, texts: str | Sequence[str], each: str = "token",
              **options: Value) -> Table[Token]:
        """What the model makes of each token, or each word, of some lines, in one call. In a list
        each text is a line; `line` of a row says which, from 1.

        >>> rows = model.score(["el perro come", "un gato come un hueso"])
        >>> round(sum(row.surprise for row in rows if row.line == 1), 4)
        3.1728
        """
        if each not in ("token", "word"):
            raise ValueError(f"each is 'token' or 'word', not {each!r}")
        rows = self._score(texts, [f"--each={each}"], options)
        for row in rows:
            row["token"] = row.pop("word", None) or row.get("token", "")
        return Table(Token(**row) for row in rows)

    def losses(self, texts: str | Sequence[str], **options: Value) -> Table[Line]:
        """The loss and the perplexity of each line.

        >>> [line.loss < 1 for line in model.losses(["el perro come", "gato el come"])]
        [True, False]
        """
        return Table(Line(**row) for row in self._score(texts, [], options)[:-1])

    def _score(self, texts: str | Sequence[str], words: list[str],
               options: dict[str, Value]) -> list[dict[str, Any]]:
        words += arguments("sample", options, (*_GIVEN, "each"))
        if not isinstance(texts, str):
            texts = list(texts)
            for number, text in enumerate(texts):
                if "\n" in a_text(text) or not text.strip():
                    raise ValueError(f"text {number} of the list is not one line: {text!r}")
            texts = "\n".join(texts)
        lines = self._call("sample", ["--score=-", "--json", *words], [], texts).splitlines()
        return [json.loads(line) for line in lines]

    def attention(self, text: str, **options: Value) -> Attention:
        """What each head attends to while the model reads a text.

        >>> model.attention("el perro come").weights.shape
        (2, 4, 4, 4)
        """
        import numpy

        words = arguments("attend", options, (*_GIVEN, "live", "static", "train"))
        read = json.loads(self._call("attend", ["--output=-.json", *words], ["-"], text))
        weights = numpy.array(read["weights"], dtype=numpy.float32)
        return Attention(read["text"], read["tokens"], weights,
                         lambda: self._call("attend", ["--output=-.svg", *words], ["-"], text))

    def page(self, text: str, **options: Value) -> Page:
        """The page of `./attend`, for a notebook or a browser.

        >>> model.page("el perro come").save("page.html")
        PosixPath('page.html')
        """
        words = arguments("attend", options, _GIVEN)
        return Page(self._call("attend", ["--output=-.html", *words], ["-"], text))

    def heads(self, text: str, **options: Value) -> Heads:
        """What each head and each layer does for a text.

        >>> model.heads("el perro come")[4].head is None # the first layer, all of it
        True
        """
        words = arguments("attend", options, (*_GIVEN, "layer", "head", "live", "static", "train"))
        read = json.loads(self._call("attend", ["--heads", "--output=-.json", *words], ["-"], text))
        heads = Heads(Head(**each) for each in read["effects"])
        heads.loss = read["loss"]
        return heads

    @property
    def _network(self) -> Network:
        from .library import Network

        saved = self._saved()
        if saved not in self._networks:
            self._networks = {saved: Network(self.path)}
        return self._networks[saved]

    def _ids(self, text: str | Sequence[int]) -> Sequence[int]:
        if isinstance(text, str):
            return self.tokenizer.encode(text)
        if not hasattr(text, "__len__"):
            raise TypeError(f"a text is a string, or ids, not {text!r:.60}")
        return text

    def forward(self, text: str | Sequence[int], patch: Patch | None = None) -> Forward:
        """All that the model computes for a text, or for ids. `patch` takes the place of the outputs
        of some heads: 0 switches a head off, an array (T, D) may come from another text.

        >>> inside = model.forward("el perro come")
        >>> inside.tokens, inside.queries.shape
        (['[bos]', 'el', 'perro', 'come'], (2, 4, 4, 16))
        >>> other = model.forward("el gato come")
        >>> moved = model.forward("el perro come", patch={"L1H2": other.outputs[0, 1]})
        """
        return self._network.forward(self._ids(text), patch)

    def logits(self, text: str | Sequence[int], patch: Patch | None = None) -> Array:
        """The logits (T, V): for each token of a text, a score for every token that may follow.

        >>> model.vocabulary[model.logits("el perro")[-1].argmax()]
        'come'
        """
        return self._network.run(self._ids(text), patch, ["logits"])["logits"]

    def hidden(self, text: str | Sequence[int], patch: Patch | None = None) -> Array:
        """The hidden states (layers + 1, T, C): the embeddings, and the output of each layer.

        >>> model.hidden("el perro").shape
        (3, 3, 64)
        """
        return self._network.run(self._ids(text), patch, ["stream"])["stream"]

    def gradients(self, text: str | Sequence[int],
                  targets: Sequence[int | None] | None = None) -> Gradients:
        """The gradients of the mean loss of a line, by the names of the weights, and the loss. Of
        ids, the first is not predicted; `targets` are other ids to predict after each, None: none.

        >>> gradients = model.gradients("el perro come")
        >>> round(gradients.loss, 6) == round(model.losses("el perro come")[0].loss, 6)
        True
        >>> gradients["transformer.h.0.attn.c_attn.weight"].shape
        (64, 192)
        """
        ids, network = list(self._ids(text)), self._network
        if isinstance(text, str) and targets is None and network.eos >= 0:
            ids += [] if ids[-1:] == [network.eos] else [network.eos]
        return network.gradients(ids, targets)

    @property
    def parameters(self) -> dict[str, Array]:
        """The weights in memory. What you write into them changes what `forward`, `logits`,
        `hidden` and `gradients` compute, until `close()`; no file, and nothing else.

        >>> model.parameters["transformer.wte.weight"][:] = 0 # the head has the same table
        >>> float(model.logits("el perro").max())
        0.0
        >>> model.close()
        """
        return self._network.tensors("weights")

    @property
    def vocabulary(self) -> list[str]:
        """The text of each token, by its id."""
        return self._network.vocabulary

    def near(self, word: str, **options: Value) -> Table[Near]:
        """The tokens whose embeddings are most like that of a word.

        >>> [near.token for near in model.near("perro", table=2)]
        ['gato', 'muchacho']
        """
        words = arguments("sample", options, _GIVEN)
        answer = json.loads(self._call("sample", [f"--near={a_text(word)}", "--json", *words], []))
        return Table(Near(**each) for each in answer["near"])

    def weights(self) -> dict[str, Array]:
        """All weights by their names in Transformers, as model.safetensors has them."""
        import numpy

        kinds = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "BF16": "<u2"}
        file, weights = self.path / "model.safetensors", {}
        try:
            data = file.read_bytes()
            begin = 8 + int.from_bytes(data[:8], "little")
            for name, about in json.loads(data[8:begin]).items():
                if name != "__metadata__":
                    first, end = (begin + offset for offset in about["data_offsets"])
                    array = numpy.frombuffer(data[first:end], kinds[about["dtype"]])
                    if about["dtype"] == "BF16":  # the upper halves of float32
                        array = (array.astype("<u4") << 16).view("<f4")
                    weights[name] = array.reshape(about["shape"])
        except OSError as error:
            raise Error(f"cannot open {file}: {error.strerror}") from None
        except (ValueError, LookupError, TypeError, AttributeError):
            raise Error(f"{file} is damaged, or not in F32, F16, F64 or BF16") from None
        return weights

    @property
    def embeddings(self) -> Array:
        """The embeddings (V, C): a row for each token.

        >>> model.embeddings.shape
        (15, 64)
        """
        return next(w for name, w in self.weights().items() if name.endswith(
            ("wte.weight", "tokens_embed.weight", "embed_tokens.weight")))

    def export(self, path: Path, **options: Value) -> pathlib.Path:
        """Writes the model as GGUF for llama.cpp: `model.export("m.gguf", type="q8_0")`."""
        self._call("export", arguments("export", options), [os.fspath(path)])
        return pathlib.Path(path)


def lab() -> Page:
    """The lab, a page that trains: it opens in a browser; in a notebook it shows itself."""
    here = pathlib.Path(__file__).parent
    for path in (here / "lab.html", here.parents[1] / "build" / "lab" / "pulga.html"):
        if path.exists():
            if "ipykernel" not in sys.modules and not webbrowser.open(path.as_uri()):
                warnings.warn(f"there is no browser here: open {path} in one", stacklevel=2)
            return Page(path.read_text("utf-8"))
    raise Error("the lab is not in this package: make lab, then make wheel, and install it again")


def open(path: Path) -> Model:
    """The model in a directory: a run, a checkpoint, or a GPT-2 that Transformers saved."""
    return Model(path)
