"""Tests the page that attend writes, in Chromium and in Firefox, as a person uses it.

    make browser                                     tests; leaves screenshots in build/browser/
    AXE=axe.min.js make browser                      also with axe-core's rules, if you have it
    python3 tests/browser look_at_pairs              only this test
    python3 tests/browser firefox look_at_pairs      only this test, in Firefox
    python3 tests/browser/pictures.py docs           only takes the pictures of docs/ again

Each test is a function look_at_...(page, folder) of a file beside this one. What the page shows is
compared with the .npy of the same text and with what ./sample prints. Needs only Python's standard
library: chromium.py and firefox.py drive the browsers, page.py lists what both can do.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import axe
import heads
import keyboard
import kinds
import lab
import lab_looks
import lesson
import model
import next_words
import random_models
import same
import saved
import texts
import vocabulary
import weights
import widths
from chromium import Chromium
from firefox import Firefox

FILES = (weights, heads, next_words, keyboard, saved, texts, vocabulary, widths, kinds, axe, model,
         random_models, lab, same, lab_looks, lesson)
NAMED = [(name, look) for file in FILES for name, look in vars(file).items()
         if name.startswith("look_") and look.__module__ == file.__name__]
LOOKS = dict(NAMED)
assert len(LOOKS) == len(NAMED), "two tests have the same name"
BROWSERS = {"chromium": Chromium, "firefox": Firefox}


def named(names, found):
    """Those of found that are named, or all."""
    return {name: found[name] for name in found if name in names} or found


def call(name, look, page, folder):
    begun = time.monotonic()
    try:
        look(page, folder)
        if look.__module__ != "lab":  # checks by itself: some of its pages have errors
            page.check_errors()
    except Exception:
        print(f"  FAILED {name} in {page.name}", flush=True)
        raise
    print(f"  passed {name} in {page.name}, {time.monotonic() - begun:.1f} s", flush=True)


def call_all(browser, looks):
    """Calls some tests in one browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = browser(pathlib.Path(folder))
        try:
            for name, look in looks.items():
                call(name, look, page, pathlib.Path(folder))
        finally:
            page.close()


def main():
    names = sys.argv[1:]
    unknown = [name for name in names if name not in LOOKS and name not in BROWSERS]
    if unknown:
        sys.exit(f"unknown: {' '.join(unknown)}; known: {' '.join([*BROWSERS, *LOOKS])}")
    browsers = named(names, BROWSERS)
    if "firefox" in browsers and not shutil.which("firefox-esr"):
        if "firefox" in names:
            sys.exit("firefox-esr is not installed; scripts/setup.sh browser installs it on Debian")
        print("  left out: Firefox (firefox-esr is not installed; Ubuntu has no such package)")
        browsers = {"chromium": Chromium}
    os.environ["LC_ALL"] = "C.UTF-8"  # pages open in English
    if len(browsers) > 1:  # side by side, in a process each
        looks = [name for name in names if name in LOOKS]
        here = pathlib.Path(__file__).parent
        parts = [subprocess.Popen([sys.executable, here, name, *looks]) for name in browsers]
        sys.exit(any([part.wait() for part in parts]))
    call_all(*browsers.values(), named(names, LOOKS))


main()
