"""What a model computes on its way from a text to its logits, and gradients: from libpulga.so,
which runs in this process. Its header is programs/library.h."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import operator
import os
import re
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy
import numpy.typing

from .programs import Error, Path, program

Array = numpy.ndarray[Any, Any]
Patch = Mapping[str, numpy.typing.ArrayLike]


@dataclasses.dataclass(frozen=True, eq=False)
class Forward:
    """What a model computes for T tokens; all but the ids and tokens in float32. `hidden` is the
    input of each layer, and the output of the last. `outputs` are what the heads hand to the
    projection of their layer, `attention` @ `values`."""

    ids: list[int] = dataclasses.field(repr=False)
    tokens: list[str]
    logits: Array = dataclasses.field(repr=False)  # (T, V)
    hidden: Array = dataclasses.field(repr=False)  # (layers + 1, T, C)
    attention: Array = dataclasses.field(repr=False)  # (layers, heads, T, T)
    queries: Array = dataclasses.field(repr=False)  # (layers, heads, T, D); so are the others,
    # but a head may share keys and values: (layers, key heads, T, D)
    keys: Array = dataclasses.field(repr=False)
    values: Array = dataclasses.field(repr=False)
    outputs: Array = dataclasses.field(repr=False)

    @property
    def probabilities(self) -> Array:
        """What may follow each token: (T, V)."""
        e = numpy.exp(self.logits - self.logits.max(axis=-1, keepdims=True), dtype=float)
        return e / e.sum(axis=-1, keepdims=True)  # type: ignore[no-any-return]


class Gradients(dict[str, Array]):
    """The gradients of a loss by the names of the weights, and the loss."""

    loss: float


class _Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 96), ("rows", ctypes.c_int), ("cols", ctypes.c_int),
                ("weights", ctypes.c_void_p), ("gradients", ctypes.c_void_p)]


class _Arrays(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("logits", "stream", "maps", "qkv", "mixed")]


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(program("libpulga.so"))
    except (Error, OSError):
        raise Error("this needs libpulga.so, which is in the wheels for Linux; make library builds "
                    "it, and PULGA_BIN names its folder") from None
    library.pulga_open.restype = ctypes.c_void_p
    library.pulga_message.restype = library.pulga_token.restype = ctypes.c_char_p
    for name in ("tensor", "forward", "gradients"):
        getattr(library, f"pulga_{name}").restype = ctypes.c_bool
    return library


class _View:
    """Numbers of a network as an array, which keeps the network open."""

    def __init__(self, network: Network, address: int, shape: tuple[int, ...]) -> None:
        self.network = network
        self.__array_interface__ = {"version": 3, "typestr": "<f4", "shape": shape,
                                    "data": (address, False)}


class Network:
    """A model in the memory of this process."""

    def __init__(self, path: Path) -> None:
        library = self._of = _library()
        self._lock = threading.Lock()
        handle = library.pulga_open(os.fsencode(path))
        self._check(handle)
        self._handle = ctypes.c_void_p(handle)
        weakref.finalize(self, library.pulga_close, self._handle)
        sizes = (ctypes.c_int * 9)()
        library.pulga_sizes(self._handle, sizes)
        (self.context, self.layers, self.heads, self.key_heads, self.head_size, self.width,
         self.hidden, vocabulary, self.eos) = sizes
        self.vocabulary = [library.pulga_token(self._handle, id).decode(errors="replace")
                           for id in range(vocabulary)]

    def _check(self, good: bool) -> None:
        if not good:
            raise Error(self._of.pulga_message().decode(errors="replace"))

    def tensors(self, member: str) -> dict[str, Array]:
        """The "weights" or "gradients" by their names: the network's own memory."""
        tensor, views = _Tensor(), dict[str, Array]()
        while self._of.pulga_tensor(self._handle, len(views), ctypes.byref(tensor)):
            shape = (tensor.rows, tensor.cols) if tensor.rows else (tensor.cols,)
            views[tensor.name.decode()] = numpy.asarray(
                _View(self, getattr(tensor, member), shape))
        return views

    def _patched(self, patch: Patch, rows: int) -> Array:
        """The heads' outputs (L, T, H, D) that `patch` replaces, NAN where it does not."""
        patched = numpy.full((self.layers, rows, self.heads, self.head_size), numpy.nan, "f4")
        for name, value in patch.items():
            found = re.fullmatch("L([1-9][0-9]*)H([1-9][0-9]*)", str(name))
            layer, head = map(int, found.groups()) if found else (0, 0)
            if not (0 < layer <= self.layers and 0 < head <= self.heads):
                raise Error(f"the model has no head {name}: its heads are L1H1 to "
                            f"L{self.layers}H{self.heads}")
            place = patched[layer - 1, :, head - 1]
            try:
                place[:] = value
            except ValueError:
                raise Error(f"the output of {name} is an array of {place.shape}, or a number, "
                            f"not one of {numpy.shape(value)}") from None
        return patched

    def run(self, ids: Sequence[int], patch: Patch | None, wanted: Iterable[str]
            ) -> dict[str, Array]:
        """A forward pass, and the arrays that are wanted of it, by the names of library.h."""
        rows, L, H, K, D = len(ids), self.layers, self.heads, self.key_heads, self.head_size
        shapes = {"logits": (rows, len(self.vocabulary)), "stream": (L + 1, rows, self.width),
                  "maps": (L, H, rows, rows), "qkv": (L, rows, H + 2 * K, D),
                  "mixed": (L, rows, H, D)}
        arrays = {name: numpy.empty(shapes[name], "f4") for name in wanted}
        into = _Arrays(**{name: array.ctypes.data for name, array in arrays.items()})
        patched = self._patched(patch, rows) if patch else None
        with self._lock:
            self._check(self._of.pulga_forward(
                self._handle, _whole(ids), rows,
                None if patched is None else ctypes.c_void_p(patched.ctypes.data),
                ctypes.byref(into)))
        return arrays

    def forward(self, ids: Sequence[int], patch: Patch | None) -> Forward:
        """A forward pass, and all that it computes."""
        read = self.run(ids, patch, ("logits", "stream", "maps", "qkv", "mixed"))
        H, K = self.heads, self.key_heads
        queries, keys, values = numpy.split(read["qkv"].swapaxes(1, 2), [H, H + K], 1)
        return Forward(list(ids), [self.vocabulary[id] for id in ids], read["logits"],
                       read["stream"], read["maps"], queries, keys, values,
                       read["mixed"].swapaxes(1, 2))

    def gradients(self, ids: Sequence[int], targets: Sequence[int | None] | None) -> Gradients:
        """The gradients of the mean loss; targets None: of each token after the first."""
        wanted, loss = None, ctypes.c_double()
        if targets is not None:
            if len(targets) != len(ids):
                raise Error(f"{len(targets)} targets for {len(ids)} tokens: each has one, or None")
            wanted = _whole([-1 if target is None else target for target in targets])
        with self._lock:
            self._check(self._of.pulga_gradients(
                self._handle, _whole(ids), len(ids), wanted, ctypes.byref(loss)))
            gradients = Gradients((name, array.copy())
                                  for name, array in self.tensors("gradients").items())
        gradients.loss = loss.value
        return gradients


def _whole(ids: Sequence[int]) -> Any:
    """Ids as an array of C."""
    array = numpy.array([operator.index(id) for id in ids], numpy.int32)
    return (ctypes.c_int * len(ids))(*array.tolist())
