"""lab_looks.py: the lab on telephones and projectors, without a pointer, and for screen readers."""
import itertools
import json

from axe import AXE, CHECK
from lab import choose, press_train, wait
from page import BUILD
from widths import WIDTHS

# What is wider than the window, what lies on something else, and what is cut, in the page and in
# its frames. A file is chosen by an input that lies unseen on its label.
WRONG = """(() => {
    const pages = [[window, ""], ...[...document.querySelectorAll("iframe")].map((frame, i) =>
        [frame.contentWindow, `frame ${i}: `])];
    return pages.flatMap(([{document, innerWidth, getComputedStyle}, where]) => {
        const name = e => where + (e.id || e.outerHTML.slice(0, 60)), wrong = [];
        const shown = [...document.querySelectorAll("h1, h2, p, button, input, select, textarea, " +
            "pre, canvas, iframe, label, figcaption, footer")].filter(e => e.offsetWidth &&
            e.offsetHeight && getComputedStyle(e).opacity !== "0" &&
            getComputedStyle(e).visibility === "visible");
        const boxes = shown.map(e => { // the lines of the text are scrolled
            const {left, right, top, bottom} = e.getBoundingClientRect();
            const paper = e.closest("#paper")?.getBoundingClientRect() || {top, bottom};
            return {left, right, top: Math.max(top, paper.top),
                bottom: Math.min(bottom, paper.bottom)};
        });
        if (document.documentElement.scrollWidth > innerWidth)
            wrong.push(where + "scrolls sideways");
        shown.forEach((e, i) => {
            const a = boxes[i];
            if (a.left < -0.5 || a.right > innerWidth + 0.5) wrong.push(name(e) + " is outside");
            if (e.matches("button, label, p, h2") && e.scrollWidth > e.clientWidth + 1 &&
                getComputedStyle(e).display !== "inline")
                wrong.push(name(e) + " is cut");
            shown.slice(i + 1).forEach((other, j) => {
                const b = boxes[i + 1 + j];
                if (!e.contains(other) && !other.contains(e) &&
                    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
                    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
                    wrong.push(name(e) + " lies on " + name(other));
            });
        });
        return wrong;
    });
})()"""


def opened(page, **window):
    """Opens the lab; yields when a run is open, when it is trained, and beside another one."""
    page.open(BUILD / "lab" / "pulga.html", **window)
    choose(page, "steps", 20)
    wait(page, "run && run.words.includes('20') && run.log.length && !run.waiting", 20)
    yield "before"
    press_train(page)
    wait(page, "!run.waiting")
    yield "after"
    page.click("#keep")
    press_train(page)
    wait(page, "!run.waiting")
    yield "kept"


ALL = list(itertools.product((False, True), ("en", "es")))


def painted(page, pairs):
    """Shows the page in colours and languages."""
    for dark, language in pairs:
        page.run(f"state.dark = {json.dumps(dark)}; state.language = '{language}'; repaint()")
        page.settle()
        yield dark, language


def look_at_lab_widths(page, folder):
    """Nothing is wider than the window, lies on something else or is cut: before a training, after
    it, and with two runs; at all widths, in both languages, with the details and without, and on a
    projector. Colours move nothing: one for each."""
    for about in opened(page):
        for width in WIDTHS:
            page.shape(width, 900, False, width < 500)
            for details in (True, False):
                page.run(f"state.details = {json.dumps(details)}")
                for dark, language in painted(page, ((False, "en"), (True, "es"))):
                    wrong = page.run(WRONG)
                    assert not wrong, (about, width, details, dark, language, wrong)
                page.picture(f"lab-{width}-{about}-{details}")
        for width in (1024, 1280, 1920):
            page.shape(width, 900, False, False)
            page.run("project(true)")
            for _, language in painted(page, ((False, "en"), (True, "es"))):
                wrong = page.run(WRONG)
                assert not wrong, (about, width, "projector", language, wrong)
            page.picture(f"lab-{width}-{about}-projector")
            page.run("project(false)")
    page.check_errors()


INSIDE = """(page => {
    const script = page.createElement("script");
    script.textContent = %s;
    page.head.append(script);
})(frames[0].document)"""


def look_with_axe_at_lab(page, folder):
    """axe-core's rules, in the lab and in its frames."""
    if not AXE:
        print("  left out: AXE is not set")
        return
    for width in (360, 1280):
        for about in opened(page, width=width, phone=width < 500):
            page.run(AXE)
            parts = ["window"]
            if about == "after":  # the frame's page is that of look_with_axe
                page.run(INSIDE % json.dumps(AXE))
                parts.append("frames[0]")
            for dark, language in painted(page, ALL):
                for part in parts:
                    wrong = page.run(f"{part}.{CHECK}")
                    assert not wrong, (about, width, dark, language, part, wrong)
    page.check_errors()


def reached_by_tab(page):
    """What gets the focus after the first control, until a frame has it; it must be seen."""
    page.focus("#projector")
    found = []
    while "IFRAME" not in found:
        page.press("Tab")
        name, seen = page.run("""(e => [e.id || e.closest("#numbers")?.id || e.parentElement.id || e.tagName,
            [e, e.parentElement].map(one => getComputedStyle(one)).some(style =>
                style.opacity !== "0" && style.outlineStyle !== "none" &&
                parseFloat(style.outlineWidth) >= 2)])
            (document.activeElement)""")
        found.append(name)
        assert (seen or name == "IFRAME") and len(found) < 50, found
    return found


def look_at_lab_keyboard(page, folder):
    """Every control is reached by Tab, in the order of the page, and is used by keys."""
    for about in opened(page):
        if about == "after":
            break
    page.focus("#details")
    page.press("Enter")
    assert page.run("run.frame.title === say('inside')"), "also before another language is chosen"
    found = reached_by_tab(page)
    assert found == [
        "language", "theme", *["texts"] * 6, "numbers", "text", "file", "train", "pause", "speed", "moment",
        "reseed", "keep", "named", "save", "open", *page.run("Object.keys(CHOICES).map(choice => field(choice).id)"),
        "lines", "IFRAME"], found
    page.run("""var files = []; for (const id of ["file", "open"])
        at(id).addEventListener("click", event => { event.preventDefault(); files.push(id); });""")
    for control, key, told in (
            ("#moment", "ArrowLeft", "Number(at('moment').value) < 20"),
            ("#theme", "Enter", "state.dark"), ("#theme", " ", "!state.dark"),
            ("#language", " ", "state.language === 'es'"),
            ("#language", "Enter", "state.language === 'en'"),
            ("#projector", "Enter", "state.projector"), ("#projector", " ", "!state.projector"),
            ("#keep", " ", "!!kept"), ("#keep", "Enter", "!kept"),
            ("#file", " ", "files.includes('file')"), ("#open", " ", "files.includes('open')"),
            ("#texts button:nth-child(2)", "Enter", "textName === 'cuentos.txt'"),
            ("#texts button:first-child", " ", "textName === 'perro.txt'"),
            ("#choice-tokens", "ArrowDown", "field('tokens').value === 'word'"),
            ("#choice-steps", "End", "true"), ("#train", "Enter", "phase === 'going'"),
            ("#pause", " ", "phase === 'paused'"), ("#step", "Enter", "true"),
            ("#pause", "Enter", "phase === 'going'"),
            ("#reseed", " ", "field('seed').value === '2'")):
        page.focus(control)
        page.press(key)
        if control == "#choice-steps":
            for letter in "000":
                page.write(letter)
        wait(page, told, 20)
    page.check_errors()
