# bad_input.bats: whatever is wrong with a text or an option is reported in one line.
load programs.bash

@test "a file that is not a text is refused in one line" {
    refuses 1 nowhere.txt "No such file" -- "$BIN/train" nowhere.txt
    refuses 1 "$WORK" directory -- "$BIN/train" "$WORK"
    : >empty.txt
    refuses 1 empty.txt empty -- "$BIN/train" empty.txt
    refuses 1 "standard input" empty -- "$BIN/train" -
    printf '\n\n  \t\n\xc2\xa0\n' >blank.txt
    refuses 1 blank.txt "white space" -- "$BIN/train" blank.txt
    refuses 1 "not a text" -- "$BIN/train" "$BIN/train"
    printf 'hola\nel ni\xf1o\n' >latin.txt
    refuses 1 "latin.txt:2:6" 0xF1 iconv -- "$BIN/train" latin.txt
    printf 'hola\0mundo\n' >nul.txt
    refuses 1 nul.txt "byte 5 is 0" -- "$BIN/train" nul.txt
    refuses 1 /dev/zero -- timeout 20 "$BIN/train" /dev/zero
    printf 'hola\nhola [bos] mundo\n' >ours.txt
    refuses 1 "ours.txt:2: the text contains the reserved token [bos]" "put a space in it: [ bos]" \
        -- "$BIN/train" ours.txt
    printf '\xff\xfee\0l\0' >utf16.txt
    refuses 1 "utf16.txt looks like UTF-16" "iconv -f UTF-16 -t UTF-8" -- "$BIN/train" utf16.txt
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
    awk 'BEGIN { for (i = 0; i < 40; i++) print "the dog and the cat eat the bone and the fish of the house" }' >wrapped.txt
    "$BIN/train" wrapped.txt --steps 0 --out wrapped >out.txt
    grep -q "the lines are wrapped at column 58, so it is read on" out.txt
    "$BIN/train" wrapped.txt --steps 0 --sequence lines --out lines >out.txt # it was chosen
    refutes "^hint" out.txt
    for i in 1 2 3 4 5 6 7 8; do echo '犬は骨を食べる、猫は魚を食べるのが好きです。'; done >japanese.txt
    "$BIN/train" japanese.txt --steps 0 --out japanese >out.txt
    grep -q "^hint .*--tokens char" out.txt
    "$BIN/train" perro.txt --steps 0 --out plain >out.txt
    refutes "^hint" out.txt
}

