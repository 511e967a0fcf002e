#!/usr/bin/env python3
"""Compares what counting reaches on the held-out part of a text, in each order from 0 to 8, and
the order that train chooses, with the formulas of text/corpus/counting.h, written with
dictionaries.

    kneser_ney.py TRAIN SHOW_COUNTING DATA DIRECTORY

SHOW_COUNTING is build/tests/tools/show_counting; DATA is the folder of cuentos.txt and the
others; DIRECTORY is empty and may be filled. Ends with a message and status 1 at the first
difference.
"""
import json
import math
import sys
from collections import Counter, defaultdict

from comparing import check, run

MOST, CLOSE = 8, 1e-10
TEXTS = {"words": ("cuentos.txt",),
         "lines in pieces": ("cuentos.txt", "--context", 5, "--val", 0.3),
         "a stream of words": ("cuentos.txt", "--sequence", "stream", "--val", 0.15),
         "characters": ("cuentos.txt", "--tokens", "char"),
         "subwords": ("cuentos.txt", "--tokens", "bpe", "--seed", 2),
         "pairs": ("traducciones.tsv", "--val", 0.2),
         "pairs of characters": ("sums.tsv",),
         "nine sentences": ("perro.txt", "--val", 0.4)}


class Order:
    """The counts of the k-grams, and what follows from them. A k-gram is a tuple."""

    def __init__(self, counts):
        self.counts, self.discounts = counts, [0, 1 / 2, 1, 3 / 2]
        n = Counter(counts.values())
        if n[1] and n[2] and n[3] and n[4]:
            y = n[1] / (n[1] + 2 * n[2])
            found = [j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)]
            if all(0 < d <= j for j, d in enumerate(found, 1)):
                self.discounts = [0] + found
        self.sums, self.left = Counter(), Counter()
        for gram, count in counts.items():
            self.sums[gram[:-1]] += count
            self.left[gram[:-1]] += self.discounts[min(count, 3)]

    def probability(self, gram, shorter):
        history, count = gram[:-1], self.counts.get(gram, 0)
        if not self.sums[history]:
            return shorter
        own = max(count - self.discounts[min(count, 3)], 0)
        return (own + self.left[history] * shorter) / self.sums[history]


class Model:
    """Orders 1 to 8, each as the highest and as a lower one; places are pairs (line, i)."""

    def __init__(self, places, vocabulary):
        self.vocabulary = vocabulary
        self.highest, self.lower = [None], [None]
        for k in range(1, MOST + 1):
            occurrences, before, begins = Counter(), defaultdict(set), Counter()
            for line, i in places:
                if i < k - 1:
                    continue
                gram = tuple(line[i - k + 1:i + 1])
                occurrences[gram] += 1
                if i >= k:
                    before[gram].add(line[i - k])
                else:
                    begins[gram] += 1
            self.highest.append(Order(occurrences))
            self.lower.append(Order({g: len(before[g]) + begins[g] for g in occurrences}))

    def losses(self, places):
        """The mean of −ln p of each order, from 0 on."""
        sums = [0] * (MOST + 1)
        for line, i in places:
            p = 1 / self.vocabulary
            sums[0] -= math.log(p)
            for k in range(1, MOST + 1):
                highest = p
                if i >= k - 1:
                    gram = tuple(line[i - k + 1:i + 1])
                    highest = self.highest[k].probability(gram, p)
                    p = self.lower[k].probability(gram, p)
                sums[k] -= math.log(highest)
        return [s / len(places) for s in sums]


def places_of(lines):
    return [(ids, i) for first, *ids in lines for i in range(first, len(ids))]


def best_order(lines, vocabulary):
    """The one that is best on every tenth line or the end of a stream, if all else is counted."""
    if len(lines) > 1:
        kept, tenth = [l for n, l in enumerate(lines, 1) if n % 10], lines[9::10]
        kept, tenth = places_of(kept), places_of(tenth)
    else:
        places, size = places_of(lines), len(lines[0]) - 1
        kept = [(ids, i) for ids, i in places if i < size - size // 10]
        tenth = places[len(kept):]
    losses = Model(kept, vocabulary).losses(tenth) if tenth else [0] * (MOST + 1)
    return min(range(1, MOST + 1), key=losses.__getitem__)


def compare(what, text, options):
    """Returns the largest difference."""
    out = FOLDER + "/" + what.replace(" ", "-")
    run(TRAIN, text, *options, "--steps", 1, "--out", out)
    with open(out + "/config.json", encoding="utf-8") as file:
        result = json.load(file)["pulga"]["result"]
    shown = json.loads(run(SHOW, out))
    train, vocabulary = shown["train"], shown["vocabulary"]
    losses = Model(places_of(train), vocabulary).losses(places_of(shown["held_out"]))
    apart = [abs(a - b) for a, b in zip(losses, shown["losses"])]
    order = best_order(train, vocabulary)
    check(max(apart) < CLOSE, what, "orders differ:", losses, shown["losses"])
    check(order == result["counting_order"], what, "the best order is", order, "not",
          result["counting_order"])
    apart.append(abs(losses[order] - result["counting"]))
    check(apart[-1] < CLOSE, what, "train prints", result["counting"], "not", losses[order])
    return max(apart)


def main():
    with open(DATA + "/sumas.tsv", encoding="utf-8") as sums:
        few = sums.readlines()[:1500]
    with open(FOLDER + "/sums.tsv", "w", encoding="utf-8") as file:
        file.writelines(few)
    worst = 0
    for what, (name, *options) in TEXTS.items():
        text = (FOLDER if name == "sums.tsv" else DATA) + "/" + name
        worst = max(worst, compare(what, text, options))
    print(f"  Kneser-Ney by its definition and Pulga agree on {len(TEXTS)} texts, orders 0 to "
          f"{MOST}: to {worst:.1e}")


if __name__ == "__main__":
    TRAIN, SHOW, DATA, FOLDER = sys.argv[1:]
    main()
