# train.bats: what ./train prints, writes, refuses and resumes.
load programs.bash

@test "a run announces itself and writes its ten files" {
    "$BIN/train" perro.txt >out.txt
    for text in "floor 0.411980" 2.708050 2.479451 "101,056 parameters" "above the floor"; do
        grep -qF "$text" out.txt
    done
    grep -qxF "        $BIN/attend runs/perro 'el perro come un hueso' -o runs/perro/attention.html" \
        <(tail -n 1 out.txt)
    [ "$(cd runs/perro && echo *)" = "README.md config.json curve.svg log.csv model.safetensors \
receipt.txt state.safetensors text.txt tokenizer.json tokenizer_config.json" ]
    cmp perro.txt runs/perro/text.txt
    local columns=step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm
    [ "$(head -n 1 runs/perro/log.csv)" = "$columns,tokens_per_second,seconds" ]
    grep -q '"model_type":[[:space:]]*"gpt2"' runs/perro/config.json
    refutes -q $'\033' out.txt
}

@test "another run of a text is written beside the first; the same one is made again there" {
    "$BIN/train" perro.txt --steps 2 >out.txt
    refutes '^note' out.txt
    "$BIN/train" perro.txt --steps 3 |
        grep -qx "note    runs/perro holds an earlier run; this one is runs/perro-2"
    "$BIN/train" perro.txt --steps 2 >out.txt
    refutes '^note' out.txt
    grep -q '^run     runs/perro$' out.txt
    "$BIN/train" perro.txt --steps 3 | grep -q "^run     runs/perro-2$"
    echo "el gato come" >>perro.txt
    "$BIN/train" perro.txt --steps 2 | grep -q "^run     runs/perro-3$"
    # A run that took long, that has no result yet, or that is being trained, stays.
    for change in 's/"seconds":.*/"seconds": 60/' 's/"result"/"resutl"/'; do
        cp runs/perro-3/config.json old.json
        sed -i "$change" runs/perro-3/config.json
        "$BIN/train" perro.txt --steps 2 | grep -q "^run     runs/perro-4$"
        rm -r runs/perro-4
        cp old.json runs/perro-3/config.json
    done
    exec 9<runs/perro-3
    flock 9
    "$BIN/train" perro.txt --steps 2 | grep -q "^run     runs/perro-4$"
}

