"""lesson.py: the cards of the lab's lesson, of which each figure is one that the lesson prints."""
import base64
import re
import zipfile
from fractions import Fraction

from lab import wait
from lab_looks import WRONG, painted
from page import BUILD
from programs import BIN, ROOT, call
from widths import WIDTHS

PAGES = {"en": "lesson", "es": "leccion"}
# Of each card, what the lesson prints of it in the same section, and a guess that is wrong.
PRINTED = {
    "1.1": ("5/9", "0.5"), "1.2": ("1/2", "1/4"), "1.3": ("0.411980", "0"),
    "2.1": ("6.980773", "2.708"), "2.2": ("0.412301", "0"), "2.3": ("0.499", "10 %"),
    "3.1": ("croquetas", "perro"), "3.2": ("el", "come"), "3.3": ("con", "croquetas"),
    "4.1": ("0.400", "0,5"), "4.2": ("0.522159", "0.412"), "4.3": ("2 x", "0"),
    "5.1": ("l", "t"), "5.2": ("l", "e"), "5.3": ("L2H1", "L1H1"), "5.4": ("0.145", "0.9"),
    "h.1": ("0.442805", "0.412"), "h.2": ("0.411980", "0.491544"), "h.3": ("perro", "el"),
    "h.4": ("92 %", "25 %"), "h.7": ("0.966", "0"), "h.8": ("0.416199", "0.5"),
    "h.9": ("0.412374", "0.5"),
}
OWN = "uno dos tres\nuno dos cuatro\n"  # of card h.5, whose answer cannot be printed


def number(text):
    """A printed number, and half of its last place."""
    if "/" in text:
        return float(Fraction(text)), 6e-4
    scale = 100 if text.endswith(" %") else 1
    text = text.removesuffix(" %").removesuffix(" x")
    return float(text) / scale, 0.51 * 10.0 ** -len(text.partition(".")[2]) / scale


def plain(markdown):
    """The words of a part of a page, as one line."""
    return " ".join(re.sub(r"[*`]|\]\([^)]*\)|\[(?=this|esta)|^ *<!--.*?-->", "", markdown,
                           flags=re.MULTILINE | re.DOTALL).split())


def section(language, title):
    page = (ROOT / "docs" / f"{PAGES[language]}.md").read_text()
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def train_beside(page, folder):
    """Has ./train do in a moment what the card that is shown would have trained in a minute, by the
    card's own command, and opens its run in the page as if that had trained it: lab.py and same.py
    prove that it has the same bits."""
    text, *words = page.run("setFor(CARDS[card]), commandOf(struck)")
    run = folder / f"{page.name}-card"
    call(BIN / "train", ROOT / "data" / text, *words, "--out", run, "--overwrite")
    path = run.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in run.iterdir():
            archive.write(file, f"run/{file.name}")
    packed = base64.b64encode(path.read_bytes()).decode()
    page.run(f"""openZip(new File([bytesOf("{packed}")], "run.zip")).then(() => {{
        setFor(CARDS[card]);
        run.text = learnt(struck);
        run.words = commandOf(struck);
        enter("over");
    }})""")
    wait(page, "run.log.length && !run.waiting")


def answered(page, guess):
    """Gives a guess to the card that is shown, and returns what it then says was found, whether
    that is what was guessed, and the paragraphs below."""
    if page.run("at('guessed').hidden"):
        button = page.run(f"[...at('choices').children].findIndex(one => "
                          f"one.textContent === '{guess}') + 1")
        page.click(f"#choices :nth-child({button})")
    else:
        page.focus("#guessed")
        page.run("at('guessed').select()")
        for letter in guess:
            page.write(letter)
    assert page.text("answer") == ""
    page.click("#card-run")
    wait(page, "!busy && at('answer').children.length")
    return page.run("""[at('answer').querySelector('p b').textContent,
        at('answer').firstChild.className, [...at('answer').querySelectorAll('p')].slice(1)
            .map(part => part.textContent)]""")


def check_words(page, language, paragraphs, printed):
    """A card has its words from the page of its language, whose section has what is printed."""
    whole = section(language, page.text("card-title"))
    for words in page.run("""[...at('card-words').children].map(part => part.textContent)
            .filter(words => !words.includes('→'))""") + paragraphs:
        assert plain(words) in plain(whole), (language, words)
    assert printed is None or printed in whole.partition("<details>")[2], (language, printed)


