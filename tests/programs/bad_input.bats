# bad_input.bats: whatever is wrong with a text or an option is reported in one line.
load programs.bash

# tests/text/text.c and tests/text/source.c have what is wrong with a file, tests/text/tokenizer.c what
# is wrong with its words or its pairs.
@test "a file that is not a text, or holds a reserved token, is refused in one line" {
    refuses 1 nowhere.txt "No such file" -- "$BIN/train" nowhere.txt
    refuses 1 "$WORK" directory -- "$BIN/train" "$WORK"
    refuses 1 "standard input" empty -- "$BIN/train" -
    refuses 1 /dev/zero -- timeout 20 "$BIN/train" /dev/zero
    printf 'hola\nel ni\xf1o\n' >latin.txt
    refuses 1 "latin.txt:2:6" 0xF1 iconv -- "$BIN/train" latin.txt
    printf 'hola\nhola [bos] mundo\n' >ours.txt
    refuses 1 "ours.txt:2: the text contains the reserved token [bos]" "put a space in it: [ bos]" \
        -- "$BIN/train" ours.txt
    [ ! -e runs ]
}

@test "a text may be short, without a last line end, or from Windows" {
    echo hola >one.txt
    "$BIN/train" one.txt --steps 30 --out one | grep -q "floor 0.000000"
    printf '\xef\xbb\xbfel perro\r\nel gato' >windows.txt
    "$BIN/train" windows.txt --steps 2 --out windows | grep -q "2 lines, 6 tokens to predict, vocabulary 5"
    "$BIN/train" perro.txt --context 1000 --steps 2 --out wide >/dev/null
    "$BIN/train" perro.txt --context 3 --steps 2 --out narrow | grep -q "longer than the context: 9 lines$"
    "$BIN/train" perro.txt --tokens char --context 5000 --steps 2 --out stream >/dev/null
    "$BIN/train" perro.txt --sequence stream --steps 2 --out words >/dev/null
    echo a b >two.txt
    "$BIN/train" two.txt --sequence stream --steps 2 --out two >/dev/null
    echo hola >single.txt
    refuses 1 single.txt "one token" -- "$BIN/train" single.txt --sequence stream
}

@test "a text that suits another way of reading gets a hint" {
    for i in 1 2 3 4 5 6 7 8; do echo '犬は骨を食べる、猫は魚を食べるのが好きです。'; done >japanese.txt
    "$BIN/train" japanese.txt --steps 0 --out japanese >out.txt
    grep -q "^hint .*--tokens char" out.txt
    "$BIN/train" perro.txt --steps 0 --out plain >out.txt
    refutes "^hint" out.txt
}

@test "a line of 100 MB is cut, but a word of 100 MB is refused" {
    yes 'el perro come un hueso ' | tr -d '\n' | head -c 100000000 >long.txt
    "$BIN/train" long.txt --tokens word --stop-after 1 --eval-every 1000000 --width 8 --heads 1 --batch 4 \
        --out long >out.txt
    grep -q "longer than the context: 1 line$" out.txt
    [ -s long/model.safetensors ]
    head -c 100000000 /dev/zero | tr '\0' a >word.txt
    refuses 1 word.txt 100000000 "--tokens char" -- "$BIN/train" word.txt --tokens word
}

@test "a text that is no pairs, or has too long ones, is refused with the line" {
    printf 'a\tb\n\nc d\n' >no.tsv
    refuses 1 "no.tsv:3: the line has no tab; a line of pairs is a source, one tab and a target" \
        "--objective next reads any text" -- "$BIN/train" no.tsv
    printf 'a\tb\na b c\td e\n' >long.tsv
    refuses 1 "long.tsv: pair number 2 has 7 tokens, but the context is 6: shorten it, or train with" \
        "--context 7" -- "$BIN/train" long.tsv --context 6
    "$BIN/train" long.tsv --context 7 --steps 1 --out run >/dev/null
    printf 'a\tb\na b c\td e a\n' >longer.tsv
    refuses 1 "longer.tsv: pair number 2 has 8 tokens, but the context is 7" -- \
        "$BIN/sample" run --score longer.tsv
}

@test "options that contradict each other are refused before a text is opened" {
    no() { refuses 64 "$@"; }
    no TEXT -- "$BIN/train"
    no "--attend" "1 layers of 2" -- "$BIN/train" missing.txt --layers 1 --heads 2 --window 1,2,3
    no "--attend strided:0 is not a list of patterns" -- "$BIN/train" missing.txt --attend strided:0
    no "--heads 3" "--width 64" -- "$BIN/train" missing.txt --heads 3 --width 64
    no "--steps" "--epochs" -- "$BIN/train" missing.txt --steps 3 --epochs 2
    no "--text" -- "$BIN/train" missing.txt --text other.txt
    no "--out" "--resume" -- "$BIN/train" --resume run --out other
    no "--lr is for" "noam does not" "or give --lr-factor" -- "$BIN/train" missing.txt --lr 0.01
    no "--lr-factor is for" "; cosine does not" "give --lr" -- \
        "$BIN/train" missing.txt --lr-factor=0.1 --schedule cosine
    no "--min-lr 0.01" "--lr 0.001" -- "$BIN/train" missing.txt --schedule cosine --min-lr 0.01
    no "--overwrite" "--out DIR" -- "$BIN/train" missing.txt --overwrite
    no "--keep 2" "--checkpoint-every" -- "$BIN/train" missing.txt --keep 2
    no "--shards 3" "power of two" -- "$BIN/train" missing.txt --shards 3
    refuses 1 "missing.txt" -- "$BIN/train" missing.txt --heads 4 --width 64 --vocabulary 256
    no "--causal-source is for --objective pairs; this is next" -- \
        "$BIN/train" perro.txt --causal-source
    printf 'a\tb\n' >one.tsv
    no "--mask is for --objective masked; this is pairs" -- "$BIN/train" one.tsv --mask 0.2
    no "--objective pairs reads line by line, so --sequence stream conflicts with it" -- \
        "$BIN/train" one.tsv --objective pairs --sequence stream
    [ ! -e runs ]
}

