"""weights.py: the number under the pointer is the number in the array."""
from programs import ROOT, SENTENCE, attend, gives, open_page, says, train, train_perro


def compare(page, array, cells, ahead=False, steps=True):
    """Checks that the number under the pointer is the array's, and that the steps below the picture
    give it. A key after the query has one only if the model sees ahead; a page without a model has
    no steps. The picture stays where it is, whatever is said above it."""
    tops = set()
    layers, heads, T, _ = array.shape
    for layer in range(layers):
        for head in range(heads):
            page.run(f"choose({layer * heads + head})")
            for query, key in cells:
                said, below = page.point_at(query, key), page.run("plots[0].steps.textContent")
                tops.add(page.run("plots[0].view.canvas.getBoundingClientRect().top"))
                if key > query and not ahead:
                    assert "cannot attend to" in said and "later" in said and not below, said
                else:
                    assert says(said, array[layer, head, query, key]), (
                        said, layer, head, query, key, array[layer, head, query, key])
                    assert not steps or gives(below, array[layer, head, query, key], 1.01e-4), below
                    assert steps or not below, below
    assert len(tops) == 1, tops


# The colour of a place in the large head, in columns and rows.
COLOUR = """(({canvas, place: {left, top, w, h}}) => {
    const copy = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, devicePixelRatio * (left + %s * w),
                   devicePixelRatio * (top + %s * h), 1, 1, 0, 0, 1, 1);
    return [...copy.getImageData(0, 0, 1, 1).data];
})(plots[0].view)"""


def look_at_sentence(page, folder):
    """Every weight of a page with the model and of one without it."""
    run = train_perro(folder)
    for options in ([], ["--static"]):
        array = open_page(page, folder, run, SENTENCE, *options)
        assert page.run("document.querySelectorAll('#grid button').length") == 8
        assert page.run("[model !== null, at('next').hidden]") == [not options, bool(options)]
        assert SENTENCE in page.run("at('typed').value + at('text').textContent")
        assert "cuerda" in page.run("document.title")
        T = array.shape[2]
        assert T == 7
        compare(page, array, [(q, k) for q in range(T) for k in range(T)], steps=not options)
        # From 6.6 to the floor: on an axis of equal steps all but the first ones would be flat.
        heights = page.run("[4, 2, 1].map(loss => curve.scale(600, 300).y(loss))")
        assert abs(heights[0] - 2 * heights[1] + heights[2]) < 0.01 and heights[0] < heights[2]
        page.check_errors()
    page.click("#grid button[aria-label='Layer 2, head 3']")
    assert page.text("name") == "Layer 2, head 3"
    # Row and column of the cell under the pointer are lit; a click keeps it, a second lets it go.
    x, y = page.middle_of(3, 2)
    page.settle()
    # In two cells, clear of their numbers and of frames; and at the left edge of the pointer's.
    cells, edge = [COLOUR % (1.15, 3.2), COLOUR % (2.15, 3.2)], COLOUR % (2.03, 3.5)
    colours = [page.run(cell) for cell in cells]
    page.point(x, y)
    page.settle()
    assert [page.run(cell) for cell in cells] == colours, "a cell is paled"
    assert bytes(page.run(edge)[:3]).hex() == page.run("themed('--ink')")[1:], "no frame"
    assert page.run("[state.over.query, state.over.key]") == [3, 2]
    assert page.run("[3, 2].map(i => at('chips').children[i].className + "
                    "at('chips').children[i].ariaPressed)") == ["true", "keyfalse"]
    for kept in (2, -1):
        page.point(x, y, "down")
        page.point(x, y, "up")
        assert page.run("[state.word, state.key]") == [3, kept]


def look_at_checkpoints(page, folder):
    """The slider shows the heads as they were in each checkpoint of the run."""
    run = train_perro(folder, "--checkpoint-every", "100", "--keep", "3", "--positions", "learned")
    open_page(page, folder, run, SENTENCE)
    positions = page.run("cosines.canvas.toDataURL()")
    steps = page.run("data.checkpoints")
    assert 100 in steps and page.text("age-step") == "the end", steps
    page.focus("#age")
    page.press("Home")
    assert page.text("age-step") == f"step {steps[0]}"
    assert page.run("cosines.canvas.toDataURL()") != positions
    _, array = attend(folder, run / f"checkpoint-{steps[0]}", SENTENCE, "then")
    page.run("choose(6), scrollTo(0, 200)")
    for query, key in ((6, 2), (5, 1), (3, 3)):
        assert says(page.point_at(query, key), array[1, 2, query, key])


def look_at_long(page, folder):
    words = (ROOT / "data" / "cuentos.txt").read_text().split()
    run = train(folder, " ".join(words), "--sequence", "stream", "--context", "1024", "--layers",
                "4", "--heads", "4", "--width", "32", "--steps", "3", "--batch", "1", "--window",
                "0,0,0,0,0,0,0,0,0,0,64,8")
    array = open_page(page, folder, run, " ".join(words[:800]), "--static")
    T = array.shape[2]
    assert 1000 <= T <= 1024, T
    assert page.run("reading.unpacked.size") == 1, "only the head that is shown large is unpacked"
    page.picture("long")
    # Three steps are far above what counting reaches; the chart has room for its line.
    assert "counting" in page.run("curve.lines().map(({name}) => name)")
    assert page.run("curve.scale(600, 300).least < data.counting")
    for head in (0, 9, 15):
        page.run(f"choose({head})")
        for query, key in ((0, 0), (T - 1, T - 1), (T - 1, T - 5), (700, 699), (512, 505)):
            page.run(f"pin({query}, -1); pin({query}, {key})")
            assert says(page.run("plots[0].readout.textContent"),
                        array[head // 4, head % 4, query, key])
    for _ in range(9):
        page.run("at('larger').click()")
    page.run("choose(5); plots[0].view.show({row: 520, column: 520})")
    page.settle()
    assert says(page.point_at(516, 513), array[1, 1, 516, 513])
    page.picture("long-larger")
