#!/usr/bin/env python3
"""Runs what ./export writes in llama.cpp, and compares ids, logits and continuations with Pulga's.
Called by scripts/parity.sh:

    llamacpp.py TRAIN EXPORT SHOW_MODEL TEXT DIRECTORY

TEXT is data/cuentos.txt; DIRECTORY is empty and may be filled. Ends with a message and status 1 at
the first difference.
"""
import itertools
import json
import os
import sys
import unicodedata

os.environ["OMP_NUM_THREADS"] = "1"  # models so small gain nothing from more
import llama_cpp
import numpy

from comparing import byte_level, byte_level_trainer, check, run, show_model

TYPES = {"f32": 1e-2, "f16": 1e-2, "q8_0": None}  # the largest difference of the largest logit
TOP = 0.95  # of the positions, q8_0 must have the same most probable token
WRITTEN = 200  # tokens of a continuation


def pulga(directory, text, more=()):
    """The ids of a text, and the logits at each place of it and of the ids that follow."""
    ids, logits, _ = show_model(SHOW, directory, text, *more)
    return ids, numpy.array(logits).reshape(len(ids), -1)


def llama(file):
    return llama_cpp.Llama(file, n_ctx=0, logits_all=True, verbose=False, n_threads=1, n_threads_batch=1,
                           type_k=llama_cpp.GGML_TYPE_F32, type_v=llama_cpp.GGML_TYPE_F32)


def logits_of(model, ids):
    model.reset()
    model.eval(ids)
    return numpy.array(model.scores[:len(ids)])


def write_on(model, ids, count):
    """The most probable continuation, each token computed after those before it, from the cache."""
    model.reset()
    model.eval(ids)
    written = []
    while len(written) < count:
        written.append(int(model.scores[model.n_tokens - 1].argmax()))
        if len(written) < count:
            model.eval(written[-1:])
    return written


