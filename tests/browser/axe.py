"""axe.py: axe-core's rules for accessibility."""
import itertools
import os
import pathlib

from programs import SENTENCE, attend, train_perro

# The size of what is clicked, a rule of WCAG 2.2, is off by default.
CHECK = """axe.run({iframes: false, rules: {"target-size": {enabled: true}}})
    .then(found => found.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 120))]))"""


AXE = os.environ.get("AXE", "") and pathlib.Path(os.environ["AXE"]).read_text() + ";1"


def look_with_axe(page, folder):
    """axe-core's rules for accessibility, if AXE names its axe.min.js: it is no part of Pulga."""
    if not AXE:
        print("  left out: AXE is not the path of an axe.min.js (of axe-core, which is no part of Pulga)")
        return
    run = train_perro(folder)
    for options in ([], ["--static"]):
        path, _ = attend(folder, run, SENTENCE, "axe", *options)
        for width, dark, language in itertools.product((360, 1280), (False, True), ("en", "es")):
            page.open(path, width=width, dark=dark, phone=width < 500)
            page.run(AXE)
            for form in ("matrix", "arcs", "across"):
                page.run(f"state.form = '{form}'; state.language = '{language}'; repaint();"
                         "pin(4, 2)")
                wrong = page.run(CHECK)
                assert not wrong, (width, dark, language, form, wrong)
    print("  axe-core " + page.run("axe.version") + " finds nothing")
