# safety.bats: a run survives what is done to it from outside. make torture is the long form of the
# first five tests.
load programs.bash

# torture PART EVERY: a short form of one part; skipped if the kernel or the user may not do it.
torture() {
    BIN=$BIN BUILD=$BUILD TORTURE_EVERY=$2 TORTURE_SECONDS=60 "$ROOT/tests/torture/torture.bash" \
        "$1" >out.txt || { cat out.txt; return 1; }
    if grep skipped out.txt; then skip "$(cat out.txt)"; fi
}

@test "runs that are stopped at random moments come to the same bits" { torture kills:30 1; }

@test "a run that is killed before any call that changes a file comes to the same bits" {
    torture points 17
}

@test "any call that changes a file may fail, once or from then on, and the run can be resumed" {
    torture faults 97
}

@test "a full disk and a read-only one cost nothing that was saved" { torture disks 9; }

@test "a flipped byte is reported or makes no difference" { torture flips:35 1; }

@test "a file is synced before it is renamed, and its directory after" {
    "$BUILD/tests/faults" calls.txt count 0 "$BIN/train" perro.txt --steps 6 --checkpoint-every 2 \
        --keep 1 --out run >/dev/null || { [ $? -eq 77 ] && skip "no seccomp here"; }
    # Except for a checkpoint that is renamed to be removed.
    tr '\n' ' ' <calls.txt | sed 's/rename open open unlink/removed/g' >line.txt
    [ "$(grep -o "rename" line.txt | wc -l)" -gt 15 ]
    [ "$(grep -o "fsync rename fsync" line.txt | wc -l)" -eq \
        "$(grep -o "rename" line.txt | wc -l)" ]
}

# A run that takes long.
begin_long() {
    start "$BIN/train" perro.txt --steps 300000 --log-every 1000000 --out run
    await [ -e run/state.safetensors ]
}

@test "a run that is being trained refuses a second train, until the first has ended" {
    begin_long
    refuses 1 "another train" run -- "$BIN/train" --resume run --stop-after 1
    refuses 1 "another train" run -- "$BIN/train" perro.txt --out run --overwrite --steps 1
    refuses 1 "another train" run -- "$BIN/train" perro.txt --out run
    "$BIN/sample" run el --count 1 >/dev/null # reading is allowed
    stopped 137 KILL
    "$BIN/train" --resume run --stop-after 2 >/dev/null
    "$BIN/train" perro.txt --out run --overwrite --steps 2 >/dev/null
}

@test "a copy made of hard links leaves its original alone" {
    local small=(--layers 1 --heads 1 --width 8 --steps 12)
    "$BIN/train" perro.txt --out run "${small[@]}" --stop-after 5 >/dev/null
    cp -al run copy
    cp -r run before
    "$BIN/train" --resume copy --stop-after 9 >/dev/null
    diff -r run before
    "$BIN/train" --resume copy >/dev/null
    "$BIN/train" --resume run >/dev/null
    same_run run copy
    rm -rf copy && cp -al run copy
    rm -rf before && cp -r run before
    "$BIN/train" perro.txt --out copy --overwrite "${small[@]}" --stop-after 1 >/dev/null
    diff -r run before
}