@test "lines that end as on an old Mac" {
    printf 'el perro\rel gato\r' >mac.txt
    "$BIN/train" mac.txt --steps 2 --out mac | grep -q "2 lines, 6 tokens to predict, vocabulary 5"
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

@test "a text that is no pairs is refused with the line" {
    printf 'a\tb\n\nc d\n' >no.tsv
    refuses 1 "no.tsv:3: the line has no tab; a line of pairs is a source, one tab and a target" \
        "--objective next reads any text" -- "$BIN/train" no.tsv
    printf 'a\tb\r\nc\td\te\r\n' >two.txt
    refuses 1 "two.txt:2: the line has more than one tab" -- "$BIN/train" two.txt --objective pairs
    printf 'a\tb\nc\t \n' >empty.txt
    refuses 1 "empty.txt:2: one side of the tab is empty" -- "$BIN/train" empty.txt --objective pairs
    refuses 1 "perro.txt:1: the line has no tab" -- "$BIN/train" perro.txt --objective pairs
    refuses 1 "standard input:1: the line has no tab" -- \
        bash -c 'echo a b | "$0" - --objective pairs' "$BIN/train"
    printf 'a\tb\n' >one.tsv
    refuses 1 "no.tsv:3: the line has no tab" -- "$BIN/train" one.tsv no.tsv
    printf 'a\tb\nc\td [sep]\n' >ours.tsv
    refuses 1 "ours.tsv:2: the text contains the reserved token [sep]" "put a space in it: [ sep]" \
        -- "$BIN/train" ours.tsv
    printf 'a b\nc [mask]\n' >mask.txt
    refuses 1 "mask.txt:2: the text contains the reserved token [mask]" -- \
        "$BIN/train" mask.txt --objective masked
    printf 'a\tb\na b c\td e\n' >long.tsv
    refuses 1 "long.tsv: pair number 2 has 7 tokens, but the context is 6: shorten it, or train with" \
        "--context 7" -- "$BIN/train" long.tsv --context 6
    [ ! -e runs ]
    "$BIN/train" long.tsv --context 7 --steps 1 --out run >/dev/null
    refuses 1 "perro.txt:1: the line has no tab" -- "$BIN/sample" run --score perro.txt
    printf 'a\tb\na b c\td e a\n' >longer.tsv
    refuses 1 "longer.tsv: pair number 2 has 8 tokens, but the context is 7" -- \
        "$BIN/sample" run --score longer.tsv
    refuses 1 "reserved token [sep]" -- "$BIN/sample" run --score ours.tsv
    "$BIN/train" no.tsv --objective next --steps 1 --out next >/dev/null
}

# The values of single options are tried in options.bats.
@test "options that do not go together are refused" {
    refuses 64 TEXT -- "$BIN/train"
    refuses 1 "other.txt" -- "$BIN/train" perro.txt other.txt
    refuses 64 "--attend" heads -- "$BIN/train" perro.txt --window 1,2,3,4,5,6,7,8,9
    refuses 64 "--attend strided:0 is not a list of patterns" -- "$BIN/train" perro.txt --attend strided:0
    refuses 64 "--attend 1,,2 is not a list" -- "$BIN/train" perro.txt --attend 1,,2
    refuses 64 "--heads 5" "--width 64" -- "$BIN/train" perro.txt --heads 5
    refuses 64 "--steps" "--epochs" -- "$BIN/train" perro.txt --steps 3 --epochs 2
    refuses 64 "--text" -- "$BIN/train" perro.txt --text other.txt
    refuses 64 "--out" "--resume" -- "$BIN/train" --resume run --out other
    for schedule in noam cosine constant; do
        for option in lr lr-factor min-lr cooldown; do
            case "$schedule $option" in
            noam\ lr-factor | noam\ cooldown | cosine\ lr | cosine\ min-lr | constant\ lr | \
                constant\ cooldown) ;;
            *) refuses 64 "--$option is for" "; $schedule does not" -- \
                "$BIN/train" perro.txt "--$option=0.1" --schedule $schedule ;;
            esac
        done
    done
    refuses 64 "--min-lr 0.01" "--lr 0.001" -- "$BIN/train" perro.txt --schedule cosine \
        --min-lr 0.01
    refuses 64 "--lr is for" -- "$BIN/train" perro.txt --lr 0.1
    refuses 64 "--overwrite" "--out DIR" -- "$BIN/train" perro.txt --overwrite
    printf 'a\tb\n' >one.tsv
    refuses 64 "--causal-source is for --objective pairs; this is next" -- \
        "$BIN/train" perro.txt --causal-source
    refuses 64 "--causal-source is for --objective pairs; this is masked" -- \
        "$BIN/train" one.tsv --causal-source --objective masked
    refuses 64 "--mask is for --objective masked; this is pairs" -- "$BIN/train" one.tsv --mask 0.2
    refuses 64 "--objective pairs reads line by line, so --sequence stream conflicts with it" -- \
        "$BIN/train" one.tsv --objective pairs --sequence stream
    [ ! -e runs ]
}

@test "options that contradict each other are refused before a text is opened" {
    refuses 64 "--heads 3" "--width 64" -- "$BIN/train" missing.txt --heads 3 --width 64
    refuses 64 "--attend" "1 layers of 2" -- "$BIN/train" missing.txt --layers 1 --heads 2 \
        --window 1,2,3
    refuses 64 "--keep 2" "--checkpoint-every" -- "$BIN/train" missing.txt --keep 2
    refuses 64 "--shards 3" "power of two" -- "$BIN/train" missing.txt --shards 3
    refuses 64 "--vocabulary 255" "are 256" -- "$BIN/train" missing.txt --vocabulary 255
    refuses 64 "--vocabulary 257" "are 258" -- "$BIN/train" missing.txt --vocabulary 257 \
        --sequence lines
    PULGA_KERNEL=portable refuses 64 "--precision bf16" -- "$BIN/train" missing.txt \
        --precision bf16
    refuses 1 "missing.txt" -- "$BIN/train" missing.txt --heads 4 --width 64 --vocabulary 256
}

@test "a step has no more parts than sequences" {
    "$BIN/train" perro.txt --steps 1 --batch 3 --accumulate 50 | grep -q "3 sequences, in 3 parts"
    "$BIN/train" perro.txt --steps 1 --batch 8 --accumulate 3 --shards 4 |
        grep -q "8 sequences, in 4 shards of 2 parts"
}

