#!/bin/sh
# run.sh SECONDS [TARGET...]: each fuzz target for so long, one after another, from the corpus in
# tests/fuzz/corpus; what they learn stays in build/fuzz/corpus, and what they find in
# build/fuzz/found. "More memory than the file justifies" and "never ends" are findings too.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's,.*/fuzz_\(.*\)\.c,\1,')
mkdir -p build/fuzz/found
for target; do
    mkdir -p "build/fuzz/corpus/$target"
    # A leak is seen after each input by the harness; the checker at the end would only be slow.
    "build/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=20 \
        -malloc_limit_mb=256 -rss_limit_mb=2048 -detect_leaks=0 -print_funcs=0 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" \
        "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"build/fuzz/$target.log" 2>&1 || {
        grep -av "^#" "build/fuzz/$target.log" | tail -n 60
        echo "  FOUND something: build/fuzz/found/$target-*; $target.log beside it tells more"
        exit 1
    }
    echo "  $target: $(sed -n 's/^stat::number_of_executed_units: *//p' \
        "build/fuzz/$target.log") inputs, nothing found"
done
