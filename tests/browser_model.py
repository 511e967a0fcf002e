"""browser_model.py: tests the model in the page that attend writes: in Chromium, tokens.js, model.js,
draw.js and counts.js must agree with the programs, for models of all kinds.

    make browser                          calls this, too
    python3 tests/browser_model.py 100    tries 100 kinds of models instead of 20

For each model: the attention maps are those of attend's .npy, the probabilities of the next token,
or in each gap, those of sample --json, to 1e-4 of the logits; the counts are the same; and the same
seed draws the same words.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from browser import BIN, ROOT, Array, Page, call

CLOSE = 1e-4  # logits
CLOSE_MAP = 1e-5
READ_WITHIN = 0.05  # seconds, for the model of data/cuentos.txt
DRAWN = 200  # tokens at least, of each model that goes on with a text

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
    const maps = read(encoded).maps.map(heads => heads.map(map => [...map]));
    const answer = asked.ids.length <= network.context ? read(asked) : null;
    // What the model would say after some blocks is what a model of so many blocks says.
    const part = layers => new Model({...data.model, layers}, floatsOf(get("weights")));
    const lens = [...Array(network.layers).keys()].every(blocks => {
        const cut = part(blocks).read(encoded.ids, encoded.prefix).logits;
        return read(encoded).lens(blocks).every((logit, id) => Math.abs(logit - cut[id]) < 1e-5);
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
        tokens: tokens.tokens.map((_, id) => tokens.decode([id])), bos: tokens.bos,
        filled: !asked.gaps.length ? null : draws.map(rules => [...Array(rules.count).keys()]
            .map(number => {
                const drawer = new Draws(tokens, rules), ids = [...asked.ids];
                for (const _ of asked.gaps) {
                    const now = network.read(ids, asked.prefix), gap = surestGap(now, tokens);
                    ids[gap] = drawer.next(now.logitsAt(gap), asked.gaps.indexOf(gap), number);
                }
                return {text: tokens.decode(ids)};
            })),
        written: asked.gaps.length ? null : draws.map(rules => [...Array(rules.count).keys()].map(number => {
            const drawer = new Draws(tokens, rules), ids = [];
            const writer = new Writer(network, tokens, asked.ids, asked.prefix);
            while (ids.length < rules.words && ids[ids.length - 1] !== tokens.eos) {
                if (ids.length)
                    writer.add(ids[ids.length - 1]);
                ids.push(drawer.next(writer.logits, ids.length, number));
            }
            return {text: tokens.decode(ids), count: ids.length};
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


def jsonl(*command):
    """What sample answers, or why it does not."""
    command = [str(part) for part in (BIN / "sample", *command, "--json")]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)


def rules_of(number, sequence):
    """Two ways to draw. Lines end soon, so more of them are drawn."""
    draw = random.Random(number + 1000).choice
    rules = [{"seed": number, "temperature": 1, "topK": 0, "topP": 1},
             {"seed": number + 7, "temperature": draw([0.7, 1.5]), "topK": draw([0, 5]),
              "topP": draw([0.8, 1])}]
    return [{**r, "count": 50 if sequence == "lines" else 4, "words": 60} for r in rules]


def compare_maps(number, maps, array):
    layers, heads, T, _ = array.shape
    assert [len(maps), len(maps[0]), len(maps[0][0])] == [layers, heads, T * T], number
    farthest = 0
    for layer in range(layers):
        for head in range(heads):
            for i, weight in enumerate(maps[layer][head]):
                farthest = max(farthest, abs(weight - array[layer, head, i // T, i % T]))
    assert farthest < CLOSE_MAP, (number, farthest)


def compare_place(number, found, place, times, total, tokens):
    """One place: ln p of all tokens, and how often the text has each there. Tokens are told apart by
    their text; those whose bytes are no text are compared only by their probabilities."""
    wanted = sorted(math.log(row["probability"]) for row in place if row["probability"] > 0)
    got = sorted(found)[-len(wanted):]
    farthest = max(abs(a - b) for a, b in zip(got, wanted))
    ids = {text: id for id, text in enumerate(tokens)}
    for row in place:
        id = ids.get(row["token"], -1)
        if id < 0 or tokens.count(row["token"]) > 1:
            continue
        farthest = max(farthest, abs(found[id] - math.log(row["probability"])))
        if "count" in row and total is not None:
            assert [row["count"], row["of"]] == [times.get(str(id), 0), total], (number, row)
    assert farthest < CLOSE, (number, farthest)
    return farthest


def compare_next(number, seen, answer):
    places = [gap["candidates"] for gap in answer["gaps"]] if "gaps" in answer else [answer["next"]]
    counted = seen["counted"] or {"times": [{}] * len(places), "total": 0}
    return max(compare_place(number, found, place, times, counted["total"], seen["tokens"])
               for found, place, times in zip(seen["next"], places, counted["times"], strict=True))


def compare_drawn(number, run, prompt, rules, written):
    drawn = 0
    for rule, texts in zip(rules, written):
        answer = jsonl(run, prompt, "--seed", rule["seed"], "--temperature", rule["temperature"],
                       "--top-k", rule["topK"], "--top-p", rule["topP"], "--count", rule["count"],
                       "--words", rule["words"], "--table", 1)
        for theirs, ours in zip(answer["continuations"], texts, strict=True):
            if not theirs["ended"] and len(theirs["tokens"]) < rule["words"]:
                continue  # a pair that is cut at the end of the context
            assert theirs["text"] == ours["text"], (number, rule, theirs["text"], ours["text"])
            assert len(theirs["tokens"]) == ours["count"], (number, theirs, ours)
            drawn += ours["count"]
    return drawn


def compare_filled(number, run, prompt, rules, filled):
    """The same of lines with gaps; returns how many were filled."""
    for rule, texts in zip(rules, filled):
        answer = jsonl(run, prompt, "--seed", rule["seed"], "--temperature", rule["temperature"],
                       "--top-k", rule["topK"], "--top-p", rule["topP"], "--count", rule["count"],
                       "--table", 1)
        assert [f["text"] for f in answer["fillings"]] == [t["text"] for t in texts], (number, rule)
    return sum(2 * len(texts) for texts in filled)


def look_at_model(page, folder, number):
    choices = Choices(number)
    file, text, prompt = TEXTS[choices.name]
    run = folder / "run"
    call(BIN / "train", ROOT / "data" / file, "--out", run, "--overwrite", *choices.options)
    for ending in ("html", "npy"):
        call(BIN / "attend", run, "-", "-o", folder / f"a.{ending}",
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
    farthest = compare_next(number, seen, jsonl(run, prompt, "--table", 100000, "--count",
                                                1 if masked else 0))
    drawn = (compare_filled(number, run, prompt, rules, seen["filled"]) if masked else
             compare_drawn(number, run, prompt, rules, seen["written"]))
    assert drawn >= DRAWN or choices.name not in ("perro", "cuentos"), (number, drawn)
    page.check_errors()
    return farthest, drawn


def trained(folder, text, *options):
    """A model of a text, hardly trained."""
    (folder / "text.txt").write_text(text, newline="")
    call(BIN / "train", folder / "text.txt", "--out", folder / "run", "--overwrite", "--layers", 1,
         "--heads", 1, "--width", 8, "--steps", 1, *options)
    return folder / "run"


def open_live(page, folder, run, text):
    call(BIN / "attend", run, "-", "-o", folder / "a.html", text=text)
    page.open(folder / "a.html")
    page.run("""var own = JSON.parse(document.getElementById("data").textContent);
        var known = new Tokens(own.tokenizer);
        var encoded = text => known.encode(text);""")


LETTERS = ("abcXYZ019 '.,-_$+([¿¡«»…ñÑáéüÇßİıΣσςΩжЖ漢字かなกิไ한글ไทย३٣ªº²½Ⅷ€№ⓐ"
           "😀👩\u0301\u0308\u200d\u00a0\u2003\u3000\u0085\u00ad\u202e's'll \n\t ")


def look_at_texts(page, folder):
    """Any text becomes the same tokens as in the programs."""
    draw = random.Random(5)
    text = "".join(draw.choice(LETTERS) for _ in range(1500)).strip()
    text = "e\u0301 don't  \n\n 12th " + text + "\r\nend"
    stream = ("--sequence", "stream", "--context", 4000)
    for options in (("--tokens", "bpe", "--vocabulary", 300), ("--tokens", "char"),
                    ("--tokens", "char", "--lower"), ("--tokens", "word"),
                    ("--tokens", "word", "--lower")):
        open_live(page, folder, trained(folder, text, *options, *stream), text)
        said = page.run("""(e => ({ids: e.ids, wrong: [e.problem, ...e.unknown], decoded:
            known.decode(e.ids), texts: e.tokens.map(token => token.text), words: own.words}))
            (encoded(own.texts[0]))""")
        assert said["texts"] == said["words"], options
        assert said["wrong"] == [None] and len(said["ids"]) > 400, said["wrong"]
        if options[1] == "bpe":
            assert said["decoded"] == text.replace("\r\n", "\n"), "a text of subwords comes back"


def look_at_foreign_words(page, folder):
    """Models of Transformers have other rules of what a word is."""
    text = "I don't know... ¿el_perro, (2) tomó «x»? -- no!"
    for rule in ("Whitespace", "WhitespaceSplit"):
        run = trained(folder, text.replace("'", " ' "), "--tokens", "word", "--min-count", 2)
        (run / "text.txt").unlink()
        file = run / "tokenizer.json"
        about = json.loads(file.read_text())
        about["pre_tokenizer"] = {"type": rule}
        file.write_text(json.dumps(about))
        open_live(page, folder, run, text)
        words = page.run("[own.words.length, encoded(own.texts[0]).tokens.length, known.cut]")
        assert words[0] == words[1] and words[2] != "alone", (rule, words)


def look_at_unknown(page, folder):
    """An unknown word has the nearest ones that the program names; what cannot be read is told."""
    run = trained(folder, (ROOT / "data" / "cuentos.txt").read_text(), "--tokens", "word")
    open_live(page, folder, run, "La niña le")
    for word in ("gatto", "perrro", "x", "Ñandú", "zzzzzzzzzz", "corria", "LUNA", "a" * 101):
        answer = jsonl(run, word, "--count", 0)
        unknown = page.run(f"encoded({json.dumps(word)}).unknown")
        if "error" not in answer:
            assert not unknown, (word, unknown)
            continue
        nearest = answer["error"].partition("; its nearest: ")[2]
        assert [unknown[0]["word"], ", ".join(unknown[0]["nearest"])] == [word, nearest], answer
    problems = {"": "empty", "la [bos] niña": "reserved", "la [mask]": "gaps", "la niña": None}
    for text, kind in problems.items():
        problem = page.run(f"encoded({json.dumps(text)}).problem")
        assert (problem and problem["kind"]) == kind, (text, problem)
    call(BIN / "train", ROOT / "data" / "traducciones.tsv", "--out", run, "--overwrite", "--steps", 1)
    open_live(page, folder, run, "el perro come\tthe dog")
    for text, kind in {"\tthe": "source", "el\nel": "lines", "el\tthe\tdog": "tabs",
                       "el perro": None, "el perro\t": None}.items():
        problem = page.run(f"encoded({json.dumps(text)}).problem")
        assert (problem and problem["kind"]) == kind, (text, problem)


def look_at_context(page, folder):
    """A prompt that is longer than the context is read from its last half on."""
    words = (ROOT / "data" / "cuentos.txt").read_text().split()[:300]
    run = trained(folder, " ".join(words), "--tokens", "char", "--sequence", "stream", "--context",
                  31)
    open_live(page, folder, run, "La")
    prompt = " ".join(words)[:100]
    for size in (30, 31, 32, 33, 100):
        drawn = page.run(f"""((prompt) => {{
            const network = new Model(own.model, floatsOf(
                document.getElementById("weights").textContent));
            const e = encoded(prompt), writer = new Writer(network, known, e.ids, e.prefix);
            const draws = new Draws(known, {{seed: 3}}), ids = [];
            for (let i = 0; i < {DRAWN}; i++) {{
                ids.push(draws.next(writer.logits, i));
                writer.add(ids[i]);
            }}
            return known.decode(ids);
        }})({json.dumps(prompt[:size])})""")
        theirs = jsonl(run, prompt[:size], "--count", 1, "--words", DRAWN, "--seed", 3)
        assert drawn == theirs["continuations"][0]["text"], (size, drawn, theirs)


def look_at_checkpoints(page, folder):
    """A run's earlier saves are in the page, each with its own weights."""
    run = folder / "run"
    call(BIN / "train", ROOT / "data" / "perro.txt", "--out", run, "--overwrite", "--steps", 30,
         "--checkpoint-every", 10, "--eval-every", 10, "--keep", 5)
    open_live(page, folder, run, "un gato")
    assert page.run("own.checkpoints") == [10, 20]
    for i, step in enumerate((10, 20)):
        found = page.run(f"""((block) => {{
            const network = new Model(own.model, floatsOf(block.textContent)), e = encoded("un");
            return Array.from(softmax(network.read(e.ids, e.prefix).logits), Math.log);
        }})(document.getElementsByClassName("checkpoint")[{i}])""")
        answer = jsonl(run / f"checkpoint-{step}", "un", "--count", 0, "--table", 100)
        compare_place(step, found, answer["next"], {}, None, page.run("known.tokens"))


