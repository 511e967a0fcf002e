#!/usr/bin/env python3
"""Draws docs/film.svg and docs/pelicula.svg: how a model of the nine sentences learns, as a moving
picture. Trains the model, asks attend and sample about its earlier saves, and writes an SVG that
CSS animates; a viewer that does not animate shows the last moment. Called from the project's root:

    python3 scripts/film.py [DIRECTORY]        # into docs, or into DIRECTORY

The programs are those of the directory BIN, or of this one.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

EVERY, LAST = 3, 75  # the steps that are shown; then comes the end of the run
MOMENT, STILL = 0.28, 4.0  # seconds of each, and of the last
TEXT = "el perro come"
LAYER, HEADS = 2, (1, 2)
FILMS = {"film.svg": {
    "lang": "en", "loss": "The loss falls to the floor", "floor": "floor", "steps": "of 300 steps",
    "step": "step", "is": "loss", "heads": "What two heads look at", "head": "head",
    "next": "Comes next", "begin": "(start)", "end": "(the end)", "others": "13 others",
    "text": "in the text: ½ and ½",
    "what": "A model of nine sentences learns: the loss falls to the floor, two heads find the "
            "words that matter, and the probabilities of the next word become those of the text."},
    "pelicula.svg": {
    "lang": "es", "loss": "La pérdida baja hasta el piso", "floor": "piso", "steps": "de 300 pasos",
    "step": "paso", "is": "pérdida", "heads": "Qué miran dos cabezas", "head": "cabeza",
    "next": "Lo que sigue", "begin": "(inicio)", "end": "(el final)", "others": "13 otros",
    "text": "en el texto: ½ y ½",
    "what": "Un modelo de nueve oraciones aprende: la pérdida baja hasta el piso, dos cabezas "
            "encuentran las palabras que importan, y las probabilidades de lo que sigue llegan a "
            "ser las del texto."}}


def call(program, *options):
    path = os.path.join(os.path.abspath(os.environ.get("BIN", ".")), program)
    done = subprocess.run([path, *map(str, options)], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def look(run):
    """What one save says: the weights of each head, and how probable what comes next is."""
    call("attend", run, *TEXT.split(), "-o", "heads.json")
    with open("heads.json") as file:
        heads = json.load(file)["weights"][LAYER - 1]
    answer = json.loads(call("sample", run, TEXT, "--json", "--count", 1))
    p = {word["token"]: word["probability"] for word in answer["next"]}
    bars = [p.get("un", 0), p.get("[eos]", 0)]
    return {"heads": [heads[h - 1] for h in HEADS], "bars": bars + [max(0, 1 - sum(bars))]}


def film_of(text):
    """Trains, and returns the loss after each step and what each save says."""
    options = (text, "--out", "run", "--overwrite", "--no-plot", "--threads", 1)
    call("train", *options, "--steps", 0)
    saves = {0: look("run")}
    call("train", *options, "--eval-every", 1, "--log-every", 1, "--checkpoint-every", EVERY,
         "--keep", LAST // EVERY, "--stop-after", LAST)
    for step in range(EVERY, LAST + 1, EVERY):
        saves[step] = look(f"run/checkpoint-{step}")
    call("train", "--resume", "run", "--no-plot")
    saves["end"] = look("run")
    with open("run/log.csv") as file:
        rows = list(csv.DictReader(file))
    loss = {int(row["step"]): float(row["evaluated"]) for row in rows}
    return saves, loss, loss[300] - float(rows[-1]["gap"])


class Drawing:
    def __init__(self, moments):
        self.moments, self.seconds = moments, moments * MOMENT + STILL
        self.rules, self.body = [], []

    def moving(self, values, form):
        """The class of an element whose property goes through these values."""
        name = f"m{len(self.rules)}"
        stops = "".join(f"{100 * i * MOMENT / self.seconds:.3g}%{{{form.format(v)}}}"
                        for i, v in enumerate(values[:-1]))
        last = form.format(values[-1])
        self.rules.append(f"@keyframes {name}{{{stops}"
                          f"{100 * len(values[:-1]) * MOMENT / self.seconds:.3g}%,100%{{{last}}}}}"
                          f".{name}{{animation:{name} {self.seconds:.2f}s linear infinite;{last}}}")
        return name

    def add(self, text):
        self.body.append(text)

    def text(self, x, y, words, kind="", anchor="start"):
        self.add(f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{words}</text>')

    def in_turn(self, x, y, texts):
        """Shows one text at each moment."""
        for i, words in enumerate(texts):
            kind = f"turn t{i}" if i < self.moments else "end"
            self.text(x, y, words, kind)


STYLE = """
svg{--card:#fff;--ink:#1b1f26;--quiet:#5a616c;--line:#d9d9d2;--accent:#17627c;--mark:#b4450c}
@media (prefers-color-scheme:dark){svg{--card:#181b20;--ink:#eceded;--quiet:#a3a9b4;--line:#3a4048;
--accent:#7cc4d4;--mark:#ffa468}}
text{fill:var(--ink);font:15px Helvetica,Arial,'Liberation Sans',sans-serif}
.title{font-weight:bold}.code{font-family:monospace}.quiet{fill:var(--quiet);font-size:13px}
.cell{fill:var(--accent)}
.frame{fill:none;stroke:var(--line)}.card{fill:var(--card);stroke:var(--line)}
.curve{fill:none;stroke:var(--accent);stroke-width:2.5;stroke-linejoin:round}
.floor{stroke:var(--mark);stroke-width:1.5;stroke-dasharray:6 4}.mark{fill:var(--mark)}
.cover{fill:var(--card)}.bar{fill:var(--accent);transform-box:fill-box;transform-origin:left}
.turn{visibility:hidden}
@media (prefers-reduced-motion:reduce){*{animation:none!important}}
"""


def draw_loss(d, w, loss, floor, steps):
    x, y, width, height = 28, 64, 330, 190
    most, least = math.log(8), math.log(0.37)
    down = lambda value: y + height * (most - math.log(value)) / (most - least)
    across = lambda step: x + width * step / LAST
    d.text(x, 36, w["loss"], "title")
    line = "L".join(f"{across(s):.1f} {down(loss[s]):.2f}" for s in range(LAST + 1))
    d.add(f'<path class="curve" d="M{line}"/>')
    cover = d.moving([across(s) - x for s in steps] + [width], "transform:translateX({:.1f}px)")
    plot = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    d.add(f'<clipPath id="plot"><rect {plot}/></clipPath><g clip-path="url(#plot)">'
          f'<rect class="cover {cover}" {plot}/></g>')
    for value in (0.5, 1, 2, 4):
        d.add(f'<path class="frame" d="M{x} {down(value):.1f}h{width}"/>')
        d.text(x + width - 2, down(value) - 4, f"{value:g}", "quiet", "end")
    d.add(f'<path class="floor" d="M{x} {down(floor):.1f}h{width}"/>')
    d.text(x, down(floor) + 17, f'{w["floor"]} {floor:.3f}', "mark quiet")
    d.text(x + width, y + height + 17, f'{LAST} {w["steps"]}', "quiet", "end")
    d.in_turn(x, 310, [f'{w["step"]} {s}: {w["is"]} {loss[s]:.3f}' for s in steps] +
              [f'{w["step"]} 300: {w["is"]} {loss[300]:.6f}'])
    d.text(x, 336, "./train data/perro.txt", "quiet code")


def draw_head(d, w, x, number, maps, words):
    y, cell = 86, 42
    d.text(x + 2 * cell, y + 4 * cell + 20, f'{w["head"]} {number}', "quiet", "middle")
    for i, word in enumerate(words):
        d.text(x + (i + 0.5) * cell, y - 8, word, "quiet", "middle")
        for j in range(i + 1):
            place = f'x="{x + j * cell}" y="{y + i * cell}" width="{cell}" height="{cell}"'
            kind = d.moving([m[i][j] for m in maps], "opacity:{:.3f}")
            d.add(f'<rect class="cell {kind}" {place}/><rect class="frame" {place}/>')


def draw_next(d, w, saves):
    x, y, full = 610, 290, 196
    d.text(386, y + 12, w["next"], "title")
    d.text(386, y + 38, w["text"], "mark quiet")
    for i, name in enumerate(("un", w["end"], w["others"])):
        bar = d.moving([save["bars"][i] for save in saves], "transform:scaleX({:.4f})")
        top = y + 26 * i
        d.text(x - 10, top + 12, name, "quiet", "end")
        d.add(f'<rect class="frame" x="{x}" y="{top}" width="{full}" height="14"/>'
              f'<rect class="bar {bar}" x="{x}" y="{top}" width="{full}" height="14"/>')
    d.add(f'<path class="floor" d="M{x + full / 2} {y - 5}v50"/>')


def draw(w, saves, loss, floor):
    steps = [s for s in saves if s != "end"]
    d, shots, words = Drawing(len(steps)), list(saves.values()), [w["begin"]] + TEXT.split()
    draw_loss(d, w, loss, floor, steps)
    d.text(386, 36, w["heads"], "title")
    for i, word in enumerate(words):
        d.text(440, 86 + 42 * i + 26, word, "quiet" if i < 3 else "", "end")
    for i, (x, number) in enumerate(zip((450, 640), HEADS)):
        draw_head(d, w, x, number, [shot["heads"][i] for shot in shots], words)
    draw_next(d, w, shots)
    share = 100 * MOMENT / d.seconds
    turns = "".join(f".t{i}{{animation:turn {d.seconds:.2f}s {i * MOMENT - d.seconds:.2f}s "
                    "step-end infinite}" for i in range(len(steps)))
    shown = 100 * len(steps) * MOMENT / d.seconds
    turns += (f"@keyframes turn{{0%{{visibility:visible}}{share:.3g}%,100%{{visibility:hidden}}}}"
              f"@keyframes end{{0%{{visibility:hidden}}{shown:.4g}%,100%{{visibility:visible}}}}"
              f".end{{animation:end {d.seconds:.2f}s step-end infinite}}")
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="840" height="370" '
            f'viewBox="0 0 840 370" lang="{w["lang"]}" role="img">\n<title>{w["what"]}</title>\n'
            f"<style>{STYLE}" + "\n".join(d.rules) + f"\n{turns}\n</style>\n"
            '<rect class="card" x=".5" y=".5" width="839" height="369" rx="8"/>\n'
            + "\n".join(d.body) + "\n</svg>\n")


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "docs")
    text = os.path.abspath("data/perro.txt")
    os.environ["BIN"] = os.path.abspath(os.environ.get("BIN", "."))
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        saves, loss, floor = film_of(text)
        os.chdir(folder)
    for name, words in FILMS.items():
        with open(name, "w") as file:
            file.write(draw(words, saves, loss, floor))


main()
