"""vocabulary.py: the map of the vocabulary, and the nearest tokens of a word.

The principal components are computed again by another method: power iteration, in Python.
"""
import json
import math
import struct
import time

from programs import BIN, ROOT, call, open_page, train

CLOSE = 1e-6  # of the width of the map
bits = {}     # of the points, in the browser that was tested before


def embeddings(run):
    """The rows of wte."""
    data = (run / "model.safetensors").read_bytes()
    size, = struct.unpack("<Q", data[:8])
    table = json.loads(data[8:8 + size])["transformer.wte.weight"]
    (rows, width), (begin, _) = table["shape"], table["data_offsets"]
    numbers = struct.unpack_from(f"<{rows * width}f", data, 8 + size + begin)
    return [numbers[i * width:(i + 1) * width] for i in range(rows)]


def product(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def principal(rows):
    """The points of the map, and their share of the variance."""
    means = [sum(column) / len(rows) for column in zip(*rows)]
    rows = [[x - mean for x, mean in zip(row, means)] for row in rows]
    columns = list(zip(*rows))
    matrix = [[product(a, b) for b in columns] for a in columns]
    trace, found, share, last = sum(matrix[i][i] for i in range(len(matrix))), [], 0, 0
    for _ in range(2):
        vector = [1 / (i + 1) for i in range(len(matrix))]
        value = 0
        for _ in range(5000):
            vector = [product(row, vector) for row in matrix]
            last, value = value, math.sqrt(product(vector, vector))
            vector = [x / value for x in vector]
        assert abs(last - value) < 1e-12 * value
        if max(vector, key=abs) < 0:
            vector = [-x for x in vector]
        matrix = [[x - value * a * b for x, b in zip(row, vector)]
                  for row, a in zip(matrix, vector)]
        found.append(vector)
        share += value / trace
    return [[product(row, vector) for vector in found] for row in rows], share


def wait_for(page, condition):
    until = time.monotonic() + 60
    while not page.run(condition):
        assert time.monotonic() < until, condition
        time.sleep(0.05)


def show(page):
    page.run("at('vocabulary').scrollIntoView()")
    wait_for(page, "MAP.model === model && MAP.places && MAP.near")
    page.run("at('map').scrollIntoView({block: 'center'})")
    page.settle()


def compare_points(page, run):
    wanted, share = principal(embeddings(run))
    points = page.run("Array.from(MAP.points)")
    wide = max(point[0] for point in wanted) - min(point[0] for point in wanted)
    assert len(points) == 2 * len(wanted)
    for i, point in enumerate(wanted):
        for axis in (0, 1):
            assert abs(points[2 * i + axis] - point[axis]) < CLOSE * wide, (i, points, point)
    assert abs(page.run("MAP.share") - share) < CLOSE


def compare_near(page, run, word, rows=30):
    """The same tokens as sample --near has, in the same order."""
    answer = json.loads(call(BIN / "sample", run, "--near", word, "--table", rows, "--json"))
    own = page.run(f"MAP.alike.nearest(tokenizer.tokens.findIndex((_, id) => "
                   f"tokenizer.decode([id]) === {json.dumps(word)}), {rows})"
                   ".map(({id, cosine}) => [tokenizer.decode([id]).trim(), cosine])")
    for row, (token, cosine) in zip(answer["near"], own, strict=True):
        assert abs(row["cosine"] - cosine) < 1e-8, (row, token, cosine)
        assert not token or row["token"].strip() == token, (row, token)
    return answer


def looked(page):
    return page.run("tokenizer.shown(lookedToken())")


def look_at_vocabulary(page, folder):
    """The map has the principal components; a token has the neighbours of sample --near."""
    run = train(folder, (ROOT / "data" / "cuentos.txt").read_text(), "--width", 16, "--heads", 2,
                "--steps", 60, "--checkpoint-every", 20, "--keep", 4)
    open_page(page, folder, run, "La gata")
    show(page)
    compare_points(page, run)
    found = page.run("btoa(String.fromCharCode(...new Uint8Array(MAP.points.buffer)))")
    assert bits.setdefault("points", found) == found, "another browser has other bits"
    answer = compare_near(page, run, "gata")
    # The chosen word is looked at, with its neighbours.
    assert page.text("near-word") == f"gata · {answer['count']} in the text"
    rows = page.run("[...at('near').children].map(row => row.textContent)")
    assert rows == [f"{row['token']}{row['cosine']:.3f}{row['count']}"
                    for row in answer["near"][:10]], rows
    page.picture("vocabulary")
    # Another one, by the pointer; then the chosen one again.
    x, y = page.run("""(() => {
        const box = MAP.canvas.getBoundingClientRect();
        const {x, y} = MAP.places[tokenizer.ids.get("la")];
        return [box.x + x, box.y + y];
    })()""")
    page.point(x, y)
    page.settle()
    assert looked(page) == "la" and page.text("near-word").startswith("la · ")
    page.point(5, 5)
    page.settle()
    assert looked(page) == "gata"
    # By keys, by a neighbour, and by another word of the text.
    page.focus("#map")
    place = "MAP.places[lookedToken()].x"
    before = page.run(place)
    page.press("ArrowRight")
    page.settle()
    assert looked(page) != "gata" and page.run(place) > before
    page.press("Escape")
    page.settle()
    assert looked(page) == "gata"
    page.click("#near button")
    page.settle()
    assert looked(page) == answer["near"][0]["token"]
    # Other weights have another map, of the same word.
    page.run("at('age').value = 0; at('age').dispatchEvent(new Event('input'))")
    show(page)
    assert looked(page) == answer["near"][0]["token"]
    compare_points(page, run / "checkpoint-20")
    compare_near(page, run / "checkpoint-20", "gata")
    page.click("#language")
    show(page)
    wait_for(page, "at('near-word').textContent.endsWith('en el texto')")


def look_at_vocabularies(page, folder):
    """All kinds of models have a map; one without its text has no colours."""
    run = folder / "run"
    for text, word, *options in (("perro.txt", " perro", "--tokens", "bpe"),
                                 ("perro.txt", "perro", "--untied", "--objective", "masked"),
                                 ("traducciones.tsv", "gato")):
        train(folder, (ROOT / "data" / text).read_text(), "--steps", 10, *options)
        if options[:1] == ["--untied"]:
            (run / "text.txt").unlink()
        open_page(page, folder, run, "el perro" if text == "perro.txt" else "el gato\tthe cat")
        show(page)
        compare_near(page, run, word, 10)
        assert page.run("at('frequency').hidden") == (not (run / "text.txt").exists())
        page.check_errors()
