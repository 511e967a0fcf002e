"""pictures.py: takes the pictures of docs/ again, in Chromium: every view of the page, in
English and in Spanish, and the lab, which `make lab` builds before.

    python3 tests/browser/pictures.py docs                all of them, in docs/page
    python3 tests/browser/pictures.py docs arcs phone     only these
"""
import base64
import json
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import zlib

from chromium import Chromium
from page import BUILD
from programs import BIN, ROOT, SENTENCE, call

WINDOW, TABLET, PHONE = (1280, 860), (768, 860), (390, 844)
STORY = "La niña mira el perro y"
TEXTS = f"{SENTENCE}\nun gato come croquetas\nel perro come un hueso\n"
TYPE = "at('typed').value = {}; at('typed').dispatchEvent(new Event('input'));"
# Two trainings beside each other: with all heads, and with a window of 1.
COMPARE = """(async () => {
    const until = async is => { while (!is()) await new Promise(done => setTimeout(done, 100)); };
    const train = async () => {
        await until(() => phase === "ready" && run?.log.length);
        at("speed").value = "full";
        at("train").click();
        await until(() => phase === "over");
    };
    await train();
    at("keep").click();
    field("attend").value = "1";
    await train();
    reads = "el perro come";
    for (const one of [run, kept]) one.tell({text: reads});
    await new Promise(done => setTimeout(done, 1000));
})()"""

# A view: the page that shows it, the window, what is done there, and the elements that are taken;
# none: the window.
VIEWS = {
    "whole": ("perro", WINDOW, "choose(6); pointAt({query: 6, key: 2}); MAP.seen = true; showMap()",
              "body"),
    "unknown": ("perro", TABLET, TYPE.format("'un muchaxo jugaba con la cuerda'"), ".reads"),
    "surprise": ("cuentos", PHONE, TYPE.format("'La niña mira la luna y el perro'") +
                 "at('surprise').click(); pin(5, -1)", "#chips, #steps"),
    "texts": ("texts", TABLET, "at('choice').size = 3", ".reads"),
    "heads": ("cuentos", WINDOW, "at('order').value = 'by_before';"
              "at('order').dispatchEvent(new Event('change')); choose(5)", ".overview > *"),
    "off": ("perro", TABLET, TYPE.format("'el perro come'") + "choose(1); at('off-others').click()",
            ".reads, .overview, .next"),
    "matrix": ("perro", WINDOW, "choose(6); pointAt({query: 6, key: 2})", ".large > *"),
    "arcs": ("cuentos", WINDOW, "choose(5); state.form = 'arcs'; repaint()", ".large > *"),
    "one-word": ("perro", WINDOW, "choose(4); state.form = 'across'; repaint(); pin(3, -1)",
                 ".large > *"),
    "two-heads": ("perro", WINDOW, "choose(6); at('compare').click(); pin(5, 1)", ".large > *"),
    "next-word": ("perro", WINDOW, TYPE.format("'el'"), ".next > *"),
    "layers": ("cuentos", WINDOW, "", ".lens > *"),
    "training": ("cuentos", WINDOW, "", ".training > *"),
    "positions": ("cuentos", WINDOW, "", ".positions > *"),
    "vocabulary": ("cuentos", WINDOW, "MAP.seen = true; pinned = tokenizer.ids.get('gata');"
                   "MAP.chosen = chosenToken(); showMap()",
                   ".vocabulary > *"),
    "checkpoints": ("saves", TABLET, "at('age').value = 0;"
                    "at('age').dispatchEvent(new Event('input')); pin(3, -1)",
                    ".reads, .overview, .next"),
    "phone": ("cuentos", PHONE, "", "header, .reads, .overview, .large, .next"),
    "lab": ("lab", (1280, 1330), COMPARE, ""),
    "projector": ("perro", (1600, 900), "project(true); choose(6); pin(3, -1)", ""),
}

