"""keyboard.py: the page without a pointer."""
from programs import SENTENCE, open_page, train_perro


def reached_by_tab(page):
    """What has the focus, from the first control on, until the page is left."""
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    found = []
    for _ in range(200):
        page.press("Tab")
        at = page.run("""(e => e === document.body ? "" : e.id ||
            (e.closest("[id]") || {}).id + " " + e.tagName + " " + (e.value || e.className))
            (document.activeElement)""")
        if not at or found and at == found[0]:
            break
        found.append(at)
    return found


def look_at_keyboard(page, folder):
    """Every control is reached by Tab, and does by keys what it does by the pointer."""
    open_page(page, folder, train_perro(folder), SENTENCE)
    found = reached_by_tab(page)
    for part in ("language", "theme", "typed", "chips BUTTON", "order", "grid BUTTON", "lift", "off-head",
                 "off-layer", "off-others",
                 "forms BUTTON matrix", "forms BUTTON arcs", "forms BUTTON across",
                 "plots DIV scroller", "compare", "svg", "png", "sliders INPUT", "write", "step",
                 "seed", "moment", "cosines DIV scroller"):
        assert any(at.startswith(part) for at in found), (part, found)
    for part in ("grid", "chips"):
        assert sum(at.startswith(part) for at in found) == 1, "one stop for the group"
    # The arrows go from head to head, and stop at the edges.
    page.focus("#grid button[aria-label='Layer 2, head 3']")
    page.run("document.activeElement.click()")
    for key, head in (("ArrowRight", "Layer 2, head 4"), ("ArrowRight", "Layer 2, head 4"),
                      ("ArrowUp", "Layer 1, head 4"), ("ArrowUp", "Layer 1, head 4"),
                      ("ArrowLeft", "Layer 1, head 3"), ("ArrowDown", "Layer 2, head 3")):
        page.press(key)
        assert page.text("name") == head, (key, page.text("name"))
        assert page.run("document.activeElement.ariaPressed") == "true"
    # Elsewhere they are the browser's: the page scrolls.
    page.run("document.activeElement.blur()")
    page.press("ArrowRight")
    assert page.text("name") == "Layer 2, head 3"
    page.focus("#plots .scroller")
    page.run("pin(4, 2)")
    for key, cell in (("ArrowDown", [5, 2]), ("ArrowLeft", [5, 1]), ("ArrowLeft", [5, 0]),
                      ("ArrowLeft", [5, 0]), ("Escape", [5, -1])):
        page.press(key)
        assert page.run("[state.word, state.key]") == cell, key
    page.focus("#chips [tabindex='0']")
    for key, word in (("ArrowRight", 6), ("Home", 0), ("End", 6), ("ArrowLeft", 5)):
        page.press(key)
        assert page.run("[state.word, document.activeElement.textContent]") == [
            word, page.run(f"reading.words[{word}]")], key
    for button, key, told in (("#lift", " ", "state.lifted"),
                              ("#compare", "Enter", "state.other >= 0"),
                              ("#compare", " ", "state.other < 0"),
                              ("#forms [value=arcs]", "Enter", "state.form === 'arcs'"),
                              ("#forms [value=matrix]", " ", "state.form === 'matrix'"),
                              ("#theme", "Enter", "state.dark"), ("#theme", " ", "!state.dark"),
                              ("#language", "Enter", "state.language === 'es'"),
                              ("#language", " ", "state.language === 'en'")):
        page.focus(button)
        page.press(key)
        assert page.run(told), (button, key)
    page.focus("#order")
    page.press("ArrowDown")
    assert page.run("state.order") == "by_bos"
    page.press("ArrowUp")
    for number, told in enumerate(("state.temperature", "state.topK", "state.topP"), 1):
        before = page.run(told)
        page.focus(f"#sliders label:nth-child({number}) input")
        page.press("ArrowLeft" if number == 3 else "ArrowRight")
        assert page.run(told) != before, told
    page.type("el")
    page.focus("#bars li:first-child button")
    page.press("Enter")
    assert page.run("reading.T") == 3
    page.focus("#step")
    page.press(" ")
    assert page.run("reading.T") == 4
    page.focus("#write")
    page.press("Enter")
    assert page.run("[writing > 0, at('write').textContent]") == [True, "stop"]
    page.press("Enter")
    assert page.run("[writing, at('write').textContent]") == [0, "write"]
    page.focus("#moment")
    page.press("Home")
    assert page.text("values").startswith("step 0")
    page.focus("#cosines .scroller")
    page.press("ArrowRight")
    assert page.text("cosine").startswith("places 1 and "), page.text("cosine")
