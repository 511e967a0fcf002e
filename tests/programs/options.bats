# options.bats: every option of every program, found in its own --help, with values that are wrong.
load programs.bash

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp "$BATS_TEST_DIRNAME/../../data/perro.txt" .
    "$BIN/train" perro.txt --width 8 --heads 1 --activation gelu --steps 2 --out run >/dev/null
}

# call PROGRAM OPTION...: calls it with arguments that take little time.
call() {
    local program=$1
    shift
    case $program in
    train) set -- perro.txt --width 8 --heads 1 --stop-after 1 --out out --overwrite "$@" ;;
    sample) set -- "$BATS_FILE_TMPDIR/run" un gato --words 3 "$@" ;;
    attend) set -- "$BATS_FILE_TMPDIR/run" un gato "$@" ;;
    export) set -- "$BATS_FILE_TMPDIR/run" out.gguf "$@" ;;
    esac
    OMP_NUM_THREADS=1 dying timeout 60 "$BIN/$program" "$@" >out.txt 2>err.txt </dev/null
}

# answers PROGRAM OPTION...: it does what is asked, or prints one line about why it does not.
answers() {
    local code=0
    call "$@" || code=$?
    case $code in
    0) [ ! -s err.txt ] || { echo "success, but it says:"; cat err.txt; return 1; } ;;
    1 | 64) [ "$(wc -l <err.txt)" -eq 1 ] || { echo "not one line: $*"; cat err.txt; return 1; } ;;
    *) echo "status $code: $*"; cat err.txt; return 1 ;;
    esac
}

# spurns PROGRAM NAME OPTION...: it refuses in one line that names the option.
spurns() {
    local program=$1 name=$2 code=0
    shift 2
    call "$program" "$@" || code=$?
    [ "$code" -eq 64 ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qe "--$name" err.txt || {
        echo "status $code: $program $*"; cat err.txt; return 1; }
}

# check_program PROGRAM COUNT: whatever the value of one of its options is, the answer is a line at
# most. (The limits of each are tested in tests/base/field.c and tests/programs/train/plan/settings.c.)
check_program() {
    local name argument value count=0
    while IFS='=' read -r name argument; do
        count=$((count + 1))
        case $name in help | usage | version) continue ;; esac
        if [ -z "$argument" ]; then
            spurns "$1" "$name" "--$name=1"
            answers "$1" "--$name"
            continue
        fi
        spurns "$1" "$name" "--$name"
        spurns "$1" "$name" "--$name="
        for value in 3x -99999999999999999999 1e999 1,,2 $'\e[31m%s%n' . \
            "$(printf 'x%.0s' {1..5000})"; do
            answers "$1" "--$name=$value"
        done
    done < <("$BIN/$1" --help all | sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\(=[^ ]*\)\{0,1\}\).*/\2/p')
    [ "$count" -ge "$2" ] # or the table was not read
}

# bats test_tags=long
@test "no value of an option of train breaks it" { check_program train 40; }

@test "no value of an option of sample breaks it" { check_program sample 16; }

@test "no value of an option of attend or export breaks it" {
    check_program attend 5
    check_program export 4
}

# install.bats has its width.
@test "--help ends with examples, and -h is the same" {
    for program in $PROGRAMS; do
        "$BIN/$program" --help >help.txt
        "$BIN/$program" -h | cmp - help.txt
        refutes -nE '^ +$' help.txt
        grep -A 4 '^Examples:' help.txt | grep -q "^  $program "
    done
}

@test "--help shows the ten options that are used most, --help all each one, by group" {
    local options='^ {2,6}(-., )?--'
    for program in train sample; do
        [ "$("$BIN/$program" --help | grep -cE -- "$options")" = 13 ] # with help, usage and version
        "$BIN/$program" --help | grep -E -- "$options" >first.txt
        "$BIN/$program" --help all >all.txt
        [ "$(grep -cE -- "$options" all.txt)" -gt 20 ]
        [ "$(grep -cxFf first.txt all.txt)" = 13 ]
    done
    "$BIN/train" -h all | grep -qx ' The model:'
}

