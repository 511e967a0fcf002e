"""pictures.py: takes the pictures of docs/ again, in Chromium.

    python3 tests/browser/pictures.py docs
"""
import os
import pathlib
import sys
import tempfile

from chromium import Chromium
from programs import BIN, ROOT, SENTENCE, call


def take_pictures(page, folder, docs):
    """The pictures of docs/: README's, and those of docs/page.md."""
    call(BIN / "train", ROOT / "data" / "perro.txt", "--out", "runs/perro", folder=folder)
    call(BIN / "train", ROOT / "data" / "cuentos.txt", "--out", "runs/cuentos", folder=folder)
    for run, text in (("perro", SENTENCE), ("cuentos", "La niña mira el perro y")):
        call(BIN / "attend", f"runs/{run}", text, "-o", f"{run}.html", folder=folder)
    for name, run, width, height, dark, script in (
            ("attention", "perro", 1280, 860, False, "choose(6); pointAt({query: 6, key: 2})"),
            ("page-dark", "cuentos", 1280, 860, True, "choose(5); state.form = 'arcs'; repaint()"),
            ("page-es", "perro", 1280, 860, False, "state.language = 'es'; state.form = 'across';"
             "choose(4); repaint(); pin(3, -1)"),
            ("page-heads", "perro", 1280, 860, False, "choose(6);"
             "at('compare').click(); pin(5, 1)"),
            ("page-training", "cuentos", 1280, 480, False, "at('training').scrollIntoView()"),
            ("page-projector", "perro", 1600, 840, False, "choose(6); pin(3, -1)"),
            ("page-phone", "cuentos", 390, 844, False, "state.language = 'es'; repaint();"
             "at('name').closest('section').scrollIntoView()")):
        page.open(folder / f"{run}.html", width=width, height=height, dark=dark, phone=width < 500)
        page.run(script)
        page.settle()
        page.save(docs / f"{name}.png")


def main():
    os.environ["LC_ALL"] = "C.UTF-8"  # pages open in English
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        page = Chromium(folder)
        try:
            take_pictures(page, folder, pathlib.Path(sys.argv[1]))
        finally:
            page.close()


if __name__ == "__main__":
    main()
