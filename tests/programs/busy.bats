# busy.bats: beside other programs, threads that wait leave the processors to them.
load programs.bash

# Four programs keep each processor busy.
setup_file() {
    LOADS=()
    for ((i = 0; i < 4 * $(nproc); i++)); do
        timeout 600 sh -c 'while :; do :; done' 3>&- &
        LOADS+=($!)
    done
    export LOADS="${LOADS[*]}"
}

teardown_file() {
    kill $LOADS
}

# milliseconds COMMAND...: of processor time.
milliseconds() {
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null; } 2>&1 | awk '{ printf "%d\n", 1000 * ($1 + $2) }'
}

# costs_less_than TIMES COMMAND...: less than TIMES times what it costs on one thread.
costs_less_than() {
    local times=$1 some one
    shift
    some=$(milliseconds "$@")
    one=$(milliseconds "$@" --threads 1)
    echo "$*: $some ms of processor time, $one on one thread"
    [ "$some" -lt $((times * one)) ]
}

@test "on a busy machine a small model is trained on one thread" {
    costs_less_than 2 "$BIN/train" perro.txt --out run --overwrite
}

@test "on a busy machine threads that wait for each other sleep" {
    costs_less_than 4 "$BIN/train" "$ROOT/data/cuentos.txt" --steps 20 --out run --overwrite
}