@test "each schedule takes the options that it reads" {
    "$BIN/train" perro.txt --steps 2 --lr-factor 0.1 --cooldown 0.1 --out a >/dev/null
    "$BIN/train" perro.txt --steps 2 --schedule cosine --lr 0.1 --min-lr 0.1 --out b >/dev/null
    "$BIN/train" perro.txt --steps 2 --schedule constant --lr 0.1 --cooldown 0.1 --out c >/dev/null
    # Warm-up changes every schedule.
    for schedule in noam cosine constant; do
        "$BIN/train" perro.txt --steps 2 --schedule $schedule --warmup 1 --out one --overwrite \
            >/dev/null
        "$BIN/train" perro.txt --steps 2 --schedule $schedule --warmup 9 --out nine --overwrite \
            >/dev/null
        differ one/model.safetensors nine/model.safetensors
    done
}

@test "a share too small to hold anything out is reported" {
    echo hola mundo >one.txt
    "$BIN/train" one.txt --val 0.1 --steps 2 --out one | grep -q "nothing is held out"
    "$BIN/train" --resume one --steps 3 | grep -q "nothing is held out"
    "$BIN/train" perro.txt --val 0.01 --tokens char --sequence stream --steps 2 --out stream \
        >out.txt
    grep -q "held out for validation" out.txt
    refutes -q "nothing is held out" out.txt
    "$BIN/train" perro.txt --val 0 --steps 2 --out none >out.txt
    refutes -q "held out" out.txt
}

@test "sizes that do not fit in memory are refused" {
    refuses 1 memory -- "$BIN/train" perro.txt --width 65536 --layers 1000
    refuses 1 memory -- "$BIN/train" perro.txt --context 1048576 --width 65536
    refuses 1 "would take" MB -- "$BIN/train" perro.txt --hidden 262144 --width 65536 --layers 1000
    refuses 1 "would take" MB -- "$BIN/train" perro.txt --heads 1000 --head-size 65536 \
        --layers 1000 --width 1
    # The machine has it, but this process may not take it. (A sanitizer needs all addresses.)
    grep -qE '__[at]san_init' "$BIN/train" || refuses 1 "no memory" MB -- bash -c \
        'ulimit -v 2000000 && exec "$0" perro.txt --width 2048 --layers 8' "$BIN/train"
    refuses 1 "would take" "ulimit -m allows 3 MB" -- bash -c \
        'ulimit -m 3000 && exec "$0" perro.txt --width 128' "$BIN/train"
    [ ! -e runs ]
}

@test "the memory that a container allows is heeded" {
    mkdir -p there/memory # the two versions of cgroups
    echo 3000000 | tee there/memory.max >there/memory/memory.limit_in_bytes
    local inside=(unshare -m bash -c 'mount --bind there /sys/fs/cgroup && "$@"' -)
    { grep -q : /proc/self/cgroup && "${inside[@]}" true; } || skip "no containers here"
    refuses 1 "this container" "allows 3 MB" -- "${inside[@]}" "$BIN/train" perro.txt --width 128
    "${inside[@]}" "$BIN/train" perro.txt --width 8 --steps 1 --out small >/dev/null
    echo max >there/memory.max
    rm -r there/memory
    "${inside[@]}" "$BIN/train" perro.txt --width 128 --steps 1 --out run >/dev/null
}

@test "stacks that are too small and threads that cannot start are reported" {
    refuses 1 "the stack is limited to 512 kB" "ulimit -s" -- bash -c \
        'ulimit -s 512 && exec "$0" perro.txt' "$BIN/train"
    grep -qE '__[at]san_init' "$BIN/train" || refuses 1 "cannot start 64 threads" "--threads" -- \
        bash -c 'ulimit -v 400000 && exec "$0" perro.txt --threads 64' "$BIN/train"
    [ ! -e runs ]
    # OpenMP's own threads take no more than those that were tried: if these can be started, it never
    # prints its two lines. (clang's OpenMP chooses its own size.)
    grep -qE '__[at]san_init|__kmpc' "$BIN/train" || for size in 300000 400000 500000; do
        bash -c "ulimit -s 2048 && ulimit -v $size &&"' exec "$0" perro.txt --steps 1 --threads 200' \
            "$BIN/train" >out.txt 2>err.txt || { [ $? -eq 1 ] && [ "$(wc -l <err.txt)" -eq 1 ]; }
        [ "$(grep -c libgomp err.txt)" -eq 0 ]
    done
    "$BIN/train" perro.txt --steps 3 --out run >/dev/null
    for setting in OMP_STACKSIZE=64k OMP_NUM_THREADS=200000; do
        env $setting "$BIN/train" perro.txt --steps 3 --out other --overwrite >/dev/null
        same_run run other
        env $setting "$BIN/sample" run el >/dev/null
    done
}

