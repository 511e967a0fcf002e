"""browser.py: tests the page that attend writes, in Chromium, as a person uses it.

    make browser                             tests; leaves screenshots in build/browser/
    AXE=axe.min.js make browser              looks for faults with axe-core, too, if you have it
    python3 tests/browser.py look_at_pairs   only this test
    python3 tests/browser.py docs            only takes the pictures of docs/ again

Needs only Python's standard library: the browser is driven through its DevTools protocol, which is
JSON over a web socket. What the page shows is compared with the .npy of the same text and with what
./sample prints.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("BIN", ROOT))
PICTURES = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "browser"
OPENED_WITHIN = 3.0  # seconds, for 16 heads over 1,000 words
ANSWERED_WITHIN = 0.05  # seconds from a letter to the picture, for the model of data/cuentos.txt
SENTENCE = "un muchacho jugaba con la cuerda"
WIDTHS = (360, 768, 1280, 2560)

# What DevTools must be told of a key: its number, and the text that it writes.
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "Escape": (27, ""), "End": (35, ""),
        "Home": (36, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""),
        "ArrowDown": (40, "")}


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

    def press(self, key):
        number, text = KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=number,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        """Replaces what stands in the text box, letter by letter."""
        self.run("at('typed').focus(); at('typed').select()")
        for letter in text:
            self.call("Input.insertText", text=letter)
        self.settle()

    def settle(self):
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def focus(self, selector):
        assert self.run(f"(e => {{ e.focus(); return document.activeElement === e; }})"
                        f"(document.querySelector({json.dumps(selector)}))"), selector

    def text(self, name):
        return self.run(f"document.getElementById({json.dumps(name)}).textContent")

    def point_at(self, query, key, plot=0):
        """Moves the pointer to a cell of the large head and returns what the page then says."""
        self.point(*self.run(f"plots[{plot}].view.middleOf({query}, {key})"))
        return self.run(f"plots[{plot}].readout.textContent")


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


def attend(folder, run, text, name, *options):
    """A page, and the same maps as an array."""
    call(BIN / "attend", run, "-", "-o", folder / f"{name}.html", *options, text=text)
    call(BIN / "attend", run, "-", "-o", folder / f"{name}.npy", text=text)
    return folder / f"{name}.html", Array(folder / f"{name}.npy")


def train(folder, text, *options):
    (folder / "text.txt").write_text(text)
    call(BIN / "train", folder / "text.txt", "--out", folder / "run", "--overwrite", *options)
    return folder / "run"


def train_perro(folder, *options):
    return train(folder, (ROOT / "data" / "perro.txt").read_text(), *options)


def sample(run, prompt, *options):
    return json.loads(call(BIN / "sample", run, prompt, "--json", *options))


def says(said, weight):
    """Whether a sentence ends with a weight, to four decimals. The page computes it in another
    order, so the last of them can differ by one."""
    match = re.search(r"(\d\.\d{4})$", said)
    return bool(match) and abs(float(match[1]) - weight) < 1.01e-4


def compare(page, array, cells, ahead=False):
    """Checks that the number under the pointer is the array's; a key after the query has one only
    if the model sees ahead."""
    layers, heads, T, _ = array.shape
    for layer in range(layers):
        for head in range(heads):
            page.run(f"choose({layer * heads + head})")
            for query, key in cells:
                said = page.point_at(query, key)
                if key > query and not ahead:
                    assert "cannot attend to" in said and "later" in said, said
                else:
                    assert says(said, array[layer, head, query, key]), (
                        said, layer, head, query, key, array[layer, head, query, key])


def look_at_sentence(page, folder):
    """Every weight of a page with the model and of one without it."""
    run = train_perro(folder)
    for options in ([], ["--static"]):
        path, array = attend(folder, run, SENTENCE, "perro", *options)
        page.open(path)
        assert page.run("document.querySelectorAll('#grid button').length") == 8
        assert page.run("[model !== null, at('next').hidden]") == [not options, bool(options)]
        assert SENTENCE in page.run("at('typed').value + at('text').textContent")
        assert "cuerda" in page.run("document.title")
        T = array.shape[2]
        assert T == 7
        compare(page, array, [(q, k) for q in range(T) for k in range(T)])
        page.check_errors()
    page.click("#grid button[aria-label='Layer 2, head 3']")
    assert page.text("name") == "Layer 2, head 3"
    # Row and column of the cell under the pointer are lit; a click keeps it, a second lets it go.
    x, y = page.run("plots[0].view.middleOf(3, 2)")
    page.point(x, y)
    assert page.run("[state.over.query, state.over.key]") == [3, 2]
    assert page.run("[3, 2].map(i => at('chips').children[i].className + "
                    "at('chips').children[i].ariaPressed)") == ["true", "keyfalse"]
    for kept in (2, -1):
        page.point(x, y, "mousePressed")
        page.point(x, y, "mouseReleased")
        assert page.run("[state.word, state.key]") == [3, kept]
    page.check_errors()


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
    for head in range(8):
        for key in range(4):
            assert says(page.point_at(head, key), array[head // 4, head % 4, 3, key])
    page.picture("across")
    page.run("state.form = 'arcs'; fillPlots()")
    page.picture("arcs")
    page.run("state.form = 'matrix'; fillPlots(); choose(6)")
    page.click("#compare")
    assert page.run("plots.map(plot => plot.name.textContent)") == ["Layer 2, head 3",
                                                                    "Layer 2, head 4"]
    for plot in (0, 1):
        assert says(page.point_at(5, 3, plot), array[1, 2 + plot, 5, 3])
    page.picture("compare")
    assert page.run("new Promise(done => setTimeout(() => done(location.hash), 400))") == "#L2H3"
    page.call("Page.navigate", url=path.resolve().as_uri() + "#L1H4&text=un%20gato%20come")
    page.settle()
    assert [page.text("name").split("\n")[0], page.run("reading.words.join(' ')")] == [
        "Two heads", "[bos] un gato come"]
    assert page.run("plots[0].name.textContent") == "Layer 1, head 4"
    page.run("state.form = 'across'; fillPlots()")
    page.run("plots[0].view.about.pin({row: state.other, column: 1})")
    page.run("state.form = 'matrix'; fillPlots()")
    names = page.run("plots.map(plot => plot.name.textContent)")
    assert len(set(names)) == 2, ("the head beside is not the one that is chosen", names)
    page.call("Page.navigate", url=path.resolve().as_uri() + "#L1H2&text=un%20perro%")
    page.settle()
    assert page.text("unknown"), "a link that was cut off is read as far as it goes"
    page.check_errors()


def look_at_next_words(page, folder):
    """What is expected, how often the text has it, what is written: all as ./sample prints them."""
    run = train_perro(folder)
    path, _ = attend(folder, run, "el", "next")
    page.open(path)
    for prompt in ("el", "un muchacho", SENTENCE):
        page.type(prompt)
        bars = page.run("[...at('bars').querySelectorAll('button')].map(b => [...b.children]"
                        ".map(part => part.textContent))")
        for (word, _, share, count), wanted in zip(bars, sample(run, prompt)["next"]):
            if wanted["probability"] < 1e-3:
                break
            assert word == wanted["token"], (bars, wanted)
            assert abs(float(share[:-2]) - 100 * wanted["probability"]) < 0.06
            assert count == f"{wanted['count']}/{wanted['of']}"
        assert f"{page.run('reading.T')} tokens" in page.text("run")
    for seed in range(1, 6):
        page.type("el")
        page.run(f"at('seed').value = {seed}; while (writeWord());")
        wanted = sample(run, "el", "--seed", seed, "--count", "1")["continuations"][0]
        assert page.run("at('typed').value") == ("el " + wanted["text"].strip()).strip(), wanted
    page.type("el perro")
    page.run("state.word = 1; tell('choose')")
    page.run("at('bars').querySelector('button:not(:disabled)').click()")
    assert page.run("reading.words.length") == 3, "a word goes after the one that is chosen"
    page.type("el perro ladra")
    assert "does not know “ladra”" in page.text("unknown")
    assert page.run("reading.words.join(' ')") == "[bos] el perro la", "the last that it could read"
    page.picture("unknown")
    page.run("at('unknown').querySelector('button').click()")
    assert page.run("[at('unknown').textContent, reading.T]") == ["", 4]
    page.type("gato gat")  # the unknown word begins a known one
    page.run("at('unknown').querySelector('button').click()")
    assert page.run("at('typed').value") == "gato gato"
    page.type("el [mask]")
    assert page.text("unknown") == "This model fills no gaps: leave out [mask]."
    page.type("el " * 8)
    assert "reads at most 8" in page.text("unknown")
    rows = page.run("[...at('layers').querySelectorAll('tr')].map(row => row.textContent)")
    assert len(rows) == 3 and rows[2].startswith("layer 2"), rows
    page.run("at('moment').value = 0; showMoment()")
    assert page.text("values").startswith("step 0  ·  all text 6.9808  ·  floor 0.4120")
    page.check_errors()


def look_at_typing(page, folder):
    """From a letter to the new picture, for the model of the little stories."""
    call(BIN / "train", ROOT / "data" / "cuentos.txt", "--out", folder / "stories", "--overwrite")
    path, _ = attend(folder, folder / "stories", "La niña", "stories")
    page.open(path)
    seconds = page.run("""(async () => {
        const times = [], words = tokenizer.tokens.filter((token, id) => !tokenizer.barred[id] &&
            id !== tokenizer.eos).slice(0, model.context - 1);
        for (let i = 0; i < 15; i++) {
            at("typed").value = words.slice(0, words.length - i % 3).join(" ");
            const begun = performance.now();
            at("typed").dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect(); // the browser lays it out
            times.push(performance.now() - begun);
            await new Promise(done => requestAnimationFrame(done));
        }
        return times.sort((a, b) => a - b)[7] / 1000;
    })()""")
    tokens = page.run("reading.T")
    print(f"  typing: {tokens} tokens answered after {1000 * seconds:.0f} ms")
    assert tokens == page.run("model.context") - 2 and seconds < ANSWERED_WITHIN, seconds
    page.check_errors()


def reached_by_tab(page):
    """What has the focus, from the first control on, until the page is left."""
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    found = []
    for _ in range(200):
        page.press("Tab")
        at = page.run("""(e => e === document.body ? "" : e.id ||
            (e.closest("[id]") || {}).id + " " + e.tagName + " " + (e.value || e.className))
            (document.activeElement)""")
        if not at or found and at == found[0]:
            break
        found.append(at)
    return found


def look_at_keyboard(page, folder):
    """Every control is reached by Tab, and does by keys what it does by the pointer."""
    path, _ = attend(folder, train_perro(folder), SENTENCE, "keys")
    page.open(path)
    found = reached_by_tab(page)
    for part in ("language", "theme", "typed", "chips BUTTON", "order", "grid BUTTON", "lift",
                 "forms BUTTON matrix", "forms BUTTON arcs", "forms BUTTON across",
                 "plots DIV scroller", "compare", "svg", "png", "sliders INPUT", "write", "step",
                 "seed", "moment", "cosines DIV scroller"):
        assert any(at.startswith(part) for at in found), (part, found)
    for part in ("grid", "chips"):
        assert sum(at.startswith(part) for at in found) == 1, "one stop for the group"
    # The arrows go from head to head, and stop at the edges.
    page.focus("#grid button[aria-label='Layer 2, head 3']")
    page.run("document.activeElement.click()")
    for key, head in (("ArrowRight", "Layer 2, head 4"), ("ArrowRight", "Layer 2, head 4"),
                      ("ArrowUp", "Layer 1, head 4"), ("ArrowUp", "Layer 1, head 4"),
                      ("ArrowLeft", "Layer 1, head 3"), ("ArrowDown", "Layer 2, head 3")):
        page.press(key)
        assert page.text("name") == head, (key, page.text("name"))
        assert page.run("document.activeElement.ariaPressed") == "true"
    # Elsewhere they are the browser's: the page scrolls.
    page.run("document.activeElement.blur()")
    page.press("ArrowRight")
    assert page.text("name") == "Layer 2, head 3"
    page.focus("#plots .scroller")
    page.run("pin(4, 2)")
    for key, cell in (("ArrowDown", [5, 2]), ("ArrowLeft", [5, 1]), ("ArrowLeft", [5, 0]),
                      ("ArrowLeft", [5, 0]), ("Escape", [5, -1])):
        page.press(key)
        assert page.run("[state.word, state.key]") == cell, key
    page.focus("#chips [tabindex='0']")
    for key, word in (("ArrowRight", 6), ("Home", 0), ("End", 6), ("ArrowLeft", 5)):
        page.press(key)
        assert page.run("[state.word, document.activeElement.textContent]") == [
            word, page.run(f"reading.words[{word}]")], key
    for button, key, told in (("#lift", " ", "state.lifted"),
                              ("#compare", "Enter", "state.other >= 0"),
                              ("#compare", " ", "state.other < 0"),
                              ("#forms [value=arcs]", "Enter", "state.form === 'arcs'"),
                              ("#forms [value=matrix]", " ", "state.form === 'matrix'"),
                              ("#theme", "Enter", "state.dark"), ("#theme", " ", "!state.dark"),
                              ("#language", "Enter", "state.language === 'es'"),
                              ("#language", " ", "state.language === 'en'")):
        page.focus(button)
        page.press(key)
        assert page.run(told), (button, key)
    page.focus("#order")
    page.press("ArrowDown")
    assert page.run("state.order") == "by_bos"
    page.press("ArrowUp")
    for number, told in enumerate(("state.temperature", "state.topK", "state.topP"), 1):
        before = page.run(told)
        page.focus(f"#sliders label:nth-child({number}) input")
        page.press("ArrowLeft" if number == 3 else "ArrowRight")
        assert page.run(told) != before, told
    page.type("el")
    page.focus("#bars li:first-child button")
    page.press("Enter")
    assert page.run("reading.T") == 3
    page.focus("#step")
    page.press(" ")
    assert page.run("reading.T") == 4
    page.focus("#write")
    page.press("Enter")
    assert page.run("[writing > 0, at('write').textContent]") == [True, "stop"]
    page.press("Enter")
    assert page.run("[writing, at('write').textContent]") == [0, "write"]
    page.focus("#moment")
    page.press("Home")
    assert page.text("values").startswith("step 0")
    page.focus("#cosines .scroller")
    page.press("ArrowRight")
    assert page.text("cosine").startswith("places 1 and "), page.text("cosine")
    page.check_errors()


def look_at_saved(page, folder):
    """What is saved is what is seen: whole SVG and PNG files."""
    path, array = attend(folder, train_perro(folder), SENTENCE, "saved")
    page.open(path)
    page.run("""window.saved = []; URL.createObjectURL = blob => {
        saved.push(blob); return "#"; }; HTMLAnchorElement.prototype.click = () => {}; choose(6)""")
    for form in ("matrix", "arcs", "across"):
        page.run(f"state.form = '{form}'; fillPlots()")
        for kind, key in (("svg", "Enter"), ("png", " ")):
            page.focus(f"#{kind}")
            page.press(key)
        page.run("new Promise(done => setInterval(() => saved.length === 2 && done(), 10))")
        text = page.run("saved[0].text()")
        figure = xml.etree.ElementTree.fromstring(text)
        words = [part.text for part in figure.iter("{http://www.w3.org/2000/svg}text")]
        assert not {"muchacho", "jugaba", "cuerda"} - set(words), words
        assert f"{array[1, 2, 6, 2]:.2f}" in words, words
        assert "NaN" not in text and "undefined" not in text
        assert page.run("saved[1].slice(1, 4).text()") == "PNG"
        (PICTURES / f"saved-{form}.svg").write_text(text)
        page.run("saved.length = 0")
    page.check_errors()


def look_at_languages(page, folder):
    """Both languages have every sentence, with the same values in it, and no other stays behind."""
    path, _ = attend(folder, train_perro(folder), SENTENCE, "languages")
    page.open(path)
    page.run("at('typed').value = 'ladra'; readTyped()")
    assert not page.run("at('restore').hidden")
    words = page.run("WORDS")
    for key, sentences in words.items():
        assert len(sentences) == 2 and all(sentences), key
        values = [sorted(re.findall(r"\{\w+\}", sentence)) for sentence in sentences]
        assert values[0] == values[1], (key, sentences)
    english = {w[0] for w in words.values() if w[0] != w[1] and len(w[0]) > 3 and "{" not in w[0]}
    page.run("state.language = 'es'; repaint()")
    assert page.run("document.documentElement.lang") == "es"
    shown = page.run("""[...document.querySelectorAll("main *, header *, footer, .reads *")]
        .flatMap(e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim())
            .concat(e.ariaLabel || [], e.title || []))""")
    assert not english & set(shown), english & set(shown)
    assert "Capa 1, cabeza 1" in shown and "Todas las cabezas" in shown
    assert "El modelo no conoce" in page.text("unknown")
    assert not [text for text in shown if "undefined" in text or re.search(r"\{\w+\}", text)]
    assert re.search(r"entropía \d\.\d\d bits", page.run("plots[0].summary.textContent"))
    page.check_errors()


def check_width(page, width):
    """Nothing is wider than the window, and no head is hidden."""
    page.settle()
    assert page.run("document.documentElement.scrollWidth") <= width, width
    out = page.run("""[...document.querySelectorAll("canvas, button, select, input")]
        .filter(e => e.offsetWidth && (b => b.left < 0 || b.right > innerWidth + 0.5)
            (e.getBoundingClientRect())).map(e => e.outerHTML.slice(0, 120))""")
    assert not out, (width, out)
    assert page.run("grid.scrollWidth <= grid.clientWidth && document.querySelectorAll("
                    "'#grid button').length === data.heads.length")
    assert page.run("document.querySelector('[data-say=hint]').offsetHeight > 0")


def look_at_widths(page, folder):
    """All widths, light and dark, both languages; many heads; legible numbers."""
    run = train_perro(folder)
    pages = {name: attend(folder, run, SENTENCE, name, *options)[0]
             for name, options in (("live", []), ("static", ["--static"]))}
    run = train_perro(folder, "--layers", "4", "--heads", "16", "--steps", "2")
    pages["many"] = attend(folder, run, SENTENCE, "many")[0]
    for width in WIDTHS:
        for dark in (False, True):
            for language in ("en", "es"):
                page.open(pages["live"], width=width, height=900, dark=dark, phone=width < 500)
                for form in ("across", "arcs", "matrix"):
                    page.run(f"state.language = '{language}'; state.form = '{form}'; repaint()")
                    check_width(page, width)
                page.run("choose(6)")
                page.picture(f"{width}-{'dark' if dark else 'light'}-{language}")
                assert page.run("plots[0].view.place.number") >= (16 if width > 1900 else 11)
                page.run("at('compare').click()")
                check_width(page, width)
        for name in ("static", "many"):
            page.open(pages[name], width=width, height=900, phone=width < 500)
            check_width(page, width)
            page.picture(f"{width}-{name}")
        page.check_errors()
    least = page.run("""Math.min(...["light", "dark"].flatMap(name => ramps[name].map(c => {
        const l = 0.2126 * partOf(c[0]) + 0.7152 * partOf(c[1]) + 0.0722 * partOf(c[2]);
        const ink = inkOn(c) === "#ffffff" ? 1 : 0;
        return (Math.max(l, ink) + 0.05) / (Math.min(l, ink) + 0.05);
    })))""")
    print(f"  contrast of numbers and their colours: {least:.2f} at least")
    assert least >= 4.5, least


def look_at_windows(page, folder):
    run = train_perro(folder, "--layers", "1", "--window", "1,2,3,4", "--steps", "40")
    for options in ([], ["--static"]):
        path, array = attend(folder, run, SENTENCE, "windows", *options)
        page.open(path)
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
    # Any list of ranges is drawn: the last query's packed weights now belong to other keys.
    page.run("data.heads[3].ranges[6] = [[1, 1], [3, 3], [6, 7]]; reading.unpacked.clear();"
             "choose(0); choose(3)")
    for key, packed in ((0, 3), (2, 4), (5, 5), (6, 6)):
        said = page.point_at(6, key)
        assert says(said, array[0, 3, 6, packed]), (said, key)
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
    (folder / "pairs.tsv").write_text(PAIRS)
    call(BIN / "train", folder / "pairs.tsv", "--out", folder / "pairs", "--overwrite", "--layers",
         "2", "--heads", "2", "--window", "0,2,0,0", "--steps", "150")
    path, array = attend(folder, folder / "pairs", "el perro negro come", "pairs")
    source, T = 6, array.shape[2]
    for width in WIDTHS:
        for dark in (False, True):
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
            page.picture(f"pairs-{width}-{'dark' if dark else 'light'}")
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
    page.check_errors()


def look_at_gaps(page, folder):
    (folder / "gaps.txt").write_text((ROOT / "data" / "perro.txt").read_text())
    call(BIN / "train", folder / "gaps.txt", "--objective", "masked", "--out", folder / "gaps",
         "--overwrite", "--steps", "50")
    text = "el [mask] come un hueso"
    path, array = attend(folder, folder / "gaps", text, "gaps")
    page.open(path)
    compare(page, array, [(0, 6), (2, 3), (6, 0), (6, 6)], ahead=True)
    assert page.run("[reading.source, document.querySelector('#grid.pair')]") == [0, None]
    assert page.text("special") == ("[bos] marks the beginning of the line. The words of the line "
                                    "also attend to later ones. [mask] stands for a word that is "
                                    "hidden from the model.")
    assert page.text("next-title") == "What stands here"
    word = page.run("at('bars').querySelector('.word').textContent")
    assert re.search(rf'"token":"{word}"', call(BIN / "sample", folder / "gaps", text, "--json")
                     .split('"probability"')[0]), word
    page.picture("gaps")
    page.run("at('bars').querySelector('button').click()")
    assert page.run("at('typed').value") == f"el {word} come un hueso"
    text = "[mask] perro come [mask] hueso"
    answer = json.loads(call(BIN / "sample", folder / "gaps", text, "--json", "--count", 1))
    page.run(f"at('typed').value = {json.dumps(text)}; readTyped()")
    assert page.text("write") == "fill the gaps"
    page.run("at('step').click(); at('step').click(); at('step').click()")
    assert page.run("at('typed').value") == answer["fillings"][0]["text"]
    page.check_errors()


def look_at_texts(page, folder):
    """Several lines of standard input are several texts."""
    run = train_perro(folder)
    call(BIN / "attend", run, "-", "-o", folder / "texts.html", text="un gato come\nel perro\n")
    page.open(folder / "texts.html")
    assert not page.run("at('texts').hidden")
    page.run("at('choice').value = 1; at('choice').dispatchEvent(new Event('change'))")
    assert page.run("reading.words.join(' ')") == "[bos] el perro"
    page.check_errors()


def look_at_checkpoints(page, folder):
    """The slider shows the heads as they were in each checkpoint of the run."""
    run = train_perro(folder, "--checkpoint-every", "100", "--keep", "3", "--positions", "learned")
    path, _ = attend(folder, run, SENTENCE, "checkpoints")
    page.open(path)
    positions = page.run("cosines.canvas.toDataURL()")
    steps = page.run("data.checkpoints")
    assert 100 in steps and page.text("age-step") == "the end", steps
    page.focus("#age")
    page.press("Home")
    assert page.text("age-step") == f"step {steps[0]}"
    assert page.run("cosines.canvas.toDataURL()") != positions
    _, array = attend(folder, run / f"checkpoint-{steps[0]}", SENTENCE, "then")
    page.run("choose(6)")
    for query, key in ((6, 2), (5, 1), (3, 3)):
        assert says(page.point_at(query, key), array[1, 2, query, key])
    page.check_errors()


def look_at_markup(page, folder):
    """Markup in a text stays text."""
    evil = "</script><img src=x onerror=alert(1)><script>alert(2)</script> & \" ' <!-- ]]> \u2028"
    run = train(folder, evil + "\n" + evil[::-1] + "\n", "--tokens", "char", "--sequence",
                "lines", "--context", "120", "--steps", "2")
    for options in ([], ["--static"]):
        path, _ = attend(folder, run, evil, "markup", *options)
        page.open(path)
        assert page.run("data.text") == evil.replace("\u2028", "U+2028")
        assert page.run("at('typed').value + at('text').textContent").startswith("</script><img")
        assert page.run("document.images.length") == 0
        assert page.run("document.querySelectorAll('#grid button').length") == 8
        assert page.run("reading.words.slice(1, 10).join('')") == "</script>"
        page.run("pin(9, 1)")
        assert ">" in page.run("plots[0].readout.textContent")
        page.check_errors()
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
    path, array = attend(folder, run, " ".join(words[:800]), "long", "--static")
    size, T = path.stat().st_size, array.shape[2]
    assert 1000 <= T <= 1024, T
    seconds = page.open(path)
    print(f"  16 heads over {T} tokens: {size / 1e6:.1f} MB, drawn after {seconds:.2f} s")
    assert seconds < OPENED_WITHIN, seconds
    assert page.run("reading.unpacked.size") == 1, "only the head that is shown large is unpacked"
    page.picture("long")
    begun = time.monotonic()
    page.run("choose(9)")
    print(f"  another head after {time.monotonic() - begun:.2f} s")
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
    page.check_errors()


def look_with_axe(page, folder):
    """axe-core's rules for accessibility, if AXE names its axe.min.js: it is no part of Pulga."""
    script = os.environ.get("AXE")
    if not script:
        print("  skipped: AXE=FILE names no axe.min.js (of axe-core, which is no part of Pulga)")
        return
    axe, run = pathlib.Path(script).read_text() + ";1", train_perro(folder)
    for options in ([], ["--static"]):
        path, _ = attend(folder, run, SENTENCE, "axe", *options)
        for width, dark, form in ((1280, False, "matrix"), (360, True, "arcs"),
                                  (768, True, "across")):
            page.open(path, width=width, dark=dark, phone=width < 500)
            page.run(f"state.form = '{form}'; state.language = 'es'; repaint(); pin(4, 2)")
            page.run(axe)
            wrong = page.run("axe.run().then(found => found.violations.map(v => [v.id, v.help, "
                             "v.nodes.map(n => n.html.slice(0, 120))]))")
            assert not wrong, wrong


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


LOOKS = (look_at_sentence, look_at_heads, look_at_next_words, look_at_typing, look_at_keyboard,
         look_at_saved, look_at_languages, look_at_widths, look_at_windows, look_at_pairs,
         look_at_gaps, look_at_texts, look_at_checkpoints, look_at_markup, look_at_long,
         look_with_axe)


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    os.environ["LC_ALL"] = "C.UTF-8"  # pages open in English
    chosen = [look for look in LOOKS if look.__name__ in sys.argv[1:]]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        page = Page(folder)
        try:
            if len(sys.argv) > 1 and not chosen:
                take_pictures(page, folder, pathlib.Path(sys.argv[1]))
                return
            for look in chosen or LOOKS:
                look(page, folder)
                print(f"  passed {look.__name__}", flush=True)
        finally:
            page.close()


if __name__ == "__main__":
    main()
