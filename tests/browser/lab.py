"""lab.py: the page that trains, build/lab/pulga.html, which `make lab` builds."""
import time

from page import BUILD

# Checksums that README promises of ./train.
PERRO = "e934a89039392319"


def train(page, link, seconds=120, **choices):
    """Opens the lab, makes choices, presses train and waits; returns what it printed."""
    page.open(BUILD / "lab" / "pulga.html")
    page.run(f"location.hash = '{link}'")
    for choice, value in choices.items():
        page.run(f"at('choice-{choice}').value = '{value}'")
    page.click("#train")
    until = time.monotonic() + seconds
    while page.run("state") != "over":
        assert time.monotonic() < until, page.text("lines")
        time.sleep(0.1)
    return page.text("lines")


def look_at_lab(page, folder):
    """Training in a page gives the same bits, with the relaxed multiply-add and with the exact one;
    the page of the model follows it."""
    for link, kernel in (("", "kernel relaxed"), ("exact", "kernel portable")):
        lines = train(page, link)
        assert f"model   {PERRO}" in lines, lines
        assert kernel in lines, lines
        assert "0.0003 above the floor" in page.text("now"), page.text("now")
        inside = "at('model').contentDocument"
        assert page.run(f"{inside}.getElementById('bars').children.length") > 5
        steps = int(page.run(f"{inside}.getElementById('moment').max"))
        assert steps > 100, steps
        page.check_errors()
    page.picture("lab")


def look_at_lab_errors(page, folder):
    """A mistake is one line, and the next run begins as if it had not been made."""
    lines = train(page, "", steps="none")
    assert "--steps needs a whole number" in lines, lines
    page.check_errors()
    lines = train(page, "", steps="5", heads="1")
    assert "1 head of 64" in lines and "best    step 5" in lines, lines


def look_at_lab_paused(page, folder):
    """Pause, one step, and on: the same bits."""
    page.open(BUILD / "lab" / "pulga.html")
    page.click("#train")
    while not page.run("now && now.step > 20"):
        time.sleep(0.02)
    page.click("#pause")
    page.run("new Promise(done => setTimeout(done, 300))")
    step = page.run("now.step")
    page.click("#step")
    page.run("new Promise(done => setTimeout(done, 300))")
    assert page.run("now.step") == step + 1
    page.click("#pause")
    while page.run("state") != "over":
        time.sleep(0.1)
    assert f"model   {PERRO}" in page.text("lines")
    page.check_errors()
