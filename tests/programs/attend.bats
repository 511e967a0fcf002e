# attend.bats: the program attend as a user calls it: tables, files, colours, mistakes.
load programs.bash

# A run with windows, made in a moment.
small_run() {
    "$BIN/train" perro.txt --steps 20 --layers 2 --heads 4 --window 0,1,2,3 --out run >/dev/null
}

@test "tables and a line for each head" {
    small_run
    "$BIN/attend" run un gato come >out.txt
    [ "$(grep -cE '^ +[12] +[1-4] ' out.txt)" -eq 8 ]
    [ "$(grep -cE '^layer [12], head [1-4]$' out.txt)" -eq 8 ]
    [ "$(grep -cE '^ *come( |$)' out.txt)" -eq 8 ]
    refutes $'\033' out.txt
    [ "$(head -n 1 out.txt)" = \
        "layer  head     pattern  entropy (bits)  mean distance  itself  previous  [bos]" ]
    # A window of one attends only to itself: no entropy, no distance.
    grep -qE '^ +1 +2 +window 1 +0.00 +0.00 +100% +0% +0%$' out.txt
    grep -qE '^ +1 +1 +all ' out.txt
    refutes ' $' out.txt
    # The words may be one argument, and - is standard input.
    "$BIN/attend" run "un gato come" | cmp - out.txt
    echo "un gato come" | "$BIN/attend" run - | cmp - out.txt
    printf 'un gato come\r\n' | "$BIN/attend" run - | cmp - out.txt
}

@test "every kind of file" {
    small_run
    for ending in html svg npy csv json; do
        "$BIN/attend" run un gato come -o "a.$ending" >out.txt
        [ "$(cat out.txt)" = "wrote a.$ending" ]
        "$BIN/attend" run un gato come -o "-.$ending" | cmp - "a.$ending"
    done
    "$BIN/attend" run un gato come -o - | cmp - a.csv
    [ "$(ls -A | wc -l)" -eq 8 ] # and perro.txt, run, out.txt; nothing else is left
    # 10 pairs of a causal head, then 4, 7 and 9 with windows of 1, 2, 3; two layers
    [ "$(wc -l <a.csv)" -eq $((1 + 2 * (10 + 4 + 7 + 9))) ]
    grep -q '"tokens": \["\[bos\]", "un", "gato", "come"\]' a.json
    grep -qF '"patterns": [["all", "window 1", "window 2", "window 3"], [' a.json
}

# Three short pairs, and a model of them with the options given.
pairs_run() {
    printf 'el perro\tthe dog\nel gato\tthe cat\nun gato come\ta cat eats\n' >pairs.tsv
    "$BIN/train" pairs.tsv --layers 1 --heads 2 --steps 60 --out pairs "$@" >/dev/null
}

@test "the tokens of a source see each other, those of a target do not see ahead" {
    pairs_run
    printf 'el gato\tthe cat\n' | "$BIN/attend" pairs - >out.txt
    [ "$(head -n 1 out.txt)" = \
        "layer  head  entropy (bits)  mean distance  itself  previous  next  [bos]" ]
    [ "$(grep -cE '^(source|target) ─+┼─+$' out.txt)" -eq 4 ]
    printf 'el gato\tthe cat\n' | "$BIN/attend" pairs - -o a.csv
    # [bos] el gato [sep] all see each other; "the" sees five tokens and "cat" six; two heads
    [ "$(wc -l <a.csv)" -eq $((1 + 2 * (4 * 4 + 5 + 6))) ]
    grep -q '^1,1,1,4,"\[bos\]","\[sep\]",' a.csv
    pairs_run --causal-source --overwrite
    printf 'el gato\tthe cat\n' | "$BIN/attend" pairs - -o a.csv
    [ "$(wc -l <a.csv)" -eq $((1 + 2 * 21)) ]
}

@test "a source alone is completed by the target that sample finds" {
    pairs_run
    "$BIN/attend" pairs el gato >out.txt
    [ "$(head -n 1 out.txt)" = "the target is the model's own: the cat" ]
    "$BIN/sample" pairs el gato --count 1 | grep -q '^  1  el gato → the cat  '
    printf 'el gato\tthe cat' | "$BIN/attend" pairs - | cmp - <(tail -n +2 out.txt)
    "$BIN/attend" pairs El Gato | head -n 1 | grep -q "^read in lower case, .*: El, Gato$"
    "$BIN/attend" pairs el gato -o -.json 2>err.txt | grep -qxF '"text": "el gato\u0009the cat",'
    [ "$(cat err.txt)" = "the target is the model's own: the cat" ]
    # This untrained model never ends a target: 6 tokens, and two more fill the context.
    "$BIN/train" pairs.tsv --steps 0 --out new >/dev/null
    [ "$("$BIN/attend" new el perro el perro | head -n 1)" = \
        "the target is the model's own, cut at the end of the context: gato gato" ]
}

