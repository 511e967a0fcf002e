#!/usr/bin/env python3
"""Opens what ./train writes with Transformers, and what Transformers writes with Pulga, and
compares ids, logits and attention. Called by scripts/parity.sh:

    huggingface.py TRAIN SHOW_MODEL DIRECTORY

DIRECTORY is empty and may be filled. Ends with a message and status 1 at the first difference.
"""
import itertools
import json
import os
import subprocess
import sys
import unicodedata

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers
from tokenizers import (Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        processors, trainers)
from transformers import AutoModelForCausalLM, AutoTokenizer

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
LOGITS, ATTENTION = 1e-4, 1e-5  # the largest difference, of the largest logit and of a weight

# Marks that text.c and the tokenizers library must split alike, and an é of two code points.
LINES = [
    "¿Qué come el perro? ¡Un hueso!",
    "«El niño» — dijo — jugaba… con $ 5 + 3",
    "el ñandú_veloz come croquetas, un café; y (no) más",
    "un perro come un hueso — ¡ay!",
]
PROMPT = "¿Qué come «el niño» — un café… con $ 5 + 3, ñandú_veloz?"
DECOMPOSED = unicodedata.normalize("NFD", PROMPT)


def check(good, *said):
    if not good:
        sys.exit("huggingface: " + " ".join(str(s) for s in said))


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    check(done.returncode == 0, *command, "failed:", done.stderr.strip())
    return done.stdout


def pulga(directory, text):
    seen = json.loads(run(SHOW, directory, text))
    return seen["ids"], torch.tensor(seen["logits"]), torch.tensor(seen["attention"])


def compare(what, directory, text, tokenizer=None):
    """Both libraries on one directory. Transformers may take the tokenizer of another one."""
    model, about = AutoModelForCausalLM.from_pretrained(
        directory, attn_implementation="eager", output_loading_info=True)
    for kind, names in about.items():
        check(not names, what, kind, names)
    if tokenizer is None:
        tokenizer = AutoTokenizer.from_pretrained(directory)
    theirs = tokenizer(text).input_ids
    ids, logits, attention = pulga(directory, text)
    check(ids == theirs, what, "ids", ids, "Transformers has", theirs)
    with torch.no_grad():
        seen = model.eval()(torch.tensor([ids]), output_attentions=True)
    wanted = seen.logits[0].flatten()
    check(wanted.std() > 0.01, what, "logits say nothing: the comparison is empty")
    apart = (logits - wanted).abs().max() / wanted.abs().max().clamp(min=1)
    check(apart < LOGITS, what, "logits differ by", apart.item())
    wanted = torch.cat([layer.flatten() for layer in seen.attentions])
    apart_attention = (attention - wanted).abs().max()
    check(apart_attention < ATTENTION, what, "attention differs by", apart_attention.item())
    WORST[0] = max(WORST[0], apart.item())
    WORST[1] = max(WORST[1], apart_attention.item())
    COUNT.append(what)


def our_runs(folder):
    """(a) Every kind of run that Transformers can express."""
    text = folder + "/text.txt"
    with open(text, "w") as file:
        file.write("\n".join(LINES * 3) + "\n")
    kinds = itertools.product(("pre", "post"), ("word", "char", "bpe"), ("lines", "stream"),
                              ("tied", "untied"),
                              (("relu", "sinusoidal"), ("gelu", "learned")))
    for norm, tokens, sequence, tied, (activation, positions) in kinds:
        what = " ".join((norm, tokens, sequence, tied, activation, positions))
        out = folder + "/" + what.replace(" ", "_")
        run(TRAIN, text, "--norm", norm, "--tokens", tokens, "--sequence", sequence,
            *(["--untied"] if tied == "untied" else []), "--activation", activation, "--positions", positions, "--width", 24, "--heads", 3,
            "--context", 64, "--steps", 8, "--out", out)
        compare(what, out, DECOMPOSED)
    for more in (["--lower"], ["--min-count", 4], ["--hidden", 20], ["--no-qkv-bias"],
                 ["--heads", 1, "--layers", 3]):
        out = folder + "/" + "_".join(str(m) for m in more)
        run(TRAIN, text, *more, "--context", 64, "--steps", 8, "--out", out)
        compare(str(more), out, PROMPT.upper() if more == ["--lower"] else DECOMPOSED)


def our_run_saved_there(folder):
    """A run that Transformers has opened and saved is still one for Pulga."""
    for kind in ("pre_word_lines_tied_relu_sinusoidal", "post_char_stream_untied_gelu_learned",
                 "pre_bpe_lines_tied_relu_sinusoidal"):
        saved = folder + "/saved_" + kind
        for auto in (AutoModelForCausalLM, AutoTokenizer):
            auto.from_pretrained(folder + "/" + kind).save_pretrained(saved)
        compare("saved " + kind, saved, DECOMPOSED)


def refusals(folder):
    """(b) What Transformers cannot express it must not open."""
    for more in (["--window", "1,2,3"], ["--head-size", 16], ["--norm", "post", "--hidden", 20]):
        out = folder + "/" + "_".join(str(m) for m in more)
        run(TRAIN, folder + "/text.txt", *more, "--width", 24, "--heads", 3, "--context", 64,
            "--steps", 2, "--out", out)
        pulga(out, PROMPT)
        try:
            AutoModelForCausalLM.from_pretrained(out)
        except ValueError:
            continue
        check(False, "Transformers has opened a model with", more)


def words_of(text, splitter):
    return list(dict.fromkeys(piece for piece, _ in splitter.pre_tokenize_str(text)))


