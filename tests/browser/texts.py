"""texts.py: the page's words in both languages, several texts, and texts that look like markup."""
import re

from programs import BIN, SENTENCE, call, open_page, train, train_perro


def look_at_languages(page, folder):
    """Both languages have every sentence, with the same values in it, and no other stays behind."""
    open_page(page, folder, train_perro(folder), SENTENCE)
    page.run("at('typed').value = 'ladra'; readTyped()")
    assert not page.run("at('restore').hidden")
    words = page.run("WORDS")
    for key, sentences in words.items():
        assert len(sentences) == 2 and all(sentences), key
        values = [sorted(re.findall(r"\{\w+\}", sentence)) for sentence in sentences]
        assert values[0] == values[1], (key, sentences)
    english = {w[0] for w in words.values() if w[0] != w[1] and len(w[0]) > 3 and "{" not in w[0]}
    page.run("state.language = 'es'; repaint()")
    assert page.run("document.documentElement.lang") == "es"
    shown = page.run("""[...document.querySelectorAll("main *, header *, footer, .reads *")]
        .flatMap(e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim())
            .concat(e.ariaLabel || [], e.title || []))""")
    assert not english & set(shown), english & set(shown)
    # It opens on the head that looks most firmly at other words.
    assert "Capa 2, cabeza 2" in shown and "Todas las cabezas" in shown
    assert "El modelo no conoce" in page.text("unknown")
    assert not [text for text in shown if "undefined" in text or re.search(r"\{\w+\}", text)]
    assert re.search(r"entropía \d\.\d\d bits", page.run("plots[0].summary.textContent"))


def look_at_texts(page, folder):
    """Several lines of standard input are several texts."""
    run = train_perro(folder)
    open_page(page, folder, run, "un gato come\nel perro\n")
    assert not page.run("at('texts').hidden")
    page.run("at('choice').value = 1; at('choice').dispatchEvent(new Event('change'))")
    assert page.run("reading.words.join(' ')") == "[bos] el perro"


def look_at_markup(page, folder):
    """Markup in a text stays text."""
    evil = "</script><img src=x onerror=alert(1)><script>alert(2)</script> & \" ' <!-- ]]> \u2028"
    run = train(folder, evil + "\n" + evil[::-1] + "\n", "--tokens", "char", "--sequence",
                "lines", "--context", "120", "--steps", "2")
    for options in ([], ["--static"]):
        open_page(page, folder, run, evil, *options)
        assert page.run("data.text") == evil.replace("\u2028", "U+2028")
        assert page.run("at('typed').value + at('text').textContent").startswith("</script><img")
        assert page.run("document.images.length") == 0
        assert page.run("document.querySelectorAll('#grid button').length") == 8
        assert page.run("reading.words.slice(1, 10).join('')") == "</script>"
        page.run("pin(9, 1)")
        assert ">" in page.run("plots[0].readout.textContent")
        page.check_errors()
    call(BIN / "attend", run, "-", "-o", folder / "markup.svg", text=evil[:40])
    page.open(folder / "markup.svg")
    assert page.run("document.querySelectorAll('img, script').length") == 0
    assert page.run("document.documentElement.textContent").count("onerror")
