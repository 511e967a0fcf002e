#!/usr/bin/env python3
"""A second implementation of a whole training run (the twin), in PyTorch and only from the formulas,
and a comparison with what ./train computes, step by step. scripts/parity.sh calls it.

    reference.py DOUBLE FLOAT TEXT DIRECTORY

DOUBLE and FLOAT are the train program built with either number type, TEXT is a text of lines of
words, and DIRECTORY an empty one for the runs. In each case the double program must agree with the
twin over 20 steps: epochs, losses, learning rates, gradient norms, and all weights at the end. The
float program drifts away by rounding, so only its first step's gradients are compared.

The letters: N rows (all tokens of a batch), T context length, L layers, H heads, D width of one
head, C width of the model, F hidden width, V vocabulary. s has the run's settings by the names
of their options, w the weights by their names in GPT-2 files."""

import csv
import itertools
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import torch

from comparing import run

STEPS = 20
EXACT = 1e-8     # double: losses, rates and norms are printed with 9 digits
ROUNDED = 1e-4   # float: an element of a gradient, relative to its tensor's largest
NOTHING = 1e-5   # float: a true 0 with rounding, relative to its whole tensor's largest


# ---- Random numbers: Philox 4x32-10 (Salmon et al. 2011), for whole arrays of counters ----

# The second half of the key says what a number is for.
ORDER, SPLIT, OFFSET, DROP_EMBEDDING, DROP_ATTENTION, DROP_MIXED, DROP_FEEDFORWARD = range(1, 8)
MASK = 10


def philox(seed, purpose, *counter):
    """Four words of 32 bits for each counter (c0, c1, c2, c3), arrays that broadcast."""
    low = np.uint64(0xFFFFFFFF)  # words are kept in 64 bits, where a product of two of them fits
    c0, c1, c2, c3 = np.broadcast_arrays(*(np.asarray(c).astype(np.uint64) for c in counter))
    for turn in range(10):
        key0 = np.uint64(seed + turn * 0x9E3779B9) & low
        key1 = np.uint64(purpose + turn * 0xBB67AE85) & low
        left, right = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (right >> np.uint64(32) ^ c1 ^ key0, right & low,
                          left >> np.uint64(32) ^ c3 ^ key1, left & low)
    return c0, c1, c2, c3


def random_bits(seed, purpose, number, epoch, turn=0):
    """64 random bits for each number."""
    c0, c1, _, _ = philox(seed, purpose, number, turn, 0, epoch)
    return c1 << np.uint64(32) | c0