SPLITTERS = {
    "marks": pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(),
                                      pre_tokenizers.Punctuation("isolated")]),
    "characters": pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated"),
    "spaces": pre_tokenizers.WhitespaceSplit(),
    "runs": pre_tokenizers.Whitespace(),
    "subwords": pre_tokenizers.ByteLevel(add_prefix_space=False),
}


def foreign_subwords(text, special):
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = SPLITTERS["subwords"]
    made.train_from_iterator([text], trainers.BpeTrainer(
        vocab_size=330, special_tokens=special, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    made.decoder = decoders.ByteLevel()
    return made


def foreign_tokenizer(split, bos, eos, front, lower, unk):
    """A tokenizer of words or subwords as one makes it with the tokenizers library."""
    splitter = SPLITTERS[split]
    text = "\n".join(LINES + [PROMPT])
    text = text.lower() if lower else text
    special = list(dict.fromkeys(token for token in (unk, bos, eos, "<pad>") if token))
    if split == "subwords":
        made = foreign_subwords(text, special)
    else:
        words = special + [w for w in words_of(text, splitter) if w not in special]
        made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk or "<unk>"))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFC()] + ([normalizers.Lowercase()] if lower else []))
    made.pre_tokenizer = splitter
    made.add_special_tokens(special)
    if front:
        made.post_processor = processors.TemplateProcessing(
            single=bos + " $A", special_tokens=[(bos, made.token_to_id(bos))])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=bos, eos_token=eos, pad_token="<pad>",
        **({"unk_token": unk} if unk else {}))


def foreign_models(folder):
    """(c) What Transformers has saved opens in Pulga, and train goes on from it."""
    cases = (
        dict(split="marks", bos="<s>", eos="</s>", front=True, lower=False, unk=None),
        dict(split="runs", bos="<|endoftext|>", eos="<|endoftext|>", front=True, lower=True,
             unk="[UNK]"),
        dict(split="characters", bos="<s>", eos="</s>", front=True, lower=False, unk="<unk>"),
        dict(split="characters", bos="<s>", eos="</s>", front=False, lower=False, unk=None),
        dict(split="spaces", bos="[bos]", eos="[eos]", front=False, lower=False, unk="[unk]"),
        dict(split="subwords", bos="<s>", eos="</s>", front=True, lower=False, unk=None),
        dict(split="subwords", bos="<|endoftext|>", eos="<|endoftext|>", front=False, lower=True,
             unk="<|endoftext|>"),
    )
    kinds = (dict(), dict(tie_word_embeddings=False), dict(activation_function="relu"),
             dict(n_inner=40), dict(activation_function="gelu_pytorch_tanh"))
    pairs = [(case, kinds[(i + more) % len(kinds)])
             for more in (0, 2) for i, case in enumerate(cases)]
    for number, (case, kind) in enumerate(pairs):
        tokenizer = foreign_tokenizer(**case)
        config = transformers.GPT2Config(
            vocab_size=len(tokenizer), n_positions=64, n_embd=24, n_layer=2, n_head=3,
            initializer_range=0.3, bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id, **kind)
        torch.manual_seed(number)
        model = transformers.GPT2LMHeadModel(config)
        foreign_model(f"{folder}/gpt2-{number}", f"{case} {kind}", model, tokenizer)
    tokenizer = foreign_tokenizer(**cases[0])
    config = transformers.OpenAIGPTConfig(
        vocab_size=len(tokenizer), n_positions=64, n_embd=24, n_layer=2, n_head=3,
        initializer_range=0.3)
    foreign_model(folder + "/openai-gpt", "openai-gpt", transformers.OpenAIGPTLMHeadModel(config),
                  tokenizer)


def foreign_model(out, what, model, tokenizer):
    for parameter in model.parameters():  # biases and gains too
        torch.nn.init.normal_(parameter, 1 if parameter.ndim == 1 else 0, 0.3)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    text = out + ".txt"
    with open(text, "w") as file:
        file.write("\n".join(LINES) + "\n")
    compare(what, out, DECOMPOSED)

    # Files of before have no "transformer." in front of their names. They have no head either.
    bare = out + "-bare"
    model.base_model.save_pretrained(bare)
    tokenizer.save_pretrained(bare)
    if model.config.tie_word_embeddings:
        check(torch.equal(pulga(bare, PROMPT)[1], pulga(out, PROMPT)[1]), what, "bare names")

    run(TRAIN, text, "--from", out, "--steps", 0, "--out", out + "-same")
    compare(what + " copied", out + "-same", DECOMPOSED, tokenizer)
    check(torch.equal(pulga(out + "-same", PROMPT)[1], pulga(out, PROMPT)[1]), what, "copy")
    run(TRAIN, text, "--from", out, "--steps", 4, "--out", out + "-on")
    run(TRAIN, "--resume", out + "-on", "--steps", 6)
    compare(what + " gone on", out + "-on", DECOMPOSED, tokenizer)
    compare(what + " gone on", out + "-on", DECOMPOSED)
    check(not torch.equal(pulga(out + "-on", PROMPT)[1], pulga(out, PROMPT)[1]), what, "no step")


TRAIN, SHOW, FOLDER = sys.argv[1:]
WORST, COUNT = [0.0, 0.0], []
our_runs(FOLDER)
our_run_saved_there(FOLDER)
refusals(FOLDER)
foreign_models(FOLDER)
print(f"  Transformers {transformers.__version__} and Pulga agree on {len(COUNT)} models: ids all "
      f"the same, logits to {WORST[0]:.1e}, attention to {WORST[1]:.1e}")
