"""model.py: the model in the page agrees with the programs: programs/attend/page/model/."""
import json
import math
import random
import subprocess

from programs import BIN, ROOT, open_page, train

CLOSE = 1e-4  # logits
DRAWN = 200  # tokens at least, of each model that goes on with a text


def jsonl(*command):
    """What sample answers."""
    command = [str(part) for part in (BIN / "sample", *command, "--json")]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)


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


def trained(folder, text, *options):
    """A model of a text, hardly trained."""
    return train(folder, text, "--layers", 1, "--heads", 1, "--width", 8, "--steps", 1, *options)


def open_live(page, folder, run, text):
    open_page(page, folder, run, text)
    page.run("""var own = JSON.parse(document.getElementById("data").textContent);
        var known = new Tokens(own.tokenizer);
        var encoded = text => known.encode(text);""")


def look_at_counting(page, folder):
    """Counting and the model together give what sample gives, with any share of counting."""
    cuentos, pairs = ((ROOT / "data" / name).read_text() for name in
                      ("cuentos.txt", "traducciones.tsv"))
    for text, prompts, options in (
            (cuentos, ("La niña", "El perro come un", "El burro"), ("--tokens", "word")),
            (cuentos, ("La niña", "—dijo el", "y"), ("--tokens", "char")),
            (pairs, ("el gato duerme", "la niña come"), ("--objective", "pairs"))):
        run = trained(folder, text, "--counts", "--context", 40, *options)
        open_live(page, folder, run, prompts[0])
        for prompt in prompts:
            for share in (None, 0, 0.3, 1):
                asked = () if share is None else ("--share", share)
                answer = jsonl(run, prompt, "--count", 0, "--table", 100000, *asked)
                found = page.run(f"""(() => {{
                    mixture.share = {json.dumps(share)} ?? own.mixture.share;
                    const {{ids, prefix}} = known.encode({json.dumps(prompt)});
                    return Array.from(softmax(model.read(ids, prefix).logits), Math.log);
                }})()""")
                compare_place((prompt, share), found, answer["next"], {}, None,
                              page.run("known.tokens.map((_, id) => known.decode([id]))"))
        # Counting has no part in what the model would expect after fewer layers.
        assert page.run("""(kept => {
            const lens = share => {
                mixture.share = share;
                return String(kept.logitsAt(0, model.layers - 1));
            };
            return lens(0) === lens(1);
        })(model.read(known.encode(own.texts[0]).ids))"""), options


LETTERS = ("abcXYZ019 '.,-_$+([¿¡«»…ñÑáéüÇßİıΣσςΩжЖ漢字かなกิไ한글ไทย३٣ªº²½Ⅷ€№ⓐ"
           "😀👩\u0301\u0308\u200d\u00a0\u2003\u3000\u0085\u00ad\u202e's'll \n\t ")


def look_at_tokens(page, folder):
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
    for line in ('he said "no" to "them"', 'to"no"he'):
        open_live(page, folder, trained(folder, 'he said "no" to "them"', "--tokens", "word"), line)
        ids = page.run("known.encode(own.texts[0]).ids")
        theirs = subprocess.run((BIN / "sample", folder / "run", "--decode"), text=True,
                                input=" ".join(map(str, ids)), capture_output=True).stdout.strip()
        assert page.run("known.decode(encoded(own.texts[0]).ids)") == theirs, (line, theirs)
    line = "AD\t+4230+00131\tEurope/Andorra"
    table = line + "\nAE\t+2518+05518\tAsia/Dubai\nAF\t+3431+06912\tAsia/Kabul"
    open_live(page, folder, trained(folder, table, "--tokens", "word", "--sequence", "lines"), line)
    assert page.run("known.decode(encoded(own.texts[0]).ids)") == line, "a table keeps its tabs"


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


QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?!\S)|\s+")


def split_at(pattern):
    return {"type": "Split", "behavior": "Isolated", "invert": False, "pattern": {"Regex": pattern}}


def look_at_later_patterns(page, folder):
    """So have the later models of subwords, and tokens that are cut out of a text whole."""
    draw = random.Random(6)
    text = "".join(draw.choice(LETTERS) for _ in range(800))
    text = "He'S  it'LL 'ſ ¡1984! \n\n (a)\tb  5" + text
    run = trained(folder, text.strip(), "--tokens", "bpe", "--vocabulary", 300, "--context", 4000,
                  "--sequence", "stream")
    file = run / "tokenizer.json"
    about = json.loads(file.read_text())
    model, by_bytes = about["model"], about["pre_tokenizer"]
    last = sorted(model["vocab"], key=model["vocab"].get)[-2:]
    for word, added in zip(last, ("<tool>", "<tool>!")):
        about["added_tokens"].append({"id": model["vocab"].pop(word), "content": added})
    model["merges"] = model["merges"][:-2]
    text = "<tool><tool>!" + text + "1<tool>\u0301a<tool"
    for first in ({"type": "Digits", "individual_digits": True}, split_at(QWEN),
                  split_at(QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|"))):
        model["ignore_merges"] = "{1,3}" in json.dumps(first)
        about["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
            first, {**by_bytes, "use_regex": first["type"] == "Digits"}]}
        file.write_text(json.dumps(about))
        open_live(page, folder, run, text)
        said = page.run("""(e => ({texts: e.tokens.map(token => token.text), words: own.words,
            wrong: [e.problem, ...e.unknown], decoded: known.decode(e.ids)}))
            (encoded(own.texts[0]))""")
        assert said["texts"] == said["words"] and said["wrong"] == [None], first
        assert said["words"].count("<tool>") == 2 and "<tool>!" in said["words"], said["words"]
        assert said["decoded"] == text, "a text of subwords comes back"


def look_at_unknown(page, folder):
    """An unknown word has the nearest ones that the program names; what cannot be read is told."""
    run = trained(folder, (ROOT / "data" / "cuentos.txt").read_text(), "--tokens", "word")
    open_live(page, folder, run, "La niña le")
    for word in ("gatto", "x", "Ñandú", "corria", "LUNA", "a" * 101):
        answer = jsonl(run, word, "--count", 0)
        unknown = page.run(f"encoded({json.dumps(word)}).unknown")
        if "unknown" not in answer:
            assert not unknown, (word, unknown)
            continue
        nearest = answer["unknown"].partition("; its nearest: ")[2]
        assert [unknown[0]["word"], ", ".join(unknown[0]["nearest"])] == [word, nearest], answer
    problems = {"": "empty", "la [bos] niña": "reserved", "la [mask]": "gaps", "la niña": None}
    for text, kind in problems.items():
        problem = page.run(f"encoded({json.dumps(text)}).problem")
        assert (problem and problem["kind"]) == kind, (text, problem)
    run = trained(folder, (ROOT / "data" / "traducciones.tsv").read_text())
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
