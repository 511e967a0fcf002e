"""Subwords as a user of Hugging Face's tokenizers or of tiktoken has them. Prints the seconds and
the largest memory in bytes, or nothing if the package is not installed.

    subwords.py train FILE SIZE                        tokenizers, on all threads
    subwords.py tokenizers FOLDER FILE MEGABYTES       encode_batch with GPT-2's vocabulary, likewise
    subwords.py tiktoken FOLDER FILE MEGABYTES         the same by one thread, the text at once
    subwords.py fetch FOLDER                           puts GPT-2's vocab.json and merges.txt there

Encodings are of the first so many megabytes of the file, and their median of three is printed.
"""
import os
import resource
import shutil
import sys
import time


sys.path.insert(0, "scripts")
from comparing import byte_level, byte_level_trainer, gpt2_folder, gpt2_of_tiktoken


def train(path, size):
    from tokenizers import models
    made, trainer = byte_level(models.BPE()), byte_level_trainer(vocab_size=int(size))
    return [seconds(lambda: made.train([path], trainer))]


def beginning(path, megabytes):
    """The first so many megabytes, up to a line end."""
    with open(path, "rb") as file:
        data = file.read(int(megabytes) << 20)
    return data[:data.rfind(b"\n") + 1 or None].decode(errors="ignore")


def encode_tokenizers(folder, path, megabytes):
    from tokenizers import models
    made = byte_level(models.BPE.from_file(folder + "/vocab.json", folder + "/merges.txt"))
    text = beginning(path, megabytes)
    pieces = [text[i:i + 1000] for i in range(0, len(text), 1000)]  # the fastest of some sizes

    def encode():
        for i in range(0, len(pieces), 100):
            made.encode_batch(pieces[i:i + 100])
    return [seconds(encode) for _ in range(3)]


def encode_tiktoken(folder, path, megabytes):
    encoding = gpt2_of_tiktoken(folder + "/vocab.json", folder + "/merges.txt")
    text = beginning(path, megabytes)
    return [seconds(lambda: encoding.encode_ordinary(text)) for _ in range(3)]


def fetch(folder):
    found = None if os.path.exists(folder + "/merges.txt") else gpt2_folder(folder)
    if found:
        os.makedirs(folder, exist_ok=True)
        shutil.copy(found + "/encoder.json", folder + "/vocab.json")
        shutil.copy(found + "/vocab.bpe", folder + "/merges.txt")


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main():
    kinds = {"train": train, "tokenizers": encode_tokenizers, "tiktoken": encode_tiktoken,
             "fetch": fetch}
    try:
        times = kinds[sys.argv[1]](*sys.argv[2:])
    except ImportError:
        return
    if times:
        print(sorted(times)[len(times) // 2],
              1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    main()
