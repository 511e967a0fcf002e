# verify.bats: receipts and model cards, train --verify and train --compare.
load programs.bash

# trained NAME OPTION...: a run of 12 steps with three checkpoints.
trained() {
    local name=$1
    shift
    "$BIN/train" perro.txt --steps 12 --eval-every 4 --checkpoint-every 4 --keep 9 --out "$name" "$@" >out.txt
}

# The lines of a verification that say what came of it, as one.
verdict() {
    sed -n '/^verify /,$p' "${1:-out.txt}" | tr -s '\n ' ' '
}

# verifies TEXT ARGUMENT...: the same, in these words, and no file is touched.
verifies() {
    local text=$1
    shift
    find run -type f -exec sha256sum {} + >before.sum
    "$BIN/train" --verify "$@" >out.txt
    [[ "$(verdict)" == "verify the same, bit by bit: $text "* ]]
    sha256sum --quiet -c before.sum
}

# differs TEXT ARGUMENT...
differs() {
    local text=$1 code=0
    shift
    "$BIN/train" --verify "$@" >out.txt || code=$?
    [ "$code" -eq 1 ]
    [[ "$(verdict)" == *"differs"*"$text"* ]] || { cat out.txt; return 1; }
}

@test "a receipt has the text, the version, every setting, and the model at each evaluation" {
    trained run
    "$BIN/train" --version | grep -qx "pulga $(sed -n 's/^version: //p' run/receipt.txt)"
    grep -qx "text: $(sed -n 's/.*"xxh3_64":[[:space:]]*"\(.*\)".*/\1/p' run/config.json)" run/receipt.txt
    grep -qx "lr-factor: 0.3" run/receipt.txt
    grep -qx "dropout: 0" run/receipt.txt
    [ "$(sed '1,/^ *step /d' run/receipt.txt | awk '{ print $1 }' | tr '\n' ' ')" = "0 4 8 12 " ]
    [ "$(tail -n 1 run/receipt.txt | awk '{ print $5 }')" = "$(sed -n 's/^model   \([0-9a-f]*\),.*/\1/p' out.txt | tail -n 1)" ]
    # Somebody else's, elsewhere, with another number of threads; and stopped on the way.
    mkdir elsewhere && cp perro.txt elsewhere/text.txt
    "$BIN/train" elsewhere/text.txt --steps 12 --eval-every 4 --checkpoint-every 4 --keep 9 --threads 2 \
        --stop-after 6 --out other >/dev/null
    [ "$(grep -c '^ *[0-9]' other/receipt.txt)" -eq 2 ]
    "$BIN/train" --resume other >/dev/null
    cmp run/receipt.txt other/receipt.txt
}

@test "--verify trains again and says the same, from the beginning or from a checkpoint" {
    trained run
    verifies "4 rows, from step 0 to step 12" run
    grep -q "^stored  8 files with the weights" out.txt
    verifies "2 rows, from step 4 to step 8" run/checkpoint-4
    verifies "1 row, from step 12 to step 12" run/checkpoint-12/
    cp run/receipt.txt mailed
    verifies "4 rows, from step 0 to step 12" mailed perro.txt --threads 2
    sed 's/$/\r/' mailed >windows
    verifies "4 rows, from step 0 to step 12" windows perro.txt
    rm run/text.txt
    verifies "4 rows, from step 0 to step 12" run perro.txt
    verifies "4 rows, from step 0 to step 12" run - <perro.txt
    [ ! -e runs ]
}

