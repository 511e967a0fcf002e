"""One training step of a GPT-2 in PyTorch, as a user would write it today. Prints the median in
seconds and the largest memory in bytes, or nothing if there is no PyTorch; with "compile" again
for the compiled model. With "read" the tokens are only read, up to the logits of the next one.

    pytorch.py LAYERS HEADS WIDTH VOCABULARY CONTEXT SEQUENCES f32|bf16 THREADS [compile|read]
"""
import resource
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(0)
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        rows, length, _ = x.shape
        heads = (part.view(rows, length, self.heads, -1).transpose(1, 2)
                 for part in self.qkv(self.norm1(x)).split(self.width, dim=2))
        mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(rows, length, self.width))
        hidden = functional.gelu(self.widen(self.norm2(x)), approximate="tanh")
        return x + self.narrow(hidden)


class Gpt(nn.Module):
    def __init__(self, layers, heads, width, vocabulary, context):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(heads, width) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)

    def states(self, tokens):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def forward(self, tokens, targets):
        logits = self.head(self.states(tokens))
        return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def main():
    layers, heads, width, vocabulary, context, sequences = map(int, sys.argv[1:7])
    bf16, threads, how = sys.argv[7] == "bf16", int(sys.argv[8]), sys.argv[9:]
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Gpt(layers, heads, width, vocabulary, context)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9,
                                  weight_decay=0.01, fused=True)
    drawn = torch.randint(vocabulary, (sequences, context + 1))
    tokens, targets = drawn[:, :-1].contiguous(), drawn[:, 1:].contiguous()

    def step(run):
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = run(tokens, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    @torch.inference_mode()
    def read(run):
        run.head(run.states(tokens)[:, -1])

    work = read if how == ["read"] else step
    for run in [model, torch.compile(model)] if how == ["compile"] else [model]:
        for _ in range(2 if width > 512 else 5):
            work(run)
        times, begun = [], time.perf_counter()
        while len(times) < 3 or time.perf_counter() - begun < 3:
            before = time.perf_counter()
            work(run)
            times.append(time.perf_counter() - before)
        print(sorted(times)[len(times) // 2],
              1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)


if __name__ == "__main__":
    main()
