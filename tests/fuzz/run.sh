#!/bin/sh
# run.sh SECONDS [TARGET...]: runs each fuzz target for SECONDS seconds, one after another. Inputs come
# from tests/fuzz/corpus; new ones are kept in build/fuzz/corpus and findings in build/fuzz/found.
# Taking more memory than the input justifies, or more than 20 seconds, is also a finding.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's,.*/fuzz_\(.*\)\.c,\1,')
mkdir -p build/fuzz/found
for target; do
    mkdir -p "build/fuzz/corpus/$target"
    # The harness looks for leaks after each input, so the leak checker at the end is not needed.
    "build/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=20 \
        -malloc_limit_mb=256 -rss_limit_mb=2048 -detect_leaks=0 -print_funcs=0 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" \
        "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"build/fuzz/$target.log" 2>&1 || {
        grep -av "^#" "build/fuzz/$target.log" | tail -n 60
        echo "  FOUND something: build/fuzz/found/$target-*; more in $target.log"
        exit 1
    }
    echo "  $target: $(sed -n 's/^stat::number_of_executed_units: *//p' \
        "build/fuzz/$target.log") inputs, nothing found"
done