@test "a run is replaced only with --overwrite" {
    "$BIN/train" perro.txt --steps 3 --out here >/dev/null
    sha256sum here/* >before.txt
    refuses 1 here --overwrite --resume -- "$BIN/train" perro.txt --steps 3 --out here
    sha256sum --quiet -c before.txt
    "$BIN/train" perro.txt --steps 3 --seed 2 --out here --overwrite >/dev/null
    if sha256sum --quiet -c before.txt 2>/dev/null; then return 1; fi
}

@test "a directory with files that no run has written stays as it is, also with --overwrite" {
    for file in text.txt tokenizer.json tokenizer_config.json notes.txt; do
        rm -rf mine && mkdir mine && cp perro.txt mine/$file
        for how in "" --overwrite; do
            refuses 1 "mine has files that are not a run's, such as $file" -- \
                "$BIN/train" mine/$file --steps 1 --out mine $how
            [ "$(ls -A mine)" = $file ]
            cmp mine/$file perro.txt
        done
    done
}

@test "--steps 0 writes the initial model, which depends on the seed only" {
    "$BIN/train" perro.txt --steps 0 --out a | grep -q "train --resume a --steps 300$"
    "$BIN/train" perro.txt --steps 0 --out b --seed 2 >/dev/null
    "$BIN/train" perro.txt --steps 0 --out c --batch 2 --lr-factor 3 >/dev/null
    same_weights a c
    if same_weights a b; then return 1; fi
}

@test "neither the number of threads nor a stop changes a bit" {
    same_bits perro.txt --steps 40 --batch 4 --dropout 0.1 --eval-every 3 --log-every 1
    same_bits perro.txt --steps 12 --tokens char --sequence lines --norm post
    same_bits perro.txt --steps 12 --accumulate 2 --batch 5 --average \
        --attend 2,strided:2,fixed:3,summary:4:1
}

@test "a resumed run may become longer, but no other setting of the run can change" {
    "$BIN/train" perro.txt --epochs 20 --out run >/dev/null
    "$BIN/train" --resume run --epochs 30 | grep -q "rises for 2 steps,"
    tail -n 1 run/log.csv | grep -q "^30,"
    "$BIN/train" --resume run | grep -q "nothing was left to do"
    refuses 64 "already taken 30 steps" -- "$BIN/train" --resume run --steps 5
    tail -n 1 run/log.csv | grep -q "^30,"
    for option in "width 8" "lr 0.1" "seed 3" "eval-every 2" "cooldown 0.5" "attend 1,2" "untied" "val 0.1"; do
        refuses 64 "--${option% *}" "cannot change" -- "$BIN/train" --resume run --${option% *} \
            $([ "$option" = untied ] || echo "${option#* }")
    done
    refuses 64 TEXT -- "$BIN/train" perro.txt --resume run
}

@test "a run is resumed only on its own text" {
    "$BIN/train" perro.txt --steps 3 --out run >/dev/null
    rm run/text.txt
    refuses 1 run "--text FILE" -- "$BIN/train" --resume run
    echo "otra cosa" >other.txt
    refuses 1 other.txt "not the text" -- "$BIN/train" --resume run --text other.txt
    refuses 1 "standard input is not the text" -- \
        bash -c "'$BIN/train' --resume run --text - <other.txt"
    "$BIN/train" --resume run --text perro.txt --steps 6 >/dev/null
    # How the run came about stays as it was.
    grep -q '"command":.*perro.txt --steps 3 --out run"' run/config.json
    grep -q '"steps":[[:space:]]*6' run/config.json
}

@test "a run may start from another model" {
    "$BIN/train" perro.txt --steps 20 --layers 1 --window 2,3 --no-qkv-bias --positions learned \
        --activation gelu --untied --norm post --head-size 20 --lower --out first >/dev/null
    "$BIN/train" perro.txt --steps 0 --out second --from first >/dev/null
    same_weights first second
    cmp first/tokenizer.json second/tokenizer.json
    # Another text of the same words, in an order that gives them other ids.
    printf 'un gato come croquetas\nLA CUERDA\n' >other.txt
    "$BIN/train" other.txt --steps 6 --from first --layers 1 --window 2,3,2,3 --lower --out whole |
        grep -q "vocabulary 15"
    cmp first/tokenizer.json whole/tokenizer.json
    if same_weights first whole; then return 1; fi
    # Its own run, stopped and resumed, with the vocabulary that its text alone would not give.
    "$BIN/train" other.txt --steps 6 --from first --stop-after 3 --out parts >/dev/null
    "$BIN/train" --resume parts >/dev/null
    same_run whole parts
}

@test "a run that starts from a trained model keeps what that has learnt" {
    "$BIN/train" perro.txt --out first >/dev/null
    "$BIN/train" perro.txt --from first --epochs 10 --eval-every 1 --out second |
        grep -q "a tenth of a new run's rate"
    # The fourth column is the loss over the whole text; the first line is before any step.
    awk -F, '$1 == "0" { start = $4 } NR > 1 && $4 > start + 0.02 { print; wrong = 1 }
             END { exit wrong || !start }' second/log.csv
}

@test "a model of llama's shape is announced, stopped, resumed, verified and taken over" {
    "$BIN/train" perro.txt --shape llama --key-heads 2 --steps 30 --out whole >out.txt
    tr -s '\n ' ' ' <out.txt >flat.txt
    grep -q "context 8; 2 heads of keys, rotary positions, pre-norm, RMSNorm, silu, gated, tied" flat.txt
    [ "$(jq -r '.model_type, .num_key_value_heads, .intermediate_size' whole/config.json | paste -sd ' ')" = "llama 2 176" ]
    "$BIN/train" perro.txt --shape llama --key-heads 2 --steps 30 --stop-after 12 --out stopped >out.txt
    "$BIN/train" --resume stopped >out.txt
    same_run whole stopped
    "$BIN/train" --verify whole >out.txt
    grep -q "the same, bit by bit" out.txt
    "$BIN/train" perro.txt --from whole --steps 0 --out again >out.txt
    same_weights whole again
    refuses 64 "--norm post" "whole, which has pre" -- "$BIN/train" perro.txt --from whole --norm post --out other
}

@test "choices of the shape that do not go together are refused" {
    refuses 64 "--key-heads 3 does not divide --heads 4" -- "$BIN/train" perro.txt --key-heads 3
    refuses 64 "--positions rotary turns pairs" -- "$BIN/train" perro.txt --positions rotary --head-size 5
    [ ! -e runs ]
}

@test "options that contradict the model of --from are refused" {
    "$BIN/train" perro.txt --steps 0 --window 2 --out first >/dev/null
    while read -r option wanted; do
        refuses 64 "${option/=/ }" "first, which $wanted" -- \
            "$BIN/train" perro.txt $option --from first --out other
    done <<'END'
--layers=3 has 2
--tokens=char has word
--sequence=stream has lines
--context=4 has 8
--attend=3 has 2,2
--norm=post has pre
--untied was made without it
--lower was made without it
END
    refuses 64 "--min-count" first -- "$BIN/train" perro.txt --min-count 1 --from first --out other
    printf 'el perro\n\nun pero come\n' >unknown.txt
    refuses 1 "unknown.txt:3" "'pero'" "nearest: perro" -- \
        "$BIN/train" unknown.txt --from first --out other
    refuses 1 nowhere -- "$BIN/train" perro.txt --from nowhere --out other
    [ ! -e other ]
    # Unless it has a token for them.
    "$BIN/train" perro.txt --steps 0 --min-count 2 --out rare >/dev/null
    "$BIN/train" unknown.txt --steps 1 --from rare --out known >/dev/null
}

# What goes away sends its signal more than once: a terminal and its shell, a limit each second.
@test "a signal saves the run, which can be resumed; SIGHUP and SIGXCPU, however often they come" {
    seq 4000 | sed 's/./& /g' >digits.txt
    for end in "130 INT" "143 TERM" "129 HUP HUP HUP" "152 XCPU XCPU XCPU"; do
        start "$BIN/train" digits.txt --batch 4000 --val 0 --steps 100 --checkpoint-every 1 --out run \
            --overwrite
        await is_saved 1
        sleep 0.05
        stopped $end
        grep -q "^stopped by .* after step 2 of" out.txt
        grep -qx "        $BIN/train --resume run" out.txt
        is_saved 2
    done
    "$BIN/train" --resume run --stop-after 3 | grep -q "continues after step 2"
}

@test "Ctrl-C while the text is read says that nothing was written" {
    start "$BIN/train" - < <(exec sleep 20)
    await grep -qx train /proc/$PROCESS/comm
    await grep -q '^SigCgt:.*[2367abef]$' /proc/$PROCESS/status
    stopped 130 INT
    [ "$(cat err.txt)" = "train: stopped before the first step: nothing was written" ]
    [ ! -e runs ]
}

@test "Ctrl-C ends a long evaluation, and the resumed run has the same bits" {
    seq 160000 | sed 's/./& /g' >digits.txt
    local options="--tokens word --batch 1 --val 0.9 --eval-every 1 --log-every 2 --steps 2 --layers 1 --width 64"
    options+=" --checkpoint-every 1 --keep 2"
    "$BIN/train" digits.txt $options --out whole >/dev/null
    start "$BIN/train" digits.txt $options --out run
    await is_saved 0
    sleep 0.2 # the first step is short, the evaluation after it is not
    stopped 130 INT
    grep -q "^stopped by Ctrl-C in the evaluation after step 1 of 2, which the resumed" out.txt
    is_saved 1
    [ ! -e run/checkpoint-1 ] # it is made when its loss is known
    "$BIN/train" --resume run | grep -q "continues after step 1"
    same_run whole run
    same_run whole/checkpoint-1 run/checkpoint-1
    cmp <(grep -ao '"best_loss":"[^"]*"' whole/checkpoint-1/state.safetensors) \
        <(grep -ao '"best_loss":"[^"]*"' run/checkpoint-1/state.safetensors)
}

@test "a run that is stopped is evaluated, and ends as if it had not been when it is resumed" {
    local options="--steps 60 --eval-every 50 --checkpoint-every 30 --keep 3" step
    "$BIN/train" perro.txt $options --out whole >/dev/null
    for step in 30 55; do
        "$BIN/train" perro.txt $options --out run --overwrite --stop-after $step >out.txt
        grep -q "^best    step $step: " out.txt
        local model=$(sed -n 's/^model   \([0-9a-f]*\), .*/\1/p' out.txt)
        "$BIN/train" --compare run | grep -q " $step  .*$model"
        grep -q "after step $step of 60" run/README.md
        grep -q "$model" run/README.md
        "$BIN/train" --verify run >/dev/null
    done
    "$BIN/train" --resume run --stop-after 57 | grep -q "^best    step 57: "
    "$BIN/train" --resume run >/dev/null
    same_run whole run
    same_run whole/checkpoint-30 run/checkpoint-30
    # Nothing is worth less than random weights, but another model may be worth more.
    "$BIN/train" perro.txt --from whole --schedule constant --lr 9 --clip 0 --steps 40 \
        --stop-after 4 --out worse | grep -q "^best    step 0: "
}

