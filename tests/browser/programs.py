"""programs.py: calls the programs whose answers the page is compared with, and reads them."""
import json
import math
import os
import pathlib
import re
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("BIN", ROOT))
SENTENCE = "un muchacho jugaba con la cuerda"


def call(*command, text=None, folder=None):
    done = subprocess.run([str(part) for part in command], input=text, text=True,
                          capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Array:
    """The .npy of attend, read without numpy."""

    def __init__(self, path):
        data = path.read_bytes()
        size, = struct.unpack("<H", data[8:10])
        header = eval(data[10:10 + size])  # a dictionary of constants
        assert data[:8] == b"\x93NUMPY\1\0" and header["descr"] == "<f4"
        self.shape, self.data = header["shape"], data[10 + size:]

    def __getitem__(self, place):
        index = 0
        for i, n in zip(place, self.shape):
            index = index * n + i
        return struct.unpack_from("<f", self.data, 4 * index)[0]


def attend(folder, run, text, name, *options):
    """A page, and the same maps as an array."""
    call(BIN / "attend", run, "-", "-o", folder / f"{name}.html", *options, text=text)
    call(BIN / "attend", run, "-", "-o", folder / f"{name}.npy", text=text)
    return folder / f"{name}.html", Array(folder / f"{name}.npy")


def open_page(page, folder, run, text, *options):
    """Opens a page; returns its maps as an array."""
    path, array = attend(folder, run, text, "page", *options)
    page.open(path)
    return array


def train(folder, text, *options):
    (folder / "text.txt").write_text(text, newline="")
    call(BIN / "train", folder / "text.txt", "--out", folder / "run", "--overwrite", *options)
    return folder / "run"


def train_perro(folder, *options):
    return train(folder, (ROOT / "data" / "perro.txt").read_text(), *options)


def sample(run, prompt, *options):
    return json.loads(call(BIN / "sample", run, prompt, "--json", *options))


def says(said, weight):
    """Whether a sentence ends with a weight, to four decimals. The page computes it in another
    order, so the last of them can differ by one."""
    match = re.search(r"(\d\.\d{4})$", said)
    return bool(match) and abs(float(match[1]) - weight) < 1.01e-4


def gives(steps, share, close):
    """Whether these steps give a share, and say it as close as that: a score, e to that power, and
    this divided by the sum over all that share. The numbers have four digits."""
    match = re.search(r"(\S+)\s→\se\^(\S+)\s=\s(\S+)\s→\s(\S+)\s/\s(\S+)\s=\s(\d\.\d+)(\.|$)",
                      steps)
    if not match:
        return False
    score, power, raised, divided, total, said = (
        float(number.replace("·10^", "e")) for number in match.groups()[:6])
    return (score == power and raised == divided and abs(said - share) < close
            and math.isclose(math.exp(score), raised, rel_tol=1e-3)
            and math.isclose(raised / total, share, rel_tol=2e-3, abs_tol=1e-4))