@test "--verify of each objective, tokenizer and optimizer, of shards and of another model" {
    cp "$ROOT"/data/*.* .
    head -n 200 sumas.tsv >pairs.tsv
    while read -r name options; do
        "$BIN/train" $options --out "$name" >/dev/null
        "$BIN/train" --verify "$name" >out.txt
        [[ "$(verdict)" == *"the same"* ]]
    done <<'END'
pairs pairs.tsv --steps 8 --causal-source
masked perro.txt --objective masked --steps 8 --schedule cosine --lr 0.002 --min-lr 0.001
bpe cuentos.txt --tokens bpe --vocabulary 400 --optimizer muon --average --steps 6 --width 40 --batch 7 --context 33
shards cuentos.txt --shards 4 --accumulate 2 --steps 6 --batch 10 --dropout 0.1 --lower --min-count 2
counts cuentos.txt --counts --steps 6
patterns cuentos.txt --tokens char --steps 6 --context 50 --attend 8,strided:8,fixed:8,summary:8:2 --batch 9
END
    "$BIN/train" perro.txt --from masked --objective masked --steps 8 --out from >/dev/null
    "$BIN/train" --verify from --from masked >/dev/null
    refuses 1 "another model" "--from DIR" -- "$BIN/train" --verify from
    "$BIN/train" perro.txt --objective masked --seed 2 --steps 8 --out other >/dev/null
    refuses 1 "did not start from the model in other" -- "$BIN/train" --verify from --from other
}

@test "a run that became longer is verified; one whose receipt was lost, from there on" {
    trained run --stop-after 6
    "$BIN/train" --resume run --steps 20 --keep 9 >/dev/null
    awk '$1 == 6 && $2 == 20 && $3 == "-" && $6 == "replanned" { found = 1 } END { exit !found }' run/receipt.txt
    [ "$(grep -c replanned run/receipt.txt)" -eq 1 ]
    verifies "7 rows, from step 0 to step 20" run
    rm run/receipt.txt
    "$BIN/train" --resume run --steps 28 >/dev/null 2>err.txt
    grep -q "run/receipt.txt is missing or damaged: it begins again" err.txt
    refuses 1 "begins after step 20" checkpoint -- "$BIN/train" --verify run
    verifies "2 rows, from step 20 to step 24" run/checkpoint-20
}

@test "--verify finds a changed text, another version, a changed row and a changed weight" {
    trained run
    sed 's/perro/gata/' perro.txt >other.txt
    refuses 1 other.txt "is not the text" -- "$BIN/train" --verify run other.txt
    sed 's/^version: .*/version: 0.0/' run/receipt.txt >old.txt
    "$BIN/train" --verify old.txt perro.txt >out.txt
    grep -q "^note    version 0.0 wrote the receipt, this is " out.txt
    [[ "$(verdict)" == *"the same"* ]]
    awk '$1 == 8 && NF == 5 { sub(/.$/, $5 ~ /0$/ ? "1" : "0") } { print }' run/receipt.txt >row.txt
    differs "between step 4 and step 8: the best weights" row.txt perro.txt
    for step in 0 4 8 12; do
        sed -E "s/^( *$step +)12 /\113 /" run/receipt.txt >of.txt
        differs "step $step: how many steps are planned" of.txt perro.txt
    done
    sed 's/^decay: .*/decay: 0.5/' run/receipt.txt >setting.txt
    refuses 1 setting.txt "was changed" -- "$BIN/train" --verify setting.txt perro.txt
    # A single bit: of a file, whose own checksum finds it; of one that is whole, by another run's.
    cp -r run cut
    printf '\x01' | dd of=cut/checkpoint-4/state.safetensors bs=1 seek=9000 conv=notrunc status=none
    refuses 1 cut/checkpoint-4/state.safetensors damaged -- "$BIN/train" --verify cut
    cp run/checkpoint-8/model.safetensors run/model.safetensors
    differs "run/model.safetensors does not have the weights that the receipt says" run
}

@test "what --verify cannot do is refused in one line" {
    trained run
    cp -r run bare && rm bare/receipt.txt bare/text.txt
    refuses 1 "bare has no receipt.txt" -- "$BIN/train" --verify bare
    refuses 1 "perro.txt is damaged, or not a receipt" -- "$BIN/train" --verify perro.txt perro.txt
    for name in receipt.txt text.txt; do
        cp -r run pipe-$name && rm pipe-$name/$name && mkfifo pipe-$name/$name
        refuses 1 "pipe-$name/$name is a pipe, not a file" -- \
            timeout 20 "$BIN/train" --verify pipe-$name
    done
    refuses 1 "holds no copy" "TEXT" -- "$BIN/train" --verify run/receipt.txt
    refuses 64 "--from does not go with a checkpoint" run/checkpoint-4 -- \
        "$BIN/train" --verify run/checkpoint-4 --from run
    refuses 64 "--steps does not go with --" -- "$BIN/train" --verify run --steps 3
    "$BIN/train" perro.txt --steps 2 --stop-after 1 --eval-every 2 --out short >/dev/null
    sed '/^ *[0-9]/d' short/receipt.txt >rows.txt
    refuses 1 rows.txt "nothing to compare" -- "$BIN/train" --verify rows.txt perro.txt
    sed '/^decay: /d' run/receipt.txt >wrong.txt
    refuses 1 "wrong.txt has no decay" "another version" -- "$BIN/train" --verify wrong.txt perro.txt
}