@test "runs that start at once take names of their own" {
    for i in 1 2 3 4 5 6; do
        "$BIN/train" perro.txt --steps 20 --threads 1 >$i.txt 2>&1 &
    done
    wait
    [ "$(ls runs | wc -l)" -eq 6 ]
    for run in runs/*; do cmp runs/perro/model.safetensors $run/model.safetensors; done
    # If all are given the same name, one trains.
    for i in 1 2 3 4 5 6; do
        { "$BIN/train" perro.txt --steps 200 --threads 1 --out one >/dev/null 2>$i.txt &&
            echo $i >>trained.txt; } &
    done
    wait
    [ "$(wc -l <trained.txt)" -eq 1 ]
    [ "$(cat [1-6].txt | grep -c "another train\|holds a ")" -eq 5 ]
}

@test "a run that is moved while it trains is saved where it is now" {
    local options="--layers 1 --width 16 --heads 2 --steps 3000 --checkpoint-every 100 --keep 1"
    "$BIN/train" perro.txt $options --out whole >/dev/null
    start "$BIN/train" perro.txt $options --out run
    await is_saved "[1-9][0-9]*"
    mv run away
    stopped 0
    [ ! -s err.txt ]
    [ ! -e run ]
    same_run whole away
    same_run whole away/checkpoint-3000
    # One that is removed is not made again: the next save ends the run, in one line. The save that it
    # was removed in may have failed before.
    start "$BIN/train" perro.txt $options --out gone
    await [ -e gone/state.safetensors ]
    mv gone away-too
    until rm -rf away-too 2>/dev/null; do :; done # a save may come in between
    stopped 1
    [ ! -e gone ]
    [ "$(tail -n 1 err.txt)" = \
        "train: gone was removed during training: there is no place to save to" ]
    refutes -v "^train: cannot [a-z]* gone.*: No such file\|was removed" err.txt
}

@test "--overwrite removes neither its own text nor the model it starts from" {
    local small=(--layers 1 --heads 1 --width 8 --steps 2)
    "$BIN/train" perro.txt --out run "${small[@]}" --checkpoint-every 1 --keep 1 >/dev/null
    cp -r run before
    ln -s run/text.txt link.txt
    for text in run/text.txt link.txt run/checkpoint-2/text.txt run/log.csv - ; do
        refuses 1 "copy it elsewhere first" -- bash -c \
            '"$0" "$@" <run/text.txt' "$BIN/train" $text --out run --overwrite "${small[@]}"
    done
    for parent in run ./run run/checkpoint-2; do
        refuses 1 "--from" "--overwrite" -- \
            "$BIN/train" perro.txt --out run --overwrite --from $parent --steps 2
    done
    diff -r run before
    # Into another directory both are as good as any.
    "$BIN/train" run/text.txt --from run --out next --steps 1 >/dev/null
    diff -r run before
}

@test "a person may edit the files of their own model" {
    "$BIN/train" perro.txt --steps 4 --stop-after 2 --out run >/dev/null
    "$BIN/sample" run un gato --greedy >before.txt
    cp -r run edited
    sed -i '1a "note": "my first model",' edited/config.json
    sed -i 's/"version":[[:space:]]*"1.0"/"version": "1.0", "note": "mine"/' edited/tokenizer.json
    "$BIN/sample" edited un gato --greedy | cmp - before.txt
    # A note does not make another run of it, and survives a change of the settings.
    "$BIN/train" --resume edited --steps 6 >/dev/null
    grep -q "my first model" edited/config.json
    "$BIN/train" --resume run --steps 6 >/dev/null
    same_run run edited
    # Another setting does: the model is read, the run is not resumed.
    sed -i 's/"decay":[[:space:]]*0.01/"decay": 0.02/' edited/config.json
    "$BIN/sample" edited un gato >/dev/null
    refuses 1 edited "was changed" --from -- "$BIN/train" --resume edited --steps 8
}

@test "a checkpoint of a run whose files are links has the files" {
    local small=(--layers 1 --heads 1 --width 8 --steps 8)
    "$BIN/train" perro.txt --out run "${small[@]}" --stop-after 4 --checkpoint-every 2 --keep 9 \
        >/dev/null
    mkdir blobs
    for file in text.txt tokenizer.json tokenizer_config.json; do
        mv run/$file blobs/
        ln -s ../blobs/$file run/$file
    done
    "$BIN/train" --resume run >/dev/null
    "$BIN/sample" run/checkpoint-8 el --count 1 >/dev/null
    "$BIN/train" --resume run/checkpoint-6 >/dev/null
    same_run run run/checkpoint-6
}

@test "a file that may not grow is a save that fails" {
    "$BIN/train" perro.txt --steps 4 --stop-after 2 --out run >/dev/null
    cp -r run before
    refuses 1 run/model.safetensors "too large" -- \
        bash -c "ulimit -f 100; '$BIN/train' --resume run"
    cmp run/state.safetensors before/state.safetensors
    [ "$(ls -A run)" = "$(ls -A before)" ]
    tr -s " \n" " " <out.txt |
        grep -q "step 4 is not saved; the save of step 2 is still complete; make room"
    "$BIN/train" --resume run >/dev/null
}

@test "as many checkpoints as asked for are kept, and each can be read and resumed" {
    local options="--steps 30 --checkpoint-every 5 --keep 3"
    "$BIN/train" perro.txt $options --out run --stop-after 22 >/dev/null
    "$BIN/train" --resume run >/dev/null
    [ "$(cd run && echo checkpoint-*)" = "checkpoint-20 checkpoint-25 checkpoint-30" ]
    "$BIN/train" perro.txt --steps 30 --stop-after 20 --out other >/dev/null
    cmp run/checkpoint-20/model.safetensors other/model.safetensors
    "$BIN/sample" run/checkpoint-20 el --count 1 >/dev/null
    cp -r run/checkpoint-20 back
    "$BIN/train" --resume back | grep -q "continues after step 20"
    same_run run back
    # One that a kill has kept from being made is made up for.
    cp -r run/checkpoint-20 late
    "$BIN/train" --resume late --stop-after 22 >/dev/null
    [ "$(cd late && echo checkpoint-*)" = "checkpoint-20" ]
    # A checkpoint does not change when the run goes on.
    "$BIN/train" --resume run --steps 40 --keep 1 >/dev/null
    [ "$(cd run && echo checkpoint-*)" = "checkpoint-40" ]
    # Another run in the same directory begins without them.
    "$BIN/train" perro.txt --steps 3 --out run --overwrite >/dev/null
    [ "$(cd run && echo checkpoint-*)" = "checkpoint-*" ]
}

@test "a checkpoint that fails at the end is made up for, or the status is 1" {
    local options="--steps 4 --checkpoint-every 2 --keep 1 --threads 1" call code=0
    "$BUILD/tests/faults" calls.txt count 0 "$BIN/train" perro.txt $options --out run >/dev/null ||
        { [ $? -eq 77 ] && skip "no seccomp here"; }
    call=$(grep -n mkdir calls.txt | tail -n 1 | cut -d: -f1)
    rm -r run
    "$BUILD/tests/faults" calls.txt EIO $call "$BIN/train" perro.txt $options --out run >/dev/null \
        2>err.txt
    [ "$(cat err.txt)" = "train: cannot make run/checkpoint-4: Input/output error" ]
    [ "$(cd run && echo checkpoint-*)" = "checkpoint-4" ]
    rm -r run
    "$BUILD/tests/faults" calls.txt EIO $call+ "$BIN/train" perro.txt $options --out run \
        >/dev/null 2>err.txt || code=$?
    [ $code -eq 1 ]
    [ "$(cd run && echo checkpoint-*)" = "checkpoint-2" ]
    "$BIN/train" --resume run >/dev/null
    [ "$(cd run && echo checkpoint-*)" = "checkpoint-4" ]
}

@test "files of others among the checkpoints stay" {
    "$BIN/train" perro.txt --steps 12 --checkpoint-every 2 --keep 2 --out run --stop-after 4 \
        >/dev/null
    echo mine >run/checkpoint-2/notes.txt
    mkdir elsewhere && cp run/config.json elsewhere
    ln -s ../elsewhere run/checkpoint-1
    ln -s ../elsewhere run/.checkpoint-9
    "$BIN/train" --resume run >/dev/null
    [ "$(cat run/checkpoint-2/notes.txt)" = mine ]
    [ -s run/checkpoint-2/state.safetensors ]
    [ -s elsewhere/config.json ]
    # If only checkpoints are left of a run, they are not overwritten unasked.
    rm run/*.* run/.[a-z]* 2>/dev/null || true
    refuses 1 run --overwrite -- "$BIN/train" perro.txt --steps 2 --out run
}

@test "a save whose log cannot be written fails, and no line is lost" {
    local options="--steps 8 --checkpoint-every 2 --log-every 1 --threads 1" calls last
    "$BUILD/tests/faults" calls.txt count 0 "$BIN/train" perro.txt $options --out whole \
        >/dev/null || { [ $? -eq 77 ] && skip "no seccomp here"; }
    # Its sync comes between the directory's, after the model, and what the state begins with.
    calls=$(awk '{ call[NR] = $1 } END { for (n = 3; n < NR; n++)
        if (call[n - 1] call[n] call[n + 1] == "fsyncfsyncopen") print n }' calls.txt)
    [ "$(wc -w <<<"$calls")" -eq 4 ] # the first save has the header to write, too
    last=${calls##*$'\n'}
    for call in $calls $last+; do
        local code=0
        rm -rf run
        "$BUILD/tests/faults" calls.txt EIO $call "$BIN/train" perro.txt $options --out run \
            >out.txt 2>err.txt || code=$?
        [ "$(head -n 1 err.txt)" = "train: cannot write run/log.csv: Input/output error" ]
        case $call in
        *+)
            [ $code -eq 1 ]
            "$BIN/train" --resume run >/dev/null ;;
        *)
            [ $code -eq 0 ]
            [ "$(wc -l <err.txt)" -eq 1 ] ;;
        esac
        same_run whole run
    done
}

@test "a state of another run is refused" {
    "$BIN/train" perro.txt --steps 8 --stop-after 4 --out run >/dev/null
    "$BIN/train" perro.txt --steps 8 --stop-after 4 --seed 2 --out other >/dev/null
    cp other/state.safetensors run
    refuses 1 "belongs to another run" run/state.safetensors -- "$BIN/train" --resume run
}

@test "a run in bfloat16 that is resumed with another kernel is warned about" {
    "$BIN/train" perro.txt --precision bf16 --steps 2 --out half >/dev/null 2>&1 ||
        skip "this machine has no bfloat16"
    "$BIN/train" --resume half --steps 3 2>err.txt >/dev/null
    [ ! -s err.txt ]
    sed -i 's/"kernel":[^,]*/"kernel": "other"/' half/config.json
    refuses 0 "begun with the kernel other" "not to the same bits" -- \
        "$BIN/train" --resume half --steps 4
}