@test "a second Ctrl-C ends the program at once" {
    seq 12000 | sed 's/./& /g' >digits.txt
    start "$BIN/train" digits.txt --batch 12000 --val 0 --steps 100 --out run
    await is_saved 0
    sleep 0.05
    stopped 130 INT INT
    refutes "^stopped by" out.txt
}

@test "a run that cannot be written is refused in one line" {
    "$BIN/train" perro.txt --steps 3 --out run >/dev/null
    mkdir blocked
    touch blocked/file
    refuses 1 "blocked/file" -- "$BIN/train" perro.txt --steps 3 --out blocked/file/run
    [ "$(id -u)" -eq 0 ] || { chmod a-w blocked
        refuses 1 "blocked" -- "$BIN/train" perro.txt --steps 3 --out blocked/run; }
}

@test "numbers have a decimal point in every locale" {
    LC_ALL=es_ES.UTF-8 LC_NUMERIC=de_DE.UTF-8 "$BIN/train" perro.txt --steps 5 --lr-factor 0.25 \
        --out run | grep -q "factor 0.25"
    refutes -q "[0-9],[0-9]*e" run/log.csv
    awk -F, 'NF != 10 { exit 1 }' run/log.csv
}

# on_terminal COLUMNS COMMAND: what it prints on a terminal, a line for each state of the status
# line, without escape sequences.
on_terminal() {
    script -qec "stty cols $1; $2" /dev/null | sed $'s/\r$//; s/\033\\[[0-9]*[mK]//g' |
        tr '\r' '\n'
}

