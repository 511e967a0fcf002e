"""kinds.py: models whose heads see less, or more, than the words before: windows, pairs, gaps."""
import json
import re

from programs import BIN, SENTENCE, attend, call, open_page, says, train, train_perro
from weights import compare
from widths import check_width


def look_at_windows(page, folder):
    run = train_perro(folder, "--layers", "1", "--window", "1,2,3,4", "--steps", "40")
    for options in ([], ["--static"]):
        array = open_page(page, folder, run, SENTENCE, *options)
        for head in range(4):
            page.run(f"choose({head})")
            for query in range(7):
                for key in range(query + 1):
                    said = page.point_at(query, key)
                    if key > query - head - 1:
                        assert says(said, array[0, head, query, key]), said
                    else:
                        assert f"the head’s pattern is window {head + 1}" in said, said
                        assert array[0, head, query, key] == 0
    page.picture("windows")


PAIRS = """el perro come\tthe dog eats
el perro negro come\tthe black dog eats
el gato negro come\tthe black cat eats
un gato come\ta cat eats
"""


def marked(page, points):
    """For each point (x, y) of the large head's canvas, in CSS pixels, whether the colour of the
    lines between source and target is there."""
    return page.run(f"""(() => {{
        const view = plots[0].view, {{canvas, pen}} = view, r = pen.ratio;
        view.about.looked = () => ({{row: -1, column: -1}}); // whose row has the same colour
        view.drawNow();
        const mark = themed("--query").match(/[0-9a-f]{{2}}/g).map(hex => parseInt(hex, 16));
        const image = pen.getImageData(0, 0, canvas.width, canvas.height);
        const has = (x, y) => mark.every((part, c) =>
            Math.abs(image.data[4 * (y * image.width + x) + c] - part) < 24);
        return {json.dumps(points)}.map(([x, y]) => [-2, -1, 0, 1].some(dx => [-2, -1, 0, 1]
            .some(dy => has(Math.round(x * r) + dx, Math.round(y * r) + dy))));
    }})()""")


def look_at_pairs(page, folder):
    """The source sees ahead; lines and names stand between source and target."""
    run = train(folder, PAIRS, "--layers", 2, "--heads", 2, "--window", "0,2,0,0", "--steps", 150)
    path, array = attend(folder, run, "el perro negro come", "pairs")
    source, T = 6, array.shape[2]
    for width, dark in ((360, False), (1280, True)):
        page.open(path, width=width, height=900, dark=dark, phone=width < 500)
        check_width(page, width)
        left, top, cell, side = page.run(
            "(p => [p.left, p.top, p.w, p.marks])(plots[0].view.place)")
        x, y = left + source * cell, top + source * cell
        # Down over every row to the names, across over the words and every column.
        lines = [(x, top + (i + 0.4) * cell) for i in range(T)]
        lines += [(left + (i + 0.4) * cell, y) for i in range(T)]
        lines += [(x, top + T * cell + side - 3), (3, y)]
        found = marked(page, lines + [(x + cell / 2, y + cell / 2)])
        assert found == [True] * 22 + [False], (width, dark, found)
        page.picture(f"pairs-{width}")
    page.open(path)
    assert page.run("at('typed').value") == "el perro negro come → the black dog eats"
    assert "[sep] stands between source and target. The words of the source also attend to " \
        "later ones." in page.text("special")
    for head in range(4):
        page.run(f"choose({head})")
        for query in range(T):
            for key in range(T):
                said = page.point_at(query, key)
                if key > query and (query >= source or key >= source):
                    assert "cannot attend to" in said and "later" in said, said
                elif head == 1 and abs(key - query) > 1:
                    assert "the head’s pattern is window 2" in said, said
                else:
                    assert says(said, array[head // 2, head % 2, query, key]), said
    assert "next " in page.run("plots[0].summary.textContent")
    page.type("el gato negro come")
    page.run("while (writeWord());")
    assert page.run("at('typed').value") == "el gato negro come → the black cat eats"


def look_at_gaps(page, folder):
    run = train_perro(folder, "--objective", "masked", "--steps", 50)
    text = "el [mask] come un hueso"
    array = open_page(page, folder, run, text)
    compare(page, array, [(0, 6), (2, 3), (6, 0), (6, 6)], ahead=True)
    assert page.run("[reading.source, document.querySelector('#grid.pair')]") == [0, None]
    assert page.text("special") == ("The bar under a word: how much the framed word looks at it. "
                                    "[bos] marks the beginning of the line. The words of the line "
                                    "also attend to later ones. [mask] stands for a word that is "
                                    "hidden from the model.")
    assert page.text("next-title") == "What stands here"
    word = page.run("at('bars').querySelector('.word').textContent")
    assert re.search(rf'"token":"{word}"', call(BIN / "sample", run, text, "--json")
                     .split('"probability"')[0]), word
    page.picture("gaps")
    page.run("at('bars').querySelector('button').click()")
    assert page.run("at('typed').value") == f"el {word} come un hueso"
    text = "[mask] perro come [mask] hueso"
    answer = json.loads(call(BIN / "sample", run, text, "--json", "--count", 1))
    page.run(f"at('typed').value = {json.dumps(text)}; readTyped()")
    assert page.text("write") == "fill the gaps"
    page.run("at('step').click(); at('step').click(); at('step').click()")
    assert page.run("at('typed').value") == answer["fillings"][0]["text"]
