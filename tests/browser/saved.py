"""saved.py: the files that the page saves."""
import xml.etree.ElementTree

from programs import SENTENCE, open_page, train_perro


def look_at_saved(page, folder):
    """What is saved is what is seen: whole SVG and PNG files."""
    array = open_page(page, folder, train_perro(folder), SENTENCE)
    page.run("""window.saved = []; URL.createObjectURL = blob => {
        saved.push(blob); return "#"; }; HTMLAnchorElement.prototype.click = () => {}; choose(6)""")
    for form in ("matrix", "arcs", "across"):
        page.run(f"state.form = '{form}'; fillPlots()")
        for kind, key in (("svg", "Enter"), ("png", " ")):
            page.focus(f"#{kind}")
            page.press(key)
        while page.run("saved.length") < 2:
            page.settle()
        text = page.run("saved[0].text()")
        figure = xml.etree.ElementTree.fromstring(text)
        words = [part.text for part in figure.iter("{http://www.w3.org/2000/svg}text")]
        assert not {"muchacho", "jugaba", "cuerda"} - set(words), words
        assert f"{array[1, 2, 6, 2]:.2f}" in words, words
        assert "NaN" not in text and "undefined" not in text
        assert page.run("saved[1].slice(1, 4).text()") == "PNG"
        (page.pictures / f"saved-{form}.svg").write_text(text)
        page.run("saved.length = 0")
