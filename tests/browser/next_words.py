"""next_words.py: the next words, surprise and writing."""
import json
import re

from programs import (BIN, ROOT, SENTENCE, attend, call, gives, open_page, sample, train,
                      train_perro)

HALF = 5.01e-4  # of the last of three decimals


def look_at_next_words(page, folder):
    """What is expected, how often the text has it, what is written: all as ./sample prints them."""
    run = train_perro(folder)
    open_page(page, folder, run, "el")
    for prompt in ("el", "un muchacho", SENTENCE):
        page.type(prompt)
        bars = page.run("[...at('bars').querySelectorAll('button')].map(b => [...b.children]"
                        ".map(part => part.textContent))")
        for (word, _, share, count), wanted in zip(bars, sample(run, prompt)["next"]):
            if wanted["probability"] < 1e-3:
                break
            assert word == wanted["token"], (bars, wanted)
            assert abs(float(share) - wanted["probability"]) < 6e-4
            assert count == f"{wanted['count']}/{wanted['of']}"
        assert f"{page.run('reading.T')} tokens" in page.text("run")
    for seed in range(1, 6):
        page.type("el")
        page.run(f"at('seed').value = {seed}; while (writeWord());")
        wanted = sample(run, "el", "--seed", seed, "--count", "1")["continuations"][0]
        assert page.run("at('typed').value") == ("el " + wanted["text"].strip()).strip(), wanted
    page.type("el perro")
    page.run("state.word = 1; tell('choose')")
    page.run("at('bars').querySelector('button:not(:disabled)').click()")
    assert page.run("reading.words.length") == 3, "a word goes after the one that is chosen"
    page.type("el perro ladra")
    assert page.text("unknown").startswith("The model does not know “ladra”")
    assert page.text("unknown").endswith("The page shows the words before the unknown one.")
    assert page.run("reading.words.join(' ')") == "[bos] el perro", "the words before the unknown one"
    page.picture("unknown")
    page.run("at('unknown').querySelector('button').click()")
    assert page.run("[at('unknown').textContent, reading.T]") == ["", 4]
    page.type("gato gat")  # the unknown word begins a known one
    page.run("at('unknown').querySelector('button').click()")
    assert page.run("at('typed').value") == "gato gato"
    page.type("el [mask]")
    assert page.text("unknown") == "This model fills no gaps: leave out [mask]."
    page.type("el " * 8)
    assert "reads at most 8" in page.text("unknown")
    rows = page.run("[...at('layers').querySelectorAll('tr')].map(row => row.textContent)")
    assert len(rows) == 3 and rows[2].startswith("layer 2"), rows
    page.run("at('moment').value = 0; curve.show()")
    assert page.text("values").startswith("step 0  ·  all text 6.9808  ·  floor 0.4120")
    page.run("at('moment').value = data.log.length - 1; curve.show()")
    assert page.text("values").startswith("step 300  ·  each step 0.4"), page.text("values")
    run = train(folder, "la la la la no\n", "--sequence", "stream", "--steps", "1")
    open_page(page, folder, run, "la la")
    counts = dict(page.run("[...at('bars').querySelectorAll('button')].map(b => [b.children[0]"
                           ".textContent, b.children[3].textContent])"))
    assert counts["la"] == "2/3" and counts["no"] == "1/3", counts


