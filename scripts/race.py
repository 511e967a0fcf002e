#!/usr/bin/env python3
"""A race on a text, by characters: how many seconds of training until the loss over the last tenth
of the text, which is held out, falls below some goals, and the best loss within a time limit.

    race.py TRAIN TEXT [SECONDS [NAME...]]

TRAIN is the train program, SECONDS the limit (600), each NAME a run of the list below (all). The
last run needs PyTorch and is left out if it is missing.

Every evaluation predicts tokens of the held-out tenth with half a context or more before them:
PyTorch all, Pulga a sample, whose loss differs from that of all by 0.015 or so. The seconds are
those of the training steps only: what evaluations take is not counted, for Pulga nor for PyTorch.
Each run is one process, and a goal counts as reached at the first evaluation below it, so a run
that evaluates every 25 steps is up to 25 steps better than it looks."""

import csv
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOALS = 1.88, 1.70, 1.60, 1.50
NANOGPT = {'layers': 4, 'heads': 4, 'width': 128, 'context': 64, 'batch': 12, 'steps': 2000,
           'lr': 1e-3, 'min-lr': 1e-4, 'warmup': 100, 'decay': 0.1, 'eval-every': 50}

BF16 = re.search('avx512_bf16|amx_bf16', Path('/proc/cpuinfo').read_text())
BEST = ('--optimizer muon --positions learned --schedule constant --cooldown 0.9 --decay 0.1 ' +
        ('--precision bf16 ' if BF16 else ''))

# The options of each run. Without --steps and --eval-every it has as many steps as fill the limit.
RUNS = {
    # What ./train does by itself: two epochs, 1,962 steps of tiny Shakespeare.
    'defaults': '--eval-every 50',
    # The setting that nanoGPT's README gives for a CPU.
    'nanogpt': '--optimizer adamw --schedule cosine --activation gelu --positions learned '
               '--dropout 0 ' + ' '.join(f'--{name} {value}' for name, value in NANOGPT.items()),
    # The best known for the first goal, and for some minutes: see docs/experiments.md.
    'sprint': BEST + '--layers 2 --width 96 --heads 3 --batch 32 --context 32 --lr 0.016 '
              '--warmup 20 --dropout 0 --steps 420 --eval-every 20',
    'middle': BEST + '--context 128 --batch 16 --lr 0.01 --warmup 200 --dropout 0 --steps 4500 '
              '--eval-every 150',
    # Not tried at this length.
    'long': BEST + '--layers 6 --width 192 --heads 6 --context 128 --batch 16 --lr 0.008 '
            '--warmup 200 --dropout 0.1',
}


def steps_taken(path):
    """The rows (step, seconds of training, loss over the held-out part or None) of a log that has
    a row for every step. The time of a step that was evaluated includes the evaluation: it counts
    as the median of the others."""
    with open(path, newline='') as file:
        log = [(int(row['step']), float(row['seconds']), row['evaluated'])
               for row in csv.DictReader(file)]
    taken = [after[1] - before[1] for before, after in zip(log, log[1:])]
    usual = statistics.median(s for s, row in zip(taken, log[1:]) if not row[2])
    seconds, rows = 0, []
    for spent, (step, _, loss) in zip(taken, log[1:]):
        seconds += usual if loss else spent
        rows.append((step, seconds, float(loss) if loss else None))
    return rows


def train(program, text, options):
    """Trains in a directory of its own and returns steps_taken."""
    with tempfile.TemporaryDirectory() as directory:
        run = Path(directory) / 'run'
        subprocess.run([program, text, '--tokens', 'char', '--val', '0.1', '--log-every', '1',
                        '--out', str(run), *options], check=True, stdout=subprocess.DEVNULL)
        return steps_taken(run / 'log.csv')


