"""firefox.py: a page in Firefox, which is driven through WebDriver BiDi: JSON over a web socket.

This tests less than chromium.py: a phone here is only a narrow window with many pixels and with a
desktop's scroll bar; and Firefox tells what the page asks of the network, but not which files it
asks for, nor what its own policy keeps it from asking.
"""
import base64
import pathlib
import re
import subprocess
import time

from page import Page
from web_socket import Socket

KEYS = {"Tab": "\ue004", "Enter": "\ue006", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", " ": " "}


def value_of(remote):
    """A value of JavaScript, from BiDi's description of it."""
    kind, value = remote["type"], remote.get("value")
    if kind == "number":
        return float(value) if isinstance(value, str) else value  # "NaN", "-0", "Infinity"
    if kind == "array":
        return [value_of(part) for part in value]
    if kind == "object":
        return {key: value_of(part) for key, part in value}
    return value


class Firefox(Page):
    name = "firefox"

    def __init__(self, folder):
        super().__init__()
        profile = pathlib.Path(folder) / "firefox"
        profile.mkdir()
        # The theme is a setting of the browser's own window, which only such access can change.
        self.browser = subprocess.Popen(
            ["firefox-esr", "--headless", "--profile", profile,
             "--remote-debugging-port=0", "--remote-allow-system-access", "about:blank"],
            stderr=open(profile / "log", "w"), stdout=subprocess.DEVNULL)
        self.wait_for_start(lambda: self.address(profile))
        self.socket = Socket(f"{self.address(profile)}/session")
        self.call("session.new", capabilities={})
        self.tab, self.window = (
            self.call("browsingContext.getTree", **{"moz:scope": scope})["contexts"][0]["context"]
            for scope in ("content", "chrome"))
        self.call("session.subscribe", contexts=[self.tab], events=[
            "log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened"])
        self.enter()

    def address(self, profile):
        found = re.search(r"BiDi listening on (\S+)\n", (profile / "log").read_text())
        return found and found[1]

    def enter(self):
        """From now on keys go to the page: at first, and after Tab left it, they go to the window."""
        self.run("gBrowser.selectedBrowser.focus()", self.window)

    def focus(self, selector):
        self.enter()
        super().focus(selector)

    def note(self, method, about):
        if method == "log.entryAdded" and about["level"] in ("error", "warn"):
            self.wrong.append(about["text"])
        elif method == "browsingContext.userPromptOpened":
            self.wrong.append("a dialogue opened: " + about["message"])
        elif method == "network.beforeRequestSent":
            self.ask(about["request"]["url"])

    def shape(self, width, height, dark, phone):
        self.call("browsingContext.setViewport", context=self.tab,
                  viewport={"width": width, "height": height}, devicePixelRatio=2 if phone else 1)
        self.run(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', "
                 f"{0 if dark else 1})", self.window)

    def load(self, url):
        """Firefox may say that the page is complete while the tab still has the page before, or,
        after a change of process, an empty one."""
        self.run("left = true")
        self.go(url)
        while not self.run("typeof left === 'undefined' && location.href !== 'about:blank' && "
                           "document.readyState === 'complete'"):
            time.sleep(0.01)

    def go(self, url):
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def run(self, script, where=None):
        answer = self.call("script.evaluate", expression=script, awaitPromise=True,
                           target={"context": where or self.tab})
        assert answer["type"] == "success", answer
        return value_of(answer["result"])

    def act(self, kind, *actions):
        self.call("input.performActions", context=self.tab,
                  actions=[{"type": kind, "id": kind, "actions": actions}])

    def point(self, x, y, kind="move"):
        self.act("pointer", {"type": "pointerMove", "x": x, "y": y} if kind == "move" else
                 {"type": {"down": "pointerDown", "up": "pointerUp"}[kind], "button": 0})

    def press(self, key):
        self.write(KEYS[key])

    def write(self, letter):
        self.act("key", {"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter})

    def save(self, path):
        data = self.call("browsingContext.captureScreenshot", context=self.tab)["data"]
        path.write_bytes(base64.b64decode(data))
