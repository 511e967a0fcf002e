"""heatmap.py: draws the attention maps that attend writes, one panel for each head, with matplotlib.

    ./attend RUN TEXT -o a.npy && ./attend RUN TEXT -o a.json
    python3 scripts/heatmap.py a.npy a.json figure.png

A key that a query cannot attend to is hatched, so that it looks different from a weight of 0. Which
keys these are is read from "ranges" in the .json. The Spanish course on sparse attention shows such
a figure for windows of 1, 2, 3 and 4 words; train its model with

    ./train data/perro.txt --layers 1 --heads 4 --window 1,2,3,4
"""
import json
import sys

import matplotlib
import numpy

matplotlib.use("Agg")  # draw into a file; needs no screen
from matplotlib import pyplot


def masked(weights, ranges):
    """The map (T, T) of a head with NaN for each key outside the ranges of its query."""
    result = numpy.full_like(weights, numpy.nan)
    for query, keys in enumerate(ranges):
        for first, last in keys:  # counted from 1, last included
            result[query, first - 1:last] = weights[query, first - 1:last]
    return result


def draw(maps, about):
    layers, heads, T, _ = maps.shape
    words = [word.replace("$", r"\$") for word in about["tokens"]]  # $ would begin a formula
    side = 1 + 0.25 * T  # inches
    figure, panels = pyplot.subplots(layers, heads, squeeze=False, sharex=True, sharey=True,
                                     figsize=(1.5 + side * heads, 1.2 + side * layers),
                                     layout="constrained")
    for l, h in numpy.ndindex(layers, heads):
        panel = panels[l, h]
        panel.patch.set(hatch="/////", edgecolor="0.85")  # shows through where the map is NaN
        image = panel.imshow(masked(maps[l, h], about["ranges"][l][h]), vmin=0, vmax=1,
                             cmap="viridis")
        panel.set_title(f"layer {about['layers'][l]}, head {about['heads'][h]}", fontsize=9)
        panel.set_xticks(range(T), words, rotation=90, fontsize=8)
        panel.set_yticks(range(T), words, fontsize=8)
        if about["source"]:  # of a pair: lines between its source and its target
            panel.axvline(about["source"] - 0.5, color="#d9480f", linewidth=1.2)
            panel.axhline(about["source"] - 0.5, color="#d9480f", linewidth=1.2)
    figure.colorbar(image, ax=panels, label="weight", shrink=0.8)
    title = about["text"].replace("$", r"\$").replace("\t", " → ")
    figure.suptitle(title, fontsize=11)
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: heatmap.py MAPS.npy ABOUT.json FIGURE.png")
    with open(sys.argv[2], encoding="utf-8") as file:
        draw(numpy.load(sys.argv[1]), json.load(file)).savefig(sys.argv[3], dpi=150)
