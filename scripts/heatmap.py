"""heatmap.py: the weights that attend writes, drawn with matplotlib: heads side by side.

    ./attend RUN TEXT -o a.npy && ./attend RUN TEXT -o a.json
    python3 scripts/heatmap.py a.npy a.json figure.png

The Spanish course on sparse attention shows such a figure for heads that look back 1, 2, 3 and 4
words; its model is made by: ./train data/perro.txt --layers 1 --heads 4 --window 1,2,3,4
"""
import json
import sys

import matplotlib
import numpy

matplotlib.use("Agg")  # a file, no window
from matplotlib import pyplot


def draw(weights, about):
    layers, heads, T, _ = weights.shape
    words = [word.replace("$", r"\$") for word in about["tokens"]]  # $ begins a formula
    side = 1 + 0.22 * T  # inches
    figure, panels = pyplot.subplots(layers, heads, squeeze=False, sharex=True, sharey=True,
                                     figsize=(1.2 + side * heads, 1 + side * layers),
                                     layout="constrained")
    for l, h in numpy.ndindex(layers, heads):
        panel = panels[l, h]
        # What may not be seen stays white, unlike a weight of 0.
        back = numpy.subtract.outer(numpy.arange(T), numpy.arange(T))
        window = about["windows"][l][h] or T
        seen = numpy.ma.masked_where((back < 0) | (back >= window), weights[l, h])
        image = panel.imshow(seen, vmin=0, vmax=1, cmap="viridis")
        panel.set_title(f"layer {about['layers'][l]}, head {about['heads'][h]}", fontsize=9)
        panel.set_xticks(range(T), words, rotation=90, fontsize=8)
        panel.set_yticks(range(T), words, fontsize=8)
    figure.colorbar(image, ax=panels, label="weight", shrink=0.8)
    figure.suptitle(about["text"].replace("$", r"\$"), fontsize=11)
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: heatmap.py WEIGHTS.npy ABOUT.json FIGURE.png")
    with open(sys.argv[2], encoding="utf-8") as file:
        draw(numpy.load(sys.argv[1]), json.load(file)).savefig(sys.argv[3], dpi=150)
