"""Tests of what comes from libpulga.so: compared with what the programs print, and with the same
model in numpy, in float64."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import numpy
import pulga
from pulga.programs import program

DATA = pathlib.Path(__file__).parents[2] / "data"
SMALL = {"layers": 2, "heads": 2, "width": 12, "steps": 30, "quiet": True}
ARRAYS = ("logits", "hidden", "attention", "queries", "keys", "values", "outputs")


def layernorm(x, w, name):
    x = x - x.mean(-1, keepdims=True)
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w[name + ".weight"] \
        + w[name + ".bias"]


def in_numpy(model, ids, sees, weights=None, patch=None) -> dict:
    """What model.forward() gives. `sees` (layers, heads, T, T): what each head attends to."""
    w = weights or {name: array.astype(float) for name, array in model.parameters.items()}
    w = {name.removeprefix("transformer."): array for name, array in w.items()}
    config = json.loads((model.path / "config.json").read_text())
    own, H, T = config["pulga"], config["n_head"], len(ids)
    wte = w["tokens_embed.weight" if "tokens_embed.weight" in w else "wte.weight"]
    wpe = w["positions_embed.weight" if "positions_embed.weight" in w else "wpe.weight"]
    x = wte[ids] + wpe[:T]
    out = {name: [] for name in ARRAYS}
    for layer in range(config["n_layer"]):
        block = f"h.{layer}."
        out["hidden"].append(x)
        post = own["norm"] == "post"
        inner = x if post else layernorm(x, w, block + "ln_1")
        qkv = inner @ w[block + "attn.c_attn.weight"] + w[block + "attn.c_attn.bias"]
        q, k, v = qkv.reshape(T, 3, H, -1).transpose(1, 2, 0, 3)
        scores = numpy.where(sees[layer], q @ k.swapaxes(1, 2) / numpy.sqrt(q.shape[-1]), -numpy.inf)
        e = numpy.exp(scores - scores.max(-1, keepdims=True))
        p = e / e.sum(-1, keepdims=True)
        mixed = p @ v
        if patch and layer == 0:
            mixed[1] = patch
        for name, array in zip(("attention", "queries", "keys", "values", "outputs"),
                               (p, q, k, v, mixed)):
            out[name].append(array)
        x = x + mixed.swapaxes(0, 1).reshape(T, -1) @ w[block + "attn.c_proj.weight"] \
            + w[block + "attn.c_proj.bias"]
        x = layernorm(x, w, block + "ln_1") if post else x
        inner = x if post else layernorm(x, w, block + "ln_2")
        h = inner @ w[block + "mlp.c_fc.weight"] + w[block + "mlp.c_fc.bias"]
        h = numpy.maximum(h, 0) if own["activation"] == "relu" else \
            h / 2 * (1 + numpy.tanh(numpy.sqrt(2 / numpy.pi) * (h + 0.044715 * h ** 3)))
        x = x + h @ w[block + "mlp.c_proj.weight"] + w[block + "mlp.c_proj.bias"]
        x = layernorm(x, w, block + "ln_2") if post else x
    out["hidden"].append(x)
    x = x if post else layernorm(x, w, "ln_f")
    return {**{name: numpy.array(out[name]) for name in ARRAYS[1:]},
            "logits": x @ w.get("lm_head.weight", wte).T}


def loss_in_numpy(model, ids, sees, weights) -> float:
    logits = in_numpy(model, ids[:-1], sees, weights)["logits"]
    top = logits.max(-1)
    log_sums = top + numpy.log(numpy.exp(logits - top[:, None]).sum(-1))
    return float((log_sums - logits[range(len(ids) - 1), ids[1:]]).mean())


def causal(T: int, *windows: int):
    """For each layer and head the keys that a query sees: all before it, or a window; 0: all."""
    i, j = numpy.indices((T, T))
    sees = numpy.array([(j <= i) & ((i - j < window) | (window == 0)) for window in windows])
    return sees.reshape(2, -1, T, T)


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = pulga.train(DATA / "perro.txt", out="runs/inside", overwrite=True,
                                quiet=True).model
        cls.gelu = pulga.train(DATA / "cuentos.txt", tokens="bpe", vocabulary=300, untied=True,
                               activation="gelu", positions="learned", attend=["all", 3],
                               out="runs/gelu", **SMALL).model
        cls.post = pulga.train(DATA / "cuentos.txt", tokens="char", norm="post", out="runs/post",
                               **SMALL).model

    def test_equals_the_model_in_numpy(self) -> None:
        for model, text, windows in ((self.model, "un gato come un hueso", [0] * 8),
                                     (self.gelu, "La niña canta.", [0, 3] * 2),
                                     (self.post, "La niña canta.", [0] * 4)):
            ids = model.tokenizer.encode(text)
            sees = causal(len(ids), *windows)
            for patch in (None, 0.25):
                read = model.forward(text, patch and {"L1H2": patch})
                told = in_numpy(model, ids, sees, patch=patch)
                for name in ARRAYS:
                    numpy.testing.assert_allclose(getattr(read, name), told[name], rtol=1e-4,
                                                  atol=1e-5, err_msg=f"{model} {name} {patch}")
            self.assertEqual(read.ids, ids)
            self.assertEqual(len(read.tokens), len(ids))
        self.assertEqual(self.model.forward("un gato").tokens, ["[bos]", "un", "gato"])

    def test_shared_keys(self) -> None:
        """The four heads of a llama share two of keys and values, which positions have turned."""
        model = pulga.train(DATA / "perro.txt", shape="llama", heads=4, key_heads=2,
                            out="runs/llama", overwrite=True, quiet=True).model
        read = model.forward("un gato come un hueso")
        L, _, T, D = read.queries.shape
        self.assertEqual(read.keys.shape, (L, 2, T, D))
        keys, values = read.keys.repeat(2, 1), read.values.repeat(2, 1)
        scores = read.queries @ keys.swapaxes(2, 3) / D ** 0.5
        e = numpy.exp(scores) * numpy.tril(numpy.ones((T, T)))
        attention = e / e.sum(-1, keepdims=True)
        numpy.testing.assert_allclose(read.attention, attention, atol=1e-5)
        numpy.testing.assert_allclose(read.outputs, attention @ values, atol=1e-5)

    def test_gradients_are_those_of_central_differences(self) -> None:
        """In float64, of the model in numpy, in three places of each weight."""
        for model, text, windows in ((self.model, "un gato come un hueso", [0] * 8),
                                     (self.gelu, "La niña", [0, 3] * 2),
                                     (self.post, "La niña", [0] * 4)):
            ids = [*model.tokenizer.encode(text), *[1] * (model is self.model)]  # [eos]
            sees = causal(len(ids) - 1, *windows)
            gradients = model.gradients(text)
            weights = {name: array.astype(float) for name, array in model.parameters.items()}
            self.assertEqual(gradients.keys(), weights.keys())
            self.assertAlmostEqual(gradients.loss, loss_in_numpy(model, ids, sees, weights), 5)
            random = numpy.random.default_rng(1)
            for name, array in weights.items():
                if name.endswith("wpe.weight") and model is not self.gelu \
                        or "positions" in name:  # fixed
                    self.assertEqual(abs(gradients[name]).max(), 0)
                    continue
                largest = numpy.unravel_index(abs(gradients[name]).argmax(), array.shape)
                for place in (largest, *(tuple(random.integers(array.shape)) for _ in range(2))):
                    was, step, losses = array[place], 1e-4, []
                    for side in (step, -step):
                        array[place] = was + side
                        losses.append(loss_in_numpy(model, ids, sees, weights))
                    array[place] = was
                    numpy.testing.assert_allclose(
                        gradients[name][place], (losses[0] - losses[1]) / (2 * step), rtol=2e-4,
                        atol=2e-6, err_msg=f"{model} {name} {place}")

    def test_equals_the_programs(self) -> None:
        for model, text in ((self.model, "un gato come"), (self.gelu, "La niña"),
                            (self.post, "La niña")):
            read = model.forward(text)
            for row in model.next(text, table=5) if model is not self.gelu else ():
                of_row = read.probabilities[-1, model.vocabulary.index(row.token)]
                self.assertAlmostEqual(of_row, row.probability, 6)
            numpy.testing.assert_allclose(read.probabilities.sum(-1), 1)
            subprocess.run([program("attend"), model, text, "-o", "maps.npy"], check=True,
                           stdout=subprocess.DEVNULL)
            numpy.testing.assert_array_equal(read.attention, numpy.load("maps.npy"))
            for head in ("L1H1", "L1H2"):
                patched = model.forward(text, {head: 0})
                told = model.attention(text, without=head).weights
                self.assertGreater(abs(told - read.attention).max(), 1e-4)
                numpy.testing.assert_array_equal(patched.attention, told)
            for row in self.model.next("un gato come", table=5, without="L2H3"):
                patched = self.model.forward("un gato come", {"L2H3": 0}).probabilities
                at = self.model.vocabulary.index(row.token)
                self.assertAlmostEqual(patched[-1, at], row.probability, 6)
        lines = ["el perro come", "un gato come un hueso"]
        for line, row in zip(lines, self.model.losses(lines)):
            self.assertAlmostEqual(self.model.gradients(line).loss, row.loss, 6)

    def test_its_own_outputs_change_nothing(self) -> None:
        read, other = (self.model.forward(text) for text in ("el perro come", "un gato come"))
        heads = {f"L{layer + 1}H{head + 1}": read.outputs[layer, head]
                 for layer in range(2) for head in range(4)}
        for patch in (heads, {"L1H1": numpy.nan}, {}, None):
            same = self.model.forward("el perro come", patch)
            for name in ARRAYS:
                numpy.testing.assert_array_equal(getattr(same, name), getattr(read, name))
        moved = self.model.forward("el perro come", {"L1H2": other.outputs[0, 1]})
        numpy.testing.assert_array_equal(moved.outputs[0, 1], other.outputs[0, 1])
        self.assertGreater(abs(moved.logits - read.logits).max(), 1e-3)
        last = numpy.full((4, 16), numpy.nan)
        last[-1] = 0  # of the last token only
        moved = self.model.forward("el perro come", {"L2H1": last})
        numpy.testing.assert_array_equal(moved.logits[:-1], read.logits[:-1])
        self.assertGreater(abs(moved.logits[-1] - read.logits[-1]).max(), 1e-3)

    def test_parameters(self) -> None:
        model = pulga.open(self.model)
        before, weights = model.logits("el"), model.weights()
        self.assertEqual(weights.keys(), model.parameters.keys())
        for name, array in model.parameters.items():
            numpy.testing.assert_array_equal(array, weights[name])
        numpy.testing.assert_array_equal(model.hidden("el"), model.forward("el").hidden)
        bias = model.parameters["transformer.ln_f.bias"]
        bias += 1
        self.assertGreater(abs(model.logits("el") - before).max(), 0.01)
        model.close()
        numpy.testing.assert_array_equal(model.logits("el"), before)
        bias += 1  # of a network that is still there
        numpy.testing.assert_array_equal(model.logits("el"), before)

    def test_a_step_along_the_gradients_lowers_the_loss(self) -> None:
        model = pulga.open(self.model)
        gradients = model.gradients("el gato come")
        for name, array in model.parameters.items():
            array -= 0.01 * gradients[name]
        self.assertLess(model.gradients("el gato come").loss, gradients.loss - 0.001)

    def test_targets(self) -> None:
        read = self.model.forward([0, 2, 3])
        loss = self.model.gradients([0, 2, 3], [None, None, 5]).loss
        self.assertAlmostEqual(loss, -numpy.log(read.probabilities[-1, 5]), 5)
        same = self.model.gradients([0, 2, 3], [2, 3, -1])
        self.assertEqual(same.loss, self.model.gradients([0, 2, 3]).loss)

    def test_other_objectives(self) -> None:
        pathlib.Path("pairs.txt").write_text("el gato\tthe cat\nun perro\ta dog\n" * 9)
        pairs = pulga.train("pairs.txt", objective="pairs", out="runs/pairs", **SMALL).model
        numpy.testing.assert_allclose(pairs.forward("el gato\tthe cat").attention,
                                      pairs.attention("el gato\tthe cat").weights, atol=1e-6)
        self.assertAlmostEqual(pairs.gradients("el gato\tthe cat").loss,
                               pairs.losses("el gato\tthe cat")[0].loss, 6)
        masked = pulga.train(DATA / "perro.txt", objective="masked", out="runs/masked",
                             **SMALL).model
        read = masked.forward("el [mask] come")
        for row in masked.fill("el [mask] come", table=3)[0].candidates:
            self.assertAlmostEqual(read.probabilities[2, masked.vocabulary.index(row.token)],
                                   row.probability, 6)
        with self.assertRaisesRegex(pulga.Error, "give the targets"):
            masked.gradients("el [mask] come")
        gato = masked.vocabulary.index("gato")
        self.assertAlmostEqual(masked.gradients(read.ids, [None, None, gato, None, None]).loss,
                               -numpy.log(read.probabilities[2, gato]), 5)

    def test_from_several_threads(self) -> None:
        before, ids = self.model.logits([0, 2, 3]), [0, 2, 3]
        wrong: list[object] = []

        def ask(bad: bool) -> None:
            for _ in range(200):
                try:
                    logits = self.model.logits([99] if bad else ids)
                    if not numpy.array_equal(logits, before):
                        wrong.append(logits)
                except pulga.Error as error:
                    if not bad or not str(error).startswith("99 is"):
                        wrong.append(error)
        threads = [threading.Thread(target=ask, args=(i % 2 == 1,)) for i in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(wrong, [])

    def test_without_the_library(self) -> None:
        os.makedirs("programs", exist_ok=True)
        for name in ("train", "sample", "attend", "export"):
            if not os.path.exists(f"programs/{name}"):
                os.symlink(os.path.abspath(program(name)), f"programs/{name}")
        code = "import pulga; m = pulga.open('runs/inside'); print(m.next('el')); m.logits('el')"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PULGA_BIN": "programs"}, check=False)
        self.assertIn("muchacho", done.stdout)
        self.assertIn("pulga.programs.Error: this needs libpulga.so", done.stderr.splitlines()[-1])