@test "--help json is the table, for programs that call these" {
    for program in $PROGRAMS; do
        "$BIN/$program" --help json >all.jsonl
        "$BIN/$program" --help all |
            sed -nE 's/^ {2,6}(-., )?--([a-z-]+).*/\2/p' | grep -vxE 'help|usage|version' >all.txt
        jq -r .name all.jsonl | cmp - all.txt
    done
    "$BIN/train" --help json | jq -s -e 'INDEX(.name) | .norm.choices == ["pre", "post"]
        and .attend.alias == "window" and .lower.kind == "flag" and .layers.kind == "whole"
        and .lr.kind == "number" and .out.kind == "text" and (.out.help | test("directory"))'
}

@test "a value stands after = or in the next word" {
    local run="$BATS_FILE_TMPDIR/run"
    "$BIN/attend" "$run" un gato --output=1.csv --layer=1 >/dev/null
    POSIXLY_CORRECT=1 "$BIN/attend" "$run" -o 2.csv un --layer 1 gato >/dev/null
    "$BIN/attend" --layer=1 -o3.csv -- "$run" un gato >/dev/null
    for other in 2 3; do cmp 1.csv $other.csv; done
    refuses 1 "cannot open --lr" -- "$BIN/train" -- --lr
    "$BIN/train" --usage | grep -q '^Usage: train \[--objective=next|pairs|masked|turns\]'
    [ "$("$BIN/train" --usage | wc -L)" -le 79 ]
}

@test "an option that is none is refused" {
    refuses 64 "unrecognized option '--foo=3'; see --help all" -- "$BIN/train" perro.txt --foo=3
    refuses 64 "unrecognized option '--=3'" -- "$BIN/train" perro.txt --=3
    refuses 64 "unrecognized option '-x'" -- "$BIN/train" -x perro.txt
    refuses 64 "unrecognized option '-hx'" -- "$BIN/train" -hx
    refuses 64 "unrecognized option '--stesp'; did you mean --steps?" -- "$BIN/train" perro.txt --stesp 4
    refuses 64 "'-steps'; did you mean --steps?" -- "$BIN/train" perro.txt -steps 4
    refuses 64 "'--step=4'; did you mean --steps?" -- "$BIN/train" perro.txt --step=4
    refuses 64 "'--temp'; did you mean --temperature?" -- "$BIN/sample" run --temp 4
    refuses 64 "option '--lr' requires an argument" -- "$BIN/train" perro.txt --lr
    refuses 64 "option '--output' requires an argument" -- "$BIN/attend" run un -o
    refuses 64 "--lower needs on or off, not '3'" -- "$BIN/train" perro.txt --lower=3
    refuses 64 "--dropout needs a number from 0 to 0.99, written with a point, not '0,1'" -- \
        "$BIN/train" perro.txt --dropout 0,1
    [ ! -e runs ]
    refuses 1 "perro.txt is a file, and a run is a directory: train perro.txt makes one of it" -- \
        "$BIN/sample" perro.txt el
}

@test "a name without its folder is refused with the name that is meant" {
    mkdir data && mv perro.txt data
    refuses 1 "there is no perro.txt here; did you mean data/perro.txt?" -- "$BIN/train" perro.txt
    "$BIN/train" data/perro.txt --width 8 --heads 1 --steps 0 >/dev/null
    for call in "sample perro el" "attend perro el" "export perro a.gguf"; do
        set -- $call
        refuses 1 "there is no perro here; did you mean runs/perro?" -- "$BIN/$@"
    done
}

@test "on a terminal, a message breaks between words" {
    needs_terminal
    script -qec "stty cols 40; $BIN/train perro.txt --dropout 7" /dev/null </dev/null >out.txt || true
    [ "$(tr -d '\r' <out.txt)" = "train: --dropout needs a number from 0
to 0.99, not '7'" ]
}