@test "a share too small to hold anything out is reported" {
    echo hola mundo >one.txt
    "$BIN/train" one.txt --val 0.1 --steps 2 --out one | grep -q "nothing is held out"
    "$BIN/train" perro.txt --val 0 --steps 2 --out none >out.txt
    refutes -q "held out" out.txt
    "$BIN/train" perro.txt --val-seed 2 --steps 2 --out drawn >out.txt
    grep -qx " *nothing is held out, so --val-seed changes nothing" out.txt
    "$BIN/train" --resume drawn --steps 3 >out.txt
    refutes -q "held out" out.txt
    "$BIN/train" perro.txt --val-seed 2 --val 0.3 --steps 2 --out held >out.txt
    refutes -q "changes nothing" out.txt
}

@test "sizes that do not fit in memory are refused" {
    refuses 1 "would take" MB -- "$BIN/train" perro.txt --width 65536 --layers 1000
    refuses 1 "would take" MB -- "$BIN/train" perro.txt --heads 1000 --head-size 65536 \
        --layers 1000 --width 1
    # The machine has it, but this process may not take it. (A sanitizer needs all addresses.)
    grep -qE '__[at]san_init' "$BIN/train" || refuses 1 "no memory" MB -- bash -c \
        'ulimit -v 2000000 && exec "$0" perro.txt --width 2048 --layers 8' "$BIN/train"
    "$BIN/train" "$ROOT/data/cuentos.txt" --counts --steps 1 --out run >/dev/null
    truncate -s 9G run/tokens.bin
    grep -qE '__[at]san_init' "$BIN/train" || refuses 1 "cannot map run/tokens.bin into memory" -- \
        bash -c 'ulimit -v 2000000 && exec "$0" run La' "$BIN/sample"
    [ ! -e runs ]
}

@test "stacks that are too small and threads that cannot start are reported" {
    refuses 1 "the stack is limited to 512 kB" "ulimit -s" -- bash -c \
        'ulimit -s 512 && exec "$0" perro.txt' "$BIN/train"
    grep -qE '__[at]san_init' "$BIN/train" || refuses 1 "cannot start 64 threads" "--threads" -- \
        bash -c 'ulimit -v 400000 && exec "$0" perro.txt --threads 64' "$BIN/train"
    [ ! -e runs ]
    "$BIN/train" perro.txt --steps 3 --out run >/dev/null
    for setting in OMP_STACKSIZE=64k OMP_NUM_THREADS=200000; do
        env $setting "$BIN/train" perro.txt --steps 3 --out other --overwrite >/dev/null
        same_run run other
        env $setting "$BIN/sample" run el >/dev/null
    done
}

@test "a rate that is too high ends the run, and the last save stays" {
    local options="--schedule constant --lr 1e6 --checkpoint-every 1"
    ONCE=1 refuses 1 "step 5: the loss is not finite: in the gradient, number" \
        "is nan; run keeps its last save; try a smaller --lr" -- \
        "$BIN/train" perro.txt $options --out run
    # So is one that is stopped before, and saved, when it is then evaluated.
    ONCE=1 refuses 1 "step 4: the loss is not finite; stopped keeps its last save" -- \
        "$BIN/train" perro.txt $options --stop-after 4 --out stopped
    same_run run stopped
    refuses 1 "step 5: the loss" -- "$BIN/train" --resume run
    same_run run stopped
}

# broken TEXT...: the run, which was damaged, is refused in a line that holds each TEXT. Then it is
# whole again.
broken() {
    if diff -r good run >/dev/null; then return 1; fi
    refuses 1 "$@" -- "$BIN/train" --resume run
    cp good/* run
}

# tests/programs/train/damage.c changes every byte, saving/run.c there every size in config.json.
@test "a damaged run is refused in one line" {
    "$BIN/train" perro.txt --steps 3 --out run >/dev/null
    cp -r run good
    sed -i 's/"heads":[[:space:]]*4/"heads": 1000000/' run/config.json
    broken run/config.json heads "to 1000"
    sed -i '0,/"pulga"/s/"n_layer":[[:space:]]*[0-9]*/"n_layer": 9/' run/config.json
    broken run/config.json "changed since"
    sed -i 's/"seed":[[:space:]]*1/"seed": 2/' run/config.json
    broken "config.json or tokenizer.json was changed"
    sed -i 's/"identity"/"identitz"/' run/config.json
    broken run/config.json identity "begin a new run"
    sed -i 's/"croquetas"/"galletas"/' run/tokenizer.json
    broken "config.json or tokenizer.json was changed"
    for file in tokenizer.json state.safetensors; do
        rm run/$file
        broken $file
    done
}
