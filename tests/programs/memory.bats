# memory.bats: memory that is refused ends a program in one line and costs nothing that was saved.
load programs

# Fails the allocation number $1 of a command, by a library that is preloaded.
failing() {
    local number=$1
    shift
    FAIL_AT=$number LD_PRELOAD=$WORK/fail_malloc.so OMP_NUM_THREADS=1 "$@"
}

# If the allocation is one of the OpenMP library's own, the library ends the program, and its one line
# follows an empty one: so lines that are not empty are counted.

# allocations COMMAND...: how many it makes.
allocations() {
    COUNT_INTO=$WORK/count failing 0 "$@" >/dev/null
    cat count
}

@test "an allocation that fails ends a program in one line, and a run can be resumed" {
    if grep -qE '__[at]san_init' "$BIN/train"; then skip "a sanitizer has its own malloc"; fi
    ${CC:-cc} -shared -fPIC -o fail_malloc.so "$ROOT/tests/torture/fail_malloc.c" ||
        skip "no compiler"
    "$BIN/train" perro.txt --width 8 --heads 1 --steps 4 --stop-after 2 --checkpoint-every 1 \
        --keep 1 --out half >/dev/null
    local command count code
    for command in "train --resume run --threads 1" "sample run un gato" \
        "attend run un gato -o page.html"; do
        rm -rf run && cp -r half run
        count=$(allocations "$BIN"/$command)
        [ "$count" -gt 500 ]
        for ((number = 2; number <= count; number += count / 50)); do
            rm -rf run && cp -r half run
            code=0
            failing $number "$BIN"/$command >out.txt 2>err.txt || code=$?
            case $code in
            0) # saved in the end; what could not be done before then is reported
                [ "$(grep -vc "^train: cannot \(read\|write\) run.*: Cannot allocate" err.txt)" -eq 0 ] ;;
            1) [ "$(grep -c . err.txt)" -eq 1 ] ;;
            *) echo "$command: allocation $number: status $code"; cat err.txt; return 1 ;;
            esac
            [[ $command != train* ]] || "$BIN/train" --resume run --threads 1 >/dev/null
        done
    done
}

# bats test_tags=long
@test "a text may be larger than the memory" {
    if grep -qE '__[at]san_init' "$BIN/train"; then skip "a sanitizer needs all addresses"; fi
    yes 'el perro come un hueso' | head -c 240000000 >big.txt # its ids, which are mapped, take 125 MB
    bash -c 'ulimit -v 230000 && exec "$0" big.txt --tokens word --sequence stream --steps 0 --threads 1 --out run --width 8 --heads 1 --context 8' \
        "$BIN/train" >out.txt
    grep -q "words, vocabulary" out.txt
}
