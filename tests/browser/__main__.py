"""Tests the page that attend writes, in Chromium, as a person uses it.

    make browser                                tests; leaves screenshots in build/browser/
    AXE=axe.min.js make browser                 looks for faults with axe-core, too, if you have it
    python3 tests/browser look_at_pairs         only this test
    python3 tests/browser/pictures.py docs      only takes the pictures of docs/ again

Each test is a function look_at_...(page, folder) of a file beside this one. What the page shows is
compared with the .npy of the same text and with what ./sample prints. Needs only Python's standard
library: chromium.py drives the browser, page.py lists what a driver can do.
"""
import os
import pathlib
import sys
import tempfile
import time

import axe
import heads
import keyboard
import kinds
import model
import next_words
import random_models
import saved
import texts
import weights
import widths
from chromium import Chromium
from page import PICTURES

FILES = (weights, heads, next_words, keyboard, saved, texts, widths, kinds, axe, model,
         random_models)


def looks():
    """The tests that are named on the command line, or all of them."""
    found = {name: look for file in FILES for name, look in vars(file).items()
             if name.startswith("look_") and look.__module__ == file.__name__}
    unknown = set(sys.argv[1:]) - found.keys()
    if unknown:
        sys.exit(f"unknown: {' '.join(unknown)}; the tests are: {' '.join(found)}")
    return {name: found[name] for name in sys.argv[1:] or found}


def main():
    chosen = looks()
    PICTURES.mkdir(parents=True, exist_ok=True)
    os.environ["LC_ALL"] = "C.UTF-8"  # pages open in English
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        page = Chromium(folder)
        try:
            for name, look in chosen.items():
                begun = time.monotonic()
                look(page, folder)
                print(f"  passed {name}, {time.monotonic() - begun:.0f} s", flush=True)
        finally:
            page.close()


main()