@test "a start that failed or was killed can be made again" {
    mkdir begun empty
    : >begun/.config.json.0123abcd.new # a kill before anything was there
    "$BIN/train" perro.txt --steps 1 --out begun >/dev/null
    [ ! -e begun/.config.json.0123abcd.new ]
    "$BIN/train" perro.txt --steps 1 --out empty >/dev/null
    rm begun/state.safetensors begun/model.safetensors
    refuses 1 begun "--overwrite" -- "$BIN/train" perro.txt --steps 1 --out begun
    refuses 1 begun "--overwrite" -- "$BIN/train" --resume begun
    "$BIN/train" perro.txt --steps 1 --out begun --overwrite >/dev/null
}

@test "attend and export leave nothing behind if they fail" {
    "$BIN/train" perro.txt --activation gelu --steps 1 --out run >/dev/null
    (ulimit -f 8
     refuses 1 "o.gguf: File too large" -- "$BIN/export" run o.gguf
     refuses 1 "page.html: File too large" -- "$BIN/attend" run el -o page.html)
    rm run/log.csv
    mkdir run/log.csv
    refuses 1 "run/log.csv is a directory" -- "$BIN/attend" run el -o page.html
    [ -z "$(find . -name '*.new')" ]
}

@test "a run that was moved away leaves its successor alone" {
    begin_long
    await grep -q "^ *0 " out.txt # it saves next when it is stopped
    mv run away
    "$BIN/train" perro.txt --steps 2 --out run >/dev/null
    cp -r run other
    "$BIN/train" --resume away >/dev/null 2>second.txt || true
    grep -q "another train is writing to away" second.txt
    stopped 143 TERM
    [ ! -s err.txt ]
    diff -r run other
    "$BIN/train" --resume away --stop-after 1 >/dev/null
}
