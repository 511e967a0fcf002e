#!/usr/bin/env bash
# night.sh    everything that finds faults, in some hours on two cores. make night calls it; .ci/run is
# the part of it that every change must pass. As root, or with sudo: each goal installs what it needs.
set -euo pipefail
cd "$(dirname "$0")/.."

# In one Debian that has nothing .ci/run types the commands of README; here in both.
for suite in bookworm trixie; do tests/fresh.sh $suite; done

# With MPI make test also tests teams; with zsh and mandoc, completion and manual pages wholly.
scripts/setup.sh mpi
scripts/setup.sh deb
PULGA_SEEDS=20 make test PICK=
make deb
make sanitize
make tsan
make valgrind
make analyze
make aarch64
make windows-test
make macos-test
make same
make faults
make torture
make fuzz FUZZ_SECONDS=60

# The wheel has axe-core, whose rules of accessibility the page keeps.
python3 -m venv .venv || { apt-get install -y -qq python3-venv && python3 -m venv --clear .venv; }
pip_install() { .venv/bin/pip install --quiet --no-compile "$@"; }
pip_install --no-deps axe-playwright-python==0.1.8
AXE=$(echo .venv/lib/python3*/site-packages/axe_playwright_python/axe.min.js) \
    make browser LOOKS="chromium firefox"

# import pulga, in each Python that is here.
make wheel
make wheel-test PYTHONS="python3 $(ls ~/.pyenv/versions/3.1[0-9]*/bin/python 2>/dev/null)"
make wheel-wasm
make wheel-test ENGINE=wasm
pip_install ruff mypy numpy matplotlib nbclient ipykernel
.venv/bin/ruff check python tests/python scripts/notebooks.py
.venv/bin/mypy python/pulga
make notebooks PYTHON=.venv/bin/python

# TransformerLens with what it needs takes 500 MB. llama.cpp has no wheel and is compiled, its C++
# without optimizing, which halves the time; it brings its own cmake.
pip_install torch==2.13.0 numpy transformers==5.23.0 tiktoken==0.14.0
pip_install transformer_lens==4.3.0 bertviz==1.4.1
command -v g++ >/dev/null || apt-get install -y -qq g++
CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX512=OFF -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF \
    -DCMAKE_CXX_FLAGS_RELEASE=-O0" pip_install --no-cache-dir --no-deps llama-cpp-python==0.3.36
PARITY_MEGABYTES=4 make parity PYTHON=.venv/bin/python
