"""lab.py: the page that trains, build/lab/pulga.html, which `make lab` builds."""
import base64
import time
import zipfile

from page import BUILD
from programs import BIN, ROOT, call

# Checksums that README promises of ./train.
PERRO = "e934a89039392319"


def press_train(page):
    """Trains to the end; returns what was printed."""
    page.click("#train")
    wait(page, "phase !== 'ready' && phase !== 'going'")
    return page.text("lines")


def choose(page, choice, value):
    page.run(f"field('{choice}').value = '{value}';"
             f"field('{choice}').dispatchEvent(new Event('input'))")


def train(page, link, **choices):
    """Opens the lab, makes choices, and trains."""
    page.open(BUILD / "lab" / "pulga.html")
    page.run(f"location.hash = '{link}'")
    page.settle()
    for choice, value in choices.items():
        choose(page, choice, value)
    return press_train(page)


def look_at_lab(page, folder):
    """Training in a page gives the same bits, and the page of the model follows it; a link may ask
    for the exact multiply-add, whose bits same.py compares."""
    assert "kernel portable" in train(page, "exact=1", steps="5")
    page.check_errors()
    lines = train(page, "")
    assert f"model   {PERRO}" in lines and "kernel relaxed" in lines, lines
    assert "0.0003 above the floor" in page.text("now"), page.text("now")
    assert page.run("run.frame.contentDocument.getElementById('bars').children.length") > 5
    assert int(page.run("curve.slider.max")) == 300, page.run("curve.slider.max")
    page.check_errors()
    page.picture("lab")


def look_at_lab_errors(page, folder):
    """A mistake is one line, and the next run begins as if it had not been made."""
    lines = train(page, "", steps="none")
    assert "train: --steps needs a whole number" in lines, lines
    page.check_errors()
    lines = train(page, "", steps="5", heads="1")
    assert "1 head of 64" in lines and "best    step 5" in lines, lines


def wait(page, script, seconds=120):
    """Waits until an expression is true."""
    until = time.monotonic() + seconds
    while not page.run(script):
        assert time.monotonic() < until, (script, page.text("lines"), page.text("problem"))
        time.sleep(0.05)


def pause(page):
    """Presses pause when some steps were taken; returns the step at which it stands."""
    wait(page, "run && run.log.length > 20")
    page.click("#pause")
    before = None
    while before != (now := page.run("run.log[run.log.length - 1][STEP]")):
        before = now
        time.sleep(0.3)
    return now


def look_at_lab_paused(page, folder):
    """Pause, one step, and on: the same bits."""
    page.open(BUILD / "lab" / "pulga.html")
    page.click("#train")
    step = pause(page)
    page.click("#step")
    wait(page, f"run.log[run.log.length - 1][STEP] === {step + 1}")
    page.click("#pause")
    wait(page, "phase !== 'going'")
    assert f"model   {PERRO}" in page.text("lines")
    page.check_errors()


def look_at_lab_runs(page, folder):
    """A run saved in the page is resumed by ./train, and one of ./train in the page, to the checksum
    of a run that stayed in one place."""
    page.open(BUILD / "lab" / "pulga.html")
    page.run("""window.saved = []; URL.createObjectURL = (make => blob => {
        if (blob.type === "application/zip") saved.push(blob);
        return make.call(URL, blob); })(URL.createObjectURL);
        HTMLAnchorElement.prototype.click = () => {};""")
    page.click("#train")
    pause(page)
    page.click("#save")
    zipped = page.run("""new Promise(done => setInterval(() => {
        if (!saved.length) return;
        const reader = new FileReader();
        reader.onload = () => done(reader.result.split(",")[1]);
        reader.readAsDataURL(saved[0]);
    }, 50))""")
    page.check_errors()
    path = folder / f"{page.name}-saved.zip"
    path.write_bytes(base64.b64decode(zipped))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        archive.extractall(folder / f"{page.name}-saved")
    run = folder / f"{page.name}-saved" / "run"
    assert f"model   {PERRO}" in call(BIN / "train", "--resume", run)
    assert "muchacho" in call(BIN / "sample", run, "el")

    run = folder / f"{page.name}-begun"
    call(BIN / "train", ROOT / "data" / "perro.txt", "--out", run, "--stop-after", "100")
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        path = folder / f"{page.name}-begun.zip"
        with zipfile.ZipFile(path, "w", compression) as archive:
            for file in run.iterdir():
                archive.write(file, f"my run/{file.name}")
        text = base64.b64encode(path.read_bytes()).decode()
        page.open(BUILD / "lab" / "pulga.html")
        page.run(f"""openRun(new File([Uint8Array.from(atob("{text}"), c => c.charCodeAt(0))],
            "perro.zip"))""")
        page.click("#train")
        wait(page, "phase === 'over'")
        assert f"model   {PERRO}" in page.text("lines"), page.text("lines")
        page.check_errors()
    page.run("attempt(() => openRun(new File(['no zip'], 'no.zip')))")
    assert "not a saved run" in page.text("problem")


def look_at_lab_links(page, folder):
    """A link opens the same text and choices."""
    lines = train(page, "", steps="30", layers="1", seed="7", more="--positions learned",
                  **{"lr-factor": "0.2"})
    assert "; learned" in lines and "factor 0.2" in lines, lines
    link = page.run("location.href")
    page.run("at('text').value = 'uno dos tres\\nuno dos cuatro'")
    other, short = press_train(page), page.run("location.href")
    for url, wanted in ((link, lines), (short, other)):
        page.open(BUILD / "lab" / "pulga.html")
        page.run(f"location.hash = '{url.split('#')[1]}'")
        page.settle()
        last = [line for line in press_train(page).split("\n") if "checksum" in line]
        assert last and last[0] in wanted, (url, last, wanted)
    assert "2 lines" in page.text("lines")
    assert "layers=1" in page.run("location.href")
    choose(page, "layers", "")
    wait(page, "!location.href.includes('layers')")


def look_at_lab_compared(page, folder):
    """A run stays beside the next one: its losses, its model, and what both read."""
    page.open(BUILD / "lab" / "pulga.html")
    wait(page, "run && run.log.length")
    assert page.run("[field('steps').placeholder, field('tokens').value]") == ["300", ""]
    press_train(page)
    page.click("#keep")
    choose(page, "attend", "1")
    assert "0.521867" in press_train(page)
    assert page.run("[kept, run].map(one => one.log[300][EVALUATED].toFixed(6))") == [
        "0.412301", "0.522159"]
    assert "--attend 1" in page.run("run.caption.textContent")
    assert "the kept run" in page.run("curve.lines().map(({name}) => name)")
    page.run("""(typed => {
        typed.value = "un perro come";
        typed.dispatchEvent(new Event("input"));
    })(kept.frame.contentDocument.getElementById("typed"))""")
    bars = "frame.contentDocument.getElementById('bars').textContent"
    wait(page, "run.frame.contentDocument.getElementById('typed').value === 'un perro come'")
    assert page.run(f"[kept.{bars}, run.{bars}].map(bars => bars.includes('1.000'))") == [
        True, False]
    page.click("#keep")
    assert page.run("document.querySelectorAll('iframe').length") == 1
    page.click("#reseed")
    wait(page, "phase === 'over'")
    assert page.run("[field('seed').value, run.words.join(' ')]") == [
        "2", "perro.txt --seed 2 --attend 1"]
    page.check_errors()