# bats test_tags=long
@test "a terminal keeps the rows that a pipe gets, with a status line below" {
    needs_terminal
    export TERM=xterm
    "$BIN/train" perro.txt --out piped | grep -E "^ +[0-9]+ " | cut -c 1-55 >piped.txt
    on_terminal 80 "$BIN/train perro.txt --out run --no-plot" >terminal.txt
    grep -E "^ +[0-9]+ " terminal.txt | cut -c 1-55 | cmp - piped.txt
    [ "$(wc -l <piped.txt)" -eq 21 ]
    on_terminal 80 "$BIN/train perro.txt --steps 3000 --log-every 3000 --eval-every 3000 \
        --out long" | grep -qE "^step [0-9]+/3000  loss .* tokens/s  .* left$"
}

@test "validation keeps the best model, and --patience stops a run that does not improve" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --epochs 4 --out run >out.txt
    grep -q "held out for validation" out.txt
    grep -q "over the held-out text" out.txt
    # The last step is evaluated, whatever is asked for.
    "$BIN/train" "$ROOT/data/cuentos.txt" --val 0 --batch 1 --eval-every 100 --steps 40 \
        --stop-after 2 --out early | grep -q "^best    step 2: "
    # Without a rate nothing gets better: the second evaluation without gain ends the run.
    "$BIN/train" perro.txt --schedule constant --lr 0 --eval-every 2 --patience 2 --out still \
        >out.txt
    grep -q "^stopped after step 6 of .*: no better for 2 evaluations" out.txt
    grep -q "^best    step 2" out.txt
    grep -q -- "--resume still --patience 0" out.txt
    "$BIN/train" --resume still --patience 0 --stop-after 8 | grep -q "continues after step 6"
    tail -n 1 still/log.csv | grep -q "^8,"
    # A better evaluation renews the patience.
    "$BIN/train" perro.txt --schedule constant --lr 0.03 --layers 1 --width 16 --eval-every 1 \
        --patience 4 --steps 300 --out renewed >out.txt
    awk -F, 'NR == 2 || (NR > 2 && $4 < best) { best = $4; renewed += worse > 0; worse = 0; next }
        NR > 2 && ++worse == 4 { print $1; exit !renewed }' renewed/log.csv >last.txt
    grep -q "^stopped after step $(cat last.txt) of" out.txt
    # A run that is stopped in between has no more patience.
    "$BIN/train" perro.txt --schedule constant --lr 0 --eval-every 2 --patience 2 --stop-after 5 \
        --out parts >/dev/null
    "$BIN/train" --resume parts | grep -q "^stopped after step 6 of"
}

