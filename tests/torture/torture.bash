#!/bin/bash
# torture.bash PART...: disturbs runs by kills, failing calls, full disks and damage. Each run is
# then resumed and must come to the end of an undisturbed one: weights, moments, progress, log,
# config.json and checkpoints. Parts: kills, points, faults, disks, flips. BIN holds train, BUILD
# holds faults.
#   TORTURE_SECONDS  how long all of it may take; the kills at random moments fill what is left
#   TORTURE_SEED     seed of everything drawn; printed
#   TORTURE_EVERY    of whatever can be counted, take only every so-many-th
# The first finding ends it and prints what was found, in which directory and by which command.
set -u
: "${BIN:=$PWD}" "${BUILD:=$PWD/build}" "${TORTURE_SECONDS:=600}" "${TORTURE_EVERY:=1}"
: "${TORTURE_SEED:=$$}"
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$HERE/../..
# In memory if possible: what a kill leaves is the same, and syncing is quick.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
WORK=$(mktemp -d "${TMPDIR:-/tmp}/pulga-torture-XXXXXX")
RANDOM=$TORTURE_SEED
SECONDS=0
cd "$WORK" || exit 1
MOUNT=
trap '[ -z "$MOUNT" ] || umount "$MOUNT" 2>/dev/null' EXIT

found() {
    [ -z "$MOUNT" ] || cp -r disk disk-was
    echo "FOUND: $*"
    echo "       seed $TORTURE_SEED; see $WORK"
    exit 1
}

# ---- Runs, and what they come to ----

# Small runs that read and end in every way. Some evaluate the whole text and some a held-out part,
# steps are taken in parts, and saves and checkpoints come often.
SAVES="--checkpoint-every 4 --keep 2 --log-every 1"
SMALL="--layers 1 --heads 2 --width 16"
KINDS=("perro.txt $SMALL $SAVES --batch 4 --accumulate 2 --dropout 0.1 --steps 40 --eval-every 3"
       "perro.txt $SMALL $SAVES --tokens char --context 9 --batch 3 --steps 41 --eval-every 7"
       "perro.txt $SMALL $SAVES --val 0.3 --batch 2 --dropout 0.2 --steps 60 --eval-every 2
        --patience 9 --schedule cosine --lr 0.02 --window 2,3"
       "lines.txt $SMALL $SAVES --checkpoint-every 30 --batch 8 --dropout 0.1 --epochs 3 --val 0.4")

# The progress in a state, without the size of the log, which varies with the digits of its times.
words_of() {
    head -c 4000 "$1" | grep -ao '"\(step\|epoch\|next\|best_loss\|best_step\|worse\)":"[^"]*"'
}

# The checksum of everything that must be the same in two runs. The config.json of a checkpoint has
# the result of the call before it, if there was one.
print_of() {
    local run length
    for run in "$1" "$1"/checkpoint-*; do
        [ -d "$run" ] || continue
        [ "$run" != "$1" ] || jq 'del(.pulga.command, .pulga.result.seconds)' "$run/config.json"
        length=$(od -An -t u8 -N 8 "$run/state.safetensors" | tr -d ' ')
        echo "${run#"$1"}"
        words_of "$run/state.safetensors"
        tail -c +$((length + 9)) "$run/state.safetensors" | sha256sum
        cut -d, -f1-8 "$run/log.csv" | sha256sum
        (cd "$run" && sha256sum model.safetensors receipt.txt tokenizer.json tokenizer_config.json text.txt)
    done | tee "$WORK/print.txt" | sha256sum
}

# The undisturbed run of each kind, its checksum, and how long it takes in milliseconds.
declare -a WHOLE TAKES
prepare() {
    cp "$ROOT/data/perro.txt" .
    head -n 150 "$ROOT/data/cuentos.txt" >lines.txt
    local kind begun
    for kind in "${!KINDS[@]}"; do
        begun=$(date +%s%N)
        "$BIN/train" ${KINDS[kind]} --out whole-$kind >/dev/null || found "kind $kind cannot train"
        TAKES[kind]=$((($(date +%s%N) - begun) / 1000000 + 2))
        WHOLE[kind]=$(print_of whole-$kind)
        cp print.txt whole-$kind.print
    done
}

# begin RUN KIND, go_on RUN KIND: set COMMAND to what a user would type; a run without a save
# begins again.
begin() { COMMAND=("$BIN/train" ${KINDS[$2]} --out "$1" --overwrite); }
go_on() {
    if [ -e "$1/state.safetensors" ]; then COMMAND=("$BIN/train" --resume "$1")
    else begin "$1" "$2"; fi
}