@test "README.md is a model card; one that a person has changed stays" {
    trained run
    local sum
    sum=$(tail -n 1 run/receipt.txt | awk '{ print $5 }')
    [ "$(head -n 1 run/README.md)" = --- ]
    grep -qx "library_name: transformers" run/README.md
    grep -qxF -- "- **text**: perro.txt, 212 bytes, XXH3 \`05a12f370b3ee3c1\`" run/README.md
    jq -r '"heads of \(.n_embd / .n_head), width \(.n_embd), hidden \(.n_inner), context \(.n_ctx)"' \
        run/config.json | grep -qFf - run/README.md
    grep -qF -- "\`$sum\`, of the weights in model.safetensors" run/README.md
    grep -qE -- '^- \*\*loss\*\*: [0-9.]+ nats per token over the text, after step 12 of 12$' run/README.md
    grep -qF -- "- **floor**: 0.411980, the lowest loss that the text allows" run/README.md
    differ run/README.md run/checkpoint-4/README.md
    "$BIN/train" --resume run --steps 16 >/dev/null
    grep -q "after step 16 of 16" run/README.md
    echo "Mine." >>run/README.md
    cp run/README.md mine.txt
    "$BIN/train" --resume run --steps 20 >/dev/null
    "$BIN/train" perro.txt --steps 2 --out run --overwrite >/dev/null
    cmp run/README.md mine.txt
    rm run/README.md && mkdir run/README.md
    "$BIN/train" --resume run --steps 3 >/dev/null
    LANG=es_MX.UTF-8 LC_ALL= "$BIN/train" perro.txt --steps 2 --attend 3 --out spanish >/dev/null
    grep -qF -- "- **texto**: perro.txt" spanish/README.md
    grep -qx "library_name: pulga" spanish/README.md
}

@test "--compare prints what runs differ in, marks other texts, and draws their losses" {
    for factor in 0.1 1; do
        "$BIN/train" perro.txt --lr-factor $factor --steps 60 --out "lr-$factor" >"lr-$factor.txt"
    done
    "$BIN/train" --compare lr-0.1 lr-1 -o a.svg >out.txt
    for factor in 0.1 1; do
        loss=$(sed -n 's/^best    step 60: \([^,]*\),.*/\1/p' "lr-$factor.txt")
        sum=$(sed -n 's/^model   \([0-9a-f]\{16\}\),.*/\1/p' "lr-$factor.txt")
        grep -qE "^lr-$factor +$loss +60 +101,056 +[0-9.]+  $sum  (yes|no ) +lr-factor $factor$" out.txt
        grep -qF ">lr-$factor: lr-factor $factor</text>" a.svg
    done
    refutes '^\*' out.txt
    [ "$(grep -c 'stroke-linejoin' a.svg)" -eq 2 ]
    sed 's/perro/gata/' perro.txt >other.txt
    "$BIN/train" other.txt --steps 4 --out other >/dev/null
    "$BIN/train" --compare lr-1 other >out.txt
    grep -qE "^other .*[0-9]\*  +4 " out.txt
    grep -q "^    text other.txt" out.txt
    grep -q "^\* of another text" out.txt
    # Of other tokens: bits per byte, as the run itself says.
    "$BIN/train" perro.txt --tokens char --steps 4 --out letters >letters.txt
    "$BIN/train" --compare lr-1 letters >out.txt
    bits=$(grep -o '[0-9.]* bits per byte' letters.txt | tail -n 1)
    grep -qF "$bits" <<<"$(tr -s ' \n' ' ' <out.txt)"
    "$BIN/train" --compare lr-1 letters -o -.csv >out.csv
    [ "$(awk -F , 'NR == 3 { printf "%.4f bits per byte", $9 }' out.csv)" = "$bits" ]
    # All seeds are measured on the same lines, unless others are asked for.
    for seed in 1 2; do
        "$BIN/train" perro.txt --val 0.3 --seed $seed --steps 2 --out seed-$seed |
            grep -E 'are held out|counting reaches .* on ' >seed-$seed.txt
    done
    cmp seed-1.txt seed-2.txt
    "$BIN/train" perro.txt --val 0.3 --val-seed 2 --steps 2 --out others >/dev/null
    "$BIN/train" --compare seed-1 seed-2 others >out.txt
    grep -qE '^seed-2 .*[0-9]   ' out.txt
    grep -qE '^others .*[0-9]\*  ' out.txt
    # The result of an earlier call, which a kill leaves, is not put beside a later loss.
    cp other/config.json .
    "$BIN/train" --resume other --steps 20 >/dev/null
    "$BIN/train" --compare other | grep -qE "^other .*  20 .* [0-9.]+  [0-9a-f]{16}"
    cp config.json other
    "$BIN/train" --compare other | grep -qE "^other .*  20 +[0-9,]+ +-  - +-$"
    "$BIN/train" --compare lr-1 -o a.svg >/dev/null # replaces its own
    echo mine >mine.svg
    refuses 1 mine.svg "not written by train" -- "$BIN/train" --compare lr-1 -o mine.svg
    refuses 64 "--out a.png" .svg -- "$BIN/train" --compare lr-1 -o a.png
    refuses 64 "--steps does not go with --compare" -- "$BIN/train" --compare lr-1 --steps 3
    mkdir empty
    refuses 1 empty -- "$BIN/train" --compare empty
    [ "$(cat mine.svg)" = mine ]
}
