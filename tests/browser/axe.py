"""axe.py: axe-core's rules for accessibility."""
import os
import pathlib

from programs import SENTENCE, attend, train_perro


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
