# counts.bats: runs that keep the counts of their text, mixed with the model.
load programs.bash

# result RUN FIELD: a number of the result in config.json.
result() {
    jq -r ".pulga.result.$2" "$1/config.json"
}

# bats test_tags=long
@test "counting and the model together reach less than each alone" {
    cuentos=$ROOT/data/cuentos.txt
    "$BIN/train" "$cuentos" --tokens char --counts --epochs 10 --out run >out.txt
    grep -q "^        [0-9,]* more are set aside to learn the share of counting" out.txt
    best=$(result run best_loss) counting=$(result run counting) mixed=$(result run mixed_loss)
    awk "BEGIN { exit !($mixed < $best - 0.03 && $mixed < $counting - 0.03) }"
    printf '        %.6f with counting, whose share is %.2f\n' "$mixed" \
        "$(result run counting_share)" | grep -qxFf - out.txt

    # All that is predicted is mixed; the shares 0 and 1 are the model and counting alone.
    "$BIN/sample" run "La niña" --count 0 >table.txt
    grep -q "model  counting  both" table.txt
    "$BIN/sample" run "La niña" --count 2 --table 100 --json >both.json
    for share in 0 1; do
        "$BIN/sample" run "La niña" --count 2 --table 100 --share $share --json >$share.json
    done
    holds -s 'def chances: .next | map({(.token): .probability}) | add;
        def near(a; b): (a - b | fabs) <= 1e-6 * (b | fabs);
        (.[1] | chances) as $model | (.[2] | chances) as $counting
        | (.[0].next | all(near(.model; $model[.token]) and near(.counting; $counting[.token])))
        and (map(.continuations | map(.text)) | .[0] != .[1] and .[1] != .[2])' both.json 0.json 1.json
    "$BIN/sample" run "La niña" --share "$(result run counting_share)" --count 2 --table 100 \
        --json | cmp - both.json

    head -n 2 "$cuentos" >two.txt

    # A score ends with the three losses, those of the shares 0 and 1 among them.
    score() { "$BIN/sample" run --score two.txt "$@"; }
    score --json | tail -n 1 >score.json
    for way in model=0 counting=1; do
        loss=$(score --share "${way#*=}" --json | tail -n 1 | grep -o '"loss":[^,]*' | cut -d : -f 2)
        grep -q "\"${way%=*}_loss\":$loss[,}]" score.json
        score | grep -q "^ *$(printf %.6f "$loss") .*  in all, .*${way%=*} alone$"
    done
}

@test "what was set aside is not counted, and each row has both probabilities" {
    for i in {1..195}; do echo a b c d; done >last.txt
    for i in {1..5}; do echo a z c d; done >>last.txt
    "$BIN/train" last.txt --counts --val 0.1 --steps 2 --out run | grep "25 more are set aside"
    "$BIN/sample" run a --share 1 --count 0 --table 100 --json >out.json
    holds '.next | map(select(.token == "z")) | .[0].probability < 0.005' out.json
    # Each row of --each has what the shares 0 and 1 give.
    each() { "$BIN/sample" run --score last.txt --each --json "$@"; }
    each >both.json
    for way in model=0 counting=1; do
        each --share "${way#*=}" >alone.json
        holds -s --slurpfile both both.json "length > 50 and ([., \$both] | transpose
            | all((.[0].probability - .[1].${way%=*} | fabs) <= 1e-6))" alone.json
    done
}

@test "a run that keeps counts is resumed to the same model and share" {
    cuentos=$ROOT/data/cuentos.txt
    "$BIN/train" "$cuentos" --counts --steps 40 --out whole >/dev/null
    "$BIN/train" "$cuentos" --counts --steps 40 --stop-after 20 --out run >/dev/null
    "$BIN/sample" run "La niña" | grep -q both # what was learnt so far
    "$BIN/train" --resume run >/dev/null
    for field in best_loss counting counting_share mixed_loss checksum; do
        [ "$(result whole $field)" = "$(result run $field)" ]
    done
    cmp whole/tokens.bin run/tokens.bin
    rm run/text.txt
    "$BIN/train" --resume run --steps 45 >out.txt
    grep -q "with counting, whose share is" out.txt
    "$BIN/sample" run "La niña" | grep -q both
}

