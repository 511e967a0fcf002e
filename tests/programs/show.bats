# show.bats: train --show, which prints what the model writes at each evaluation.
load programs.bash

small="--layers 1 --width 16 --heads 2 --threads 1 --steps 12 --eval-every 4"

# What was kept in a run: the numbers of the steps, or the texts.
steps_of() { sed 's/^{"step":\([0-9]*\),.*/\1/' "$1/shown.jsonl" | tr '\n' ' '; }
texts_of() { sed 's/.*"text":"\(.*\)","ended".*/\1/' "$1/shown.jsonl"; }

@test "--show prints continuations below each evaluation, and the run keeps them" {
    "$BIN/train" perro.txt $small --show 2 --prompt "El perro" --out run >out.txt
    [ "$(steps_of run)" = "0 0 4 4 8 8 12 12 " ]
    [ "$(grep -c '"prompt":"El perro","text":"el perro' run/shown.jsonl)" -eq 8 ]
    grep -A2 '^ *12 ' out.txt | sed 1d | sed 's/^        //; s/ …$//' >printed.txt
    cmp printed.txt <(texts_of run | tail -n 2)
    # As sample draws them from such weights.
    "$BIN/train" perro.txt $small --steps 4000 --eval-every 4000 --show 3 --prompt "un" --out long >out.txt
    while read -r line; do grep -qxF "$line" perro.txt; done < <(texts_of long | tail -n 3)
    # Without a prompt, in a stream without an end, the first word is drawn.
    "$BIN/train" perro.txt $small --show 1 --sequence stream --out stream >/dev/null
    [ "$(grep -c '"prompt":"\([a-z]*\)","text":"\1 .*"ended":false' stream/shown.jsonl)" -eq 4 ]
    # Without --show there is no such file.
    "$BIN/train" perro.txt $small --out plain >/dev/null
    [ ! -e plain/shown.jsonl ]
}

@test "--show changes nothing of the model" {
    for options in "" "--average" "--objective masked --dropout 0.1" "--tokens bpe --vocabulary 270" \
        "--tokens char --attend 3,all --context 70 --batch 1"; do
        local prompt="el perro"
        [[ $options != *masked* ]] || prompt="el [mask] come"
        rm -rf with without
        "$BIN/train" perro.txt $small $options --out without >/dev/null
        "$BIN/train" perro.txt $small $options --out with --show 3 --prompt "$prompt" >/dev/null
        same_run with without
        [ "$(wc -l <with/shown.jsonl)" -eq 12 ]
    done
}

@test "a resumed run keeps what was shown once, and may be shown something else" {
    local options="$small --show 2 --prompt un"
    "$BIN/train" perro.txt $options --out whole >whole.txt
    "$BIN/train" perro.txt $options --out run --stop-after 6 >/dev/null
    [ "$(steps_of run)" = "0 0 4 4 " ]
    cp -r run other
    # What a killed run has written after its last save is cut off, and so is half a line.
    { grep '"step":8,' whole/shown.jsonl; printf '{"step":12,"prom'; } >>run/shown.jsonl
    "$BIN/train" --resume run >rest.txt
    same_run run whole
    cmp run/shown.jsonl whole/shown.jsonl
    cmp <(grep -A2 '^ *12 ' rest.txt | sed 1d) <(grep -A2 '^ *12 ' whole.txt | sed 1d)
    # Removed, it begins again.
    rm -rf run && cp -r other run && rm run/shown.jsonl
    "$BIN/train" --resume run 2>err.txt >/dev/null
    [ ! -s err.txt ]
    [ "$(steps_of run)" = "8 8 12 12 " ]
    "$BIN/train" --resume other --show 1 --prompt "el gato" --stop-after 9 >/dev/null
    [ "$(tail -n 1 other/shown.jsonl | cut -c 1-40)" = '{"step":8,"prompt":"el gato","text":"el ' ]
    "$BIN/train" --resume other --show 0 >/dev/null
    [ "$(steps_of other)" = "0 0 4 4 8 " ]
    same_weights other whole
    # A new run in its place has none of it.
    "$BIN/train" perro.txt $small --out whole --overwrite >/dev/null
    [ ! -e whole/shown.jsonl ]
}

@test "a checkpoint has what was shown until then" {
    "$BIN/train" perro.txt $small --show 1 --out run --checkpoint-every 6 --keep 2 >/dev/null
    [ "$(steps_of run/checkpoint-6)" = "0 4 " ]
    cp -r run before
    "$BIN/train" --resume run/checkpoint-6 --steps 16 >/dev/null
    [ "$(steps_of run/checkpoint-6)" = "0 4 8 12 16 " ]
    cmp run/shown.jsonl before/shown.jsonl
}

@test "a prompt that the model cannot answer is refused before anything is written" {
    refuses 64 "does not know 'zebra'" -- "$BIN/train" perro.txt --show 1 --prompt "un zebra"
    refuses 64 "--show too" -- "$BIN/train" perro.txt --prompt un
    refuses 64 "needs a --prompt" pairs -- "$BIN/train" "$ROOT/data/traducciones.tsv" --show 1
    refuses 64 "has no gap" -- "$BIN/train" perro.txt --objective masked --show 1 --prompt "el perro"
    [ ! -e runs ]
    "$BIN/train" perro.txt $small --out run >/dev/null
    refuses 64 "does not know 'zebra'" -- "$BIN/train" --resume run --steps 14 --show 1 --prompt zebra
}

@test "a team shows what one process does" {
    needs_mpi
    local options="$small --shards 2 --show 2 --prompt un"
    "$BIN/train" perro.txt $options --out one >/dev/null
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 by 2 "$BUILD/mpi/train" perro.txt $options --out two >/dev/null
    same_weights one two
    cmp one/shown.jsonl two/shown.jsonl
}
