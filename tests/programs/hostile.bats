# hostile.bats: a model directory from a stranger is only data. Whatever it holds, nothing hangs,
# nothing outside of it is read or written, and nothing of it reaches the terminal or a page as a
# command.
load programs.bash

FILES=(config.json model.safetensors state.safetensors tokenizer.json tokenizer_config.json text.txt
    log.csv)

small_run() { # TEXT DIRECTORY
    "$BIN/train" "$1" --width 8 --heads 1 --steps 4 --stop-after 2 --out "$2"
}

# ends COMMAND...: it ends in time, with success or with status 1 and one line.
ends() {
    local code=0
    dying timeout 20 "$@" >out.txt 2>err.txt </dev/null || code=$?
    [ "$code" -le 1 ] && [ "$(wc -l <err.txt)" -eq "$code" ] || {
        echo "status $code: $*"; cat err.txt; return 1; }
}

# Fails if a file holds control characters other than a line's end, of ASCII or beyond it, or marks
# that change the direction of writing. It looks at bytes, since a terminal may.
harmless() {
    local ascii='[\x00-\x09\x0b-\x1f\x7f]' beyond='\xc2[\x80-\x9f]'
    LC_ALL=C refutes -anP "$ascii|$beyond|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]" "$@"
}

@test "a pipe, a directory or a device in place of a file is refused by name" {
    small_run perro.txt run >/dev/null
    for file in "${FILES[@]}"; do
        for kind in pipe directory device; do
            rm -rf there && cp -r run there && rm there/$file
            case $kind in
            pipe) mkfifo there/$file ;;
            directory) mkdir there/$file ;;
            device) ln -s /dev/zero there/$file ;;
            esac
            case $file in
            state.safetensors | log.csv) ends "$BIN/sample" there un gato ;;
            *) refuses 1 there/$file $kind -- timeout 20 "$BIN/sample" there un gato ;;
            esac
            ends "$BIN/attend" there un gato
            ends "$BIN/train" --resume there
            ends "$BIN/train" perro.txt --from there --steps 1 --out next --overwrite
        done
    done
}

@test "a file larger than any memory is refused" {
    small_run perro.txt run >/dev/null
    for file in config.json tokenizer.json text.txt; do
        rm -rf there && cp -r run there && truncate -s 4T there/$file || skip "no sparse files"
        refuses 1 there/$file "would take" -- "$BIN/sample" there un gato
    done
    cp run/text.txt there/ && truncate -s 4T there/model.safetensors
    refuses 1 there/model.safetensors "bytes, it has 4398046" -- "$BIN/sample" there un gato
    truncate -s 4T large.txt
    refuses 1 large.txt "not a text" -- "$BIN/train" large.txt # it is read in blocks
}

@test "links are read through, as Hugging Face's cache has them" {
    small_run perro.txt run >/dev/null
    "$BIN/sample" run un gato >right.txt
    mkdir blobs there
    for file in "${FILES[@]}"; do
        cp run/$file blobs/
        ln -s ../blobs/$file there/$file
    done
    "$BIN/sample" there un gato | cmp - right.txt
    ln -sf loop there/tokenizer.json && ln -s tokenizer.json there/loop
    refuses 1 there/tokenizer.json -- "$BIN/sample" there un gato
}

@test "a directory that cannot be read is not taken for one without a model" {
    ln -s circle circle
    for command in "sample circle" "attend circle un" "train perro.txt --out circle" \
        "train perro.txt --from circle"; do
        refuses 1 circle "symbolic links" -- "$BIN"/$command
    done
}