def look_at_lesson(page, folder):
    """Each card, in both languages: what is found is what the lesson prints, and a guess is told to
    be wrong or right."""
    page.open(BUILD / "lab" / "pulga.html")
    wait(page, "run && run.log.length && !run.waiting")
    page.click("#lesson")
    page.run("at('speed').value = 'full'")
    names = page.run("CARDS.map(({name}) => name)")
    assert set(names) == {*PRINTED, "h.5"}, names
    for i, name in enumerate(names):
        assert page.text("card-number") == f"{i + 1} / {len(names)}"
        printed, wrong = PRINTED.get(name, (None, "9"))
        if name == "3.1":
            page.run("guess('0.5')")
            assert page.run("at('card-run').disabled"), "a word is asked"
        if name in ("5.1", "h.8"):
            train_beside(page, folder)
        if name == "h.5":
            page.run(f"at('text').value = {OWN!r}; at('text').dispatchEvent(new Event('input'))")
        for language, guess, wanted in (("en", wrong, "apart"), ("es", printed, "right")):
            page.run(f"state.language = '{language}'; repaint()")
            found, verdict, answer = answered(page, (guess or found).removesuffix(" x"))
            assert verdict == wanted, (name, language, found)
            check_words(page, language, answer, printed)
            check_figure(page, found, printed)
        page.picture(f"lesson-{name}")
        if i + 1 < len(names):
            page.click("#card-next")
    assert page.run("at('card-next').disabled") and "card=h.9" in page.run("location.hash")
    page.click("#lesson")
    assert page.run("at('card').hidden") and "card" not in page.run("location.hash")
    words = page.run("CARDS.flatMap(card => [card.en, card.es]).flatMap("
                     "({about, question, answer}) => [about, question, answer])")
    wrong = [part for part in words if re.search("terminal|--[a-z]|column|Task|[Tt]area|:$", part)]
    assert not wrong, wrong
    page.check_errors()


def check_figure(page, found, printed):
    if printed is None:
        check_own(page, int(found))
    elif re.match("[0-9]", printed):
        wanted, half = number(printed)
        assert abs(float(found) - wanted) <= half, (found, printed)
    else:
        assert found == printed


def check_own(page, new):
    """Eight lines from an own text are marked by whether it has them."""
    lines = page.run("""[...at('answer').querySelectorAll('li')].map(line =>
        [...line.children].map(part => part.textContent))""")
    assert sum(int(times.split()[0]) for times, _, _ in lines) == 8, lines
    assert new == sum(int(times.split()[0]) for times, _, mark in lines if "[n" in mark)
    for _, text, mark in lines:
        assert (text in OWN.splitlines()) == (not mark.startswith("[n")), (text, mark)


def look_at_lesson_layout(page, folder):
    """With the lesson open and answered, the next words and the arcs are on the first screen;
    nothing is cut in any width; all is done by keys, and a link opens a card."""
    page.open(BUILD / "lab" / "pulga.html", width=1280, height=800)
    wait(page, "run && run.log.length && !run.waiting")
    page.run("at('speed').value = 'full'; location.hash = 'card=3.2'")
    wait(page, "!at('card').hidden")
    lines = page.run("at('paper').getBoundingClientRect().bottom")
    assert lines < 860 and page.run("at('text').clientHeight") >= 9 * 22, lines
    page.focus("#choices button")
    for key in ("Tab", "Enter", "Tab", "Tab", "Tab"):
        page.press(key)
    assert page.run("document.activeElement.id") == "card-run"
    page.press("Enter")
    wait(page, "at('answer').children.length")
    assert page.run("at('answer').firstChild.className") == "right"
    assert page.run("document.activeElement.id") == "card-next", "the focus is not lost"
    page.settle()
    below = page.run("""[...run.frame.contentDocument.querySelectorAll("#bars, #plots canvas")]
        .map(part => run.frame.getBoundingClientRect().top + part.getBoundingClientRect().bottom)""")
    assert len(below) == 2 and max(below) < 800 and page.run("scrollY") == 0, below
    for width in (*WIDTHS, 1024):
        page.shape(width, 900, False, width < 500)
        page.run(f"project({width} === 1024)")  # the usual width of a projector
        for _, language in painted(page, ((False, "en"), (True, "es"))):
            wrong = page.run(WRONG)
            assert not wrong, (width, language, wrong)
            page.picture(f"lesson-{width}-{language}")
    page.run("project(false)")
    page.focus("#card-next")
    page.press("Enter")
    assert page.text("card-number").startswith("9 /") and page.text("answer") == ""
    page.focus("#card-back")
    page.press("Enter")
    assert page.text("answer") != "", "a card that was answered stays so"
    page.run("turnTo(1)")
    page.focus("#card-back")
    page.press("Enter")
    assert page.run("document.activeElement.id") == "card-next", "the first card has none before it"
    page.check_errors()


def look_at_lesson_disturbed(page, folder):
    """If the run of a card is stopped, a line says so, and it can be run again."""
    page.open(BUILD / "lab" / "pulga.html")
    page.run("turnTo(CARDS.findIndex(({name}) => name === '2.2'))")
    assert page.run("at('guessed').placeholder") == "a number"
    page.focus("#guessed")
    page.write("1")
    page.press("Enter")
    wait(page, "phase === 'going' && /^step ([3-9]|..) of 300/.test(plain('answer'))")
    page.click("#pause")
    wait(page, "!busy")
    assert "press the button again" in page.text("problem") and page.text("answer") == ""
    page.run("at('speed').value = 'full'")
    page.click("#card-run")
    wait(page, "at('answer').children.length")
    # A text of one's own comes back when the lesson is closed.
    page.click("#lesson")
    page.run("at('text').value = 'uno dos\\n'; at('text').dispatchEvent(new Event('input'))")
    page.click("#lesson")
    page.focus("#guessed")
    page.write("1")
    page.press("Enter")
    wait(page, "at('answer').children.length && !busy")
    assert page.run("at('text').value").startswith("el perro")
    page.click("#lesson")
    assert page.run("at('text').value") == "uno dos\n"
    page.check_errors()
