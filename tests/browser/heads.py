"""heads.py: the heads in all their forms and orders, and links to them."""
import re

from programs import (BIN, ROOT, SENTENCE, Array, attend, call, open_page, sample, says, train,
                      train_perro)


LOSS = re.compile(r"loss (\S+):")


def loss_of(run, text, *options):
    return float(LOSS.match(call(BIN / "attend", run, "--heads", text, *options))[1])


def look_at_switches(page, folder):
    """A head, a layer, all heads but one are switched off: what attend and sample have without them."""
    run, text = train_perro(folder), "el perro come"
    names = [f"L{l}H{h}" for l in "12" for h in "1234"]
    path, _ = attend(folder, run, text, "switches")
    page.open(path)
    assert page.text("loss") == f"loss {loss_of(run, text):.4f} per token"
    page.run("choose(1)")
    for button, off in (("off-head", ["L1H2"]), ("off-layer", ["L1H2", "L1"]),
                        ("off-layer", ["L1H2"]), ("off-head", []),
                        ("off-others", [name for name in names if name != "L1H2"]), ("all-on", [])):
        page.click(f"#{button}")
        without = ["--without", ",".join(off)] if off else []
        assert page.run("off") == off
        read = page.text("loss")
        assert abs(float(read.split()[1]) - loss_of(run, text, *without)) < 1.01e-4, (read, off)
        assert not off or f"without {', '.join(off)};" in read, read
        marked = page.run("[...grid.querySelectorAll('.off')].map(button => +button.value)")
        assert marked == [i for i, name in enumerate(names) if {name, name[:2]} & set(off)], marked
        assert page.run("[at('off-head').ariaPressed, at('off-layer').ariaPressed, "
                        "at('all-on').disabled]") == [str("L1H2" in off).lower(),
                                                      str("L1" in off).lower(), not off]
        # The maps of the next layer and what is written change at once.
        call(BIN / "attend", run, text, "-o", folder / "b.npy", *without)
        array = Array(folder / "b.npy")
        page.run("choose(6)")
        for query, key in ((3, 1), (3, 2), (2, 0)):
            assert says(page.point_at(query, key), array[1, 2, query, key]), (off, query, key)
        page.run("choose(1); for (let i = 0; i < 4; i++) writeWord()")
        answer = sample(run, text, "--count", 1, "--words", 4, *without)["continuations"][0]
        assert page.run("at('typed').value").startswith(f"{text} {answer['text']}".strip()), off
        page.run(f"retype('{text}')")
    # A page begins without what attend was told, and can switch it on again.
    call(BIN / "attend", run, text, "-o", path, "--without", "L2H3,L1")
    page.open(path)
    assert page.run("off") == ["L2H3", "L1"] and "without L2H3, L1;" in page.text("loss")
    page.click("#all-on")
    assert page.text("loss") == f"loss {loss_of(run, text):.4f} per token"


def look_at_switches_of_kinds(page, folder):
    """Pairs have the loss of their target; of a line with gaps each token is hidden by itself."""
    pairs = train(folder, (ROOT / "data" / "traducciones.tsv").read_text(), "--steps", 9)
    for run, text, off in ((pairs, "el perro come\tthe dog eats", "L1H1"),
                           (None, "el [mask] come", ""), (None, "el [mask] come", "L1H1,L2")):
        run = run or train_perro(folder, "--objective", "masked", "--steps", 50)
        without = ["--without", off] if off else []
        call(BIN / "attend", run, "-", "-o", folder / "kinds.html", *without, text=text)
        page.open(folder / "kinds.html")
        read, wanted = page.text("loss"), LOSS.search(
            call(BIN / "attend", run, "--heads", "-", *without, text=text))[1]
        if "mask" in text and not off:
            assert not read, read
        else:
            assert abs(float(read.split()[1]) - float(wanted)) < 1.01e-4, (text, off, read, wanted)
        page.check_errors()


def look_at_heads(page, folder):
    """Orders of the heads; arcs, one word in all heads, two heads; links; another text."""
    run = train_perro(folder)
    array = open_page(page, folder, run, SENTENCE)
    lines = call(BIN / "attend", run, SENTENCE).splitlines()
    rows = [line.split() for line in lines if re.match(r" +[12] +[1-4] +\d\.", line)]
    assert len(rows) == 8, lines
    for order, column in (("by_itself", 4), ("by_before", 5), ("by_bos", 6)):
        page.run(f"at('order').value = '{order}'; at('order').dispatchEvent(new Event('change'))")
        captions = page.run("[...grid.querySelectorAll('button')]"
                            ".map(b => b.textContent.split(' '))")
        assert [-int(c[1].rstrip("%")) for c in captions] == sorted(
            -int(row[column].rstrip("%")) for row in rows), (captions, rows)
        assert sorted(c[0] for c in captions) == [f"{l}·{h}" for l in "12" for h in "1234"]
    page.run("at('order').value = 'by_focus'; at('order').dispatchEvent(new Event('change'))")
    bits = page.run("[...grid.querySelectorAll('button')].map(b => b.textContent.split(' ')[1])")
    assert [float(b) for b in bits] == sorted(float(row[2]) for row in rows), (bits, rows)
    page.run("state.form = 'across'; fillPlots(); pin(3, -1)")
    assert page.text("name") == "What jugaba attends to, in every head"
    assert "the head of its row" in page.text("hint-form")
    for head in range(8):
        for key in range(4):
            assert says(page.point_at(head, key), array[head // 4, head % 4, 3, key])
    page.picture("across")
    page.run("state.form = 'arcs'; fillPlots()")
    assert "cell" not in page.text("hint-form"), "arcs have no cells"
    page.picture("arcs")
    page.run("state.form = 'matrix'; fillPlots(); choose(6)")
    page.click("#compare")
    assert page.run("plots.map(plot => plot.name.textContent)") == ["Layer 2, head 3",
                                                                    "Layer 2, head 4"]
    for plot in (0, 1):
        assert says(page.point_at(5, 3, plot), array[1, 2 + plot, 5, 3])
    page.picture("compare")
    assert page.run("new Promise(done => setTimeout(() => done(location.hash), 400))") == "#L2H3"
    page.go(page.url + "#L1H4&text=un%20gato%20come")
    page.settle()
    assert [page.text("name").split("\n")[0], page.run("reading.words.join(' ')")] == [
        "Two heads", "[bos] un gato come"]
    assert page.run("plots[0].name.textContent") == "Layer 1, head 4"
    page.run("state.form = 'across'; fillPlots()")
    page.run("plots[0].view.about.pin({row: state.other, column: 1})")
    page.run("state.form = 'matrix'; fillPlots()")
    names = page.run("plots.map(plot => plot.name.textContent)")
    assert len(set(names)) == 2, ("the head beside is not the one that is chosen", names)
    page.go(page.url + "#L1H2&text=un%20perro%")
    page.settle()
    assert page.text("unknown"), "a link that was cut off is read as far as it goes"