@test "nothing outside is written through a link" {
    small_run perro.txt run >/dev/null
    mkdir outside
    for link in "${FILES[@]}" $(printf '.%s.new ' "${FILES[@]}" x.svg); do
        name=outside/${link#.}
        echo kept >$name
        for how in "train --resume there" "train perro.txt --steps 1 --out there --overwrite" \
            "attend there un -o there/x.svg"; do
            rm -rf there && cp -r run there
            [ ! -e there/$link ] || cp there/$link $name
            ln -sf ../$name there/$link
            cp $name before
            ends "$BIN"/$how
            cmp $name before
        done
    done
}

@test "the text of a run is not looked for outside of it" {
    small_run perro.txt run >/dev/null
    rm run/text.txt perro.txt
    mkfifo perro.txt # to open it would be to wait
    ends "$BIN/sample" run un gato
    refutes "/4" out.txt
    refuses 1 "--text" -- timeout 20 "$BIN/train" --resume run
}

@test "words with control codes or HTML reach neither the terminal nor the page as such" {
    local words=($'\e[31m' $'\e]0;x\a' $'\xc2\x9b2J' $'\xe2\x80\xaeevil' $'a\xe2\x81\xa6b'
        '<b>&amp;' '</script><script>alert(1)</script>' '%s%n%s' '"><svg/onload=x>' "x'y" $'\x7f')
    for word in "${words[@]}"; do printf '%s uno %s\n' "$word" "$word"; done >words.txt
    small_run words.txt run >out.txt
    harmless out.txt
    for prompt in "" "${words[@]}"; do
        "$BIN/sample" run "$prompt" --table 100 >out.txt
        harmless out.txt
        "$BIN/sample" run "$prompt" --table 100 --json >out.txt
        harmless out.txt
        printf '%s\n' "$prompt" | "$BIN/sample" run >out.txt
        harmless out.txt
        "$BIN/attend" run "uno $prompt" >out.txt
        harmless out.txt
        for kind in svg html json; do
            "$BIN/attend" run "uno $prompt" -o out.$kind
            refutes -Fe '<script>alert' -e '<svg/' -e '<b>' out.$kind
            harmless out.$kind
        done
        "$BIN/sample" run "zorro$prompt" >out.txt 2>err.txt || true
        harmless err.txt
    done
    "$BIN/sample" run --score words.txt >out.txt
    harmless out.txt
    "$BIN/sample" run --score words.txt --json >out.txt
    harmless out.txt
}

@test "file names with control codes do not reach the terminal as such" {
    local name=$'r\e[2J\xe2\x80\xae\xff%s%n'
    cp perro.txt "$name.txt"
    small_run "$name.txt" "$name" >out.txt
    harmless out.txt
    iconv -f UTF-8 -t UTF-8 out.txt >/dev/null
    iconv -f UTF-8 -t UTF-8 "$name/config.json" >/dev/null # else it would not be JSON
    "$BIN/train" "$name.txt" --from "$name" --steps 1 --out next >out.txt
    harmless out.txt
    "$BIN/attend" "$name" un gato -o "$name.svg" >out.txt
    harmless out.txt "$name.svg"
    # The command that it suggests can be typed.
    small_run perro.txt "$name-2" >out.txt
    eval "$(sed -n "s,^next  *[^ ]*train,$BIN/train,p" out.txt)" >/dev/null
    for words in "sample $name" "attend $name x" "train --resume $name" "train x --from $name" \
        "train $name-none.txt" "sample $name-none" "sample next --score $name-none"; do
        rm -f "$name/tokenizer.json"
        "$BIN"/$words >out.txt 2>err.txt || true
        [ -s err.txt ]
        harmless out.txt err.txt
    done
}

@test "weights so large that the model computes no finite number are refused" {
    small_run perro.txt run >/dev/null
    local whole numbers file=run/model.safetensors
    sed -i 's/"checksum"/"no_check"/' $file
    whole=$(stat -c %s $file) numbers=$(numbers_of $file | wc -c)
    { head -c $((whole - numbers)) $file
      head -c "$numbers" /dev/zero | tr '\0' '~'; } >large # each is 8e37
    mv large $file
    for words in "sample run un gato" "sample run un gato --count 0" "sample run un --beam 3" \
        "sample run un --json" "sample run --score perro.txt" "attend run un gato"; do
        refuses 1 $file "so large" -- "$BIN"/$words
    done
}

@test "output that cannot be written gives status 1" {
    small_run perro.txt run >/dev/null
    for words in "sample run un gato" "sample run un gato --json" "attend run un gato" \
        "sample --help" "train --version" "train perro.txt --steps 1 --out new --overwrite"; do
        for where in /dev/full "&-"; do
            code=0
            eval '"$BIN"/$words'" >$where 2>err.txt" || code=$?
            [ "$code $(wc -l <err.txt)" = "1 1" ]
            grep -q "standard output" err.txt
        done
    done
    # With closed standard files, nothing is printed into a file of the run.
    "$BIN/train" perro.txt --steps 1 --out closed >&- 2>&- <&- || true
    head -n 1 new/log.csv | cmp - <(head -n 1 closed/log.csv)
    refutes -r "perro.txt: 9 lines" closed
    # A reader of the pipe may leave.
    "$BIN/train" perro.txt --out left | head -n 1 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 0 ]
    tail -n 1 left/log.csv | grep -q '^300,'
    refuses 1 "standard input" -- bash -c '"$0" run <.' "$BIN/sample"
}

@test "names and words that are made to collide in a table take no longer" {
    # Of each pair of letters 57 apart, the first is one lower and the second two higher, or neither:
    # a hash that turns by 9 bits a letter is the same for all. 32,768 of them took 11 s and more.
    awk 'BEGIN {
        middle = sprintf("%42s", ""); gsub(/ /, "m", middle)
        for (i = 0; i < 32768; i++) {
            a = b = ""
            for (n = i + 32768; n > 1; n = int(n / 2)) { a = a (n % 2 ? "l" : "m"); b = b (n % 2 ? "o" : "m") }
            print "el " a middle b
        }
    }' >words.txt
    "$BIN/train" words.txt --tokens bpe --vocabulary 300 --layers 1 --heads 1 --width 8 --context 16 \
        --steps 1 --threads 1 --out run >/dev/null
    (ulimit -t 5; "$BIN/sample" run el --threads 1 >/dev/null)
    mv run/model.safetensors run/other.safetensors
    (echo '{"weight_map": {'; sed 's/^el \(.*\)/"\1": "\1",/' words.txt; echo '"last": "last"}}') \
        >run/model.safetensors.index.json
    (ulimit -t 5; refuses 1 "run has no" -- "$BIN/sample" run el)
}