@test "a rate that is too high ends the run, and the last save stays" {
    ONCE=1 refuses 1 "step" "a smaller --lr" -- "$BIN/train" perro.txt --schedule constant --lr 1e9 \
        --clip 0 --warmup 0 --activation gelu --out wild
    # The save before is the same as that of a run stopped there, and can be used.
    local options="--schedule constant --lr 1e6 --checkpoint-every 1"
    ONCE=1 refuses 1 "step 5: the loss is not finite: in the gradient, number" \
        "is nan; run keeps its last save; try a smaller --lr" -- \
        "$BIN/train" perro.txt $options --out run
    "$BIN/train" perro.txt $options --stop-after 4 --out stopped >/dev/null
    same_run run stopped
    refuses 1 "step 5: the loss" -- "$BIN/train" --resume run
    same_run run stopped
    "$BIN/train" perro.txt --from run --lr-factor 0.01 --steps 3 --out other | grep -q "^best"
}

@test "a run of no steps can be resumed" {
    "$BIN/train" perro.txt --steps 0 --out run >/dev/null
    "$BIN/train" --resume run --steps 4 >/dev/null
    tail -n 1 run/log.csv | grep -q "^4,"
}

@test "a damaged run is refused in one line" {
    "$BIN/train" perro.txt --steps 3 --out run >/dev/null
    cp -r run good
    refuses 1 nowhere -- "$BIN/train" --resume nowhere
    echo '{' >run/config.json
    refuses 1 run/config.json -- "$BIN/train" --resume run
    cp good/config.json run/
    sed -i 's/"heads":[[:space:]]*4/"heads": 1000000/' run/config.json
    refuses 1 run/config.json heads "to 1000" -- "$BIN/train" --resume run
    cp good/config.json run/
    sed -i 's/"seed":[[:space:]]*1/"seed": 2/' run/config.json
    refuses 1 run "config.json or tokenizer.json was changed" -- "$BIN/train" --resume run
    cp good/config.json run/
    sed -i 's/"identity"/"identitz"/' run/config.json
    refuses 1 run/config.json identity "begin a new run" -- "$BIN/train" --resume run
    for change in 's/"n_layer":[[:space:]]*[0-9]*/"n_layer": 9/' 's/"n_inner":.*/"n_inner": 7,/' \
        's/"relu"/"gelu_new"/' 's/"model_type":.*/"model_type": "openai-gpt",/' \
        's/"tie_word_embeddings":[[:space:]]*true/"tie_word_embeddings": false/'; do
        cp good/config.json run/
        sed -i "0,/\"pulga\"/$change" run/config.json
        differ good/config.json run/config.json
        refuses 1 run/config.json "changed since" -- "$BIN/train" --resume run
    done
    cp good/config.json run/
    head -c 1000 good/state.safetensors >run/state.safetensors
    refuses 1 run/state.safetensors damaged -- "$BIN/train" --resume run
    cp good/state.safetensors run/
    printf 'x' | dd of=run/state.safetensors bs=1 seek=200000 conv=notrunc 2>/dev/null
    refuses 1 run/state.safetensors checksum -- "$BIN/train" --resume run
    for lie in 's/"next":"9"/"next":"10"/' 's/"step":"3"/"step":"1e30"/' \
        's/"log_size":"/"log_size":"99/' 's/"best_loss":"[0-9]/"best_loss":"7/' \
        's/"worse":"[0-9]*"/"worse":"9"/'; do
        cp good/state.safetensors run/
        lie_in run/state.safetensors "$lie"
        differ good/state.safetensors run/state.safetensors
        refuses 1 damaged -- "$BIN/train" --resume run
    done
    cp good/state.safetensors run/
    sed -i 's/"croquetas"/"galletas"/' run/tokenizer.json
    refuses 1 run "config.json or tokenizer.json was changed" -- "$BIN/train" --resume run
    rm run/tokenizer.json
    refuses 1 run tokenizer.json -- "$BIN/train" --resume run
    cp good/tokenizer.json run/
    rm run/state.safetensors
    refuses 1 run state.safetensors -- "$BIN/train" --resume run
}

# Edits the header of a safetensors file and writes its new length in front.
lie_in() {
    local length header
    length=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
    header=$(tail -c +9 "$1" | head -c "$length" | sed "$2")
    numbers_of "$1" >numbers.bin
    length=$(printf %s "$header" | wc -c)
    { printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((length & 255)) $((length >> 8 & 255)) \
        $((length >> 16 & 255)) $((length >> 24 & 255)))\\0\\0\\0\\0"
      printf %s "$header"; cat numbers.bin; } >"$1"
}