def race(program, text, options, limit):
    """A run without --steps is first tried for a moment, to see how many fill the limit."""
    options = options.split()
    if '--steps' not in options and '--eval-every' not in options:
        probe = train(program, text, options + ['--steps', '60', '--eval-every', '60'])
        each = statistics.median(b[1] - a[1] for a, b in zip(probe[20:], probe[21:-1]))
        steps = int(0.98 * limit / each)
        options += ['--steps', str(steps), '--eval-every', str(max(10, steps // 40))]
    return train(program, text, options)


def race_pytorch(text):
    """nanoGPT's setting in PyTorch, in float32 as nanoGPT has it on a CPU. The model differs from
    nanoGPT's only in that it has biases, as GPT-2 has."""
    import torch
    sys.path.insert(0, str(Path(__file__).parent.parent / 'tests' / 'bench'))
    from pytorch import Gpt

    s = NANOGPT
    T, B = s['context'], s['batch']
    characters = Path(text).read_text(encoding='utf-8')
    alphabet = {c: i for i, c in enumerate(sorted(set(characters)))}
    ids = torch.tensor([alphabet[c] for c in characters])
    end = len(ids) - int(0.1 * len(ids) + 0.5)
    held_out = ids[end:]
    inputs = held_out[:-1].unfold(0, T, T // 2)  # a row begins half a context after the last one
    targets = held_out[1:].unfold(0, T, T // 2).clone()
    targets[1:, :T // 2] = -100  # counted in the row before

    torch.manual_seed(1)
    model = Gpt(s['layers'], s['heads'], s['width'], len(alphabet), T)
    for name, p in model.named_parameters():
        if p.dim() == 2:
            back = name.endswith(('out.weight', 'narrow.weight'))  # into the residual stream
            torch.nn.init.normal_(p, std=0.02 / (2 * s['layers']) ** 0.5 if back else 0.02)
        elif 'norm' not in name:
            torch.nn.init.zeros_(p)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{'params': matrices, 'weight_decay': s['decay']},
                                   {'params': vectors, 'weight_decay': 0}],
                                  betas=(0.9, 0.99), fused=True)

    def rate(step):
        if step < s['warmup']:
            return s['lr'] * step / s['warmup']
        turn = torch.pi * (step - s['warmup']) / (s['steps'] - s['warmup'])
        return s['min-lr'] + (s['lr'] - s['min-lr']) * (1 + torch.tensor(turn).cos().item()) / 2

    rows, seconds = [], 0
    for step in range(1, s['steps'] + 1):
        began = time.perf_counter()
        starts = torch.randint(end - T, (B, 1)) + torch.arange(T)
        for group in optimizer.param_groups:
            group['lr'] = rate(step)
        loss = model(ids[starts], ids[starts + 1])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds += time.perf_counter() - began
        evaluated = None
        if step % s['eval-every'] == 0:
            with torch.no_grad():
                parts = [(model(x, y).item(), (y >= 0).sum().item()) for x, y in
                         zip(inputs.split(256), targets.split(256))]
            evaluated = sum(loss * n for loss, n in parts) / sum(n for _, n in parts)
        rows.append((step, seconds, evaluated))
    return rows


def row_of(name, rows, limit):
    """For each goal the seconds and the step of the first evaluation below it, then the best."""
    evaluated = [row for row in rows if row[2] is not None and row[1] <= limit]
    cells = []
    for goal in GOALS:
        reached = next((f'{seconds:.1f} s, {step:,}' for step, seconds, loss in evaluated
                        if loss <= goal), '')
        cells.append(f'{reached:>16}')
    step, seconds, loss = min(evaluated, key=lambda row: row[2])
    return (f'{name:10}{1000 * rows[-1][1] / len(rows):7.1f} ms' + ''.join(cells) +
            f'  {loss:.4f} after {seconds:.1f} s, {step:,}')


def main():
    program, text = sys.argv[1:3]
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 600
    chosen = sys.argv[4:] or [*RUNS, 'pytorch']
    print(f'seconds of training and steps to a held-out loss, and the best within {limit:g} s')
    print(f'{"run":10}{"a step":>10}' + ''.join(f'{goal:>16.2f}' for goal in GOALS) + '  best')
    for name in chosen:
        if name in RUNS:
            rows = race(program, text, RUNS[name], limit)
        else:
            try:
                rows = race_pytorch(text)
            except ImportError:
                print(f'{name:10} left out: this Python has no PyTorch')
                continue
        print(row_of(name, rows, limit), flush=True)


main()
