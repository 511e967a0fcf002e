#!/usr/bin/env bash
# run.sh [PATCH...]    does the gate find a fault? Plants each fault of tests/faults, or these, in a copy
# of the project and runs the test that its patch names, which must pass before and fail after. make
# faults calls it.
#
# A patch begins with what is wrong, and a line that names the test:
#
#   Found by: tests/model/layers/dropout.c               a test in C
#   Found by: tests/programs/sample.bats "the rank"      those of this file with this in their name
#   Found by: same plain,words                           checksums of tests/same/table.txt
#   Found by: browser look_at_heads                      a look at the page, in Chromium
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- tests/faults/*.patch

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
git ls-files -z | xargs -0 cp -a --parents -t "$copy"
[ ! -d build ] || cp -a build "$copy/build" # so that only what changes is compiled
mapfile -t patches < <(realpath -- "$@")
cd "$copy"
unset BIN BUILD # make has its own

# Builds what a test needs. A patch that does not compile plants no fault.
build() { # KIND
    case $1 in
    *.c) make "build/${1%.c}" ;;
    *) make build-tests TESTS= EXACT= ;;
    esac >log 2>&1
}
try() { # KIND ARGUMENT, as in a patch
    case $1 in
    *.c) timeout 300 "build/${1%.c}" ;;
    *.bats) BIN=$copy BUILD=$copy/build timeout 300 bats --filter-tags '!long' -f "$2" "$1" ;;
    same) tests/same/settings.sh check ${2//,/ } | grep -qx same ;;
    browser) make browser LOOKS="chromium $2" ;;
    *) echo "no such test: $1" && return 0 ;;
    esac
}

declare -A passes
missed=0
for patch in "${patches[@]}"; do
    name=$(basename "$patch" .patch) begun=$SECONDS verdict=found
    test=$(sed -n 's/^Found by: //p' "$patch")
    read -r kind what <<<"${test//\"/}"
    [ -n "${passes[$test]:-}" ] ||
        { build "$kind" && try "$kind" "$what" >log 2>&1 && passes[$test]=yes || passes[$test]=no; }
    if [ "${passes[$test]}" = no ]; then
        verdict='FAILS WITHOUT'
    elif ! git apply "$patch" 2>log; then
        verdict='DOES NOT APPLY'
    else
        if ! build "$kind"; then
            verdict='DOES NOT BUILD'
        elif try "$kind" "$what" >log 2>&1; then
            verdict=MISSED
        fi
        git apply -R "$patch"
    fi
    [ "$verdict" = found ] || { missed=$((missed + 1)) && tail -n 3 log; }
    printf '%-14s %4d s  %-40s %s\n' "$verdict" $((SECONDS - begun)) "$name" "$test"
done
echo "$((${#patches[@]} - missed)) of ${#patches[@]} found in $SECONDS s"
[ $missed = 0 ]
