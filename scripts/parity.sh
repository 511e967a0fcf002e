#!/bin/sh
# Compares ./train with its twin in PyTorch, scripts/reference.py. Called by make parity, from the
# project's root, with both programs built:
#   PYTHON   a Python that has torch and numpy        [python3]
#   BIN      the folder of train                      [.]
#   BUILD    the folder of double/train               [build]
set -eu

python=${PYTHON:-python3}
if ! "$python" -c 'import numpy, torch' 2>/dev/null; then
    echo "parity could not run: $python has no torch or no numpy; install them with" \
        "'python3 -m venv .venv && .venv/bin/pip install torch numpy' and call" \
        "'make parity PYTHON=.venv/bin/python'" >&2
    exit 1
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
trap 'exit 1' HUP INT TERM
"$python" scripts/reference.py "${BUILD:-build}/double/train" "${BIN:-.}/train" data/perro.txt \
    "$directory"