# bats test_tags=long
@test "counting is a yardstick on a part that is held out" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --steps 20 --out run >out.txt
    grep -q "^        counting reaches 0.988677 on the held-out part (Kneser-Ney, order 8)" out.txt
    grep -q "^        [0-9.]* above what counting reaches: counting predicts this text" out.txt
    "$BIN/train" --resume run --steps 30 >out.txt
    grep -q "counting reaches 0.988677" out.txt
    grep -q ">counting 0.9887<" run/curve.svg
    grep -q '"counting":[[:space:]]*0.98867' run/config.json
    "$BIN/attend" run "El gato" -o page.html
    grep -q '"counting":0.98867' page.html
    yes 'uno dos tres cuatro' | head -n 100 >same.txt
    "$BIN/train" same.txt --sequence stream --val 0.2 --steps 200 --out same >out.txt
    grep -q "^        [0-9.]* below what counting reaches" out.txt
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --val 0.5 --steps 0 --out half >out.txt
    grep -A 9 "a sample of 8,[0-9]* tokens" out.txt | grep -q "counting reaches [0-9.]* on that sample"
}

@test "the last line is a command for the shell, whatever the run is called" {
    for name in plain "it's" '"$HOME" \ `id` *' ñandú '~' '-a'; do
        "$BIN/train" perro.txt --steps 4 --stop-after 2 "--out=$name" >out.txt
        grep -q "^next    " <(tail -n 2 out.txt)
        eval "$(tail -n 1 out.txt | cut -c 9-)" >out.txt
        grep -q "^next    train it longer:" out.txt
        eval "$(tail -n 1 out.txt | cut -c 9-)" >out.txt
        tail -n 1 "./$name/log.csv" | grep -q "^8,"
    done
    # So can the command to try it; a name with a dash is no option there.
    "$BIN/train" perro.txt --steps 2 --out=-b >out.txt
    eval "$(sed -n '/^try /{n;p}' out.txt) el --count 0" | grep -q muchacho
}

