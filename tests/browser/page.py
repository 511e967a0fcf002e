"""page.py: what a person does on the page, in whatever browser: look, point, click, press, type.

A browser's own class (chromium.py) derives from Page and adds how it is started, and:

    shape(width, height, dark, phone)  the window's size, light or dark
    load(url), go(url)                 opens a page and waits for it; follows a link within the page
    run(script)                        the value of a JavaScript expression; promises are awaited
    point(x, y, kind="move")           the pointer: "move", "down" or "up"
    press(key)                         a key, by the name that JavaScript has for it
    write(letter)                      writes into what has the focus
    save(path)                         a picture of the window
"""
import json
import os
import pathlib
import time

from programs import ROOT

PICTURES = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "browser"


class Page:
    """A page in a browser of its own; collects errors and network requests."""

    def __init__(self):
        self.wrong, self.asked = [], []

    def open(self, path, width=1280, height=860, dark=False, phone=False):
        """Opens a file; returns the seconds until it was drawn."""
        self.shape(width, height, dark, phone)
        self.wrong.clear()
        self.asked.clear()
        begun = time.monotonic()
        url = path.resolve().as_uri()
        self.load(url)
        self.settle()
        seconds = time.monotonic() - begun
        self.check_errors()
        assert self.asked == [url], self.asked
        return seconds

    def check_errors(self):
        assert not self.wrong, self.wrong
        assert len(self.asked) == 1, self.asked

    def settle(self):
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def picture(self, name):
        self.save(PICTURES / f"{name}.png")

    def click(self, selector):
        x, y = self.run(f"(() => {{ const b = document.querySelector({json.dumps(selector)})"
                        ".getBoundingClientRect();"
                        "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        for kind in ("move", "down", "up"):
            self.point(x, y, kind)

    def type(self, text):
        """Replaces what stands in the text box, letter by letter."""
        self.run("at('typed').focus(); at('typed').select()")
        for letter in text:
            self.write(letter)
        self.settle()

    def focus(self, selector):
        assert self.run(f"(e => {{ e.focus(); return document.activeElement === e; }})"
                        f"(document.querySelector({json.dumps(selector)}))"), selector

    def text(self, name):
        return self.run(f"document.getElementById({json.dumps(name)}).textContent")

    def middle_of(self, query, key, plot=0):
        """The middle of a cell of the large head, on the screen."""
        return self.run(f"""(({{canvas, scroller, place: {{left, top, w, h}}}}) => {{
            const box = canvas.getBoundingClientRect();
            return [box.x + left - scroller.scrollLeft + ({key} + 0.5) * w,
                    box.y + top - scroller.scrollTop + ({query} + 0.5) * h];
        }})(plots[{plot}].view)""")

    def point_at(self, query, key, plot=0):
        """Moves the pointer to a cell of the large head and returns what the page then says."""
        self.point(*self.middle_of(query, key, plot))
        return self.run(f"plots[{plot}].readout.textContent")