def random_order(seed, purpose, count, epoch):
    """The numbers below count in an order by a Feistel network: in ten rounds, one half of a number's
    bits is changed by random bits for the other half. What is too large goes through it again."""
    bits = max(8, (count - 1).bit_length())
    low = np.uint64(bits - bits // 2)
    masks = [np.uint64((1 << bits // 2) - 1), (np.uint64(1) << low) - np.uint64(1)]
    order, todo = np.arange(count, dtype=np.uint64), np.arange(count)
    while len(todo):
        halves = [order[todo] >> low, order[todo] & masks[1]]
        for turn in range(10):
            side = turn % 2
            halves[side] ^= random_bits(seed, purpose, halves[1 - side], epoch, turn) & masks[side]
        order[todo] = halves[0] << low | halves[1]
        todo = todo[order[todo] >= count]
    return order.tolist()


def dropout_mask(s, step, purpose, site, row, column):
    """0 with probability p, else 1/(1 - p). A counter's four words are for columns 16 apart,
    so that a program can draw 64 columns from 16 counters side by side."""
    words = philox(s['seed'], purpose, column // 64 * 16 + column % 16, row, site, step)
    word = np.choose(column % 64 // 16, words)
    kept = word >= np.uint64(s['dropout'] * 2**32)
    return torch.from_numpy(kept / (1 - s['dropout']))


# ---- The text: tokens, pieces of at most T of them, and the batches of all epochs ----

class Corpus:
    def __init__(self, text, s):
        self.s = s
        stream = s['sequence'] == 'stream'
        self.pairs, self.masked = s['objective'] == 'pairs', s['objective'] == 'masked'
        # White space separates words; a punctuation mark is a token of its own. (These texts have
        # nothing else.)
        split = list if s['tokens'] == 'char' else re.compile(r'[^\W_]+|\S').findall
        special = [] if stream else ['[bos]', '[eos]']
        special += ['[sep]'] * self.pairs + ['[mask]'] * self.masked
        ids = {token: i for i, token in enumerate(special)}

        def sides(line):
            source, *target = line.split('\t') if self.pairs else [line]
            return [*split(source), *(['[sep]', *split(target[0])] if target else [])]

        rows = [split(text)] if stream else [['[bos]', *sides(line), '[eos]']
                                             for line in text.split('\n') if line.strip()]
        for token in itertools.chain(*rows):
            ids.setdefault(token, len(ids))  # in order of first appearance
        rows = [[ids[token] for token in row] for row in rows]
        self.V, self.sep, self.mask = len(ids), ids.get('[sep]'), ids.get('[mask]')
        self.ends = {ids[token] for token in ('[bos]', '[eos]') if token in special}
        self.ahead = 0 if self.masked else 1  # how many tokens of a piece are only predicted

        if stream:  # the tail is held out, if it and the rest have a target each
            row, tail = rows[0], int(s['val'] * len(rows[0]) + 0.5)
            end = len(row) - tail if 2 <= tail <= len(row) - 2 else len(row)
            self.train, self.held_out = [row[:end]], [row[end:]] if end < len(row) else []
        else:       # lines drawn by their seed are held out
            count = min(int(s['val'] * len(rows) + 0.5), len(rows) - 1)
            order = random_order(s['val-seed'], SPLIT, len(rows), 0)
            drawn = {i for i in range(len(rows)) if order[i] < count}
            self.train = [row for i, row in enumerate(rows) if i not in drawn]
            self.held_out = [rows[i] for i in sorted(drawn)]

    def pieces(self, rows, offset=0):
        """First `offset` tokens, then T at a time, with the one that is only predicted. A piece of
        nothing but [bos] or [eos] has nothing that could be hidden."""
        T = self.s['context']
        for row in rows:
            end = len(row) - self.ahead
            cuts = [0] * (offset > 0) + list(range(offset, end, T)) + [end]
            for begin, end in zip(cuts, cuts[1:]):
                piece = row[begin:end + self.ahead]
                if not self.masked or set(piece) - self.ends:
                    yield piece

    def epoch(self, number):
        """An epoch's pieces in their order; a stream is cut at another place each time."""
        seed, offset = self.s['seed'], 0
        if self.s['sequence'] == 'stream':
            offset = int(random_bits(seed, OFFSET, 0, number)) % self.s['context']
            offset = offset if offset < len(self.train[0]) - self.ahead else 0
        pieces = list(self.pieces(self.train, offset))
        return [pieces[i] for i in random_order(seed, ORDER, len(pieces), number)]

    def plain(self, piece):
        """(inputs, targets, tokens at the beginning that all see each other): of pairs, only what
        comes after [sep] counts."""
        if not self.pairs:
            return piece[:-1], piece[1:], 0
        source = piece.index(self.sep)
        return (piece[:-1], [-1] * source + piece[source + 1:],
                0 if self.s['causal-source'] else source + 1)

    def hidden(self, piece, step, first):
        """The same with the tokens hidden that a step draws by the rows' numbers, from `first` on:
        each with the probability of --mask, one at least. Of ten, eight are read as [mask] and one
        as any other token."""
        words = philox(self.s['seed'], MASK, first + np.arange(len(piece)), 0, 0, step)
        share, tenth, other = (word.tolist() for word in words[:3])
        places = [i for i, token in enumerate(piece) if token not in self.ends]
        chosen = [i for i in places if share[i] < self.s['mask'] * 2**32]
        chosen = chosen or [min(places, key=lambda i: share[i])]
        inputs, targets = list(piece), [-1] * len(piece)
        for i in chosen:
            targets[i] = piece[i]
            if tenth[i] * 10 >> 32 < 8:
                inputs[i] = self.mask
            elif tenth[i] * 10 >> 32 == 8:
                inputs[i] = (self.mask + 1 + (other[i] * (self.V - 1) >> 32)) % self.V
        return inputs, targets, len(piece)

    def steps(self):
        """(epoch from 1, batch), without end. An epoch's last batch may be smaller. ./train cuts
        a step into parts, which does not matter: the sum over all of them is the same."""
        step = 0
        for number in itertools.count():
            pieces = self.epoch(number)
            for i in range(0, len(pieces), self.s['batch']):
                sequences, rows, step = [], 0, step + 1
                for piece in pieces[i:i + self.s['batch']]:
                    sequences.append(self.hidden(piece, step, rows) if self.masked
                                     else self.plain(piece))
                    rows += len(piece) - self.ahead
                yield number + 1, batch_of(sequences)

    def whole(self):
        """All that is evaluated, in small batches. Each token is hidden once, in a sequence of its
        own, which has all others of the piece. In a stream, pieces of half a context count, each
        after the half before it."""
        rows, T = self.held_out or self.train, self.s['context']
        if self.s['sequence'] == 'stream' and not self.masked:
            row, before = rows[0], T // 2
            for begin in range(0, len(row) - 1, T - before):
                first, end = max(0, begin - before), min(begin + T - before, len(row) - 1)
                yield batch_of([(row[first:end], [-1] * (begin - first) + row[begin + 1:end + 1],
                                 0)])
            return
        for piece in self.pieces(rows):
            if not self.masked:
                yield batch_of([self.plain(piece)])
                continue
            for i, token in enumerate(piece):
                before, after = [-1] * i, [-1] * (len(piece) - i - 1)
                if token not in self.ends:
                    yield batch_of([(piece[:i] + [self.mask] + piece[i + 1:],
                                     before + [token] + after, len(piece))])


def batch_of(sequences):
    """(N) each: the inputs, the targets, -1 where none counts, a row's place in its own sequence,
    and how many tokens at the beginning of that all see each other."""
    inputs, targets, prefixes = zip(*sequences)
    lengths = [len(tokens) for tokens in inputs]
    return (torch.tensor(sum(inputs, [])), torch.tensor(sum(targets, [])),
            np.concatenate([np.arange(length) for length in lengths]),
            np.repeat(prefixes, lengths))


# ---- The model ----

def norm(w, s, name, x):
    centred = x if s['rms'] else x - x.mean(-1, keepdim=True)
    rstd = 1 / (centred.square().mean(-1, keepdim=True) + s['norm-epsilon']).sqrt()
    return w[name + '.weight'] * centred * rstd + w[name + '.bias']


def linear(w, name, x):
    return x @ w[name + '.weight'] + w[name + '.bias']


def pattern(entry, i, j):
    """Whether query i attends to a key j that it sees, by an entry of --attend, and in which order
    its keys are counted by dropout: by number, but a summary's by their place in their blocks, and
    the query itself last."""
    kind, *sizes = entry.split(':')
    n, last = (*map(int, sizes), 0, 0)[:2]
    if kind == 'strided':
        return (i - j) % n == 0, j
    if kind == 'fixed':
        return i // n == j // n, j
    if kind == 'summary':
        cell = j % n >= n - last
        return cell | (i == j), np.where(cell, j % n * 1e6 + j, 1e12)
    return (abs(i - j) < int(kind)) if kind not in ('all', '0') else (j >= 0), j


def turned(x, place, theta):
    """Rotary positions: the first half of a head's numbers are real parts, the others imaginary."""
    D = x.shape[-1]
    angle = torch.from_numpy(place)[:, None] * theta ** (-torch.arange(0, D, 2).double() / D)
    pairs = torch.complex(x[..., :D // 2], x[..., D // 2:])
    pairs = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([pairs.real, pairs.imag], -1)


def attention(w, s, l, x, place, prefix, step):
    """Softmax attention over all rows of the batch at once, (N, N) for each head: a query sees the
    keys of its own sequence, up to itself, and all of the prefix if it is in there. It attends to
    those of them that its head's pattern gives it."""
    N, H, D = len(x), s['heads'], s['head-size']
    row = np.arange(N)
    start = row - place  # where the sequence of a row begins
    ahead = (place < prefix)[:, None] & (place < prefix)
    own = (start[:, None] == start) & ((row[:, None] >= row) | ahead)
    K = s['key-heads']
    qkv = linear(w, f'h.{l}.attn.c_attn', x).reshape(N, H + 2 * K, D).transpose(0, 1)
    q, k, v = qkv.split([H, K, K])  # (H, N, D), (K, N, D), (K, N, D)
    if s['positions'] == 'rotary':
        q, k = turned(q, place, s['theta']), turned(k, place, s['theta'])
    k, v = k.repeat_interleave(H // K, 0), v.repeat_interleave(H // K, 0)
    scores = q @ k.transpose(1, 2) / math.sqrt(D)
    mixed = []
    for h in range(H):
        entries = (s['attend'] or 'all').split(',')
        seen, order = pattern(entries[(l * H + h) % len(entries)], place[:, None], place[None, :])
        seen = seen & own
        P = scores[h].masked_fill(torch.from_numpy(~seen), -math.inf).softmax(-1)
        if step:
            columns = np.where(seen, order, np.inf).argsort(1, kind='stable').argsort(1)
            P = P * dropout_mask(s, step, DROP_ATTENTION, l * H + h, row[:, None], columns)
        mixed.append(P @ v[h])
    return linear(w, f'h.{l}.attn.c_proj', torch.cat(mixed, 1))


def feedforward(w, s, l, x):
    h = linear(w, f'h.{l}.mlp.c_fc', x)
    h, other = h.chunk(2, 1) if s['gated'] else (h, 1)
    if s['activation'] == 'relu':
        h = h.clamp(min=0)
    elif s['activation'] == 'silu':
        h = h * torch.sigmoid(h)
    else:
        h = h / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h ** 3)))
    h = h * other
    return linear(w, f'h.{l}.mlp.c_proj', h)


def model_loss(w, s, batch, step=0):
    """The mean cross-entropy over the targets of a batch that count, with the dropout of a step
    from 1; 0: none."""
    tokens, targets, place, prefix = batch
    step = step if s['dropout'] else 0

    def dropout(x, purpose, site):
        if not step:
            return x
        N, C = x.shape
        return x * dropout_mask(s, step, purpose, site, np.arange(N)[:, None], np.arange(C))

    def attended(x):
        return dropout(attention(w, s, l, x, place, prefix, step), DROP_MIXED, l)

    def fed(x):
        return dropout(feedforward(w, s, l, x), DROP_FEEDFORWARD, l)

    x = w['wte.weight'][tokens]  # (N, C)
    if s['positions'] != 'rotary':
        x = x + w['wpe.weight'][place]
    x = dropout(x, DROP_EMBEDDING, 0)
    for l in range(s['layers']):
        if s['norm'] == 'pre':
            x = x + attended(norm(w, s, f'h.{l}.ln_1', x))
            x = x + fed(norm(w, s, f'h.{l}.ln_2', x))
        else:
            x = norm(w, s, f'h.{l}.ln_1', x + attended(x))
            x = norm(w, s, f'h.{l}.ln_2', x + fed(x))
    if s['norm'] == 'pre':
        x = norm(w, s, 'ln_f', x)
    logits = x @ w['lm_head.weight' if s['untied'] else 'wte.weight'].T  # (N, V)
    counts = targets >= 0
    return (logits.logsumexp(1) - logits[torch.arange(len(targets)), targets])[counts].mean()


def evaluate(w, s, corpus):
    """The mean over all targets that are evaluated."""
    targets, total = 0, 0
    for batch in corpus.whole():
        count = int((batch[1] >= 0).sum())
        total += model_loss(w, s, batch).item() * count
        targets += count
    return total / targets


def sinusoids(T, C):
    """The 2017 paper's positions, divided by the root of C."""
    p, c = torch.arange(T).double()[:, None], torch.arange(C).double()
    angle = p / 10000 ** ((c - c % 2) / C)
    return torch.where(c % 2 == 0, angle.sin(), angle.cos()) / math.sqrt(C)


# ---- Training ----

def is_trained(name, s):
    if name.endswith('attn.c_attn.bias'):
        return not s['no-qkv-bias']
    if name.endswith('.bias'):
        return not s['no-other-bias'] and not (s['rms'] and 'ln_' in name)
    return not (name == 'wpe.weight' and s['positions'] == 'sinusoidal')


def learning_rate(s, t):
    warmup, length = s['warmup'], math.floor(s['cooldown'] * STEPS)
    if s['schedule'] == 'noam':
        rate = s['lr-factor'] * s['width'] ** -0.5 * min(t ** -0.5, t * warmup ** -1.5)
    elif t < warmup:
        rate = s['lr'] * t / warmup
    elif s['schedule'] == 'constant':
        rate = s['lr']
    else:
        turn = math.pi * (t - warmup) / (STEPS - warmup)
        return s['min-lr'] + (s['lr'] - s['min-lr']) * (1 + math.cos(turn)) / 2
    left = STEPS - t + 1  # the last step still learns; after it the rate would be 0
    return rate * left / length if left <= length and s['schedule'] != 'cosine' else rate


def gradients_of(w, s, batch, step):
    """The loss of a step, and its gradients by autograd; 0 for what is not trained."""
    w = {name: x.clone().requires_grad_(is_trained(name, s)) for name, x in w.items()}
    loss = model_loss(w, s, batch, step)
    loss.backward()
    return loss.item(), {name: torch.zeros_like(x) if x.grad is None else x.grad
                         for name, x in w.items()}


MU = 0.9  # Muon's momentum


def orthogonal(u):
    """Muon's Newton-Schulz iteration."""
    X = u / u.norm()
    for _ in range(5):
        A = X @ X.T
        X = 3.4445 * X + (-4.7750 * A + 2.0315 * A @ A) @ X
    return X


def by_muon(name, s):
    return s['optimizer'] == 'muon' and name.startswith('h.') and '.ln_' not in name and \
        name.endswith('.weight')


def train(w, s, corpus):
    """STEPS steps of AdamW or Muon. Returns a line of the log for each, the weights at the end, and
    those that are evaluated then."""
    m = {name: torch.zeros_like(x) for name, x in w.items()}
    v = {name: torch.zeros_like(x) for name, x in w.items()}
    w, mean, log = dict(w), dict(w), []
    for t, (epoch, batch) in zip(range(1, STEPS + 1), corpus.steps()):
        loss, g = gradients_of(w, s, batch, t)
        norm = math.sqrt(sum(x.square().sum().item() for x in g.values()))
        scale = s['clip'] / norm if s['clip'] and norm > s['clip'] else 1
        rate = learning_rate(s, t)
        log.append({'epoch': epoch, 'loss': loss, 'gradient_norm': norm, 'learning_rate': rate})
        for name in w:
            if not is_trained(name, s):
                continue
            if by_muon(name, s):
                m[name] = MU * m[name] + (1 - MU) * scale * g[name]
                u = MU * m[name] + (1 - MU) * scale * g[name]
                width = (s['key-heads'] * s['head-size'] if '.c_attn.' in name else
                         s['hidden'] if '.c_fc.' in name else u.shape[1])
                parts = u.split(width, 1)
                o = torch.cat([orthogonal(part) * max(part.shape) ** 0.5 for part in parts], 1)
                w[name] = w[name] - rate * (s['decay'] * w[name] + 0.2 * o)
                continue
            m[name] = 0.9 * m[name] + 0.1 * scale * g[name]
            v[name] = 0.98 * v[name] + 0.02 * (scale * g[name]) ** 2
            m_hat, v_hat = m[name] / (1 - 0.9 ** t), v[name] / (1 - 0.98 ** t)
            decay = s['decay'] if w[name].ndim == 2 else 0  # only matrices
            epsilon = s['epsilon'] if w[name].ndim == 2 else 1e-9
            w[name] = w[name] - rate * (decay * w[name] + m_hat / (v_hat.sqrt() + epsilon))
        mean = {name: a + min(1, 10 / t) * (w[name] - a) for name, a in mean.items()}
    return log, w, mean if s['average'] else w


# ---- What ./train wrote ----

def read_tensors(path, prefix=''):
    """The tensors of a safetensors file whose names begin with a prefix. The file has 8 bytes
    with the length of the header, the header, which is JSON, and the numbers. Returns GPT-2's
    names."""
    raw = path.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], 'little')
    tensors = {}
    for name, about in json.loads(raw[8:begin]).items():
        if name == '__metadata__' or not name.startswith(prefix):
            continue
        name = name[len(prefix):].removeprefix('transformer.')
        name = name.replace('tokens_embed', 'wte').replace('positions_embed', 'wpe')
        bytes_of = slice(*(begin + offset for offset in about['data_offsets']))
        numbers = np.frombuffer(raw[bytes_of], {'F32': '<f4', 'F64': '<f8'}[about['dtype']])
        tensors[name] = torch.from_numpy(numbers.astype(np.float64)).reshape(about['shape'])
    return of_llama(tensors) if 'model.norm.weight' in tensors else tensors


LLAMA = {  # the tensors of a llama, in the place of one of ours
    'wte': ['model.embed_tokens'], 'ln_f': ['model.norm'], 'lm_head': ['lm_head'],
    'ln_1': ['input_layernorm'], 'ln_2': ['post_attention_layernorm'],
    'attn.c_attn': [f'self_attn.{x}_proj' for x in 'qkv'], 'attn.c_proj': ['self_attn.o_proj'],
    'mlp.c_fc': ['mlp.gate_proj', 'mlp.up_proj'], 'mlp.c_proj': ['mlp.down_proj'],
}


def of_llama(tensors):
    """The same under our names, with zeros for the biases that a llama does not have."""
    layers = 1 + max(int(name.split('.')[2]) for name in tensors if '.layers.' in name)
    ours = {}
    for name, theirs in LLAMA.items():
        inside = not theirs[0].startswith(('model.', 'lm_head'))
        for l in range(layers if inside else 1):
            to, from_ = (f'h.{l}.', f'model.layers.{l}.') if inside else ('', '')
            for kind in ('.weight', '.bias'):
                parts = [tensors[from_ + x + kind] for x in theirs if from_ + x + kind in tensors]
                if parts:
                    turn = inside and parts[0].ndim == 2
                    ours[to + name + kind] = torch.cat(parts).T if turn else torch.cat(parts)
                elif kind == '.bias' and name not in ('wte', 'lm_head'):
                    ours[to + name + kind] = torch.zeros(ours[to + name + '.weight'].shape[-1])
    return {name: x.double() for name, x in ours.items()}


def run_train(program, text, options, out, *more):
    run(program, text, *options.split(), '--out', out, *more)
    return Path(out)


# ---- Comparing ----

class Different(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Different(message)


def largest(numbers):
    """The largest magnitude; NaN if one is NaN, which is below no limit."""
    return np.abs(np.asarray(numbers)).max()


def apart(printed, number):
    """The error of a number printed with 9 digits, or empty if NaN; relative if it exceeds 1."""
    return abs(float(printed or 'nan') - number) / max(1, abs(number))


def compare_gradients(true, found, s):
    """The largest error, relative to its tensor's largest. Queries, keys and values are in one
    tensor but are measured separately, since at the start queries' and keys' are much smaller."""
    errors = []
    for name in true:
        if not is_trained(name, s):
            check(not found[name].any(), f'{name} is not trained, but moved')
            continue
        heads = [s['heads'], s['key-heads'], s['key-heads']]
        parts = [n * s['head-size'] for n in heads] if '.c_attn.' in name else true[name].shape[-1]
        for part, (g, h) in enumerate(zip(true[name].split(parts, -1),
                                          found[name].split(parts, -1))):
            if part == 1 and g.ndim == 1 and s['positions'] != 'rotary':
                # The keys' bias adds the same to all scores of a query, which softmax ignores: its
                # gradient is 0.
                whole = largest(true[name])
                check(largest(g) < 1e-12 * whole, f'{name}: the twin is wrong')
                check(largest(h) < NOTHING * whole, f'{name}: the keys have a gradient')
            else:
                errors.append(largest(h - g) / largest(g))
    return largest(errors)


def settings_of(run):
    return json.loads((run / 'config.json').read_text())['pulga']


def compare(programs, text, options, out):
    """One case. Returns a list of (what was compared, the largest difference, its limit)."""
    double, float_ = programs
    start = run_train(double, text, options, f'{out}-start', '--steps', 0)
    s = settings_of(start)
    w = read_tensors(start / 'model.safetensors')
    corpus = Corpus(Path(text).read_text(encoding='utf-8'), s)
    check(len(w['wte.weight']) == corpus.V, 'the vocabularies differ in size')
    if s['positions'] == 'sinusoidal':  # the table is rounded to float in every build
        fixed = sinusoids(*w['wpe.weight'].shape)
        check(largest(w['wpe.weight'] - fixed) < 1e-7, 'the fixed positions differ')

    # 1  the double program, step by step
    there = run_train(double, text, options, f'{out}-double', '--steps', STEPS,
                      '--log-every', 1)
    s = settings_of(there)  # a longer run keeps the averaged weights
    log = list(csv.DictReader((there / 'log.csv').open()))
    # It begins with step 0, unless its evaluation would take longer than the first steps.
    before = [(log.pop(0), w)] if log[0]['step'] == '0' else []
    check([int(line['step']) for line in log] == list(range(1, STEPS + 1)), 'the log lacks steps')
    twin, end, tested = train(w, s, corpus)
    steps = list(zip(log, twin))
    check(all(int(line['epoch']) == step['epoch'] for line, step in steps), 'the epochs differ')
    evaluated = [apart(line['evaluated'], evaluate(weights, s, corpus))
                 for line, weights in (*before, (log[-1], tested))]
    # A case tests clipping only if some steps are clipped and others are not.
    clipped = sum(step['gradient_norm'] > s['clip'] for step in twin)
    check(not s['clip'] or 0 < clipped < STEPS, f'{clipped} steps are clipped: change --clip')
    # The keys' bias differs most: its gradient is only rounding, which Adam divides by 1e-9.
    last = read_tensors(there / 'state.safetensors', 'last.')
    check(last.keys() == end.keys(), 'the tensors differ in name')

    # 2  the float program's first gradients: the first moment begins as a tenth of them
    one = run_train(float_, text, options, f'{out}-float', '--steps', 1, '--clip', 0)
    moment = read_tensors(one / 'state.safetensors', 'adam_m.')
    _, gradients = gradients_of(w, s, next(corpus.steps())[1], 1)

    def column(name):
        return largest([apart(line[name], step[name]) for line, step in steps])

    return [
        ('losses', column('loss'), EXACT),
        ('evaluated', largest(evaluated), EXACT),
        ('norms', column('gradient_norm'), EXACT),
        ('rates', largest([float(line['learning_rate']) / step['learning_rate'] - 1
                           for line, step in steps]), EXACT),
        ('weights', largest([largest(last[name] - end[name]) for name in end]), EXACT),
        ('gradients', compare_gradients(gradients, {name: x / 0.1 for name, x in moment.items()},
                                        s), ROUNDED),
    ]


# ---- The cases ----

SMALL = '--layers 2 --heads 2 --width 16 --hidden 24 --warmup 6 --decay 0.1 '
PARTS = '--batch 4 --accumulate 2 '  # of nine lines: the last step of an epoch has only one
PRE = (SMALL + PARTS + '--norm pre --activation relu --positions sinusoidal '
       '--window 1,2,3,0 --lr-factor 0.2 --cooldown 0.3 ')

# Every choice of the model is in at least one of them.
LINES = {
    'pre relu sinusoidal tied': PRE + '--clip 2 --dropout 0',
    'post gelu learned untied': SMALL + PARTS + '--norm post --activation gelu --head-size 5 '
        '--positions learned --untied --window 0,3,2,1 --lr-factor 0.2 --cooldown 0.5 --clip 2 '
        '--dropout 0 --seed 2',
    'dropout': PRE + '--clip 2 --dropout 0.2 --seed 3',
    'patterns': SMALL + PARTS + '--attend strided:2,fixed:3,summary:3:1,all --lr-factor 0.2 '
        '--cooldown 0.3 --clip 2 --dropout 0.2 --seed 9',
    'muon': PRE + '--optimizer muon --clip 2 --dropout 0 --seed 8',
    'average': PRE + '--average --clip 2 --dropout 0 --seed 10',
    'cosine, no bias': SMALL + '--batch 5 --no-qkv-bias --schedule cosine --lr 0.02 '
        '--min-lr 0.001 --clip 1.5 --dropout 0 --seed 4',
    'rms': PRE.replace('relu', 'gelu') + '--rms --clip 2 --dropout 0 --seed 20',
    'rotary, key heads': SMALL + PARTS + '--norm post --positions rotary --theta 20 --key-heads 2 '
        '--attend strided:2,fixed:3,summary:3:1,all --lr-factor 0.2 --cooldown 0.5 --clip 2 '
        '--dropout 0.2 --seed 21',
    'gated, no other bias': PRE + '--gated --no-other-bias --optimizer muon --clip 2 --dropout 0 '
        '--seed 22',
    'llama': SMALL + PARTS + '--shape llama --key-heads 2 --optimizer muon --average '
        '--lr-factor 0.2 --cooldown 0.3 --clip 2 --dropout 0.2 --seed 23',
    'qwen2, untied': SMALL + PARTS + '--shape llama --no-qkv-bias=off --untied --key-heads 1 '
        '--norm-epsilon 1e-6 --head-size 6 --lr-factor 0.2 --cooldown 0.3 --clip 2 --dropout 0 '
        '--seed 24',
    'constant, held out': SMALL + PARTS + '--norm post --context 4 --val 0.3 --dropout 0.1 '
        '--schedule constant --lr 0.01 --cooldown 0.25 --clip 2.5 --seed 5',
    'masked': PRE.replace('1,2,3,0', 'all') + '--objective masked --clip 2 --dropout 0 --seed 11',
    'masked windows, dropout': PRE + '--objective masked --mask 0.3 --clip 3 --dropout 0.2 '
        '--seed 12',
    'masked lines cut, held out': SMALL + PARTS + '--objective masked --norm post --context 4 '
        '--val 0.3 --attend fixed:3,all,strided:2,summary:3:1 --lr-factor 0.2 --cooldown 0.5 '
        '--clip 2 --dropout 0.1 --seed 13',
}
# Their text is PAIRS_TEXT, which ./train recognises as pairs.
PAIRS = {
    'pairs': PRE.replace('1,2,3,0', 'all') + '--clip 2 --dropout 0 --seed 14',
    'pairs, causal source': PRE + '--causal-source --clip 2 --dropout 0.1 --seed 15',
    'pairs, patterns, dropout': SMALL + PARTS + '--positions learned --untied --attend '
        '3,strided:2,fixed:4,summary:4:2 --lr-factor 0.2 --cooldown 0.3 --clip 2 --dropout 0.2 '
        '--val 0.2 --seed 16',
    'pairs of characters': PRE.replace('1,2,3,0', '40,all,strided:7,summary:33:2') +
        '--tokens char --norm post --clip 1 --dropout 0.3 --seed 17',
}
PAIRS_TEXT = """el perro come un hueso\tthe dog eats a bone
el gato\tthe cat
un gato\ta cat
un gato\tone cat
el gato come\tthe cat eats
¡come!\teat!
la cuerda\tthe rope, the cord
el muchacho jugaba con la cuerda y saltaba con el perro y el gato\tthe boy played with the rope
jugaba\the played; she played; it played; you played; I played; somebody played with something
"""
CHARACTERS = '--tokens char --sequence stream '
STREAM = {
    'stream': CHARACTERS + SMALL + '--context 16 --batch 7 --lr-factor 0.2 --cooldown 0.2 '
        '--clip 1 --dropout 0 --val 0 --seed 6',
    # wider than the 64 columns that dropout draws at a time, longer than attention's strips
    'long stream, dropout': CHARACTERS + '--layers 2 --heads 3 --head-size 7 --width 70 '
        '--hidden 90 --context 100 --window 0,40,5 --activation gelu --untied --batch 3 '
        '--accumulate 3 --lr-factor 0.2 --warmup 5 --cooldown 0.3 --clip 2 --dropout 0.3 '
        '--val 0.2 --decay 0.1 --seed 7',
}
STREAM['long patterns, dropout'] = (STREAM['long stream, dropout'].replace(
    '--window 0,40,5', '--attend strided:7,summary:33:2,fixed:50,strided:2,summary:5:3,8'))
STREAM['masked stream'] = (STREAM['stream'].replace('--seed 6', '--seed 18') +
                           ' --objective masked')
STREAM['masked long stream, dropout'] = (STREAM['long stream, dropout'].replace(
    '--seed 7', '--seed 19') + ' --objective masked')
STREAM_TEXT = ''.join(f'{i} por {j} son {i * j}\n' for i in range(2, 9) for j in range(2, 9))


def main():
    if len(sys.argv) != 5:
        sys.exit('usage: reference.py DOUBLE FLOAT TEXT DIRECTORY')
    *programs, text, directory = sys.argv[1:]
    torch.set_num_threads(1)  # the matrices are small
    stream_text, pairs_text = Path(directory, 'stream.txt'), Path(directory, 'pairs.txt')
    stream_text.write_text(STREAM_TEXT, encoding='utf-8')
    pairs_text.write_text(PAIRS_TEXT, encoding='utf-8')
    cases = [(name, case_text, options)
             for case_text, group in ((text, LINES), (pairs_text, PAIRS), (stream_text, STREAM))
             for name, options in group.items()]
    failed = 0
    for number, (name, case_text, options) in enumerate(cases):
        try:
            results = compare(programs, case_text, options, f'{directory}/{number}')
            good = all(difference <= limit for _, difference, limit in results)
            report = ', '.join(f'{what} {difference:.1e}{"" if difference <= limit else " (!)"}'
                             for what, difference, limit in results)
            report += f' (limits {EXACT:.0e}, gradients {ROUNDED:.0e})'
        except Different as error:
            good, report = False, str(error)
        failed += not good
        print(f'{"ok  " if good else "FAIL"} {name}: {report}', flush=True)
    print(f'parity: {len(cases) - failed} passed, {failed} failed')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