@test "muon: queries that have one key only, and so no gradient, do no harm" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --window 1 --steps 3 --out run >out.txt 2>err.txt
    [ ! -s err.txt ]
    grep -q "optimizer Muon" out.txt
}

@test "curve.svg is drawn from the log, the same for a run that was stopped and resumed" {
    "$BIN/train" perro.txt --steps 40 --out whole >/dev/null
    xmllint --noout whole/curve.svg
    grep -q ">floor 0.412<" whole/curve.svg
    grep -q "all text: the least is $(awk -F, '$1 == 40 { printf "%.6g", $4 }' whole/log.csv), " \
        whole/curve.svg
    # tests/programs/train/curve.c has what a point is; this is how many programs.md says.
    local points
    points=$(sed -n 's/.*CURVE_POINTS = \([0-9]*\) .*/\1/p' "$ROOT/programs/train/curve.h")
    grep -q "Up to $((points - 1)) steps each row is a point" "$ROOT/docs/programs.md"
    mkdir '<&' && cd '<&'
    "$BIN/train" ../perro.txt --steps 40 --stop-after 17 --out whole >/dev/null
    # Someone has put something else there: the next save draws it.
    rm whole/curve.svg && ln -s ../perro.txt whole/curve.svg
    "$BIN/train" --resume whole >/dev/null
    cmp whole/curve.svg ../whole/curve.svg
    [ ! -L whole/curve.svg ]
    cd ..
    "$BIN/train" perro.txt --steps 1 --out '<&/run' >/dev/null
    xmllint --noout '<&/run/curve.svg'
}

@test "a curve that cannot be drawn costs no save" {
    mkdir -p run/curve.svg 2>/dev/null
    refuses 1 curve.svg "another --out" -- "$BIN/train" perro.txt --steps 4 --out run
    rm -r run
    "$BIN/train" perro.txt --steps 4 --stop-after 2 --out run >/dev/null
    rm run/curve.svg && mkdir run/curve.svg
    "$BIN/train" --resume run >out.txt 2>err.txt
    grep -q "^train: cannot write run/curve.svg: " err.txt
    [ "$(wc -l <err.txt)" -eq 1 ]
    grep -q "^best " out.txt
    rmdir run/curve.svg
    "$BIN/train" --resume run >/dev/null # saves once more
    "$BIN/train" perro.txt --steps 4 --out whole >/dev/null
    same_run whole run
}

@test "--json prints the rows of the log and the end, and a reader that leaves stops the run" {
    "$BIN/train" perro.txt --show 1 --prompt el --json >out.jsonl
    jq -s -e '.[0] == {run: "runs/perro", step: 0, steps: 300, parameters: 101056}
        and (.[1:-1] | map(.step)) == [range(0; 301; 15)] and .[-2].shown[0] != null
        and .[-1] == {run: "runs/perro", step: 300, best_step: 300, best_loss: .[-2].evaluated,
                      checksum: "e934a89039392319", stopped: null, saved: true}' out.jsonl
    columns='step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,tokens_per_second,seconds'
    [ "$(jq -r 'keys_unsorted[:-1] | join(",")' out.jsonl | sed -n 2p)" = "$columns" ]
    [ "$(head -n 1 runs/perro/log.csv)" = "$columns" ]
    "$BIN/train" perro.txt --patience 1 --lr-factor 0 --steps 100 --out worse --json |
        jq -s -e '.[-1] | .stopped == "--patience" and .step < 100'
    "$BIN/train" perro.txt --stop-after 3 --out short --json |
        jq -s -e '.[-1] | .stopped == "--stop-after" and .step == 3'

    # One object a second, however rare the rows are; then nobody reads.
    seq 4000 | sed 's/./& /g' >digits.txt
    timeout 60 "$BIN/train" digits.txt --val 0 --steps 100000 --eval-every 50000 --log-every 50000 \
        --out run --json | sed 3q | jq -s -e 'map(.step) | .[2] > .[1]'
    [ "${PIPESTATUS[0]}" = 141 ] # SIGPIPE
    jq -e '.pulga.result.step > 0' run/config.json
    refuses 64 "--json does not go with --compare" -- "$BIN/train" --compare run --json
}

