# team.bats: several processes that train one model, started by Open MPI's mpirun.
load programs.bash

setup() {
    WORK=$(mktemp -d)
    cd "$WORK"
    cp "$ROOT/data/perro.txt" .
    needs_mpi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # Open MPI's
    mkdir same other
    cp "$BUILD/mpi/train" same/train
}

# processes NAME: those of that name that were started here.
processes() {
    local process
    for process in /proc/[0-9]*; do
        if [ "$(cat "$process/comm" 2>/dev/null)" = "$1" ] &&
            [ "$(readlink "$process/cwd" 2>/dev/null)" = "$WORK" ]; then
            basename "$process"
        fi
    done
}

# member M: the process of a member, 0 for the leader.
member() {
    local process
    for process in $(processes train); do
        if tr '\0' '\n' 2>/dev/null <"/proc/$process/environ" |
            grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "$process"
        fi
    done
}

nothing_left() {
    local tries
    for tries in {1..20}; do
        [ -n "$(processes train)" ] || return 0
        sleep 0.1
    done
    return 1
}

# begin N ARGUMENTS...: a long run of small steps, in the background. Returns when it has saved some
# of them. It seldom saves, since the others wait without a limit while the leader does.
begin() {
    rm -rf run
    by "$1" "$BUILD/mpi/train" perro.txt --out run --seed 3 --steps 1000000 --checkpoint-every 1000 \
        --threads 1 --eval-every 1000 --shards 4 "${@:2}" >out.txt 2>err.txt 3>&- &
    team=$!
    local tries
    for tries in {1..200}; do
        [ "$(saved)" -ge 10 ] && return
        sleep 0.1
    done
    cat out.txt err.txt
    return 1
}

# The step of the last save.
saved() {
    local step=
    [ -e run/state.safetensors ] &&
        step=$(head -c 100000 run/state.safetensors | grep -aoE '"step": ?"[0-9]+' | grep -oE '[0-9]+$')
    echo "${step:-0}"
}

# ended STATUS TEXT...: the run in the background ends with that status, one line holds every TEXT,
# nothing is left, and the run goes on.
ended() {
    local wanted=$1 status=0 text
    shift
    wait "$team" || status=$?
    cat err.txt
    [ "$status" -eq "$wanted" ]
    [ "$(grep -c ^train err.txt)" -eq 1 ] # Open MPI may say something too
    for text in "$@"; do grep -qF -- "$text" err.txt; done
    nothing_left
    "$BIN/train" --resume run --stop-after $(($(saved) + 5)) >out.txt
}

@test "messages of a team arrive whole and in order" {
    for count in 1 2 3 4 7 8; do
        by $count "$BUILD/mpi/try_team" >out.txt
        grep -q "^$count members" out.txt
    done
}

@test "a member that is killed ends the run, which can be resumed" {
    begin 3
    kill -KILL "$(member 1)"
    ended 137 "train: member 1 (process " "was killed"
    begin 2
    kill -KILL "$(member 0)"
    ended 137 "train, member 1 on " "member 0 (process " "was killed"
}

@test "a member that hangs ends the run, which can be resumed" {
    export PULGA_TEAM_SECONDS=8 # a busy machine needs some to begin
    local status=0
    begin 3
    kill -STOP "$(member 2)"
    ended 1 "train: member 2 (process " "has not answered for "
    begin 2
    kill -STOP "$(member 0)"
    ended 1 "train, member 1 on " "member 0 (process " "has not answered for "
    # While the team begins: nobody knows yet who hangs.
    export PULGA_TEAM_SECONDS=2
    by 2 sh -c '[ $OMPI_COMM_WORLD_RANK = 0 ] || kill -STOP $$; exec "$0" perro.txt' \
        "$BUILD/mpi/train" 2>err.txt 3>&- || status=$?
    cat err.txt
    [ "$status" -eq 1 ]
    [ "$(grep -c "^train: the 2 processes have not found each other in 2 seconds" err.txt)" -eq 1 ]
    PULGA_TEAM_SECONDS=soon refuses 1 "PULGA_TEAM_SECONDS=soon is not a number of seconds" -- \
        by 2 "$BUILD/mpi/train" perro.txt
}

