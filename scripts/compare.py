#!/usr/bin/env python3
"""Compares runs: prints each one's best loss and the settings in which they differ.

    compare.py RUN... [-o FILE.svg]

-o draws the losses of all evaluations, one curve for each run, on a logarithmic axis."""
import argparse
import csv
import html
import json
import math
import sys
from pathlib import Path

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]


def read(run):
    """The settings of a run, its parameters, its evaluations [(loss, step)] and its seconds."""
    try:
        settings = json.loads((run / "config.json").read_text())["pulga"]
        log = list(csv.DictReader((run / "log.csv").open()))
        with (run / "model.safetensors").open("rb") as file:
            tensors = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    except (OSError, KeyError) as error:
        sys.exit(f"compare.py: {run} is not a directory that train wrote: {error}")
    parameters = sum(math.prod(tensor["shape"]) for name, tensor in tensors.items() if "shape" in tensor
                     and not ("wpe" in name and settings["positions"] == "sinusoidal"))
    times = [0.0] + [float(row["seconds"]) for row in log]  # they begin again after --resume
    seconds = sum(b - a if b >= a else b for a, b in zip(times, times[1:]))
    settings["text"] = settings["text"]["name"]
    return settings, parameters, [(float(row["evaluated"]), int(row["step"])) for row in log if row["evaluated"]], seconds


def figure(labels, curves):
    low, high = (f(loss for curve in curves for loss, _ in curve) for f in (min, max))
    last = max(step for curve in curves for _, step in curve) or 1
    def y(loss): return 320 - 300 * math.log(loss / low) / (math.log(high / low) or 1)
    ticks = [t for t in (d * 10.0**e for d in (1, 2, 5) for e in range(-9, 3)) if low < t < high] + [low, high]
    body = [f'<path d="M60 {y(t):.1f}h620" stroke="#ddd"/><text x="20" y="{y(t) + 4:.1f}">{t:.3g}</text>' for t in ticks]
    for i, (label, curve) in enumerate(zip(labels, curves)):
        style = f'fill="none" stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="1.5"'
        points = " ".join(f"{60 + 620 * step / last:.1f},{y(loss):.1f}" for loss, step in curve)
        body.append(f'<polyline points="{points}" {style}/><path d="M60 {366 + 20 * i}h25" {style}/>'
                    f'<text x="92" y="{370 + 20 * i}">{html.escape(label)}</text>')
    return ('<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" width="700" height='
            f'"{370 + 20 * len(labels)}"><rect width="700" height="100%" fill="#fff"/>\n' + "\n".join(body)
            + f'\n<text x="680" y="340" text-anchor="end">{last} steps</text></svg>\n')


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("runs", nargs="+", metavar="RUN", type=Path)
parser.add_argument("-o", metavar="FILE.svg", type=Path)
options = parser.parse_args()
settings, sizes, curves, seconds = zip(*map(read, options.runs))
names = [name for name in settings[0] if name not in ("version", "command", "kernel", "identity", "result")
         and any(other.get(name) != settings[0][name] for other in settings)]
about = ["  ".join(f"{name} {s.get(name)}" for name in names) for s in settings]
width = max(len(str(run)) for run in options.runs)
print(f"{'run':{width}}  best loss    step  over      parameters  seconds  settings")
for run, s, size, curve, time, text in zip(options.runs, settings, sizes, curves, seconds, about):
    loss, step = min(curve, default=(math.nan, 0))
    over = "held-out" if s["val"] else "all text"
    print(f"{str(run):{width}}  {loss:9.6f}  {step:6}  {over}  {size:10}  {time:7.1f}  {text}".rstrip())
if options.o and any(curves):
    options.o.write_text(figure([f"{run}  {text}" for run, text in zip(options.runs, about)], curves))
