"""widths.py: the page on telephones and projectors."""
from programs import SENTENCE, attend, train_perro

WIDTHS = (360, 768, 1280, 1920, 2560)


def check_width(page, width):
    """Nothing is wider than the window; no head is hidden; no name of an order is cut."""
    page.settle()
    assert page.run("document.documentElement.scrollWidth") <= width, width
    out = page.run("""[...document.querySelectorAll("canvas, button, select, input")]
        .filter(e => e.offsetWidth && (b => b.left < 0 || b.right > innerWidth + 0.5)
            (e.getBoundingClientRect())).map(e => e.outerHTML.slice(0, 120))""")
    assert not out, (width, out)
    assert page.run("grid.scrollWidth <= grid.clientWidth && document.querySelectorAll("
                    "'#grid button').length === data.heads.length")
    assert page.run("document.querySelector('[data-say=hint]').offsetHeight > 0")
    now, needed = page.run("""(order => {
        const now = order.offsetWidth;
        order.style.minWidth = "max-content";
        const needed = order.offsetWidth;
        order.style.minWidth = "";
        return [now, needed];
    })(at("order"))""")
    assert now >= needed, ("the list of orders is cut", width, now, needed)


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
                assert page.run("state.dark") == dark, "the page follows the system's theme"
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
        used = page.run("Math.max(...[...grid.querySelectorAll('button')]"
                        ".map(b => b.getBoundingClientRect().right))"
                        "- grid.getBoundingClientRect().left") / page.run("grid.clientWidth")
        assert used > 0.85, ("16 heads leave a part of the card empty", width, used)
        page.check_errors()
    # Of every colour that a cell can have.
    least = page.run("""Math.min(...["light", "dark"].flatMap(name => {
        state.dark = name === "dark";
        return ramps[name].map(c => {
            const l = 0.2126 * partOf(c[0]) + 0.7152 * partOf(c[1]) + 0.0722 * partOf(c[2]);
            const ink = inkOn(c) === "#ffffff" ? 1 : 0;
            return (Math.max(l, ink) + 0.05) / (Math.min(l, ink) + 0.05);
        });
    }))""")
    print(f"  contrast of numbers and their colours: {least:.2f} at least")
    assert least >= 4.5, least


def look_at_projector(page, folder):
    """On a projector no text is smaller than 28 pixels; on a phone the next word comes first."""
    path, _ = attend(folder, train_perro(folder), SENTENCE, "projector")
    page.open(path, width=1920, height=1080)
    page.click("#projector")
    page.settle()
    least = page.run("""Math.min(...[...document.body.querySelectorAll("*")].filter(e =>
        e.offsetWidth && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
        .map(e => parseFloat(getComputedStyle(e).fontSize)))""")
    assert least >= 28 and page.run("0.95 * rem()") >= 28, least
    assert page.run("plots[0].view.place.number") >= 28
    assert page.run("document.documentElement.scrollWidth") <= 1920
    assert page.run("plots[0].view.canvas.getBoundingClientRect().bottom") <= 1080
    page.picture("projector")
    place = page.run("plots[0].view.place")
    page.click("#language")
    page.settle()
    assert page.run("plots[0].view.place") == place, "another language leaves other room"
    page.open(path)
    page.run("location.hash = '#L2H3&projector'")
    page.settle()
    assert page.run("document.documentElement.className") == "projector"
    assert page.text("name") == "Layer 2, head 3"
    page.open(path, width=360, height=800, phone=True)
    assert page.run("at('next').getBoundingClientRect().top <"
                    "document.querySelector('.overview').getBoundingClientRect().top")
    assert page.run("at('typed').scrollHeight <= at('typed').clientHeight"), "the sentence is cut"