# As a kill leaves it that comes after the last save, before the result.
@test "a finished run without a result gets it when it is resumed" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --counts --steps 20 --out run >/dev/null
    cp run/config.json whole.json
    jq 'del(.pulga.result)' whole.json >run/config.json
    "$BIN/train" --resume run | grep -q "nothing was left to do"
    "$BIN/sample" run "La niña" | grep -q both
    cmp <(jq 'del(.pulga.result.seconds)' whole.json) <(jq 'del(.pulga.result.seconds)' run/config.json)
    "$BIN/train" perro.txt --steps 0 --out new >/dev/null
    [ "$(result new step)" = 0 ]
}

@test "a run that Ctrl-C stopped has a share" {
    start "$BIN/train" "$ROOT/data/cuentos.txt" --counts --out run
    has_rows() { [ "$(wc -l <run/log.csv)" -gt 3 ]; }
    await has_rows
    stopped 130 INT
    [ "$(result run counting_share)" != null ]
}

@test "Ctrl-C ends the learning of the share, which the resumed run does" {
    seq 14000 | awk '{ printf "%d%s", $1 * $1 % 7919, $1 % 10 ? " " : "\n" }' >squares.txt
    start "$BIN/train" squares.txt --counts --val 0.1 --batch 1 --steps 1 --layers 1 --width 64 \
        --out run
    await is_saved 1
    stopped 130 INT # learning takes a second
    grep -q "^ *the share of counting is learnt when the run is resumed" out.txt
    [ "$(result run step) $(result run counting_share)" = "1 null" ]
    "$BIN/train" --resume run | grep -q "with counting, whose share is"
    [ "$(result run counting_share)" != null ]
    # If the resumed run is stopped, it keeps the one that is known.
    cp -r run before
    start "$BIN/train" --resume run
    await [ run/config.json -nt before/config.json ]
    stopped 130 INT
    cmp <(jq .pulga.result before/config.json) <(jq .pulga.result run/config.json)
}

# A tenth of the characters is held out, 3,388. The rows of --each add up to the loss.
# bats test_tags=long
@test "the score of the held-out part of a stream is what train printed" {
    local text
    IFS= read -r -d '' text <"$ROOT/data/cuentos.txt" || true
    printf %s "${text: -3388}" >tail.txt
    for options in "--context 64" "--context 7 --counts"; do
        "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char $options --steps 60 --out run \
            --overwrite >out.txt
        "$BIN/sample" run --score tail.txt --json | tail -n 1 >score.json
        "$BIN/sample" run --score tail.txt --json --each >each.json
        holds -s --slurpfile score score.json --slurpfile run run/config.json '
            def near(a; b; part): (a - b | fabs) <= part * (b | fabs);
            $run[0].pulga.result as $result | $score[0] as $score
            | $score.tokens == 3387 and length == 3387
            and near($score.model_loss // $score.loss; $result.best_loss; 1e-6)
            and near($score.loss; (map(.surprise) | add) * (2 | log) / 3387; 1e-8)
            and ($result.mixed_loss == null or (near($score.loss; $result.mixed_loss; 1e-6)
                and near($score.counting_loss; $result.counting; 1e-6)))' each.json
    done
}

@test "what cannot be counted is refused in one line" {
    refuses 64 "--counts needs a part of perro.txt held out; hold it out with --val 0.1" \
        -- "$BIN/train" perro.txt --counts --out run
    refuses 64 "--counts predicts a token from those before it" \
        -- "$BIN/train" "$ROOT/data/cuentos.txt" --objective masked --counts --out run
    "$BIN/train" "$ROOT/data/cuentos.txt" --counts --steps 5 --checkpoint-every 4 --keep 1 \
        --out counts >/dev/null
    refuses 64 "learns its share when train ends; counts/checkpoint-4 has none" \
        -- "$BIN/sample" counts/checkpoint-4 el --share 0.5
    truncate -s -8 counts/tokens.bin
    refuses 1 "counts/tokens.bin is damaged" -- "$BIN/sample" counts el
}