# The pixels of a PNG, in at most 256 colours: the 128 most frequent ones, which fill the cells, and
# of the others, at the edges of letters and lines, those that are not nearly alike.
REDUCE = """(async png => {
    const bytes = Uint8Array.from(atob(png), letter => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes])), {width, height} = image;
    const pen = new OffscreenCanvas(width, height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const pixels = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
    const times = new Map();
    for (const pixel of pixels) times.set(pixel, (times.get(pixel) || 0) + 1);
    const colours = [...times.keys()].sort((a, b) => times.get(b) - times.get(a) || a - b);
    const part = (a, b, at) => Math.abs((a >> at & 255) - (b >> at & 255));
    const apart = (a, b) => Math.max(part(a, b, 0), part(a, b, 8), part(a, b, 16));
    let kept = colours;
    for (let alike = 2; kept.length > 256; alike += 2) {
        kept = [];
        for (const [i, colour] of colours.entries())
            if (i < 128 || kept.length <= 256 && kept.every(other => apart(other, colour) > alike))
                kept.push(colour);
    }
    const nearest = new Map(colours.map(colour => [colour, kept.reduce((best, other, i) =>
        apart(other, colour) < apart(kept[best], colour) ? i : best, 0)]));
    let indices = "";
    for (const pixel of pixels) indices += String.fromCharCode(nearest.get(pixel));
    return {width, height, palette: kept.flatMap(colour => [0, 8, 16].map(at => colour >> at & 255)),
        indices: btoa(indices)};
})"""


def write_png(path, width, height, palette, indices):
    """Writes a PNG that has a palette: a third of the size of one in full colour."""
    data = base64.b64decode(indices)
    rows = b"".join(b"\0" + data[y * width:(y + 1) * width] for y in range(height))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
             (b"PLTE", bytes(palette)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts))


def write_pages(folder):
    for name, text, *options in (("perro", "perro"), ("cuentos", "cuentos"),
                                 ("saves", "perro", "--checkpoint-every", "15", "--keep", "20")):
        call(BIN / "train", ROOT / "data" / f"{text}.txt", "--out", f"runs/{name}", *options,
             folder=folder)
    for name, run, text in (("perro", "perro", SENTENCE), ("cuentos", "cuentos", STORY),
                            ("saves", "saves", SENTENCE), ("texts", "perro", TEXTS)):
        call(BIN / "attend", f"runs/{run}", "-", "-o", f"{name}.html", text=text, folder=folder)
    shutil.copy(BUILD / "lab" / "pulga.html", folder / "lab.html")


def take(page, path, parts):
    """A picture of the window, or of the parts of the page that a selector names."""
    area = {"x": 0, "y": 0, **page.run("({width: innerWidth, height: innerHeight})")}
    if parts:
        area = page.run(f"""(() => {{
            const all = [...document.querySelectorAll({json.dumps(parts)})]
              .map(part => part.getBoundingClientRect()).filter(box => box.width), edge = 8;
            const [left, top] = ["left", "top"].map(side =>
              Math.max(0, Math.min(...all.map(box => box[side])) - edge));
            const [right, bottom] = ["right", "bottom"].map(side =>
              Math.max(...all.map(box => box[side])) + edge);
            return {{x: left, y: top + scrollY, width: Math.min(innerWidth, right) - left,
              height: bottom - top}};
        }})()""")
    data = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                     clip={**area, "scale": 1})["data"]
    write_png(path, **page.run(f"{REDUCE}('{data}')"))


def take_pictures(page, folder, docs, views):
    write_pages(folder)
    (docs / "page").mkdir(exist_ok=True)
    for view in views:
        name, (width, height), script, parts = VIEWS[view]
        for language in ("en", "es"):
            phone = (width, height) == PHONE
            page.call("Emulation.setTouchEmulationEnabled", enabled=phone)
            page.open(folder / f"{name}.html", width=width, height=height, phone=phone)
            page.run(f"state.language = '{language}'; repaint(); {script}")
            page.settle()
            take(page, docs / "page" / f"{view}-{language}.png", parts)


def main():
    docs, *views = sys.argv[1:]
    os.environ["LC_ALL"] = "C.UTF-8"  # pages open in English
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        page = Chromium(folder)
        try:
            take_pictures(page, folder, pathlib.Path(docs), views or VIEWS)
        finally:
            page.close()


if __name__ == "__main__":
    main()
