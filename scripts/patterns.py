#!/usr/bin/env python3
"""Compares the tokenizers of SmolLM2, Qwen and Llama 3 with Hugging Face's: byte-level BPE whose
words are cut by other patterns than GPT-2's, and tokens that are cut out of a text whole.

    patterns.py SHOW_BPE DIRECTORY [MEGABYTES]

SHOW_BPE is build/tests/tools/show_bpe; DIRECTORY is empty and may be filled. Of each kind a
tokenizer is trained. Each text, of all together so many MEGABYTES [6], must have the same ids here
and there, also by the tokenizer that Pulga has written, read by Transformers. Ends with a message
and status 1 at the first difference.
"""
import array
import glob
import json
import os
import random
import re
import sys
import unicodedata

import tokenizers
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
from tokenizers import pre_tokenizers, processors

from comparing import byte_level_trainer, check, run

SURROGATES = range(0xD800, 0xE000)
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA = QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|")


def split(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


SPLITTERS = {  # by the numbers of text/subwords/bpe.h
    "smollm": (1, pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])),
    "qwen": (2, split(QWEN)),
    "llama": (3, split(LLAMA)),
}
# Special ones, and those that are text.
ADDED = {
    "smollm": (["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<reponame>"], []),
    "qwen": (["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|box_start|>"],
             ["<tool_call>", "</tool_call>", "<|fim_prefix|>", "<think>", "<think>!", "ñ|"]),
    "llama": (["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|start_header_id|>"] +
              [f"<|reserved_special_token_{i}|>" for i in range(248)], []),
}
UNUSED = {"smollm": 0, "qwen": 271, "llama": 0}  # ids that a model has besides


# ---- Words at every code point ----

def line_of(c):
    """A code point in every place that makes a difference."""
    return f"a{c}b {c}1{c} {c}{c}  {c}'{c}'s{c}.{c}\n '{c} !{c}\r{c}\n 2{c}3\t{c}x\n\n{c}  4\n"


def every_code_point(name):
    """Returns those that the two cut otherwise: they may have tables of different versions of
    Unicode."""
    number, splitter = SPLITTERS[name]
    different = set()
    for begin in (*range(0, 0x34000, 0x2000), 0xE0000):  # the others have no characters
        lines = [line_of(chr(c)) for c in range(begin, begin + 0x2000) if c not in SURROGATES]
        ours = iter(array.array("i", run(SHOW, "words", number, write("block", "".join(lines)))))
        for text in lines:
            wanted = [len(text[a:b].encode()) for _, (a, b) in splitter.pre_tokenize_str(text)]
            found, size = [], len(text.encode())
            while sum(found) < size:
                found.append(next(ours))
            if found != wanted:
                different.add(text[1])
    assigned = [f"U+{ord(c):04X}" for c in different if unicodedata.category(c) != "Cn"]
    check(not assigned, name, "words differ at", assigned)
    return different


def otherwise_composed():
    """The characters of later versions of Unicode than that of tokenizers' NFC."""
    def line(c):
        return f"x\u0345{c}\u0334{c}e\u0301{c}"
    nfc = normalizers.NFC()
    return {c for c in map(chr, range(0x110000)) if ord(c) not in SURROGATES and
            nfc.normalize_str(line(c)) != unicodedata.normalize("NFC", line(c))}


# ---- Texts ----

def write(name, text):
    path = FOLDER + "/" + name
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def read_all(pattern):
    texts = []
    for path in sorted(glob.glob(pattern, recursive=True)):
        with open(path, encoding="utf-8", newline="") as file:
            texts.append(file.read())
    return "".join(texts)


PIECES = (
    "I'M YOU'RE He'S we'll THEY'VE it'd 'S 'ſ 'ſt don't DON'T ¿Qué? ¡No! niño pingüino año 3.º "
    "1984 12345678 3,14 ٣٤٥ ² ½ Ⅷ १२३ 你好世界 日本語です。 ありがとう 한국어 안녕 Привет мир שלום مرحبا "
    "e\u0301 n\u0303 a\u0300\u0327 \u0301 क्षि ไทย 👨\u200d👩\u200d👧 👍🏽 🇪🇸 ☎\ufe0f … — «x» "
    "for(i=0;i<10;++i){ return\tx; #include \"a.h\" __init__ -> => != /* x */ https://a.b/c?d=e&f "
    "x_1 A1b2 ŉ ǆ ﬁ ß İ K \u2028 \ufeff \u200b \x01 \x7f").split(" ")
BLANKS = [" "] * 12 + ["", "", "", "  ", "   ", "\t", "\n", "\n\n", " \n", "\n  ", "\r", "\r\r\n",
                       " \r\n\n ", "\n\n\t", "\u00a0", "\u3000", "\u3000\u3000", "\x0b", "\x85",
                       "\u2009 ", " \u2009", "!\n", ".\n\n", "\n \n \n  "]


