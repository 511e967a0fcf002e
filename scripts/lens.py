#!/usr/bin/env python3
"""Opens runs with TransformerLens and draws their heads with BertViz, by the very lines of
docs/programs.md, and compares logits and attention with Pulga's. Called by scripts/parity.sh:

    lens.py TRAIN SHOW_MODEL DIRECTORY

It is called in the project's root. DIRECTORY is empty and may be filled. Ends with a message and
status 1 at the first difference.
"""
import json
import os
import re
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
import torch
import transformer_lens  # parity.sh looks for it
import transformers

from comparing import check, run, show_model

transformers.utils.logging.disable_progress_bar()
LOGITS, ATTENTION = 1e-4, 1e-5  # the largest difference, of the largest logit and of a weight
TEXT = "La niña come"


def compare(what, directory, names):
    _, our_logits, our_maps = show_model(SHOW, directory, TEXT)
    logits, maps = names["logits"][0].flatten(), torch.stack(names["maps"]).flatten()
    apart = (torch.tensor(our_logits) - logits).abs().max() / logits.abs().max()
    check(apart < LOGITS, what, "logits differ by", apart.item())
    apart_maps = (torch.tensor(our_maps) - maps).abs().max()
    check(apart_maps < ATTENTION, what, "attention differs by", apart_maps.item())
    page = names["page"].data
    drawn = json.JSONDecoder().raw_decode(page.partition('"attn": ')[2])[0]
    drawn = torch.tensor(drawn).flatten()
    check(torch.allclose(drawn, maps, atol=1e-6), what, "BertViz draws other weights")
    WORST[0] = max(WORST[0], apart.item())
    WORST[1] = max(WORST[1], apart_maps.item())


TRAIN, SHOW, FOLDER = sys.argv[1:]
KINDS = {"word": (), "word gelu": ("--activation", "gelu", "--positions", "learned", "--untied"),
         "char": ("--tokens", "char", "--sequence", "lines"),
         "bpe": ("--tokens", "bpe", "--sequence", "lines")}
WORST = [0.0, 0.0]
with open("docs/programs.md") as file:
    CODE = [code for code in re.findall(r"```python\n(.*?)```", file.read(), re.S)
            if "TransformerBridge" in code or "to_str_tokens" in code]
check(len(CODE) == 2, "docs/programs.md has", len(CODE), "pieces of code, not 2")
for what, options in KINDS.items():
    out = FOLDER + "/" + what.replace(" ", "_")
    run(TRAIN, "data/cuentos.txt", *options, "--steps", 60, "--out", out)
    names = {}
    exec("".join(CODE).replace("runs/cuentos", out), names)
    compare(what, out, names)
print(f"  TransformerLens and Pulga agree on {len(KINDS)} models: logits to {WORST[0]:.1e}, attention "
      f"to {WORST[1]:.1e}; BertViz draws them")