def look_at_shares(page, folder):
    """The line below the bars says how the share of a word comes about: of the first one, of the
    one under the pointer and of the one that has the focus."""
    run = train_perro(folder)
    open_page(page, folder, run, "el")
    for change in ("", "state.temperature = 0.7"):
        page.point(1, 1)
        page.run(f"document.activeElement.blur(); {change}; fillBars()")
        drawn = page.run("[...draws().probabilities(reading.result.logitsAt(state.word))]")
        shown = page.run("ranked(reading.result.logitsAt(state.word)).slice(0, 3)")
        assert gives(page.text("steps"), drawn[shown[0]], HALF), page.text("steps")
        page.point(*page.run("(box => [box.x + 9, box.y + 9])"
                             "(at('bars').children[1].getBoundingClientRect())"))
        page.settle()
        assert gives(page.text("steps"), drawn[shown[1]], HALF), page.text("steps")
        page.focus("#bars li:nth-child(3) button")
        assert gives(page.text("steps"), drawn[shown[2]], HALF), page.text("steps")
    page.point(1, 1)  # the bar under the pointer comes before the one that has the focus
    page.run("document.activeElement.blur(); state.topK = 2; fillBars()")
    page.focus("#bars li:nth-child(3) button")
    assert "→" not in page.text("steps"), "it is not drawn"
    assert page.run("[softmaxSteps('q·k = 2019', 2019, [2019], 1), brief(9999.6), brief(9.538e7),"
                    "asShown(-1e-5)]") == ["q·k = 2019", "10000", "9.538·10^7", 0]


def look_at_surprise(page, folder):
    """Words are shaded by the surprise that ./sample prints, in colours that can be read; the bars
    are of what was expected in the place of the one that is pointed at or reached by keys."""
    stories = (ROOT / "data" / "perro.txt").read_text()
    pairs = "el perro come\tthe dog eats\nun gato come\ta cat eats\n"
    for text, line, *options in ((stories, SENTENCE), (pairs, "un gato come\ta cat eats"),
                                 (stories, SENTENCE, "--objective", "masked"),
                                 (stories, "gato come croquetas", "--sequence", "stream")):
        run = train(folder, text, *options, "--steps", "60")
        path, _ = attend(folder, run, line, "surprise")
        for dark in (False, True):
            page.open(path, dark=dark)
            page.click("#surprise")
            assert page.run("at('surprise').getAttribute('aria-pressed')") == "true"
            wanted = check_shades(page, run, line, folder)
            assert page.run(CONTRAST) >= 4.5
            i = max(wanted, key=lambda i: wanted[i]["surprise"])
            page.point(*page.run(f"(box => [box.x + 9, box.y + 9])(at('chips').children[{i}]"
                                 ".getBoundingClientRect())"))
            page.settle()
            check_expected(page, wanted[i])
        last = max(wanted)
        page.point(1, 1)
        page.run(f"pin({last}, -1); at('chips').children[{last}].focus()")
        check_expected(page, wanted[last])
        page.press("ArrowLeft")
        page.settle()
        check_expected(page, wanted[last - 1])
        page.run("at('bars').querySelector('button:not(:disabled)').click()") # in its place
        words, read = page.run("reading.words"), last + 1 + ("masked" in options)
        assert words[last - 1] == wanted[last - 1]["best"] or "[" in wanted[last - 1]["best"], words
        assert (len(words) == read) == ("masked" in options)
        page.click("#surprise")
        assert page.run("[...at('chips').children].every(chip => !chip.title && !chip.style.color)")
        page.check_errors()
    # The surprise of a run that keeps counts follows the share of counting.
    run = train(folder, (ROOT / "data" / "cuentos.txt").read_text(), "--counts", "--steps", "20")
    open_page(page, folder, run, "La niña come")
    page.click("#surprise")
    check_shades(page, run, "La niña come", folder)
    page.run("(slider => { slider.value = 1; slider.dispatchEvent(new Event('input')); })"
             "(at('sliders').lastElementChild.querySelector('input'))")
    check_shades(page, run, "La niña come", folder, "--share", "1")


def check_shades(page, run, line, folder, *options):
    """The words have the surprise that ./sample prints; returns its rows, by the words' places."""
    (folder / "line.txt").write_text(line + "\n")
    printed = call(BIN / "sample", run, "--score", folder / "line.txt", "--each", "--json", *options)
    titles = page.run("[...at('chips').children].map(chip => chip.title)")
    wanted = {row["position"] - 1: row for row in map(json.loads, printed.splitlines())
              if row["position"] <= len(titles)}
    assert [i for i, title in enumerate(titles) if title] == sorted(wanted), (titles, wanted)
    for i, row in wanted.items():
        assert abs(float(titles[i].split()[-2]) - row["surprise"]) < 6e-3, (titles[i], row)
    return wanted


