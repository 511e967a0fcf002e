# programs.bash: what the tests of the programs share. BIN and BUILD come from make test.
: "${BIN:=$PWD}" "${BUILD:=$PWD/build}"
ROOT="$BATS_TEST_DIRNAME/../.."
PROGRAMS=$(sed -n 's/^NAMES = //p' "$ROOT/Makefile")
: "${PROGRAMS:?the Makefile has no NAMES}"
export LC_ALL=C.UTF-8 # messages in English

# The folders of the code.
rooms() {
    sed -n '/^ROOMS = /,/[^\\]$/p' "$ROOT/Makefile" | sed 's/^ROOMS = //; s/\\$//'
}

setup() {
    WORK=$(mktemp -d)
    cd "$WORK"
    cp "$ROOT/data/perro.txt" .
    export XDG_STATE_HOME=$WORK/state # not the tester's own history
    # Programs print commands, in which a path with a blank has quotes: here it has none.
    case $BIN in *[!A-Za-z0-9_/.-]*) ln -s "$BIN" "$BATS_TEST_TMPDIR/bin" && BIN=$BATS_TEST_TMPDIR/bin ;; esac
}

teardown() {
    cd /
    chmod -R u+w "$WORK" 2>/dev/null || true
    rm -rf "$WORK"
}

# dying COMMAND...: a program that dies need not free anything.
dying() {
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 "$@"
}

# needs_terminal: skips a test if script(1) can make no terminal, as in a chroot without /dev/pts.
needs_terminal() {
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "script(1) can make no terminal here"
}

# needs_mpi: skips a test if no team of processes can be started.
needs_mpi() {
    command -v mpirun >/dev/null && [ -x "$BUILD/mpi/train" ] ||
        skip "no program with Open MPI: scripts/setup.sh mpi, then make test"
}

# by N COMMAND...: N processes that make up a team.
by() {
    local count=$1
    shift
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 \
        mpirun -q --oversubscribe --bind-to none -np "$count" "$@"
}

# The options and numbers of a message, which are the same in every language.
marks_of() {
    grep -oE -- '--[a-z][a-z-]*|[0-9]+([.][0-9]+)?' "$1" | sort || true
}

# refuses_in_spanish STATUS COMMAND...: the same as refuses has found in English, which err.txt
# holds, in other words.
refuses_in_spanish() {
    local status=$1 code=0 line="$BATS_TEST_TMPDIR/spanish.txt"
    shift
    LC_ALL= LANG=es_MX.UTF-8 dying "$@" >/dev/null 2>"$line" </dev/null || code=$?
    [ "$code" -eq "$status" ] && [ "$(wc -l <"$line")" -eq 1 ] && differ err.txt "$line" &&
        cmp -s <(marks_of err.txt) <(marks_of "$line") ||
        { echo "in Spanish (status $code): $*"; cat err.txt "$line"; return 1; }
}

# refuses STATUS TEXT... -- COMMAND...: it ends with that status, says one line on standard error,
# and the line holds every TEXT. In Spanish it does the same, unless ONCE is set: for commands that
# change what they find, as a run that ends halfway, or name their processes. (The scripts know only
# English.)
refuses() {
    local status=$1 wanted=()
    shift
    while [ "$1" != -- ]; do wanted+=("$1"); shift; done
    shift
    local code=0
    dying "$@" >out.txt 2>err.txt </dev/null || code=$?
    [ "$code" -eq "$status" ] || { echo "status $code, not $status: $*"; cat err.txt; return 1; }
    [ "$(wc -l <err.txt)" -eq 1 ] || { echo "not one line: $*"; cat err.txt; return 1; }
    for text in "${wanted[@]}"; do
        grep -qF -- "$text" err.txt || { echo "'$text' is not in:"; cat err.txt; return 1; }
    done
    [[ -n ${ONCE:-} || $1 == *.sh ]] || refuses_in_spanish "$status" "$@"
}

# start COMMAND...: in the background, where signals of a terminal are not ignored; $PROCESS.
start() {
    env --default-signal=INT --default-signal=HUP "$@" <&0 >out.txt 2>err.txt 3>&- &
    PROCESS=$!
}

# await COMMAND...: waits until the command succeeds, as long as the program that was started runs.
await() {
    until "$@" 2>/dev/null; do
        kill -0 $PROCESS || break
        sleep 0.005
    done
    "$@"
}

# stopped STATUS SIGNAL...: sends these signals to the program that was started, which ends with that
# status.
stopped() {
    local wanted=$1 code=0 signal
    shift
    for signal; do
        kill -$signal $PROCESS 2>/dev/null || true
        [ $# -eq 1 ] || sleep 0.05
    done
    wait $PROCESS || code=$?
    [ "$code" -eq "$wanted" ] || { echo "status $code, not $wanted"; cat err.txt; return 1; }
}

# is_saved STEP: whether the run has saved that step.
is_saved() {
    grep -qsa "\"step\":\"$1\"" run/state.safetensors
}

# same_bits OPTION...: by one thread; by as many as train likes; and stopped twice and resumed, each
# time by others: always the same bits.
same_bits() {
    "$BIN/train" "$@" --threads 1 --out one --overwrite >/dev/null
    "$BIN/train" "$@" --out many --overwrite >/dev/null
    same_run one many
    "$BIN/train" "$@" --stop-after 3 --threads 3 --out many --overwrite >/dev/null
    "$BIN/train" --resume many --stop-after 4 --threads 8 >/dev/null
    "$BIN/train" --resume many --threads 2 >/dev/null
    same_run one many
}

# refutes GREP-ARGUMENTS...: grep finds nothing, but can read the files. (A command after a bare !
# never fails a test.)
refutes() {
    local code=0
    grep "$@" || code=$?
    [ "$code" -eq 1 ]
}

# holds JQ-ARGUMENTS...: what jq is asked about some JSON is true.
holds() {
    local answer
    answer=$(jq "$@")
    [ "$answer" = true ] || { echo "not true: jq $*"; return 1; }
}

# differ A B: both files can be read, and they are not equal.
differ() {
    local code=0
    cmp -s "$@" || code=$?
    [ "$code" -eq 1 ]
}

# The rows of a run's receipt that were evaluated, but for how many steps were planned.
evaluations_of() {
    awk 'rows && $3 != "-" { print $1, $3, $4, $5 } /^ *step +of / { rows = 1 }' "$1/receipt.txt"
}

# Two runs hold the same bits: model, state, receipt, curve but for the name of the run, and all of
# the log but the last two columns, the times.
same_run() {
    local name='s/fill="#666">[^<]*</</'
    cmp <(sed "$name" "$1/curve.svg") <(sed "$name" "$2/curve.svg")
    cmp "$1/model.safetensors" "$2/model.safetensors"
    cmp <(evaluations_of "$1") <(evaluations_of "$2")
    cut -d, -f1-8 "$1/log.csv" >a.csv
    cut -d, -f1-8 "$2/log.csv" >b.csv
    cmp a.csv b.csv
    # The states differ only in the size of the log, whose times have more or fewer digits: the
    # numbers after the header are compared.
    cmp <(numbers_of "$1/state.safetensors") <(numbers_of "$2/state.safetensors")
}

# Two runs have the same model, though perhaps other settings, which the file's header identifies.
same_weights() {
    [ -s "$1/model.safetensors" ] # else two files that are missing would be equal
    cmp <(numbers_of "$1/model.safetensors") <(numbers_of "$2/model.safetensors")
}

# The numbers of a safetensors file, without its header.
numbers_of() {
    local length
    length=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
    tail -c +$((length + 9)) "$1"
}
