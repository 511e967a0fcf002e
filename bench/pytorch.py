"""One training step of a GPT-2 in PyTorch, as a user would write it today. Prints the median in
seconds and the largest memory in bytes, or nothing if there is no PyTorch.

    pytorch.py LAYERS HEADS WIDTH VOCABULARY CONTEXT SEQUENCES f32|bf16 THREADS [compile]
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

LAYERS, HEADS, WIDTH, VOCABULARY, CONTEXT, SEQUENCES = map(int, sys.argv[1:7])
BF16, THREADS = sys.argv[7] == "bf16", int(sys.argv[8])
COMPILED = sys.argv[9:] == ["compile"]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        rows, length, _ = x.shape
        heads = (part.view(rows, length, HEADS, -1).transpose(1, 2)
                 for part in self.qkv(self.norm1(x)).split(WIDTH, dim=2))
        mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(rows, length, WIDTH))
        hidden = functional.gelu(self.widen(self.norm2(x)), approximate="tanh")
        return x + self.narrow(hidden)


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return functional.cross_entropy(logits.view(-1, VOCABULARY).float(), targets.view(-1))


def main():
    torch.set_num_threads(THREADS)
    torch.manual_seed(1)
    model = Gpt()
    run = torch.compile(model) if COMPILED else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9,
                                  weight_decay=0.01, fused=True)
    drawn = torch.randint(VOCABULARY, (SEQUENCES, CONTEXT + 1))
    tokens, targets = drawn[:, :-1].contiguous(), drawn[:, 1:].contiguous()

    def step():
        with torch.autocast("cpu", torch.bfloat16, enabled=BF16):
            loss = run(tokens, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    for _ in range(2 if WIDTH > 512 else 5):
        step()
    times, begun = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begun < 3:
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    print(sorted(times)[len(times) // 2],
          1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


main()
