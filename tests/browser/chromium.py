"""chromium.py: a page in Chromium, which is driven through DevTools: JSON over a web socket."""
import base64
import json
import pathlib
import shutil
import subprocess
import urllib.request

from page import Page
from web_socket import Socket

# What DevTools must be told of a key: its number, and the text that it writes.
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "Escape": (27, ""), "End": (35, ""),
        "Home": (36, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""),
        "ArrowDown": (40, "")}


class Chromium(Page):
    name = "chromium"

    def __init__(self, folder):
        super().__init__()
        self.browser = subprocess.Popen(
            [shutil.which("chromium") or "chromium-browser", "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--remote-debugging-port=0", f"--user-data-dir={folder}/profile", "about:blank"],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        port_file = pathlib.Path(folder) / "profile" / "DevToolsActivePort"
        self.wait_for_start(lambda: port_file.exists() and port_file.read_text().count("\n"))
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            targets = json.load(answer)
        self.socket = Socket(next(t for t in targets if t["type"] == "page")
                             ["webSocketDebuggerUrl"])
        self.loaded = False
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(f"{domain}.enable")

    def note(self, method, about):
        if method == "Runtime.exceptionThrown":
            self.wrong.append(json.dumps(about["exceptionDetails"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.wrong.append(about["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.wrong.append(json.dumps(about["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.wrong.append("a dialogue opened: " + about["message"])
        elif method == "Network.requestWillBeSent":
            self.ask(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def shape(self, width, height, dark, phone):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def load(self, url):
        self.loaded = False
        self.go(url)
        while not self.loaded:
            event = json.loads(self.socket.receive())
            self.note(event["method"], event["params"])

    def go(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def point(self, x, y, kind="move"):
        kinds = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}
        button = {} if kind == "move" else {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type=kinds[kind], x=x, y=y, **button)

    def press(self, key):
        number, text = KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=number,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def write(self, letter):
        self.call("Input.insertText", text=letter)

    def save(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def kept(self):
        for _ in range(2):
            self.call("HeapProfiler.collectGarbage")
            self.settle()
        kept = {one["name"]: one["value"] for one in self.call("Performance.getMetrics")["metrics"]}
        return {what: kept[what] for what in ("Documents", "Nodes", "JSEventListeners",
                                              "ArrayBufferContents", "JSHeapUsedSize")}
