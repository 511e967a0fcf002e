"""browser.py: tests the page that attend writes, in Chromium, as a person uses it.

    make browser                                tests; leaves screenshots in build/browser/
    python3 tests/browser.py docs/attention.png     only takes the README's screenshot again

Needs only Python's standard library: the browser is driven through its DevTools protocol, which is
JSON over a web socket. What the page shows is compared with the .npy of the same text.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("BIN", ROOT))
PICTURES = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "browser"
OPENED_WITHIN = 3.0  # seconds, for 16 heads over 1,000 words


class Socket:
    """The client's half of a web socket: text only, as DevTools speaks it."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
                             "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = (bytes([0x81, 0x80 | size]) if size < 126 else
                struct.pack(">BBH", 0x81, 0xFE, size) if size < 65536 else
                struct.pack(">BBQ", 0x81, 0xFF, size))
        self.socket.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, size = self.stream.read(2)
            if size == 126:
                size, = struct.unpack(">H", self.stream.read(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.stream.read(8))
            text += self.stream.read(size)
            if first & 0x80:
                return text.decode()


class Page:
    """A page in a browser of its own; collects errors and network requests."""

    def __init__(self, folder):
        self.browser = subprocess.Popen(
            [shutil.which("chromium") or "chromium-browser", "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--remote-debugging-port=0", f"--user-data-dir={folder}/profile", "about:blank"],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        port_file = pathlib.Path(folder) / "profile" / "DevToolsActivePort"
        until = time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().count("\n")):
            if self.browser.poll() is not None or time.monotonic() > until:
                sys.exit("browser.py: chromium does not start; is it installed? "
                         "(scripts/setup.sh browser)")
            time.sleep(0.05)
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            targets = json.load(answer)
        self.socket = Socket(next(t for t in targets if t["type"] == "page")
                             ["webSocketDebuggerUrl"])
        self.number, self.events, self.wrong, self.asked = 0, [], [], []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.browser.terminate()
        self.browser.wait(20)

    def note(self, event):
        method, about = event["method"], event["params"]
        if method == "Runtime.exceptionThrown":
            self.wrong.append(json.dumps(about["exceptionDetails"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.wrong.append(about["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.wrong.append(json.dumps(about["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.wrong.append("a dialogue opened: " + about["message"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(about["request"]["url"])
        self.events.append(method)

    def call(self, method, **about):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": about}))
        while True:
            answer = json.loads(self.socket.receive())
            if "method" in answer:
                self.note(answer)
            elif answer["id"] == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def open(self, path, width=1280, height=860, dark=False, phone=False):
        """Opens a file; returns the seconds until it was drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.wrong.clear()
        self.asked.clear()
        self.events.clear()
        begun = time.monotonic()
        url = path.resolve().as_uri()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.note(json.loads(self.socket.receive()))
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        seconds = time.monotonic() - begun
        assert not self.wrong, self.wrong
        assert [u for u in self.asked if not u.startswith("data:")] == [url], self.asked
        return seconds

    def check_errors(self):
        assert not self.wrong, self.wrong
        assert len(self.asked) == 1, self.asked

    def picture(self, name):
        self.save(PICTURES / f"{name}.png")

    def save(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def point(self, x, y, kind="mouseMoved"):
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click(self, selector):
        x, y = self.run(f"(() => {{ const b = document.querySelector({json.dumps(selector)})"
                        ".getBoundingClientRect();"
                        "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.point(x, y)
        self.point(x, y, "mousePressed")
        self.point(x, y, "mouseReleased")

    def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      modifiers=8 if shift else 0)

    def text(self, name):
        return self.run(f"document.getElementById({json.dumps(name)}).textContent")

    def point_at(self, query, key):
        """Moves the pointer to a cell of the large head and returns what the page then says. The
        page's own variables tell where its cells are."""
        x, y = self.run(f"""(() => {{
            const box = canvas.getBoundingClientRect(), p = place;
            return [box.x + p.left - scroller.scrollLeft + ({key} + 0.5) * p.cell,
                    box.y + p.top - scroller.scrollTop + ({query} + 0.5) * p.cell]; }})()""")
        self.point(x, y)
        return self.text("readout")


def call(*command, text=None, folder=None):
    done = subprocess.run([str(part) for part in command], input=text, text=True,
                          capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Array:
    """The .npy of attend, read without numpy."""

    def __init__(self, path):
        data = path.read_bytes()
        size, = struct.unpack("<H", data[8:10])
        header = eval(data[10:10 + size])  # a dictionary of constants
        assert data[:8] == b"\x93NUMPY\1\0" and header["descr"] == "<f4"
        self.shape, self.data = header["shape"], data[10 + size:]

    def __getitem__(self, place):
        index = 0
        for i, n in zip(place, self.shape):
            index = index * n + i
        return struct.unpack_from("<f", self.data, 4 * index)[0]


def attend(folder, run, text, name):
    """A page, and the same maps as an array."""
    for ending in ("html", "npy"):
        call(BIN / "attend", run, "-", "-o", folder / f"{name}.{ending}", text=text)
    return folder / f"{name}.html", Array(folder / f"{name}.npy")


def train(folder, text, *options):
    (folder / "text.txt").write_text(text)
    call(BIN / "train", folder / "text.txt", "--out", folder / "run", "--overwrite", *options)
    return folder / "run"


def compare(page, array, cells, ahead=False):
    """Checks that the number under the pointer is the array's, to four decimals; a key after the
    query has one only if the model sees ahead."""
    layers, heads, T, _ = array.shape
    for layer in range(layers):
        for head in range(heads):
            page.run(f"choose({layer * heads + head})")
            for query, key in cells:
                said = page.point_at(query, key)
                if key > query and not ahead:
                    assert "cannot attend to" in said and "later" in said, said
                else:
                    assert said.endswith(f"{array[layer, head, query, key]:.4f}"), (
                        said, layer, head, query, key, array[layer, head, query, key])


def look_at_sentence(page, folder):
    run = train(folder, (ROOT / "data" / "perro.txt").read_text())
    path, array = attend(folder, run, "un muchacho jugaba con la cuerda", "perro")
    page.open(path)
    assert page.run("document.querySelectorAll('#grid button').length") == 8
    assert page.text("text") == "un muchacho jugaba con la cuerda"
    assert "perro" in page.run("document.title") or "cuerda" in page.run("document.title")
    T = array.shape[2]
    assert T == 7
    compare(page, array, [(q, k) for q in range(T) for k in range(T)])
    # A click; the arrows, which stop at the edges.
    page.click("#grid button[aria-label='Layer 2, head 3']")
    assert page.text("name") == "Layer 2, head 3"
    for key, name in (("ArrowRight", "Layer 2, head 4"), ("ArrowRight", "Layer 2, head 4"),
                      ("ArrowUp", "Layer 1, head 4"), ("ArrowUp", "Layer 1, head 4"),
                      ("ArrowLeft", "Layer 1, head 3"), ("ArrowDown", "Layer 2, head 3")):
        page.press(key)
        assert page.text("name") == name, (key, page.text("name"))
        assert page.run("document.activeElement.ariaPressed") == "true"
    page.point_at(3, 2)
    page.press("ArrowDown", shift=True)
    page.press("ArrowLeft", shift=True)
    assert page.text("number") == f"{array[1, 2, 4, 1]:.4f}"
    page.picture("light")
    page.click("#theme")
    assert page.run("document.documentElement.dataset.theme") == "dark"
    page.check_errors()
    page.open(path, dark=True)
    page.click("#grid button:nth-of-type(7)")
    page.point_at(6, 2)
    page.picture("dark")
    page.open(path, width=390, height=844, phone=True)
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.picture("phone")


def look_at_windows(page, folder):
    run = train(folder, (ROOT / "data" / "perro.txt").read_text(), "--layers", "1", "--window",
                "1,2,3,4", "--steps", "40")
    path, array = attend(folder, run, "un muchacho jugaba con la cuerda", "windows")
    page.open(path)
    for head in range(4):
        page.run(f"choose({head})")
        for query in range(7):
            for key in range(query + 1):
                said = page.point_at(query, key)
                if key > query - head - 1:
                    assert said.endswith(f"{array[0, head, query, key]:.4f}"), said
                else:
                    assert f"the head's pattern is window {head + 1}" in said, said
                    assert array[0, head, query, key] == 0
    page.picture("windows")
    # Any list of ranges is drawn: the last query's packed weights now belong to other keys.
    page.run("heads[3].ranges[6] = [[1, 1], [3, 3], [6, 7]]; unpacked.clear(); choose(3)")
    for key, packed in ((0, 3), (2, 4), (5, 5), (6, 6)):
        said = page.point_at(6, key)
        assert said.endswith(f"{array[0, 3, 6, packed]:.4f}"), (said, key)
    for key in (1, 3, 4):
        assert "cannot attend to" in page.point_at(6, key)
    page.check_errors()


PAIRS = """el perro come\tthe dog eats
el perro negro come\tthe black dog eats
el gato negro come\tthe black cat eats
un gato come\ta cat eats
"""


def marked(page, points):
    """For each point (x, y) of the large head's canvas, in CSS pixels, whether the colour of the
    lines between source and target is there."""
    return page.run(f"""(() => {{
        pointAt(null);
        draw();
        const mark = themed("--mark").match(/[0-9a-f]{{2}}/g).map(hex => parseInt(hex, 16));
        const image = pen.getImageData(0, 0, canvas.width, canvas.height), r = place.ratio;
        const has = (x, y) => mark.every((part, c) =>
            Math.abs(image.data[4 * (y * image.width + x) + c] - part) < 24);
        return {json.dumps(points)}.map(([x, y]) => [-2, -1, 0, 1].some(dx => [-2, -1, 0, 1]
            .some(dy => has(Math.round(x * r) + dx, Math.round(y * r) + dy))));
    }})()""")


def look_at_pairs(page, folder):
    """The source sees ahead; lines and names stand between source and target, zoomed or not."""
    (folder / "pairs.tsv").write_text(PAIRS)
    call(BIN / "train", folder / "pairs.tsv", "--out", folder / "pairs", "--layers", "2",
         "--heads", "2", "--window", "0,2,0,0", "--steps", "150")
    path, array = attend(folder, folder / "pairs", "el perro negro come", "pairs")
    source, T = 6, array.shape[2]
    for width in (360, 768, 1280, 2560):
        for dark in (False, True):
            page.open(path, width=width, height=900, dark=dark, phone=width < 500)
            assert page.run("document.documentElement.scrollWidth") <= width
            left, top, cell, side = page.run("[place.left, place.top, place.cell, place.beside]")
            x, y = left + source * cell, top + source * cell
            # Down over every row to the names, across over the words and every column.
            lines = [(x, top + (i + 0.4) * cell) for i in range(T)]
            lines += [(left + (i + 0.4) * cell, y) for i in range(T)]
            lines += [(x, top + T * cell + side - 3), (3, y)]
            assert marked(page, lines + [(x + cell / 2, y + cell / 2)]) == [True] * 22 + [False]
            page.picture(f"pairs-{width}-{'dark' if dark else 'light'}")
    assert page.text("text").endswith("\u2192 the black dog eats"), page.text("text")
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
                    assert "the head's pattern is window 2" in said, said
                else:
                    assert said.endswith(f"{array[head // 2, head % 2, query, key]:.4f}"), said
    assert "next " in page.text("summary")
    # The names below the cells are no cells.
    assert page.run("(() => { const b = canvas.getBoundingClientRect(); return cellUnder({clientX:"
                    "b.x + place.left + 5, clientY: b.y + place.height + 5}); })()") is None
    page.open(path, width=360, height=500, phone=True)
    page.run("zoomTo(4); scroller.scrollTo(4 * place.cell, 4 * place.cell)")
    page.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    left, top, cell = page.run("[place.left - scroller.scrollLeft, place.top - scroller.scrollTop,"
                               "place.cell]")
    assert all(marked(page, [(left + source * cell, top + 5.4 * cell),
                             (left + 5.4 * cell, top + source * cell)]))
    page.picture("pairs-larger")
    page.check_errors()


def look_at_gaps(page, folder):
    (folder / "gaps.txt").write_text((ROOT / "data" / "perro.txt").read_text())
    call(BIN / "train", folder / "gaps.txt", "--objective", "masked", "--out", folder / "gaps",
         "--steps", "50")
    path, array = attend(folder, folder / "gaps", "el [mask] come un hueso", "gaps")
    page.open(path)
    compare(page, array, [(0, 6), (2, 3), (6, 0), (6, 6)], ahead=True)
    assert page.run("[source, document.querySelector('#grid.pair')]") == [0, None]
    assert page.text("special") == ("[bos] marks the beginning of the line. The words of the line "
                                    "also attend to later ones. [mask] stands for a word that is "
                                    "hidden from the model.")
    page.picture("gaps")
    page.check_errors()


def look_at_markup(page, folder):
    """Markup in a text stays text."""
    evil = "</script><img src=x onerror=alert(1)><script>alert(2)</script> & \" ' <!-- ]]> \u2028"
    run = train(folder, evil + "\n" + evil[::-1] + "\n", "--tokens", "char", "--sequence",
                "lines", "--context", "120", "--steps", "2")
    path, _ = attend(folder, run, evil, "markup")
    page.open(path)
    assert page.run("data.text") == evil.replace("\u2028", "U+2028")
    assert page.text("text").startswith("</script><img")
    assert page.run("document.images.length") == 0
    assert page.run("document.querySelectorAll('#grid button').length") == 8
    assert page.run("words.slice(1, 10).join('')") == "</script>"
    page.point_at(9, 1)
    assert ">" in page.text("readout") and page.text("number")
    call(BIN / "attend", run, "-", "-o", folder / "markup.svg", text=evil[:40])
    page.open(folder / "markup.svg")
    assert page.run("document.querySelectorAll('img, script').length") == 0
    assert page.run("document.documentElement.textContent").count("onerror")
    page.check_errors()


def look_at_long(page, folder):
    words = (ROOT / "data" / "cuentos.txt").read_text().split()
    run = train(folder, " ".join(words), "--sequence", "stream", "--context", "1024", "--layers",
                "4", "--heads", "4", "--width", "32", "--steps", "3", "--batch", "1", "--window",
                "0,0,0,0,0,0,0,0,0,0,64,8")
    path, array = attend(folder, run, " ".join(words[:800]), "long")
    size, T = path.stat().st_size, array.shape[2]
    assert 1000 <= T <= 1024, T
    seconds = page.open(path)
    print(f"  16 heads over {T} tokens: {size / 1e6:.1f} MB, drawn after {seconds:.2f} s")
    assert seconds < OPENED_WITHIN, seconds
    assert page.run("unpacked.size") == 1, "only the head that is shown large is unpacked"
    page.picture("long")
    begun = time.monotonic()
    page.run("choose(9)")
    print(f"  another head after {time.monotonic() - begun:.2f} s")
    for head in (0, 9, 15):
        page.run(f"choose({head})")
        for query, key in ((0, 0), (T - 1, T - 1), (T - 1, T - 5), (700, 699), (512, 505)):
            page.run(f"pointAt([{query}, {key}])")
            assert page.text("number") == f"{array[head // 4, head % 4, query, key]:.4f}"
    for _ in range(8):
        page.click("#larger")
    page.run("scroller.scrollTo(500 * place.cell, 500 * place.cell)")
    page.run("choose(5)")
    said = page.point_at(506, 503)
    assert said.endswith(f"{array[1, 1, 506, 503]:.4f}"), said
    page.picture("long-larger")
    page.check_errors()


def take_screenshot(page, folder, path):
    """The picture of the README: layer 2, head 3, pointing at a cell."""
    call(BIN / "train", ROOT / "data" / "perro.txt", "--out", "runs/perro", folder=folder)
    call(BIN / "attend", "runs/perro", "un muchacho jugaba con la cuerda", "-o", "page.html",
         folder=folder)
    page.open(folder / "page.html", width=1200, height=720)
    page.run("choose(6)")
    page.point_at(6, 2)
    page.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    page.save(path)


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        page = Page(folder)
        try:
            if len(sys.argv) > 1:
                take_screenshot(page, folder, pathlib.Path(sys.argv[1]))
                return
            for look in (look_at_sentence, look_at_windows, look_at_pairs, look_at_gaps,
                         look_at_markup, look_at_long):
                look(page, folder)
                print(f"  passed {look.__name__}", flush=True)
        finally:
            page.close()


if __name__ == "__main__":
    main()
