"""page.py: what a person does on the page, in whatever browser: look, point, click, press, type.

A browser's own class (chromium.py, firefox.py) derives from Page and adds how it is started, how it
tells of errors and requests (note), and:

    shape(width, height, dark, phone)  the window's size, light or dark
    load(url), go(url)                 opens a page and waits for it; follows a link within the page
    run(script)                        the value of a JavaScript expression; promises are awaited
    point(x, y, kind="move")           the pointer: "move", "down" or "up"
    press(key)                         a key, by the name that JavaScript has for it
    write(letter)                      writes into what has the focus
    save(path)                         a picture of the window
    kept()                             how much the page keeps in memory, if the browser tells it
"""
import json
import os
import pathlib
import sys
import time

from programs import ROOT

BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))


class Page:
    """A page in a browser of its own; collects errors and network requests."""

    def __init__(self):
        self.number, self.url, self.wrong, self.asked = 0, "", [], []
        self.pictures = BUILD / "browser" / self.name
        self.pictures.mkdir(parents=True, exist_ok=True)

    def wait_for_start(self, started):
        until = time.monotonic() + 60
        while not started():
            if self.browser.poll() is not None or time.monotonic() > until:
                self.browser.kill()
                sys.exit(f"{self.name} does not start; is it installed? (scripts/setup.sh browser)")
            time.sleep(0.05)

    def close(self):
        self.browser.kill()
        self.browser.wait()

    def kept(self):
        return {}

    def call(self, method, **about):
        """Has the browser do something; notes what it tells meanwhile."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": about}))
        while True:
            answer = json.loads(self.socket.receive())
            if "method" in answer:
                self.note(answer["method"], answer["params"])
            elif answer["id"] == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def ask(self, url):
        if url != self.url and not url.startswith(("data:", "blob:")):
            self.asked.append(url)

    def open(self, path, width=1280, height=860, dark=False, phone=False):
        """Opens a file and waits until it is drawn."""
        self.shape(width, height, dark, phone)
        self.wrong.clear()
        self.asked.clear()
        self.url = path.resolve().as_uri()
        self.run("onbeforeunload = null")  # it would ask
        self.load(self.url)
        self.settle()
        self.check_errors()

    def check_errors(self):
        assert not self.wrong, self.wrong
        assert not self.asked, self.asked

    def settle(self):
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def picture(self, name):
        self.save(self.pictures / f"{name}.png")

    def click(self, selector):
        """Clicks on the middle of something, when it does not move any more."""
        middle, before = None, ()
        while middle != before:
            before = middle
            middle = self.run(f"""(e => {{
                e.scrollIntoView({{block: "nearest"}});
                const b = e.getBoundingClientRect();
                return new Promise(done => setTimeout(done, 20, [b.x + b.width / 2,
                    b.y + b.height / 2]));
            }})(document.querySelector({json.dumps(selector)}))""")
        for kind in ("move", "down", "up"):
            self.point(*middle, kind)

    def type(self, text):
        """Replaces what stands in the text box, letter by letter."""
        self.focus("#typed")
        self.run("at('typed').select()")
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