def prompts_of(lines):
    """50 beginnings of lines, some of them with other white space, or with accents taken apart."""
    prompts = []
    for i, line in enumerate(lines[::len(lines) // 50][:50]):
        words = line.split(" ")
        prompt = " ".join(words[:2 + i % 5])
        if i % 5 == 1:
            prompt = unicodedata.normalize("NFD", line)
        if i % 5 == 2:
            prompt = "  " + line.replace(" ", "  ") + " "
        if i % 5 == 3:
            prompt = line.replace(" ", "\n", 1).replace(",", " ,")
        prompts.append(prompt)
    return prompts


def compare(what, directory, prompts, written=WRITTEN):
    wanted_ids = [pulga(directory, prompt)[0] for prompt in prompts]
    for kind, most in TYPES.items():
        file = f"{directory}.{kind}.gguf"
        run(EXPORT, directory, file, "--type", kind)
        model = llama(file)
        for prompt, ids in zip(prompts, wanted_ids):
            theirs = model.tokenize(prompt.encode(), add_bos=True)
            check(theirs == ids, what, kind, repr(prompt), "ids", ids, "llama.cpp has", theirs)
        more = write_on(model, wanted_ids[0], written)
        ids, wanted = pulga(directory, prompts[0], more)
        seen = logits_of(model, ids)
        V = wanted.shape[1]
        check(wanted.std() > 0.1, what, "logits say nothing: the comparison is empty")
        check(V == seen.shape[1] or (seen[:, V] < wanted.max(1) - 20).all(), what, kind,
              "may write the token that the model does not have")
        apart = abs(seen[:, :V] - wanted).max() / max(1, abs(wanted).max())
        begin = len(ids) - written
        places = wanted[begin - 1:-1]  # what comes after each: the tokens written
        less = (places.max(1) - places[range(written), more]) / abs(wanted).max()
        same = (less == 0).mean()
        if most:
            check(apart < most, what, kind, "logits differ by", apart)
            # Two tokens may be so nearly alike that rounding, of both their logits, decides.
            check(less.max() < 3 * apart, what, kind, "a token that is less probable by", less.max())
            TIES.append(int((less > 0).sum()))
        else:
            TOPS.append(same)
        WORST[kind] = max(WORST[kind], apart)
        model.close()
    COUNT.append(what)


def our_runs(folder, text, prompts):
    """Every kind of run that llama.cpp can express."""
    kinds = itertools.product(("word", "char", "bpe"), ("lines", "stream"),
                              (("sinusoidal",), ("learned", "--untied", "--no-qkv-bias")))
    for tokens, sequence, (positions, *more) in kinds:
        what = " ".join((tokens, sequence, positions))
        out = folder + "/" + what.replace(" ", "-")
        run(TRAIN, text, "--tokens", tokens, "--sequence", sequence, "--positions", positions,
            *more, "--activation", "gelu", "--context", 512, "--layers", 2, "--width", 64,
            "--heads", 4, "--steps", 80, "--threads", 1, "--out", out)
        known = tokens != "char" or sequence == "stream"  # characters of lines lack the line end
        compare(what, out, [p if known else p.replace("\n", " ") for p in prompts])


def llamas(folder, text, prompts):
    for number, (tokens, keys, biases) in enumerate(itertools.product(
            ("word", "char", "bpe"), (1, 4), ("off", "on"))):
        what = f"llama {tokens} {keys} {biases}"
        out = f"{folder}/llama-{number}"
        run(TRAIN, text, "--shape", "llama", "--tokens", tokens, "--key-heads", keys,
            "--no-qkv-bias=" + biases, "--sequence", "lines" if tokens != "bpe" else "stream",
            *(["--untied", "--head-size", 32, "--theta", 500] if number % 2 else []),
            "--context", 512, "--layers", 2, "--width", 64, "--hidden", 96, "--heads", 4, "--steps",
            80, "--threads", 1, "--out", out)
        compare(what, out, [p if tokens != "char" else p.replace("\n", " ") for p in prompts])


def other_runs(folder, text, prompts):
    """Lower case; words that become [unk]; a hidden width that is not 4 C; pairs."""
    gelu = ("--activation", "gelu", "--context", 512, "--steps", 80, "--threads", 1)
    run(TRAIN, text, *gelu, "--tokens", "word", "--lower", "--hidden", 96, "--out", folder + "/lower")
    compare("lower", folder + "/lower", [p.upper() for p in prompts])
    run(TRAIN, text, *gelu, "--tokens", "word", "--min-count", 2, "--layers", 1, "--out",
        folder + "/unk")
    # One unknown word at a time, since llama.cpp joins several in a row.
    compare("unk", folder + "/unk", [p + " xilófono." for p in ("El perro", "¿La pulga", "Un día,")])
    run(TRAIN, text, *gelu, "--tokens", "char", "--lower", "--sequence", "lines", "--out",
        folder + "/lowerchar")
    compare("lower characters", folder + "/lowerchar", [p.replace("\n", " ") for p in prompts])
    pairs = folder + "/pairs.tsv"
    with open(pairs, "w") as file:
        file.write("el perro come\tthe dog eats\nun gato, ¡ay!\ta cat, ay!\n" * 9)
    run(TRAIN, pairs, *gelu, "--causal-source", "--out", folder + "/pairs")
    run(EXPORT, folder + "/pairs", folder + "/pairs.gguf")
    model = llama(folder + "/pairs.gguf")
    for source, target in (("el perro come", " the dog eats"), ("un gato, ¡ay!", " a cat , ay !")):
        ids = model.tokenize((source + "[sep]").encode(), add_bos=True, special=True)
        check(ids == pulga(folder + "/pairs", source)[0], "pairs", ids)
        written = model.detokenize(write_on(model, ids, 6)).decode()
        check(written.startswith(target), "pairs", source, "became", written)
        answer = model.create_chat_completion([{"role": "user", "content": source}], temperature=0)
        check(answer["choices"][0]["message"]["content"] == target, "pairs, conversation", answer)
    COUNT.append("pairs")


def shortest_context(folder):
    """A model of context 8 can be written on to the end of llama.cpp's context, which is longer: there
    are positions. And it ends its sentences."""
    text, out = folder + "/short.txt", folder + "/short"
    with open(text, "w") as file:
        file.write("el perro come\nun gato come\n" * 3)
    run(TRAIN, text, "--activation", "gelu", "--context", 8, "--steps", 100, "--out", out)
    run(EXPORT, out, out + ".gguf")
    model = llama(out + ".gguf")
    check(model.n_ctx() == 256, "a context of 8 became", model.n_ctx())
    ids = pulga(out, "el")[0]
    check(numpy.isfinite(logits_of(model, ids + write_on(model, ids, 254 - len(ids)))).all(),
          "the last positions are not finite")
    answer = model("un", max_tokens=20, temperature=0)["choices"][0]
    check(answer["text"] == " gato come" and answer["finish_reason"] == "stop", answer)
    answer = model.create_chat_completion([{"role": "user", "content": "un"}], temperature=0)
    check(answer["choices"][0]["message"]["content"] == " gato come", "in a conversation", answer)
    COUNT.append("shortest context")


def gpt2(folder, prompts):
    """A GPT-2 that Transformers saved."""
    import torch
    import transformers
    from tokenizers import models

    transformers.utils.logging.disable_progress_bar()
    made = byte_level(models.BPE())
    made.train_from_iterator(LINES, byte_level_trainer(vocab_size=700,
                                                       special_tokens=["<|endoftext|>"]))
    made = json.loads(made.to_str())["model"]
    tokenizer = transformers.GPT2TokenizerFast(vocab=made["vocab"],
                                               merges=[tuple(m) for m in made["merges"]])
    end = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    torch.manual_seed(7)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=512, n_embd=64, n_layer=3, n_head=2,
        bos_token_id=end, eos_token_id=end))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 1 if parameter.ndim == 1 else 0, 0.15)
    for saved in (model, tokenizer):
        saved.save_pretrained(folder + "/gpt2")
    compare("gpt2", folder + "/gpt2", prompts)


TRAIN, EXPORT, SHOW, TEXT, FOLDER = sys.argv[1:]
WORST, COUNT, TOPS, TIES = dict.fromkeys(TYPES, 0.0), [], [], []
with open(TEXT) as file:
    LINES = [line for line in file.read().splitlines() if line.strip()]
PROMPTS = prompts_of(LINES)
our_runs(FOLDER, TEXT, PROMPTS)
llamas(FOLDER, TEXT, PROMPTS)
other_runs(FOLDER, TEXT, PROMPTS)
shortest_context(FOLDER)
gpt2(FOLDER, PROMPTS)
check(numpy.mean(TOPS) >= TOP, "q8_0: only", numpy.mean(TOPS), "of the tokens are the same")
print(f"  llama.cpp ({llama_cpp.__version__}) and Pulga agree on {len(COUNT)} models: ids all the same, "
      f"logits to {WORST['f32']:.1e} (f16: {WORST['f16']:.1e}, q8_0: {WORST['q8_0']:.1e}), "
      f"{WRITTEN * len(TIES)} tokens written the same, apart from {sum(TIES)} ties "
      f"(q8_0: {numpy.mean(TOPS):.1%})")