@test "a signal stops a team after its step, and saves" {
    begin 3
    kill -TERM "$(member 0)"
    local status=0
    wait "$team" || status=$?
    [ "$status" -eq 143 ]
    [ ! -s err.txt ]
    grep -q "^stopped by SIGTERM after step" out.txt
    nothing_left
    step=$(saved)
    [ "$step" -ge 10 ]
    by 2 "$BUILD/mpi/train" --resume run --stop-after $((step + 20)) >out.txt
    [ "$(saved)" -eq $((step + 20)) ]
    # mpirun gives its processes one second, unless it is told to give them more.
    export OMPI_MCA_odls_base_sigkill_timeout=5
    begin 2
    kill -INT "$(processes mpirun)"
    wait "$team" || true
    nothing_left
    grep -q "^stopped by SIGTERM after step" out.txt
}

@test "a full disk on the leader: saves fail, training goes on" {
    local model=(perro.txt --steps 9 --width 256 --checkpoint-every 2 --shards 4)
    "$BIN/train" "${model[@]}" --out run --stop-after 2 >out.txt
    # At a limit to the size of a file writing fails as on a full disk: 16 MB, the state has 19.
    local status=0
    (ulimit -f 16000 && by 2 "$BUILD/mpi/train" --resume run --stop-after 6) >out.txt 2>err.txt ||
        status=$?
    cat err.txt out.txt
    [ "$status" -eq 1 ]
    nothing_left
    [ "$(grep -c "^train: cannot write run/state.safetensors: File too large" err.txt)" -eq 3 ]
    grep -q "step 4 is not saved; the save of step 2 is still complete; training" out.txt
    grep -q "step 6 is not saved; the save of step 2 is still complete" out.txt
    by 3 "$BUILD/mpi/train" --resume run >out.txt
    "$BIN/train" "${model[@]}" --out whole >out.txt
    same_run run whole
}

@test "members must be the same program, called the same way" {
    printf x | cat "$BUILD/mpi/train" - >other/train
    chmod +x other/train
    ONCE=1 refuses 1 "member 1 (process " "has another program than the leader" -- \
        timeout 100 mpirun -q --oversubscribe -np 1 same/train perro.txt : -np 1 other/train perro.txt
    ONCE=1 refuses 1 "member 2 (process " "has another command line than the leader" -- \
        timeout 100 mpirun -q --oversubscribe -np 2 same/train perro.txt : \
        -np 1 same/train perro.txt --seed 2
    nothing_left
    [ ! -e runs ]
}

@test "a program without MPI refuses to be one of several" {
    refutes -q MPI_Init "$BIN/train" || skip "this train was built with MPI"
    refuses 1 "2 processes were started" "make MPI=1" -- by 2 "$BIN/train" perro.txt
    [ ! -e runs ]
}

@test "errors that any run may have are one line in a team" {
    refuses 64 "give a TEXT to train on" -- by 3 "$BUILD/mpi/train"
    refuses 64 "unrecognized option '--lairs'" -- by 3 "$BUILD/mpi/train" perro.txt --lairs 2
    refuses 1 "gone.txt: No such file" -- by 3 "$BUILD/mpi/train" gone.txt
    refuses 64 "start at most 2 processes" -- by 3 "$BUILD/mpi/train" perro.txt --shards 2
    ONCE=1 refuses 1 "step " "try a smaller --lr-factor" -- \
        by 3 "$BUILD/mpi/train" perro.txt --lr-factor 1e9 --clip 0 --steps 300 --out huge
    nothing_left
}

@test "a team reads standard input, and makes a directory for the run" {
    by 2 "$BUILD/mpi/train" - --steps 5 --out run <perro.txt >out.txt
    "$BIN/train" perro.txt --steps 5 --out alone --shards 2 >out.txt
    same_run run alone
    by 2 "$BUILD/mpi/train" perro.txt --steps 5 >out.txt
    [ -s runs/perro/model.safetensors ]
    # In a file, there is no status line, although mpirun gives its processes a terminal.
    refutes -q $'\r\|\033' out.txt
}

@test "a large text is sent to the others" {
    seq -f 'el perro %.0f come un hueso y el gato no come' 1 360000 >big.txt
    local model=(big.txt --tokens char --layers 1 --heads 1 --width 8 --context 16 --batch 8
        --steps 4 --shards 2)
    "$BIN/train" "${model[@]}" --out alone >out.txt
    by 2 "$BUILD/mpi/train" "${model[@]}" --out together >out.txt
    same_run alone together
    rm -r together
}