def texts_of(name, draw, exceptions):
    """Some texts of about 100 KB."""
    added, stories = sum(ADDED[name], []), read_all("data/**/*.txt")
    sources = read_all("model/**/*.[ch]") + read_all("docs/*.md") + read_all("scripts/*.py")

    def character():
        c = chr(draw.randrange(draw.choice((0x80, 0x800, 0x3000, 0x10000, 0x110000))))
        return "?" if ord(c) in SURROGATES or c in exceptions or c == "\0" else c

    def mixed():
        kind = draw.random()
        if kind < 0.6:
            return draw.choice(PIECES)
        if kind < 0.75:
            word = draw.choice(added)
            return draw.choice((word, word, word[:-1], word + word, "a" + word + "b", "<" + word,
                                "e" + word + "\u0301", word + "'S", "1" + word + "2"))
        return "".join(character() for _ in range(draw.randint(1, 5)))

    texts, size = [], 0
    while size < MEGABYTES * 1e6:
        begin = draw.randrange(len(stories)), draw.randrange(len(sources))
        text = stories[begin[0]:begin[0] + 30000] + sources[begin[1]:begin[1] + 30000] + "".join(
            mixed() + draw.choice(BLANKS) for _ in range(5000))
        text = re.sub(r"\r+\n", "\n", f"x{text}\n").replace("[mask]", "a gap")
        texts.append(text)  # as Pulga reads it
        size += len(text.encode())
    return texts


# ---- Tokenizers ----

def all_splits(model):
    """Merges as Llama 3 has them: of each token all pairs that it can be made of; and some
    tokens that no merge makes."""
    vocab, merges = model["vocab"], []
    for word, rank in sorted(vocab.items(), key=lambda item: item[1]):
        pairs = [(word[:i], word[i:]) for i in range(1, len(word))]
        pairs = [p for p in pairs if p[0] in vocab and p[1] in vocab]
        merges += sorted(pairs, key=lambda p: (vocab[p[0]], vocab[p[1]]))
    for word in ("Ġquijote", "perrogato", "Ġbetweenzzz", "xyzxyzxyzxyzxyzxyzxyzxyzxyzxyz"):
        vocab.setdefault(word, len(vocab))
    return models.BPE(vocab=vocab, merges=merges, ignore_merges=True)


def make(name, text):
    """A tokenizer of Transformers."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = SPLITTERS[name][1]
    made.train_from_iterator([text], byte_level_trainer(vocab_size=6000))
    special, plain = ADDED[name]
    if name == "llama":
        made.model = all_splits(json.loads(made.to_str())["model"])
    if name == "qwen":
        made.normalizer = normalizers.NFC()
        made.post_processor = processors.ByteLevel(trim_offsets=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(s, normalized=False, special=True) for s in special])
    made.add_tokens([AddedToken(s, normalized=False) for s in plain])
    if name == "llama":
        made.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[
                ("<|begin_of_text|>", made.token_to_id("<|begin_of_text|>"))])])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=special[1 if name == "llama" else 0])


def pulga(directory, count, paths):
    """The ids of each text."""
    numbers, lists = array.array("i", run(SHOW, "ids", directory, count, *paths)), []
    while numbers:
        lists.append(numbers[1:numbers[0] + 1].tolist())
        numbers = numbers[numbers[0] + 1:]
    return lists


def compare(what, ours, wanted, back):
    for number, (a, b) in enumerate(zip(ours, wanted)):
        if a != b:
            i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            check(False, what, "text", number, "id", i, a[i:i + 5], [back(x) for x in a[i:i + 5]],
                  "wanted", b[i:i + 5], [back(x) for x in b[i:i + 5]])


def ids_of(tokenizer, texts):
    return [tokenizer(text).input_ids for text in texts]


def same_ids(name, exceptions):
    draw = random.Random(2)
    texts = texts_of(name, draw, exceptions)
    theirs = make(name, "".join(texts[::8]))
    count = len(theirs) + UNUSED[name]
    directory, copy = FOLDER + "/" + name, FOLDER + "/" + name + "-copy"
    theirs.save_pretrained(directory)
    os.mkdir(copy)
    # What Pulga reads by lines may not have the tokens that begin and end a line.
    for token in ("<|begin_of_text|>", "<|end_of_text|>") if name == "llama" else ():
        texts = [text.replace(token, "<") for text in texts]
    paths = [write(f"{name}-{i}.txt", text) for i, text in enumerate(texts)]
    ours, wanted = pulga(directory, count, paths), ids_of(theirs, texts)
    compare(name, ours, wanted, theirs.convert_ids_to_tokens)
    run(SHOW, "copy", directory, count, copy)
    compare(name + " copied", pulga(copy, count, paths), wanted, theirs.convert_ids_to_tokens)
    # Some classes of Transformers make a tokenizer of their own, whatever the file says.
    (transformers.Qwen2Config if name == "qwen" else transformers.LlamaConfig)().save_pretrained(
        copy)
    again = transformers.AutoTokenizer.from_pretrained(copy)
    compare(name + " written", wanted, ids_of(again, texts), theirs.convert_ids_to_tokens)
    check(again.decode(wanted[0]) == theirs.decode(wanted[0]), name, "is decoded otherwise")
    check(again.decode(wanted[0], skip_special_tokens=True) ==
          theirs.decode(wanted[0], skip_special_tokens=True), name, "has other special tokens")
    return sum(map(len, ours)), sum(len(text.encode()) for text in texts)


def main():
    composed = otherwise_composed()
    for name in SPLITTERS:
        exceptions = every_code_point(name) | (composed if name == "qwen" else set())
        ids, size = same_ids(name, exceptions)
        print(f"  tokenizers {tokenizers.__version__} and Pulga agree on {ids} ids of "
              f"{size / 1e6:.1f} MB as {name} reads them, and on the words at all code points but "
              f"{len(exceptions)}, which Unicode got later")


if __name__ == "__main__":
    SHOW, FOLDER = sys.argv[1:3]
    MEGABYTES = float(sys.argv[3]) if len(sys.argv) > 3 else 6
    main()