def look_at_speed(page, folder):
    """The default model of data/cuentos.txt reads a whole context while a key is pressed."""
    call(BIN / "train", ROOT / "data" / "cuentos.txt", "--out", folder / "run", "--overwrite",
         "--steps", 1)
    open_live(page, folder, folder / "run", "La niña le dio voz")
    context, first, later, typed = page.run("""(() => {
        const network = new Model(own.model, floatsOf(
            document.getElementById("weights").textContent));
        const ids = Array.from({length: network.context}, (_, i) => i + 2);
        const times = Array.from({length: 9}, () => {
            const begun = performance.now();
            network.last = null;
            network.read(ids).logits;
            return performance.now() - begun;
        });
        network.read(ids.slice(0, -1));
        const typed = performance.now();
        network.read(ids).logits;
        return [network.context, times[0], times.sort((a, b) => a - b)[4],
                performance.now() - typed];
    })()""")
    print(f"  {context} tokens of data/cuentos.txt read in {later:.1f} ms, the first time in "
          f"{first:.1f} ms, one more token in {typed:.1f} ms")
    assert first < 1000 * READ_WITHIN, first


def main():
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder, farthest, drawn = pathlib.Path(name), 0, 0
        page = Page(folder)
        try:
            for look in (look_at_texts, look_at_foreign_words, look_at_unknown, look_at_context,
                         look_at_checkpoints, look_at_speed):
                look(page, folder)
                print(f"  passed {look.__name__}", flush=True)
            for number in range(1, models + 1):
                far, more = look_at_model(page, folder, number)
                farthest, drawn = max(farthest, far), drawn + more
            print(f"  {models} models: logits within {farthest:.1e}, {drawn} tokens drawn alike")
        finally:
            page.close()


if __name__ == "__main__":
    main()