# The least contrast of a shaded word, by the Web Content Accessibility Guidelines.
CONTRAST = """Math.min(...[...at('chips').children].filter(chip => chip.title).map(chip => {
    const of = name => getComputedStyle(chip)[name].match(/[0-9]+/g).slice(0, 3).map(Number);
    const [one, other] = [of("backgroundColor"), of("color")].map(([r, g, b]) =>
        0.2126 * partOf(r) + 0.7152 * partOf(g) + 0.0722 * partOf(b) + 0.05);
    return Math.max(one, other) / Math.min(one, other);
}))"""


def check_expected(page, row):
    """The bars are of the place of a word, which is one of them, as ./sample counts it."""
    title = page.text("next-title")
    assert title == f"In the place of {row['token']} ({row['surprise']:.2f} bits)", (title, row)
    assert page.run("at('bars').querySelector('.word').textContent") == row["best"], row
    counted = page.run("at('bars').querySelector('.stands .count').textContent")
    assert counted == (f"{row['count']}/{row['of']}" if row["of"] else ""), (counted, row)


def look_at_subwords(page, folder):
    """A subword that is clicked joins with the letters before it as if it had been typed."""
    run = train_perro(folder, "--tokens", "bpe", "--vocabulary", "300", "--steps", "20")
    open_page(page, folder, run, "un g")
    joined = 0
    for text in ("un g", "un mu", "el per", "la cue"):
        for i in range(8):
            page.type(text)
            before = page.run("reading.ids.length")
            page.run(f"at('bars').querySelectorAll('button')[{i}].click()")
            joined += page.run("reading.ids.length") <= before
            assert page.run("encode().ids.join() === reading.ids.join()"), (text, i)
    assert joined, "no subword has joined"


def look_at_eight(page, folder):
    """Eight continuations at once are those of ./sample --count 8, and so are their marks; they go
    when something else is read or drawn."""
    perro = (ROOT / "data" / "perro.txt").read_text()
    pairs = "el perro come\tthe dog eats\nun gato come\ta cat eats\n"
    for text, prompt, *options in (
            (perro, "el perro come", "--window", "1"), (perro, "un", "--steps", "40"),
            (perro, "el mu", "--tokens", "char", "--steps", "60"),
            (perro, "el perro", "--tokens", "bpe", "--steps", "30"),
            (perro, "el perro", "--sequence", "stream", "--steps", "60"),
            (pairs, "un gato come", "--steps", "20")):
        run = train(folder, text, *options)
        open_page(page, folder, run, prompt)
        if text is pairs:
            page.type(prompt + " → ")  # without the target that attend has written
        begun = page.run("at('typed').value")
        page.click("#eight")
        wanted = {}
        for one in sample(run, prompt, "--count", 8, "--beam", 0, "--words", 300 if "char" in options
                          else 100 if "bpe" in options else 50)["continuations"]:
            mark = "[word for word in the text]" if one["in_text"] else "[new]"
            key = ("".join(one["text"].split()) + ("" if one["ended"] else "…"), mark)
            wanted[key] = wanted.get(key, 0) + 1
        read = """[...at('written').children].map(line => [...line.children]
            .map(part => part.textContent))"""
        page.run("""new Promise(done => setInterval(() => {
            if (lines.reduce((sum, {times}) => sum + times, 0) === 8) done();
        }, 20))""")
        plain = lambda text: "".join(re.sub("[↵→]", "", text).split())
        found = [(int(times.split()[0]), (plain(line).removeprefix(plain(begun)), mark))
                 for times, line, mark in page.run(read)]
        assert {key: times for times, key in found} == wanted, (options, found, wanted)
        assert [times for times, _ in found] == sorted((t for t, _ in found), reverse=True)
        page.check_errors()
    page.run("at('seed').dispatchEvent(new Event('input'))")
    assert page.run("at('written').children.length") == 0
    run = train(folder, perro, "--objective", "masked", "--steps", "2")
    open_page(page, folder, run, "el [mask]")
    assert page.run("at('eight').hidden"), "a model that fills gaps writes nothing"
