"""random_models.py: the model in the page agrees with the programs, for models of all kinds.

    MODELS=100 python3 tests/browser look_at_random_models     tries 100 kinds instead of 20

For each model: the attention maps are those of attend's .npy, the probabilities of the next token,
or in each gap, those of sample --json, to 1e-4 of the logits; the counts are the same; and the same
seed draws the same words.
"""
import json
import os
import random
import struct

from model import DRAWN, compare_place, jsonl
from programs import BIN, ROOT, Array, call

MODELS = int(os.environ.get("MODELS", 20))
CLOSE_MAP = 1e-5


# In the page: reads a text, and returns all that is compared.
SCRIPT = """((text, prompt, draws) => {
    const get = id => document.getElementById(id).textContent;
    const data = JSON.parse(get("data")), tokens = new Tokens(data.tokenizer);
    const network = new Model(data.model, floatsOf(get("weights")));
    const read = e => network.read(e.ids, e.prefix);
    const logs = logits => Array.from(softmax(logits), Math.log);
    const encoded = tokens.encode(text), asked = tokens.encode(prompt);
    const counts = data.counts && new Counts(data.counts, tokens);
    const places = asked.gaps.length ? asked.gaps : [asked.ids.length - 1];
    const counted = !counts ? null
        : asked.gaps.length ? counts.gaps(asked.ids)
        : (({times, total}) => ({times: [times], total}))(counts.after(asked.ids));
    const differs = (token, i) => token.id !== tokens.unk && token.text !== data.words[i];
    // Half of a text before the whole: then the rows of that half are not computed again.
    const half = Math.max(encoded.prefix, encoded.ids.length >> 1);
    network.read(encoded.ids.slice(0, half), encoded.prefix);
    const maps = read(encoded).maps.map(heads => heads.map(
        map => Array.from(map, weight => Math.max(weight, 0))));
    const answer = asked.ids.length <= network.context ? read(asked) : null;
    // What the model would say after some blocks is what a model of that many blocks says.
    const part = layers => new Model({...data.model, layers}, floatsOf(get("weights")));
    const lens = [...Array(network.layers).keys()].every(blocks => {
        const cut = part(blocks).read(encoded.ids, encoded.prefix).logits;
        return read(encoded).logitsAt(encoded.ids.length - 1, blocks)
            .every((logit, id) => Math.abs(logit - cut[id]) < 1e-5);
    });
    return {
        lens,
        problems: [encoded.problem, asked.problem, ...encoded.unknown, ...asked.unknown,
                   ...encoded.tokens.filter(differs)],
        maps,
        next: answer ? places.map(place => logs(answer.logitsAt(place)))
            : [logs(new Writer(network, tokens, asked.ids).logits)],
        counted: counted && {times: counted.times.map(map => Object.fromEntries(map)),
                             total: counted.total},
        cosine: network.cosine(2, 5),
        tokens: tokens.tokens.map((_, id) => tokens.decode([id])),
        // As sample draws: into one gap after another, or after the prompt.
        drawn: draws.map(rules => [...Array(rules.count).keys()].map(number => {
            const drawer = new Draws(tokens, rules), ids = asked.gaps.length ? [...asked.ids] : [];
            for (const _ of asked.gaps) {
                const now = network.read(ids, asked.prefix), gap = surestGap(now, tokens);
                ids[gap] = drawer.next(now.logitsAt(gap), asked.gaps.indexOf(gap), number);
            }
            const writer = asked.gaps.length ? null
                : new Writer(network, tokens, asked.ids, asked.prefix);
            while (writer && ids.length < rules.words && ids.at(-1) !== tokens.eos) {
                if (ids.length)
                    writer.add(ids.at(-1));
                ids.push(drawer.next(writer.logits, ids.length, number));
            }
            return {text: tokens.decode(ids), count: asked.gaps.length || ids.length};
        })),
    };
})"""


TEXTS = {  # the file, a text and a prompt for attend and sample
    "perro": ("perro.txt", "un muchacho jugaba con la cuerda", "El"),
    "cuentos": ("cuentos.txt", "La niña corrió: ¿Qué come la gata?", "¿Qué come"),
    "traducciones": ("traducciones.tsv", "el perro negro come\tthe black dog", "la vaca no bebe"),
    "sumas": ("sumas.tsv", "58+67\t12", "9+3"),
    "huecos": ("perro.txt", "el [mask] come un hueso", "[mask] perro [mask]"),
}