@test "the losses are plotted at the end on a terminal, unless --no-plot is given" {
    needs_terminal
    export LC_ALL=C.UTF-8 TERM=xterm
    on_terminal() { script -qec "stty cols 80; $BIN/train perro.txt --steps 40 $*" /dev/null | tr -d '\r'; }
    on_terminal --out a >out.txt
    grep -q "the loss over the steps, logarithmic; larger in a/curve.svg" out.txt
    grep -q "╌.* floor 0.412$" out.txt
    grep -q $'\033\\[1m' out.txt # bold
    NO_COLOR=1 LC_ALL=C on_terminal --out b >out.txt
    grep -q -- "|-*.*- floor 0.412$" out.txt
    refutes $'\033\\[1m' out.txt
    on_terminal --out c --no-plot >out.txt
    refutes 'loss over the steps' out.txt
}

@test "a run that is killed before its first step can be resumed" {
    start "$BIN/train" perro.txt --steps 100000 --log-every 1000000 --out run
    await is_saved 0
    stopped 137 KILL
    "$BIN/train" --resume run --stop-after 3 >/dev/null
    tail -n 1 run/log.csv | grep -q "^0,"
}

@test "the name of a run gives no orders to the terminal" {
    for name in $'a\nb\tc' $'\xc2\x9b31m\033[1m\\'\'; do
        "$BIN/train" perro.txt --steps 4 --stop-after 2 "--out=$name" >out.txt
        LC_ALL=C refutes -q $'[[:cntrl:]]\|\xc2\x9b' out.txt
        [ -s "$name/model.safetensors" ]
    done
}

@test "--val-text holds out a file: exactly its lines, or its bytes" {
    head -700 "$ROOT/data/cuentos.txt" >a.txt
    tail -n +701 "$ROOT/data/cuentos.txt" >b.txt
    local tokens
    for tokens in word bpe char; do
        "$BIN/train" a.txt --val-text b.txt --tokens $tokens --steps 2 --out $tokens >out.txt
        "$BIN/train" --resume $tokens --steps 3 >/dev/null
        "$BIN/train" --verify $tokens a.txt b.txt | grep -q 'the same, bit by bit'
        # What was held out is what --score reads, and the loss is the same.
        [ $tokens = word ] || continue
        loss=$(jq '.pulga.result.best_loss' word/config.json)
        "$BIN/sample" word --score b.txt | grep -qF "$(printf %.4f "$loss")"
    done
    [ "$(jq '.pulga["val-seed"]' bpe/config.json)" = 0 ]
    # Characters: one token each.
    [ "$(jq ".pulga.val * ($(cat a.txt b.txt | wc -m)) | round" char/config.json)" = "$(wc -m <b.txt)" ]
    # The vocabulary of subwords knows nothing of the file that is held out.
    printf '%0500d\n' 0 >zeros.txt
    "$BIN/train" a.txt --val-text zeros.txt --tokens bpe --steps 0 --out zeros >/dev/null
    refutes '"0000"' zeros/tokenizer.json
    # However much is held out, it is evaluated five times.
    seq 1 300 | sed 's/.*/a& b&/' >other.txt
    "$BIN/train" perro.txt --val-text other.txt --out other >out.txt
    [ "$(awk -F, 'NR > 1 && $4' other/log.csv | wc -l)" -ge 5 ]
    grep -q "^next    no better since step" out.txt
    "$BIN/train" perro.txt --val-text other.txt --steps 200 --eval-every 200 --out last |
        grep -q "worse than a uniform guess"
    refuses 64 "leave out --val" -- "$BIN/train" a.txt --val-text b.txt --val 0.1
    refuses 64 "needs a file" -- "$BIN/train" a.txt --val-text -
    refuses 1 "word is a directory, and a text is a file" -- "$BIN/train" word
    refuses 64 "--val-text is for a new run" -- "$BIN/train" --resume word --val-text b.txt
}