@test "all tokens of a model of gaps see each other" {
    "$BIN/train" perro.txt --objective masked --layers 1 --heads 2 --window 0,2 --steps 20 \
        --out run >/dev/null
    "$BIN/attend" run 'un [mask] come' -o a.csv
    [ "$(wc -l <a.csv)" -eq $((1 + 5 * 5 + (2 + 3 + 3 + 3 + 2))) ] # and [bos] and [eos]
    grep -q '^1,1,2,3,"un","\[mask\]",' a.csv
    "$BIN/attend" run un gato come >out.txt # nothing needs to be hidden
    grep -q ' previous  next  \[bos\]' out.txt
    grep -q '^\[eos\] ' out.txt
}

@test "what does not fit into a line is reported" {
    "$BIN/train" perro.txt --tokens char --sequence stream --steps 2 --context 200 --out run \
        >/dev/null
    text=$(head -n 4 perro.txt | tr '\n' ' ')
    COLUMNS=60 "$BIN/attend" run "$text" --layer 1 --head 1 >out.txt
    grep -q "only the last 29 of [0-9]* tokens fit" out.txt
    [ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' \
        <(grep -E '^. [·░▒▓█ ]+$' out.txt))" -le 180 ] # bytes: three for each shade
    COLUMNS=60 "$BIN/attend" run "el perro come un" --layer 1 --head 1 >out.txt
    grep -q "numbers do not fit" out.txt
}

@test "many tables are not printed unless a head is chosen" {
    "$BIN/train" perro.txt --tokens char --sequence stream --steps 0 --context 64 --layers 8 \
        --heads 8 --width 8 --out run >/dev/null
    "$BIN/attend" run "el perro come un" >out.txt
    [ "$(grep -cE '^ +[1-8] +[1-8] ' out.txt)" -eq 64 ]
    refutes '^layer [1-8], head [1-8]$' out.txt
    [ "$(tail -n 1 out.txt)" = "not shown: 64 tables, 1,216 lines; choose --layer and --head, \
or write a page with -o attention.html" ]
    "$BIN/attend" run "el perro come un" --head 3 >out.txt
    [ "$(grep -c '^layer [1-8], head 3$' out.txt)" -eq 8 ]
}

@test "colours only on a terminal, not under NO_COLOR, and after COLORFGBG" {
    needs_terminal
    small_run
    on_terminal() { # ASSIGNMENTS...
        script -qec "env $* $BIN/attend run un gato" /dev/null </dev/null >out.txt
    }
    on_terminal TERM=xterm-256color NO_COLOR= COLORTERM=
    grep -qF $'\033[48;5;' out.txt
    on_terminal TERM=xterm-256color NO_COLOR=1 COLORTERM=truecolor
    refutes $'\033' out.txt
    # [bos] gives itself 100 percent: nearly black on white, nearly white on black.
    on_terminal TERM=xterm NO_COLOR= COLORTERM=truecolor "COLORFGBG='0;15'"
    grep -qE '^ *\[bos\] .\[48;2;[1-6]?[0-9];[1-6]?[0-9];[0-9]+;38;5;231m +100 ' out.txt
    on_terminal TERM=xterm NO_COLOR= COLORTERM=truecolor "COLORFGBG='15;default;0'"
    grep -qE '^ *\[bos\] .\[48;2;2[0-9]+;2[0-9]+;2[0-9]+;38;5;16m +100 ' out.txt
}

# bats test_tags=long
@test "a page carries the model if it is small, or if it is told to" {
    small_run
    "$BIN/attend" run un gato -o a.html >out.txt
    grep -qF '"model":{"layers":2,' a.html
    grep -q '<script type="text/plain" id="weights">[A-Za-z0-9+/]*=*</script>' a.html
    "$BIN/attend" run un gato -o a.html --static >out.txt
    grep -qF '"model":null' a.html
    [ "$(grep -c 'class="packed"' a.html)" -eq 8 ]
    "$BIN/train" perro.txt --width 600 --heads 4 --layers 1 --steps 0 --out large >/dev/null
    "$BIN/attend" large un gato -o a.html >out.txt
    grep -q '^the page shows only this text, .* weights take 1[0-9] MB; --live adds it$' out.txt
    grep -qF '"model":null' a.html
    "$BIN/attend" large un gato -o a.html --live >out.txt
    grep -qF '"model":{"layers":1,' a.html
    refuses 64 "--live and --static" -- "$BIN/attend" run un -o a.html --live --static
    refuses 64 "--live is for a page" FILE.html -- "$BIN/attend" run un --live
}

@test "a page carries the earlier saves that a run has kept" {
    "$BIN/train" perro.txt --steps 30 --eval-every 5 --checkpoint-every 5 --keep 9 --out run >/dev/null
    "$BIN/attend" run un gato -o a.html >/dev/null
    grep -qF '"checkpoints":[5,10,15,20,25]' a.html # 30 is the model itself
    "$BIN/attend" run/checkpoint-10 un gato -o b.html >/dev/null
    weights() { grep "$1" "$2" | sed 's/<[^>]*>//g'; }
    cmp <(weights 'class="checkpoint"' a.html | sed -n 2p) <(weights 'id="weights"' b.html)
    # As many as make 8 MB, spread over all: each has 3 MB.
    "$BIN/train" perro.txt --width 256 --layers 1 --steps 6 --checkpoint-every 1 --keep 9 --out large >/dev/null
    "$BIN/attend" large un gato -o a.html >out.txt
    grep -qF '"checkpoints":[1]' a.html
    grep -q "^the page carries 1 earlier save of the run: about 8 MB" out.txt
}

@test "each line of standard input is a text of a page that carries the model" {
    small_run
    printf 'un gato come\r\n\n  el perro \n' | "$BIN/attend" run - -o a.html >out.txt
    grep -qF '"texts":["un gato come","  el perro "],' a.html
    grep -qF '"words":["[bos]","un","gato","come"],' a.html
    printf 'un gato\nel perro\n' | "$BIN/attend" run - -o a.html --static >out.txt
    grep -qF '"words":["[bos]","un","gato","el","perro"],' a.html
    printf 'un gato\n\nel gatto\n' >lines.txt
    refuses 1 "standard input:3:" gatto -- sh -c "'$BIN/attend' run - -o b.html <lines.txt"
    refuses 1 "standard input is empty" -- "$BIN/attend" run - -o b.html
    pairs_run
    printf 'el gato\nel perro\tthe dog\n' | "$BIN/attend" pairs - -o a.html >out.txt
    grep -qF '"texts":["el gato\u0009the cat","el perro\u0009the dog"],' a.html
    "$BIN/train" perro.txt --sequence stream --steps 2 --context 20 --out stream >/dev/null
    printf 'un gato\nel perro\n' | "$BIN/attend" stream - -o a.html >out.txt
    grep -qF '"words":["un","gato","el","perro"],' a.html
}

# with_lab: an attend that has a page of the lab beside it, with nothing but a place for a run.
with_lab() {
    mkdir -p at/build/lab
    cp "$BIN/attend" at/attend
    printf '<!doctype html>\n<html lang="en">\n<!-- the run -->\n</html>\n' >at/build/lab/pulga.html
}

@test "--train writes the page of the lab with the run in it" {
    small_run
    with_lab
    at/attend run "un gato </script>" -o a.html --train >out.txt 2>err.txt || grep -q 'does not know' err.txt
    [ ! -e a.html ]
    at/attend run un gato -o a.html --train >out.txt
    [ "$(cat out.txt)" = "wrote a.html" ]
    at/attend run un gato -o -.html --train | cmp - a.html
    at/attend run un gato -o a.html --train >out.txt # its own file may be replaced
    refuses 1 "not written by attend" -- at/attend run un -o at/build/lab/pulga.html --train
    [ "$(sed -n 3p a.html)" = '<html lang="en">' ]
    [ "$(sed -n 4p a.html)" = \
        '<script type="application/json" id="run">{"run":"run","text":"un gato"}</script>' ]
    [ "$(tail -n 1 a.html)" = '</html>' ]
    for file in run/*; do
        sed -n "s,^<script type=\"text/plain\" class=\"run\" data-name=\"${file#run/}\">\(.*\)</script>\$,\1,p" \
            a.html | base64 -d | cmp - "$file"
    done
    pairs_run
    at/attend pairs el gato -o a.html --train >/dev/null
    grep -qF '"text":"el gato\u0009the cat"}' a.html
}

@test "--train refuses what a page cannot train" {
    small_run
    with_lab
    refuses 64 "--train carries" "leave out --live, --static, --layer, --head and --without" -- \
        at/attend run un -o a.html --train --live
    printf 'un gato\nel perro\n' >lines.txt
    refuses 1 "--train: the page opens with one TEXT" -- \
        sh -c "at/attend run - -o a.html --train <lines.txt"
    damaged() { # TEXT...: the copy of the run is refused in a line that holds each TEXT
        refuses 1 "--train: copy" "$@" -- at/attend copy un -o a.html --train
        cp run/* copy
    }
    cp -r run copy
    rm copy/text.txt
    damaged "holds no copy of its text"
    rm copy/state.safetensors
    damaged "has no state.safetensors" "train TEXT --from copy"
    sed -i 's/"precision":\(\s*\)"f32"/"precision":\1"bf16"/' copy/config.json
    damaged "was trained with --precision bf16"
    truncate -s 70M copy/log.csv
    damaged "has 72 MB, but a page can carry only 64"
    rm at/build/lab/pulga.html
    refuses 1 "--train needs " "at/build/lab/pulga.html, which is missing: make lab" -- \
        at/attend run un -o a.html --train
    [ ! -e a.html ]
}

@test "mistakes" {
    small_run
    refuses 64 RUN TEXT -- "$BIN/attend" run
    refuses 64 "--layer 3" "only 2 layers" -- "$BIN/attend" run un --layer 3
    refuses 64 "--head 5" "only 4 heads" -- "$BIN/attend" run un --head 5
    refuses 64 a.pdf ".html, .svg, .npy, .csv or .json" -- "$BIN/attend" run un -o a.pdf
    refuses 1 nowhere -- "$BIN/attend" nowhere un
    refuses 1 empty -- "$BIN/attend" run "  "
    refuses 1 "standard input" empty -- "$BIN/attend" run -
    refuses 1 gatto -- "$BIN/attend" run un gatto
    refuses 1 "9 tokens with [bos]" "at most 8" "--context 9" -- "$BIN/attend" run un un un un un un un un
    refuses 64 "--positions takes only a RUN" -- "$BIN/attend" run --positions --layer 1
    refuses 64 a.html "with --positions" ".svg, .npy, .csv or .json" -- \
        "$BIN/attend" run --positions -o a.html
    refuses 1 run/log.csv "not written by attend" -- "$BIN/attend" run --positions -o run/log.csv
    pairs_run
    refuses 1 "8 tokens with [bos] and [sep]" "no room for a target" --context -- \
        "$BIN/attend" pairs el el el el el el
    mkdir d.html
    refuses 1 d.html directory -- "$BIN/attend" run un -o d.html
    [ "$(ls -A)" = "$(printf 'd.html\nerr.txt\nout.txt\npairs\npairs.tsv\nperro.txt\nrun')" ]
}

@test "the cosines of the positions, as a table and in every kind of file" {
    "$BIN/train" perro.txt --steps 0 --out run >/dev/null
    "$BIN/attend" run --positions >out.txt
    [ "$(head -n 1 out.txt)" = "8 sinusoidal positions of width 64" ]
    [ "$(sed -n 3,5p out.txt)" = "$(printf 'distance  cosine\n       0   1.000\n       1   0.966')" ]
    for ending in svg npy csv json; do
        "$BIN/attend" run --positions -o "a.$ending" >again.txt
        "$BIN/attend" run --positions -o "-.$ending" | cmp - "a.$ending"
    done
    grep -q '^1,2,1,0.966' a.csv
    [ "$(wc -l <a.csv)" -eq 65 ]
    "$BIN/train" perro.txt --steps 0 --out learned --positions learned --context 100 >/dev/null
    "$BIN/attend" learned --positions >out.txt
    [ "$(sed -n 3p out.txt)" = "distance  cosine   least    most" ]
    [ "$(wc -l <out.txt)" -eq 37 ] # every third distance
}

@test "heads and layers are left out by name, in tables, files and answers" {
    small_run
    # Layer 1 reads the same; what it adds is gone for layer 2.
    "$BIN/attend" run un gato come -o a.csv >/dev/null
    "$BIN/attend" run un gato come --without L1H4,L1H1 -o b.csv >/dev/null
    cmp <(grep ^1, a.csv) <(grep ^1, b.csv)
    differ a.csv b.csv
    "$BIN/sample" run --score perro.txt >all.txt
    for list in L1H1 L2 L1H1,L2; do
        "$BIN/sample" run --score perro.txt --without $list >less.txt
        differ all.txt less.txt
    done
    # The page carries the whole model, with what is off at first.
    "$BIN/attend" run un gato come -o a.html >/dev/null
    "$BIN/attend" run un gato come --without L2H3,L1 -o b.html >/dev/null
    cmp <(sed 's/"off":\[\]/"off":["L2H3","L1"]/' a.html) b.html
    for list in L3 L2H5 L2H L1, H1 L1H1L2 L01; do
        refuses 64 "--without $list" "L1H1 to L2H4" -- "$BIN/attend" run un --without "$list"
    done
    refuses 64 "L1H1 to L2H4" -- "$BIN/sample" run un --without "$(seq -s, 9999)"
}

@test "what each head does: the loss without it, and how far it copies" {
    small_run
    "$BIN/attend" run --heads el perro come >out.txt
    grep -qE '^loss [0-9.]{8}: .*, 3$' out.txt
    [ "$(grep -cE '^ +[12] +[1-4] +[+-][0-9.]+ +[0-9]+% +[0-9]+%' out.txt)" -eq 8 ]
    # In eight tokens there is room for three, twice, after [bos]. A window of 1 sees only itself.
    tail -n 1 out.txt | grep -q ' 3 random tokens'
    grep -qE '^ +1 +2 .* 0% +0%$' out.txt
    # A rise is the difference of two losses.
    rise=$(awk '$1 == 2 && $2 == "all" { print $3 }' out.txt)
    loss() { "$BIN/attend" run --heads el perro come "$@" | sed -n 's/^loss \([0-9.]*\):.*/\1/p'; }
    awk -v a="$(loss --without L2)" -v b="$(loss)" -v rise="$rise" \
        'BEGIN { d = a - b - rise; exit !(d < 0.0001 && d > -0.0001) }'
    refuses 64 --heads -- "$BIN/attend" run --heads el --layer 1
    # The same numbers as JSON.
    "$BIN/attend" run --heads el perro come -o a.json | grep -qx 'wrote a.json'
    "$BIN/attend" run --heads el perro come -o -.json | cmp - a.json
    [ "$(jq -r '.effects[] | [.layer, .head // "all", .rise, 100 * (.previous // 0), 100 * (.copies // 0)] | @tsv' a.json |
        awk '{ printf "%.4f %.0f %.0f\n", $3, $4, $5 }' | tr -d - | sort)" = "$("$BIN/attend" run --heads el \
        perro come | awk '$1 ~ /^[12]$/ { printf "%.4f %d %d\n", $3, $4, $5 }' | tr -d - | sort)" ]
    jq -e '.loss > 0 and .tokens == 3 and (.effects | length) == 10 and .effects[4].head == null' a.json
    refuses 64 a.svg "with --heads" .json -- "$BIN/attend" run --heads el -o a.svg
    # As CSV, which replaces only its own kind.
    "$BIN/attend" run --heads el perro come -o a.csv | grep -qx 'wrote a.csv'
    "$BIN/attend" run --heads el perro come -o a.csv | grep -qx 'wrote a.csv'
    cmp <(tail -n +2 a.csv) <(jq -r '.effects[] | [.layer, .head, .rise, .previous, .copies] | @csv' a.json)
    # Pairs: the tokens of the target. Masked tokens: each, hidden by itself. Neither copies.
    pairs_run
    printf 'el gato\tthe cat' | "$BIN/attend" pairs --heads - >out.txt
    grep -qE '^loss .*, 2$' out.txt
    "$BIN/train" perro.txt --objective masked --steps 9 --out masked >/dev/null
    "$BIN/attend" masked --heads 'el [mask] come' >out.txt
    grep -qE '^loss .*, 2$' out.txt
    tail -n 1 out.txt | grep -q 'no column for copying'
}

@test "what each head does for all lines of a file" {
    small_run
    pairs_run
    "$BIN/train" perro.txt --objective masked --steps 9 --out masked >/dev/null
    "$BIN/train" perro.txt --tokens char --sequence stream --context 16 --steps 9 --out stream >/dev/null
    for run in run masked stream pairs; do
        text=perro.txt
        [ "$run" != pairs ] || text=pairs/text.txt
        # The loss of a file is that of --score, also without a head.
        for without in '' '--without L1H2'; do
            read -r loss _ count _ < <("$BIN/sample" $run --score $text $without | grep ' in all$')
            "$BIN/attend" $run --heads $text $without >out.txt
            grep -qE "^loss $loss: .* in $text, $count\$" out.txt
        done
        "$BIN/attend" $run --heads $text -o -.json | jq -e --arg text $text \
            '.file == $text and (.text | not) and .effects[0].rise != 0'
    done
    # A large file is sampled.
    for i in $(seq 400); do echo "$(cat perro.txt)"; done >large.txt
    "$BIN/attend" stream --heads large.txt | grep -qE '^loss .*: the mean of a sample .* large.txt, [0-9]+$'
}