class Choices:
    """The options of one model, drawn by its number."""

    def __init__(self, number):
        draw = random.Random(number).choice
        self.name = draw(["perro", "cuentos", "cuentos", "traducciones", "sumas", "huecos"])
        self.tokens = draw(["word", "char", "bpe"]) if self.name != "sumas" else "char"
        line = self.name in ("traducciones", "sumas", "huecos")
        self.sequence = draw(["lines", "stream"]) if not line else "lines"
        layers, heads, head_size = draw([1, 2, 3]), draw([1, 2, 4]), draw([4, 6, 16])
        patterns = draw(["all", "all", "3", "strided:2,all", "fixed:4,2",
                         "summary:4:2,all,strided:3"]).split(",")[:layers * heads]
        self.options = [
            "--tokens", self.tokens, "--layers", layers, "--heads", heads, "--head-size",
            head_size, "--width", draw([16, 20, 48]), "--hidden", draw([24, 64]), "--norm",
            draw(["pre", "post"]), "--activation", draw(["relu", "gelu"]), "--positions",
            draw(["sinusoidal", "learned"]), "--attend",
            ",".join(patterns),
            *draw([[], ["--untied"]]), *draw([[], ["--no-qkv-bias"]]),
            "--steps", 25, "--seed", number]
        if self.tokens == "bpe":
            self.options += ["--vocabulary", draw([270, 320])]
        if self.name == "traducciones" or self.name == "sumas":
            self.options += draw([[], ["--causal-source"]])
        else:
            self.options += ["--objective", "masked" if self.name == "huecos" else "next"]
        if not line:
            self.options += ["--sequence", self.sequence]
        if self.tokens == "word" and self.name == "cuentos":
            self.options += draw([[], ["--min-count", 3], ["--lower"]])
        if self.sequence == "stream":
            self.options += ["--context", draw([40, 64])]
        # Some have choices of llama's.
        draw = random.Random(number + 3000).choice
        if draw([True, False]):
            self.options += [
                *draw([[], ["--rms"]]), *draw([[], ["--gated"]]), *draw([[], ["--no-other-bias"]]),
                *draw([[], ["--positions", "rotary", "--theta", 50]]),
                *draw([[], ["--activation", "silu"]]),
                "--key-heads", draw([1, heads])]
        # In some models a head or a layer is off, or both.
        draw = random.Random(number + 2000).choice
        names = [f"L{layers}H{heads}"] + [f"L{layers}", f"L1,L{layers}H1"] * (layers > 1)
        self.without = draw([[], ["--without", draw(names)]])


def rules_of(number, sequence):
    """Two ways to draw. Lines end soon, so more of them are drawn."""
    draw = random.Random(number + 1000).choice
    rules = [{"seed": number, "temperature": 1, "topK": 0, "topP": 1},
             {"seed": number + 7, "temperature": draw([0.7, 1.5]), "topK": draw([0, 5]),
              "topP": draw([0.8, 1])}]
    return [{**r, "count": 50 if sequence == "lines" else 4, "words": 60} for r in rules]


def compare_maps(number, maps, array):
    weights = [weight for heads in maps for weights in heads for weight in weights]
    wanted = struct.unpack(f"<{len(weights)}f", array.data)
    farthest = max(abs(a - b) for a, b in zip(weights, wanted))
    assert farthest < CLOSE_MAP, (number, farthest)


def compare_next(number, seen, answer):
    places = [gap["candidates"] for gap in answer["gaps"]] if "gaps" in answer else [answer["next"]]
    counted = seen["counted"] or {"times": [{}] * len(places), "total": 0}
    return max(compare_place(number, found, place, times, counted["total"], seen["tokens"])
               for found, place, times in zip(seen["next"], places, counted["times"], strict=True))


def compare_drawn(number, run, prompt, rules, drawn, masked):
    """What sample draws by each of the rules is the same; returns how many tokens. `run` is the
    directory and what is left out of the model."""
    total = 0
    for rule, texts in zip(rules, drawn, strict=True):
        words = [] if masked else ["--words", rule["words"]]
        answer = jsonl(*run, prompt, "--seed", rule["seed"], "--temperature", rule["temperature"],
                       "--top-k", rule["topK"], "--top-p", rule["topP"], "--count", rule["count"],
                       "--table", 1, *words)
        for theirs, ours in zip(answer["fillings" if masked else "continuations"], texts, strict=True):
            if not masked and not theirs["ended"] and len(theirs["tokens"]) < rule["words"]:
                continue  # a pair that is cut at the end of the context
            text = ours["text"].replace("\0", "")  # sample leaves out a byte that is 0
            assert [theirs["text"], len(theirs["tokens"])] == [text, ours["count"]], (
                number, theirs, ours)
            total += ours["count"]
    return total


def compare_model(page, folder, number):
    choices = Choices(number)
    file, text, prompt = TEXTS[choices.name]
    run = folder / "run"
    call(BIN / "train", ROOT / "data" / file, "--out", run, "--overwrite", *choices.options)
    for ending in ("html", "npy"):
        call(BIN / "attend", run, "-", "-o", folder / f"a.{ending}", *choices.without,
             text=text)
    page.open(folder / "a.html")
    masked = choices.name == "huecos"
    rules = rules_of(number, choices.sequence)
    seen = page.run(f"{SCRIPT}({json.dumps(text)}, {json.dumps(prompt)}, {json.dumps(rules)})")
    assert seen["problems"] == [None, None], (number, seen["problems"])
    assert seen["lens"], number
    compare_maps(number, seen["maps"], Array(folder / "a.npy"))
    call(BIN / "attend", run, "--positions", "-o", folder / "p.npy")
    assert abs(seen["cosine"] - Array(folder / "p.npy")[0, 0, 2, 5]) < CLOSE_MAP, number
    run = (run, *choices.without)
    farthest = compare_next(number, seen, jsonl(*run, prompt, "--table", 100000, "--count",
                                                1 if masked else 0))
    drawn = compare_drawn(number, run, prompt, rules, seen["drawn"], masked)
    assert drawn >= DRAWN or choices.name not in ("perro", "cuentos"), (number, drawn)
    page.check_errors()
    return farthest, drawn


def look_at_random_models(page, folder):
    models = [compare_model(page, folder, number) for number in range(1, MODELS + 1)]
    print(f"  {MODELS} models: logits within {max(far for far, _ in models):.1e}, "
          f"{sum(drawn for _, drawn in models)} tokens drawn alike")
