"""heads.py: the heads in all their forms and orders, and links to them."""
import re

from programs import BIN, SENTENCE, attend, call, says, train_perro


def look_at_heads(page, folder):
    """Orders of the heads; arcs, one word in all heads, two heads; links; another text."""
    run = train_perro(folder)
    path, array = attend(folder, run, SENTENCE, "heads")
    page.open(path)
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
    # Heads whose number is not known come last, without one.
    page.run("window.known = reading.summary; reading.summary = index => "
             "({...known.call(reading, index), ...(index === 2 ? {bos: null} : {})}); fillGrid()")
    assert page.run("[...grid.querySelectorAll('button')].at(-1).textContent") == "1·3"
    page.run("reading.summary = known; fillGrid()")
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
    page.go(path.resolve().as_uri() + "#L1H4&text=un%20gato%20come")
    page.settle()
    assert [page.text("name").split("\n")[0], page.run("reading.words.join(' ')")] == [
        "Two heads", "[bos] un gato come"]
    assert page.run("plots[0].name.textContent") == "Layer 1, head 4"
    page.run("state.form = 'across'; fillPlots()")
    page.run("plots[0].view.about.pin({row: state.other, column: 1})")
    page.run("state.form = 'matrix'; fillPlots()")
    names = page.run("plots.map(plot => plot.name.textContent)")
    assert len(set(names)) == 2, ("the head beside is not the one that is chosen", names)
    page.go(path.resolve().as_uri() + "#L1H2&text=un%20perro%")
    page.settle()
    assert page.text("unknown"), "a link that was cut off is read as far as it goes"
    page.check_errors()