# must_end RUN KIND WHAT: it goes on to its end, prints no error, and is like the undisturbed run.
must_end() {
    go_on "$1" "$2"
    "${COMMAND[@]}" >out.txt 2>err.txt || found "$3: then '${COMMAND[*]}' fails: $(cat err.txt)"
    [ ! -s err.txt ] || found "$3: then '${COMMAND[*]}' prints $(cat err.txt)"
    must_be "$@"
}

must_be() {
    [ "$(print_of "$1")" = "${WHOLE[$2]}" ] ||
        found "$3: $1 is not whole-$2: $(diff print.txt whole-$2.print | head -n 5)"
    local left
    left=$(find "$1" -name '.*' ! -path "$1")
    [ -z "$left" ] || found "$3: $left is left"
}

# draw N: a number from 0 to N−1 into DRAWN. (A subshell would draw the same numbers again.)
draw() { DRAWN=$(((RANDOM * 32768 + RANDOM) % $1)); }

# ---- Stops at random moments ----

kills() {
    local kind signal code lives=0 asked=0 killed=0 finished=0 most=${1:-1000000}
    while [ "$SECONDS" -lt "$TORTURE_SECONDS" ] && [ $killed -lt "$most" ]; do
        draw ${#TAKES[@]}; kind=$DRAWN
        rm -rf run
        lives=0
        while :; do
            go_on run $kind
            draw 6; signal=${SIGNALS[DRAWN]}
            draw $((TAKES[kind] * 700)); moment=$(printf 0.%06d "$DRAWN")
            draw 2
            code=0
            timeout --foreground -s "$signal" --preserve-status "$moment" "${COMMAND[@]}" \
                --threads $((DRAWN + 1)) >out.txt 2>err.txt || code=$?
            # The second is LeakSanitizer's, which is killed while it looks at the threads.
            grep -v -e "nothing was written" -e "^==[0-9]*==Unable to get registers" err.txt &&
                found "stopped by $signal after ${moment}s it prints $(cat err.txt)"
            [ $code -ne 0 ] || break
            [ $code -eq $((128 + $(kill -l "$signal"))) ] ||
                found "$signal after ${moment}s ended '${COMMAND[*]}' with $code"
            [ "$signal" = KILL ] && killed=$((killed + 1)) || asked=$((asked + 1))
            [ $((++lives)) -lt 500 ] || found "500 lives of '${COMMAND[*]}' are not enough"
        done
        finished=$((finished + 1))
        must_be run $kind "after $lives stops"
    done
    echo "kills survived $(thousands $killed), stops by INT and TERM $(thousands $asked):" \
        "$(thousands $finished) runs came to the same bits, log and checkpoints"
}
SIGNALS=(KILL KILL KILL KILL INT TERM)

thousands() { echo "$1" | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta'; }

# ---- Kills and faults at each call ----

# Short runs, since each of their calls is failed in turn: new, resumed from the save of their first
# half, and begun over another run.
SHORT="perro.txt $SMALL --checkpoint-every 2 --keep 1 --log-every 1 --steps 5 --eval-every 2"
LAST=
prepare_short() {
    [ -z "$LAST" ] || return 0
    KINDS+=("$SHORT --threads 1")
    local kind=$((${#KINDS[@]} - 1))
    "$BIN/train" ${KINDS[kind]} --out whole-$kind >/dev/null
    WHOLE[kind]=$(print_of whole-$kind)
    cp print.txt whole-$kind.print
    "$BIN/train" ${KINDS[kind]} --out half --stop-after 3 >/dev/null
    LAST=$kind
}

# First every scene at some of its calls, then at others, so that every part has had its turn when
# the time is up. With TORTURE_EVERY, only at some.
STRIDE=7 OFFSETS="0 1 2 3 4 5 6"
[ "$TORTURE_EVERY" -eq 1 ] || STRIDE=$TORTURE_EVERY OFFSETS=0
SCENES=$(for offset in $OFFSETS; do echo $offset:new $offset:resumed $offset:over; done)

# in_time PERCENT: whether less than that share of the time has passed.
in_time() { [ $((SECONDS * 100)) -lt $((TORTURE_SECONDS * $1)) ]; }

sees_calls() { "$BUILD/tests/faults" count.txt count 0 true || [ $? -ne 77 ]; }

# scene NAME: prepares `run` and sets COMMAND.
scene() {
    rm -rf run
    case $1 in
    new) begin run $LAST ;;
    resumed) cp -r half run; go_on run $LAST ;;
    over) cp -r whole-0 run; begin run $LAST ;;
    esac
}

# Copies what a fault has left, and sets KIND to the run that it must come to. A run that was to be
# overwritten is whole until its state is removed.
keep_evidence() {
    rm -rf was
    cp -r run was 2>/dev/null
    KIND=$LAST
    [ "$1" != over ] || ! cmp -s run/state.safetensors whole-0/state.safetensors || KIND=0
}

calls_of() {
    scene "$1"
    "$BUILD/tests/faults" count.txt count 0 "${COMMAND[@]}" >/dev/null || found "$1 cannot run"
    wc -l <count.txt
}

# Kills before each call, so that every state of the directory occurs.
points() {
    local scene calls n code count=0
    sees_calls || { echo "kills at calls: skipped, the kernel allows no seccomp here"; return; }
    prepare_short
    for scene in $SCENES; do
        calls=$(calls_of ${scene#*:})
        for ((n = 1 + (${scene%:*} + TORTURE_SEED) % STRIDE; n <= calls; n += STRIDE)); do
            in_time 20 || break 2
            scene ${scene#*:}
            code=0
            "$BUILD/tests/faults" report.txt kill $n "${COMMAND[@]}" >out.txt 2>err.txt || code=$?
            [ $code -eq 137 ] || found "kill at call $n of $scene: status $code"
            keep_evidence ${scene#*:}
            must_end run $KIND "killed at call $n of $scene ($(tail -n 1 report.txt))"
            count=$((count + 1))
        done
    done
    echo "kills at calls survived $(thousands $count): before each write, sync, rename, …"
}

# A call that fails is reported in one line. The run then ends well, or with 1 and can be resumed.
faults() {
    local scene calls n code error what count=0 went_on=0 lines
    sees_calls || { echo "faults: skipped, the kernel allows no seccomp here"; return; }
    prepare_short
    for scene in $SCENES; do
        calls=$(calls_of ${scene#*:})
        for ((n = 1 + (${scene%:*} + TORTURE_SEED) % STRIDE; n <= calls; n += STRIDE)); do
            in_time 50 || break 2
            for error in "ENOSPC $n" "EIO $n" "ENOSPC $n+" "EROFS $n+"; do
                scene ${scene#*:}
                code=0
                "$BUILD/tests/faults" report.txt $error "${COMMAND[@]}" >out.txt 2>err.txt ||
                    code=$?
                what="$error of $scene ($(sed -n ${n}p report.txt))"
                lines=$(wc -l <err.txt)
                grep -qv '^train: [^ ]' err.txt && found "$what: it prints $(cat err.txt)"
                # One failure gives one line; if every later call fails too, each save gives one.
                [ $code -le 1 ] && [ "$lines" -ge $code ] &&
                    { [ "$lines" -le 1 ] || [ "${error%+}" != "$error" ]; } ||
                    found "$what: status $code and $lines lines: $(cat err.txt)"
                case "$what" in *"(fsync)" | *"(rename)")
                    [ "$lines" -gt 0 ] || found "$what: nothing is printed" ;;
                esac
                keep_evidence ${scene#*:}
                if [ $code -eq 0 ]; then went_on=$((went_on + 1)); fi
                if [ $code -ne 0 ] || [ -s err.txt ]; then
                    must_resume run $KIND "$what"
                else
                    must_be run $KIND "$what"
                fi
                count=$((count + 1))
            done
        done
    done
    echo "faults injected $(thousands $count): the training went on to its end in" \
        "$(thousands $went_on) of them, the others printed why and were resumed"
}

# As must_end, for a run whose checkpoints may be what failed.
must_resume() {
    go_on "$1" "$2"
    "${COMMAND[@]}" >out.txt 2>err.txt || found "$3: then '${COMMAND[*]}' fails: $(cat err.txt)"
    print_of "$1" >/dev/null
    sed '/^\/checkpoint/,$d' print.txt >here.txt
    sed '/^\/checkpoint/,$d' "whole-$2.print" | cmp -s - here.txt ||
        found "$3: $1 is not whole-$2: $(diff here.txt "whole-$2.print" | head -n 5)"
}

# ---- Disks that are full, cannot be written, or go away ----

disks() {
    local size code count=0
    prepare_short
    mkdir -p disk
    if ! mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
        echo "full disks: skipped, mounting is not allowed here"
        return
    fi
    MOUNT=$WORK/disk
    for ((size = 4; size < 420; size += 4 * TORTURE_EVERY)); do
        rm -rf disk/*
        mount -o remount,size=${size}k disk || found "the disk cannot be made $size KB"
        begin disk/run $LAST
        code=0
        "${COMMAND[@]}" >out.txt 2>err.txt || code=$?
        [ $code -le 1 ] || found "on a disk of $size KB: status $code"
        grep -q 'MB are free' err.txt || [ $code -eq 0 ] ||
            { [ $size -lt 16 ] && grep -q 'No space left' err.txt; } ||
            found "on a disk of $size KB it prints $(cat err.txt)"
        mount -o remount,size=4m disk
        must_resume disk/run $LAST "on a disk of $size KB"
        count=$((count + 1))
    done
    (cd disk/run && sha256sum * 2>/dev/null) >sums.txt
    mount -o remount,ro disk
    for command in "--resume disk/run" "${KINDS[LAST]} --out disk/run --overwrite" \
        "${KINDS[LAST]} --out disk/other"; do
        code=0
        "$BIN/train" $command >out.txt 2>err.txt || code=$?
        [ "$code $(wc -l <err.txt)" = "1 1" ] && grep -q "Read-only" err.txt ||
            found "on a read-only disk train $command ends with $code: $(cat err.txt)"
    done
    (cd disk/run && sha256sum --quiet -c "$WORK/sums.txt") || found "a read-only run has changed"
    umount disk
    MOUNT=
    echo "full disks survived $(thousands $count), and a read-only one"
}

# ---- Bytes that have changed ----

# A run in the middle, one byte of one of its files another: the run is refused and the file named,
# or it comes to the same bits. A person may edit config.json, the tokenizer's files and the log:
# what is not refused there may change nothing but the byte itself, the kernel's name, which is reported,
# and the settings that a resumed run may change.
flips() {
    local file size at old new code n line count=0 named=0 edits=0 most=${1:-2000}
    local files=(state.safetensors config.json tokenizer.json tokenizer_config.json text.txt
                 log.csv model.safetensors)
    "$BIN/train" ${KINDS[0]} --out middle --stop-after 18 >/dev/null
    for ((n = 0; n < most && SECONDS * 100 < TORTURE_SECONDS * 65; n++)); do
        file=${files[n % ${#files[@]}]}
        rm -rf run
        cp -r middle run
        size=$(stat -c %s run/$file)
        [ $file != state.safetensors ] || [ $((n % 2)) -eq 0 ] || size=450 # the progress
        draw "$size"; at=$DRAWN
        draw 255
        old=$(od -An -t u1 -j $at -N 1 run/$file | tr -d ' ')
        new=$(((old + DRAWN + 1) % 256))
        put_byte run/$file $at $new
        # The text around it, for config.json the names of the settings before and after the change.
        line=$(cat <(tail -c +$((at > 60 ? at - 60 : 1)) middle/$file) | head -c 120 | tr -d '\0')
        code=0
        # a program that refuses a file does not free its memory
        ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
            "$BIN/train" --resume run >out.txt 2>err.txt || code=$?
        if [ "$code $(wc -l <err.txt)" = "1 1" ]; then
            named=$((named + 1))
            grep -q "run/$file\|text.txt:[0-9]\|not the text\|run: its \|tokenizer.json" err.txt ||
                found "byte $at of $file from $old to $new: it names another: $(cat err.txt)"
        elif [ "$file $code $(wc -l <err.txt)" = "config.json 64 1" ]; then
            named=$((named + 1)) # settings that do not go together
        elif [ "$code" -ne 0 ] || { [ -s err.txt ] && ! grep -q "kernel" err.txt; }; then
            found "byte $at of $file from $old to $new: status $code, $(cat err.txt)"
        elif [ $file = config.json ] && grep -Eq "$MAY_CHANGE" <<<"$line"; then
            edits=$((edits + 1))
        else
            case $file in tokenizer* | log.csv)
                for copy in run/$file run/checkpoint-*/$file; do
                    [ $at -ge "$(stat -c %s "$copy")" ] || put_byte "$copy" $at "$old"
                done ;;
            config.json) # the edit may stay, but not change the result
                jq -s '.[0].pulga.result = .[1].pulga.result | .[0]' whole-0/$file run/$file >$file
                mv $file run ;;
            esac
            must_be run 0 "byte $at of $file from $old to $new"
        fi
        count=$((count + 1))
    done
    echo "bytes flipped $(thousands $count): $(thousands $named) were named, $(thousands $edits)" \
        "edited what may change, the others make no difference (of model.safetensors, which is" \
        "written again, all)"
}
MAY_CHANGE='"(epochs|steps|patience|log-every|checkpoint-every|keep)"'

put_byte() { # FILE PLACE BYTE
    printf "\\$(printf %03o $3)" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

prepare
for part in "$@"; do
    ${part/:/ }
done
rm -rf "$WORK"
