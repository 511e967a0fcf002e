# large.bats: texts above 16 MB, whose ids are in the run as tokens.bin, and several texts.
load programs.bash

# large NAME: 17 MB of numbered lines, of which no two are equal.
large() {
    seq -f 'el perro %.0f come un hueso y el gato no come' 1 360000 >"$1"
}

small_model=(--layers 1 --heads 1 --width 8 --context 16 --batch 8 --steps 4)

@test "a large text is read in blocks, and resumed from its ids" {
    large big.txt
    "$BIN/train" big.txt --tokens char "${small_model[@]}" --out a >out.txt
    grep -q "a sample of $(($(wc -c <big.txt) / 256 / 1000)),[0-9]* tokens" out.txt
    [ -s a/tokens.bin ] && [ ! -e a/text.txt ]
    "$BIN/train" big.txt --tokens char "${small_model[@]}" --out b --stop-after 2 --threads 1 >out.txt
    rm big.txt
    "$BIN/train" --resume b >out.txt
    cmp a/tokens.bin b/tokens.bin
    same_run a b
    "$BIN/sample" a el --count 1 --words 5 >out.txt
}

# bats test_tags=long
@test "large texts of pairs and of masked tokens are resumed from their ids" {
    seq -f 'el perro %.0f come	un hueso y el gato no come' 1 360000 >big.tsv
    local i=0 case cases=("--tokens char --context 48" "--max-words 100"
        "--objective masked --tokens char --sequence stream" "--objective masked --max-words 100")
    for case in "${cases[@]}"; do
        "$BIN/train" big.tsv "${small_model[@]}" $case --out a$i >out.txt
        grep -q "a sample of 1[36][0-9,]* tokens" out.txt
        "$BIN/train" big.tsv "${small_model[@]}" $case --out b$i --stop-after 2 --threads 1 >out.txt
        "$BIN/train" --resume b$i >out.txt
        cmp a$i/tokens.bin b$i/tokens.bin
        same_run a$i b$i
        i=$((i + 1))
    done
    echo 'no pair' >>big.tsv
    refuses 1 "big.tsv:360001: the line has no tab" -- "$BIN/train" big.tsv
}

@test "standard input and several files are one text" {
    large big.txt
    head -100000 big.txt | head -c -1 >one.txt # without its last line end
    tail -n +100001 big.txt >two.txt
    "$BIN/train" one.txt two.txt --tokens char "${small_model[@]}" --out a >out.txt
    grep -q "one.txt, two.txt: a stream of" out.txt
    grep -q '"names"' a/config.json
    cat big.txt | "$BIN/train" - --tokens char "${small_model[@]}" --out b >out.txt
    cmp a/tokens.bin b/tokens.bin
    TMPDIR=/missing refuses 1 "cannot write to TMPDIR=/missing: No such file" -- \
        sh -c 'cat big.txt | "$0" -' "$BIN/train"
    refuses 64 "standard input" once -- "$BIN/train" - - --tokens char
    # Small ones: the copy is both, with a line end between them.
    printf 'el perro' >un.txt
    printf 'come' >dos.txt
    "$BIN/train" un.txt dos.txt --steps 2 --out s >out.txt
    printf 'el perro\ncome' | cmp - s/text.txt
    rm s/text.txt
    refuses 1 "--text" -- "$BIN/train" --resume s --steps 3
    refuses 1 "not the text" -- "$BIN/train" --resume s --steps 3 --text un.txt
    "$BIN/train" --resume s --steps 3 --text un.txt dos.txt >out.txt
}

# bats test_tags=long
@test "there may be more files than can be open at once" {
    large big.txt
    split -n l/100 big.txt part.
    (ulimit -n 40
     "$BIN/train" part.* --tokens char "${small_model[@]}" --out a >out.txt)
    grep -q "part.aa and 99 more: a stream of" out.txt
    "$BIN/train" big.txt --tokens char "${small_model[@]}" --out b >out.txt
    same_run a b
    refuses 1 "not the text" "part.aa and 8 more" -- "$BIN/train" --resume a --steps 6 --text part.a[a-i]
    "$BIN/train" --resume a --steps 6 --text part.* >out.txt
}

# bats test_tags=long
@test "tokens.bin that is damaged or of another run is refused, and made again from the text" {
    large big.txt
    "$BIN/train" big.txt --tokens char "${small_model[@]}" --out a >out.txt
    "$BIN/train" big.txt --tokens char "${small_model[@]}" --val 0.3 --out other >out.txt
    sed 's/hueso/pesos/' big.txt >changed.txt
    "$BIN/train" changed.txt --tokens char "${small_model[@]}" --out third >out.txt
    cp a/tokens.bin good.bin
    printf '\xFF\xFF' | dd of=a/tokens.bin bs=1 seek=1000000 conv=notrunc 2>/dev/null
    refuses 1 a/tokens.bin damaged --text -- "$BIN/train" --resume a --steps 6
    cp third/tokens.bin a/tokens.bin
    refuses 1 a/tokens.bin another -- "$BIN/train" --resume a --steps 6
    cp other/tokens.bin a/tokens.bin
    refuses 1 a/tokens.bin "another run" -- "$BIN/train" --resume a --steps 6
    refuses 1 "not the text" -- "$BIN/train" --resume a --steps 6 --text changed.txt
    head -c 16900000 big.txt >shorter.txt
    refuses 1 "not the text" -- "$BIN/train" --resume a --steps 6 --text shorter.txt
    rm a/tokens.bin
    refuses 1 "--text" -- "$BIN/train" --resume a --steps 6
    "$BIN/train" --resume a --steps 6 --text big.txt >out.txt
    cmp a/tokens.bin good.bin
}

# bats test_tags=long
@test "tokens.bin that is changed under a running train ends it in one line" {
    large big.txt
    local options=("${small_model[@]}" --eval-every 1000000)
    "$BIN/train" big.txt --tokens char "${options[@]}" --out stream >out.txt
    "$BIN/train" big.txt --max-words 100 "${options[@]}" --out lines >out.txt
    local run damage
    for run in stream lines; do
        for damage in ': >' 'truncate -s 9000000' \
            'head -c 9000000 /dev/zero | tr "\0" "\377" | dd bs=1M seek=1 conv=notrunc status=none of=' \
            'head -c 9000000 /dev/zero | dd bs=1M seek=1 conv=notrunc status=none of='; do
            cp -r $run changed
            start "$BIN/train" --resume changed --steps 1000000 --log-every 1 --checkpoint-every 100
            await grep -q "^6," changed/log.csv
            [[ $damage == *= ]] || damage+=" "
            eval "${damage}changed/tokens.bin"
            stopped 1 || { echo "$damage"; return 1; }
            [ "$(wc -l <err.txt)" -eq 1 ]
            grep -q "changed/tokens.bin was changed during training.*--text FILE" err.txt
            rm -r changed
        done
    done
}

@test "a full disk while tokens.bin is written costs nothing" {
    large big.txt
    "$BIN/train" perro.txt --steps 2 --out old >out.txt
    cp -r old before
    (ulimit -f 20000 # blocks of 1024 bytes: 20 MB
     refuses 1 "tokens.bin" "File too large" -- \
        "$BIN/train" big.txt --tokens char "${small_model[@]}" --out old --overwrite)
    diff -r old before
    (ulimit -f 20000
     refuses 1 "tokens.bin" -- "$BIN/train" big.txt --tokens char "${small_model[@]}" --out new)
    [ ! -e new ]
}
