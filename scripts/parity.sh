#!/bin/sh
# Compares ./train with a second implementation in PyTorch (scripts/reference.py), and model
# directories with what Transformers computes from them (scripts/huggingface.py), and subwords with
# those of tokenizers, which Transformers needs, and of tiktoken (scripts/bpe.py), also as later
# models have them (scripts/patterns.py); GGUF files with what llama.cpp computes from them
# (scripts/llamacpp.py); and runs with what TransformerLens and BertViz make of them
# (scripts/lens.py). make parity calls it in the project's root, with the programs built:
#   PYTHON             a Python that has torch, numpy and transformers; if possible also tiktoken,
#                      llama-cpp-python, transformer_lens and bertviz                      [python3]
#   BIN                the folder of train, sample and export                                    [.]
#   BUILD              the folder of double/train and tests/tools                            [build]
#   PARITY_MEGABYTES   how large a text to encode with tokenizers, with tiktoken and here    [10]
set -eu

python=${PYTHON:-python3}
if ! "$python" -c 'import numpy, torch, transformers' 2>/dev/null; then
    echo "parity cannot run: $python lacks torch, numpy or transformers; install them with" \
        "'python3 -m venv .venv && .venv/bin/pip install torch numpy transformers tiktoken'" \
        "and call 'make parity PYTHON=.venv/bin/python'" >&2
    exit 1
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
trap 'exit 1' HUP INT TERM

# compare SCRIPT MODULES PACKAGES ARGUMENT...: calls the script if Python has what it needs.
compare() {
    script=$1 modules=$2 packages=$3
    shift 3
    if ! "$python" -c "import $modules" 2>/dev/null; then
        echo "  skipped scripts/$script: install $packages (pip) to run it"
        return
    fi
    mkdir "$directory/$script"
    "$python" "scripts/$script" "$@" "$directory/$script"
}

# These go on beside the scripts below: either use hardly more than one processor.
{
    compare llamacpp.py llama_cpp llama-cpp-python "${BIN:-.}/train" "${BIN:-.}/export" \
        "${BUILD:-build}/tests/tools/show_model" data/cuentos.txt
    compare lens.py transformer_lens,bertviz 'transformer_lens and bertviz' "${BIN:-.}/train" \
        "${BUILD:-build}/tests/tools/show_model"
} >"$directory/output" 2>&1 &
others=$!
trap 'kill $others 2>/dev/null || :; rm -rf "$directory"' EXIT

failed=0
"$python" scripts/reference.py "${BUILD:-build}/double/train" "${BIN:-.}/train" data/perro.txt \
    "$directory" || failed=1
mkdir "$directory/huggingface"
"$python" scripts/huggingface.py "${BIN:-.}/train" "${BIN:-.}/sample" \
    "${BUILD:-build}/tests/tools/show_model" "$directory/huggingface" || failed=1
mkdir "$directory/bpe"
"$python" scripts/bpe.py "${BUILD:-build}/tests/tools/show_bpe" "$directory/bpe" \
    "${PARITY_MEGABYTES:-10}" || failed=1
mkdir "$directory/patterns"
"$python" scripts/patterns.py "${BUILD:-build}/tests/tools/show_bpe" "$directory/patterns" || failed=1
mkdir "$directory/counting"
"$python" scripts/kneser_ney.py "${BIN:-.}/train" "${BUILD:-build}/tests/tools/show_counting" data \
    "$directory/counting" || failed=1

wait $others || failed=1
cat "$directory/output"
exit $failed