@test "a run that evaluates samples does so early, and keeps its loss over all that is held out" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --val 0.5 --layers 1 --heads 1 --width 8 \
        --context 64 --batch 64 --steps 200 --eval-every 60 --out run >out.txt
    grep -qE '^ +10 +[0-9.]+ +[0-9.]+ +[0-9.]+ +3.95e-02' out.txt
    whole=$(sed -n 's/^ *\([0-9.]*\) over 12,202 of 16,938 held-out tokens.*/\1/p' out.txt)
    [ "$(jq .pulga.result.whole_tokens run/config.json)" = 12202 ]
    [ "$(printf %.6f "$(jq .pulga.result.whole_loss run/config.json)")" = "$whole" ]
    # One run is compared by it, two only if both have it.
    "$BIN/train" --compare run | grep -qE "^run +$whole "
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --val 0.5 --steps 0 --out untrained >/dev/null
    sampled=$(printf %.6f "$(jq .pulga.result.best_loss run/config.json)")
    "$BIN/train" --compare run untrained | grep -qE "^run +$sampled "
    grep -qF "**whole**: $whole over 12,202 of 16,938" run/README.md
    # A run that was killed after its last step gets it when it is resumed.
    jq -c 'del(.pulga.result)' run/config.json >config.json
    cp config.json run
    "$BIN/train" --resume run >/dev/null
    [ "$(printf %.6f "$(jq .pulga.result.whole_loss run/config.json)")" = "$whole" ]
}

@test "--minutes measures some steps, and plans as many as fit" {
    "$BIN/train" perro.txt --minutes 0.02 --out short >out.txt
    short=$(jq .pulga.steps short/config.json)
    [ "$short" -gt 5 ] && [ "$short" -lt 30000 ] # a step takes from 0.04 ms to 0.2 s
    tail -n 1 short/log.csv | grep -q "^$short,"
    # The steps that were measured have left nothing: it is the run of so many steps.
    "$BIN/train" perro.txt --steps "$short" --out steps >/dev/null
    same_run short steps
    refuses 64 "give one of them" -- "$BIN/train" perro.txt --minutes 1 --steps 3
    refuses 64 "--minutes is for a new run" -- "$BIN/train" --resume short --minutes 1
}

@test "a run stops by itself if a small text gets no better, unless its length is given" {
    awk 'BEGIN { for (i = 0; i < 300; i++) { r = (r * 16807 + 7) % 2147483647; s = r
        for (k = 0; k < 4; k++) { printf "%s ", substr("abcdefghij", s % 10 + 1, 1); s = int(s / 10) }
        print "" } }' >noise.txt
    local few="--width 16 --heads 2 --layers 1 --out run"
    "$BIN/train" noise.txt $few >out.txt
    grep -qE "^stopped after step [0-9]+ of [0-9]+: no better for 4 evaluations" out.txt
    grep -q "^next    no better since step [0-9]*: more steps will not help" out.txt
    steps=$(sed -n 's/^stopped after step [0-9]* of \([0-9]*\):.*/\1/p' out.txt)
    # Whoever asks for more gets more.
    stopped=$(tail -n 1 run/log.csv | cut -d, -f 1)
    "$BIN/train" --resume run --steps $((steps + 10)) >/dev/null
    [ "$(tail -n 1 run/log.csv | cut -d, -f 1)" -gt "$stopped" ]
    "$BIN/train" noise.txt $few --overwrite --steps "$steps" >out.txt
    refutes "^stopped" out.txt
}
