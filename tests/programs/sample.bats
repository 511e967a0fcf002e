# sample.bats: what ./sample answers at a terminal, in a pipe, as text and as JSON.
load programs.bash

# The nine sentences, learned to the end.
learned_run() {
    "$BIN/train" perro.txt --out run >/dev/null
}

small_run() {
    "$BIN/train" perro.txt --out run --steps 20 >/dev/null
}

@test "the table has each next word's probability and count" {
    learned_run
    "$BIN/sample" run el --count 1 >out.txt
    head -n 1 out.txt | grep -qE '^  word +in the text +model$'
    grep -qE '^  perro +0\.400  2 of 5 +0\.(39|40|41)' out.txt
    grep -qE '^  gato +0\.200  1 of 5 +0\.(19|20|21)' out.txt
    grep -qE '^  12 others +0\.00' out.txt
    refutes ' $' out.txt
    [ "$("$BIN/sample" run el --table 5 --count 0 | wc -l)" -eq 7 ]
    "$BIN/sample" run "" --count 0 | grep -qE '^  el +0\.556  5 of 9 +0\.5'
}

@test "without the training text, nothing is counted" {
    learned_run
    mv run/text.txt kept.txt
    "$BIN/sample" run el >out.txt
    refutes -E '[0-9] of |in the text|new' out.txt
    grep -qE '^  perro +0\.' out.txt
    "$BIN/sample" run el --text kept.txt | grep -qE '^  perro +0\.400  2 of 5'
    echo "el gato come" >other.txt
    refuses 1 other.txt "not the text" -- "$BIN/sample" run el --text other.txt
}

@test "a word that is known only in lower case is read so, with a note" {
    small_run
    cmp <("$BIN/sample" run El --count 0) \
        <(echo "  read in lower case, as in the training text: El" && "$BIN/sample" run el --count 0)
    "$BIN/sample" run El --json | grep -q '"lowered":"El"'
}

@test "a beam search finds the most probable continuations, best first" {
    learned_run
    "$BIN/sample" run el --beam 5 --count 5 --table 0 >out.txt
    [ "$(wc -l <out.txt)" -eq 5 ]
    [ "$(grep -o '\[p 0\.[0-9]*' out.txt)" = "$(grep -o '\[p 0\.[0-9]*' out.txt | sort -r)" ]
    grep -q '^  [1-5]  el perro come un hueso  \[p 0\.' out.txt
}

# tests/programs/sample/stop.c has where a continuation ends.
@test "each option of writing changes what is written, and --stop is told as JSON" {
    learned_run
    "$BIN/sample" run un --words 6 --temperature 2 >one.txt
    for option in "--seed 4" "--temperature 9" "--top-k 1" "--top-p 0.1" "--words 2" "--count 2" \
        "--stop g" "--repetition-penalty 0.01"; do
        "$BIN/sample" run un --words 6 --temperature 2 $option >other.txt
        differ one.txt other.txt
    done
    "$BIN/sample" run "el perro" --greedy --stop " come" --json |
        grep -q '"continuations":\[{"text":"","tokens":\["come"\].*"ended":false,.*"stopped":true'
}

@test "each line of a pipe is a prompt, and a wrong one does not end it" {
    small_run
    status=0
    printf 'el\nun [mask]\n\nun' | "$BIN/sample" run --count 1 >out.txt 2>err.txt || status=$?
    [ "$status" -eq 1 ]
    refutes '^> ' out.txt
    [ "$(grep -c '^  1  ' out.txt)" -eq 3 ]
    [ "$(grep -c '^  word ' out.txt)" -eq 3 ]
    grep -q "^sample: standard input:2 has \[mask\], but" err.txt
    [ "$(wc -l <err.txt)" -eq 1 ]
}

@test "what the model does not know of a prompt is named, and the answer goes on before it" {
    learned_run
    "$BIN/sample" run "un muchacho" >known.txt
    "$BIN/sample" run "un muchacho dato el vals dato" >out.txt 2>err.txt
    cmp out.txt known.txt
    head -n 1 err.txt |
        grep -qx "sample: the prompt: the model does not know 'dato'; its nearest: gato.*; nor 'vals'"
    tail -n 1 err.txt | grep -qx "sample: the answer goes on from 'un muchacho'"
    "$BIN/sample" run vals 2>&1 >out.txt | grep -qx "sample: the answer goes on from the beginning of a line"
    grep -q "^  el  *0.5" out.txt
    # A stream has no beginning.
    "$BIN/train" perro.txt --sequence stream --steps 2 --out stream >/dev/null
    refuses 1 "does not know 'vals'" -- "$BIN/sample" stream "vals un"
    "$BIN/sample" stream "un vals" >out.txt 2>err.txt
    grep -qx "sample: the answer goes on from 'un'" err.txt
}

@test "--sources: the longest pieces that the text has, and their lines in the file" {
    printf 'el perro come un hueso\n\nel gato duerme\nun perro duerme\n' >pets.txt
    "$BIN/train" pets.txt --steps 2 --out pets >/dev/null
    "$BIN/sample" pets "el gato duerme" --sources --greedy --words 1 --table 0 >out.txt
    grep -qE '^     el gato duerme +1 +3  el gato duerme$' out.txt
    # One piece, if there is a text for it, is what is word for word in the text.
    for kind in word char bpe; do
        "$BIN/train" pets.txt --tokens $kind --steps 200 --out run --overwrite >/dev/null
        "$BIN/sample" run el --sources --json --count 40 --words 30 >out.txt
        holds '[.continuations[] | .in_text == (.sources | length == 1 and .[0].times > 0)] |
            all and length == 40' out.txt
        holds '[.continuations[].sources[].lines[]] | all(. != 2)' out.txt
    done
    [ "$(LC_ALL=es_MX.UTF-8 "$BIN/sample" pets "el gato" --sources --table 0 | grep -c 'pedazo *veces *línea$')" -ge 1 ]
    rm pets/text.txt
    refuses 64 "--sources needs the text that pets was trained on" -- "$BIN/sample" pets el --sources
    "$BIN/sample" pets el --sources --text pets.txt --table 0 | grep -q piece
}

@test "--json: one object per prompt, each on a line" {
    learned_run
    printf 'el\nel dato "\n[mask]\n' | "$BIN/sample" run --json --count 2 >out.txt || true
    holds -s '(.[0].next[0].of == 5) and (.[0].continuations | length == 2 and all(.ended and .in_text))
        and (.[1].unknown | contains("dato")) and .[1].prompt == "el dato \""
        and .[1].next == .[0].next and (.[2].error | contains("[mask]"))' out.txt
    # The same prompt again is drawn again, with other words.
    printf 'el\nel\n' | "$BIN/sample" run --json --temperature 2 >out.txt
    holds -s '.[0].continuations != .[1].continuations' out.txt
}

@test "--score prints loss and perplexity, line by line and in all" {
    learned_run
    "$BIN/sample" run --score perro.txt >out.txt
    [ "$(wc -l <out.txt)" -eq 12 ]
    grep -qE '^ 0\.412[0-9]+ +1\.5[0-9]+ +48  in all$' out.txt
    refutes ' $' out.txt
    COLUMNS=65 "$BIN/sample" run --score perro.txt >narrow.txt
    grep -qx ' .* 7  el muchacho jugaba con la cuerda' narrow.txt
    COLUMNS=64 "$BIN/sample" run --score perro.txt | grep -qx ' .* 7  el muchacho jugaba con la cuer…'
    printf 'el gato come\n\nel dato\n' >bad.txt
    refuses 1 "bad.txt:3" "'dato'" -- "$BIN/sample" run --score bad.txt
    "$BIN/sample" run --score perro.txt --json | tail -n 1 | grep -q '^{"tokens":48,"loss":0.412'
    # A model that begins with opinions as loud as this is far off: the columns stay narrow.
    "$BIN/train" perro.txt --steps 0 --width 4096 --heads 1 --head-size 1 --hidden 1 --layers 1 \
        --out loud >/dev/null
    "$BIN/sample" loud --score perro.txt | grep -qE '^[0-9. ]{9}  [0-9.e+ ]{10}       48  in all$'
}

# The numbers of the rows of a CSV file, as arrays of JSON; texts and empty cells are null.
numbers_of_csv() {
    sed 1d "$1" | sed -zE 's/"([^"]|"")*"/null/g' | sed -E ':a; s/,(,|$)/,null\1/; ta; s/.*/[&]/'
}

# The rows of --each in RUN over TEXT: as JSON, as CSV and joined to words they are the same, and they
# add up to the losses that --score prints, to the last digit.
check_rows() { # RUN TEXT
    "$BIN/sample" "$1" --score "$2" --json >lines.txt
    "$BIN/sample" "$1" --score "$2" --each --json >rows.txt
    "$BIN/sample" "$1" --score "$2" --each=token --csv >rows.csv
    "$BIN/sample" "$1" --score "$2" --each=word --csv >words.csv
    cmp <(numbers_of_csv rows.csv | jq -c .) <(jq -c '[.line, .position, null, .probability, .surprise,
        .rank, .entropy, null, .best_probability, .count, .of, .model, .counting]' rows.txt)
    [ "$(head -n 1 rows.csv)" = line,position,token,probability,surprise,rank,entropy,best,$(
    )best_probability,count,of,model,counting ]
    numbers_of_csv words.csv | holds -s --slurpfile rows rows.txt --slurpfile lines lines.txt '
        def near(a; b): (a - b | fabs) <= 1e-8 * (b | fabs);
        def adds_up($rows; $to): near(($rows | map(.surprise) | add) * (2 | log) / $to.tokens; $to.loss);
        map({line: .[0], position: .[1], surprise: .[4], rank: .[5], entropy: .[6]}) as $words
        | ($rows | map({"\(.line) \(.position)": .}) | add) as $at
        | ([$rows, $words] | all(. as $unit | adds_up($unit; $lines[-1]) and ($lines[:-1] | all(. as $line
            | adds_up($unit | map(select(.line == $line.line)); $line)))))
        and ($rows | length) == $lines[-1].tokens and ($words | length) <= ($rows | length)
        and ($rows | all((.rank == 1) == (.best == .token)
            and near(-.surprise | exp2; .probability)
            and .probability <= .best_probability and (.count // 0) <= (.of // 0)))
        # A word is where its tokens are.
        and ($words | all($at["\(.line) \(.position)"] as $first
            | .entropy == $first.entropy and .rank == $first.rank))'
}

@test "--each prints a row for each token; they add up to the loss" {
    learned_run
    check_rows run perro.txt
    cmp -s <(sed 1d rows.csv) <(sed 1d words.csv) # each token is a word
    grep -qE '^1,3,"perro",0\.[34][0-9]*,1\.3[0-9]*,[12],1\.5[0-9]*,"(perro|muchacho)",0\.[34][0-9]*,2,5,,$' rows.csv
    "$BIN/sample" run --score perro.txt --each >out.txt
    head -n 1 out.txt | grep -qxE 'word +p +bits +rank +entropy +most probable +p  in the text'
    grep -qx '  1  el perro come un hueso \[eos\]' out.txt
    grep -qE '^perro +0\.(39|40|41)[0-9] +1\.3[0-9]+ +[12] +1\.5[0-9]+  (perro|muchacho) +0\.4[0-9]+  2 of 5$' out.txt
    [ "$(tail -n 3 out.txt)" = "$("$BIN/sample" run --score perro.txt | sed -n '1p; 11,12p')" ]
    refutes ' $' out.txt
    [ "$(wc -L <out.txt)" -le 80 ]
    # A rank is the place of a token among all that may come next; here most are not the first.
    awk '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? " " : "\n") }' perro.txt >backwards.txt
    awk '{ print ""; for (i = 1; i <= NF; i++) print line = (i > 1 ? line " " : "") $i }' backwards.txt |
        "$BIN/sample" run --count 0 --table 100 --json >next.txt
    "$BIN/sample" run --score backwards.txt --each --json >rows.txt
    holds -s --slurpfile next next.txt 'length == 48 and (map(.rank) == [range(length) as $i
        | .[$i].token as $token | $next[$i].next | map(.token) | index($token) + 1])' rows.txt
    mv run/text.txt kept.txt # nothing is counted
    check_rows run perro.txt
    grep -q '"count":null,"of":null,"model":null,"counting":null}$' rows.txt
    "$BIN/sample" run --score perro.txt --each | refutes ' of |text *$'
    "$BIN/sample" run --score perro.txt --each --csv --text kept.txt | grep -q '^1,3,"perro".*,2,5,,$'
}

@test "--each: subwords and characters are joined to words" {
    "$BIN/train" perro.txt --tokens bpe --vocabulary 280 --steps 20 --sequence lines --out run >/dev/null
    check_rows run perro.txt
    awk -F, '$1 == 1 { print $3 }' words.csv | diff - <(printf '"%s"\n' el perro come un hueso '[eos]')
    [ "$(wc -l <rows.csv)" -gt "$(wc -l <words.csv)" ]
    grep -qE '^1,[0-9]+,"perro".*,2,5,,$' words.csv
    "$BIN/train" perro.txt --tokens char --context 16 --steps 20 --out chars >/dev/null
    check_rows chars perro.txt
    printf 'a =b "c"\n' >marks.txt # a spreadsheet must not compute
    "$BIN/train" marks.txt --tokens char --steps 1 --out marks >/dev/null
    check_rows marks marks.txt
    grep -q "\"'=\"" rows.csv
    # Bytes, which are tokens, are put together to characters in the line above the rows.
    "$BIN/train" - --tokens bpe --vocabulary 258 --sequence lines --steps 1 --out bytes >/dev/null <<<'ñ 日本 😀'
    "$BIN/sample" bytes --score - --each <<<'ñ 日本 😀' >out.txt
    grep -qx '  1  ñ 日本 😀.*' out.txt
    grep -q '^\\x97' out.txt
}

@test "--each: of a line longer than the context, of pairs and of hidden tokens" {
    "$BIN/train" perro.txt --steps 20 --context 3 --out short >/dev/null
    check_rows short perro.txt
    grep -q '^1,7,"\[eos\]"' rows.csv
    pairs_run
    check_rows run pairs.tsv
    grep -q '^1,[0-9]*,"the"' rows.csv
    refutes '^1,[1-5],' rows.csv # the source
    "$BIN/sample" run --score pairs.tsv --each | grep -q '^  1  el gato come → the cat eats \[eos\]$'
    "$BIN/train" perro.txt --objective masked --steps 20 --out masked >/dev/null
    check_rows masked perro.txt
    grep -q '^1,2,"el".*,1,1,,$' rows.csv # between the other words of its line
    grep -q '^8,2,"un".*,1,2,,$' rows.csv
    refutes eos rows.csv
}

@test "a long answer on a terminal takes as long as several short ones" {
    needs_terminal
    "$BIN/train" perro.txt --sequence stream --layers 1 --width 16 --heads 1 --context 16 --steps 1 --out run >/dev/null
    local TIMEFORMAT=%U short long
    short=$( { time script -qec "'$BIN/sample' run --words 10000 --table 0 --count 1 --threads 1 un" /dev/null >out.txt; } 2>&1)
    long=$( { time script -qec "'$BIN/sample' run --words 40000 --table 0 --count 1 --threads 1 un" /dev/null >out.txt; } 2>&1)
    echo "$short $long"
    awk "BEGIN { exit !($long < 8 * $short) }" # 4 times, and 13 if all is decoded again for each word
}

@test "--each shades a text on a terminal with colours" {
    needs_terminal
    learned_run
    shown() { # ASSIGNMENTS...
        script -qec "env $* $BIN/sample run --score perro.txt --each" /dev/null </dev/null >out.txt
    }
    shown TERM=xterm NO_COLOR= COLORTERM=truecolor
    grep -qE '^  1  .\[48;2;[0-9;]+mel.\[0m .\[48;2;[0-9;]+mperro.\[0m .\[0mcome' out.txt
    grep -qE '^surprise in bits: .* 3\.9 ' out.txt
    shown TERM=xterm NO_COLOR=1 COLORTERM=truecolor
    grep -q '^  1  el perro come un hueso \[eos\]' out.txt
    refutes 'surprise in bits' out.txt
    refuses 64 --each --score -- "$BIN/sample" run --each
    refuses 64 --each --csv -- "$BIN/sample" run --score perro.txt --csv
    refuses 64 --json --csv -- "$BIN/sample" run --score perro.txt --each --csv --json
    refuses 64 --each word -- "$BIN/sample" run --score perro.txt --each=line
    refuses 64 --text --each -- "$BIN/sample" run --score perro.txt --text perro.txt
}

@test "characters and streams are continued and scored" {
    "$BIN/train" perro.txt --tokens char --steps 30 --out chars >/dev/null
    "$BIN/sample" chars "el " --words 20 --count 2 >out.txt
    [ "$(grep -cE '^  [12]  el ' out.txt)" -eq 2 ]
    "$BIN/sample" chars --count 1 "" >/dev/null
    "$BIN/sample" chars --score perro.txt | grep -q 'in all$'
    printf 'abcabcabd' >abc.txt # no line ends: it begins with a letter that is drawn, and says so
    "$BIN/train" abc.txt --tokens char --steps 50 --out abc >/dev/null
    "$BIN/sample" abc "" --words 3 --count 1 | grep -qE '^  1  [abcd]{4} …'
    "$BIN/sample" abc "" --json | grep -qE '^\{"prompt":"[abcd]",'
    [ "$("$BIN/sample" chars "" --json | grep -c '^{"prompt":"",')" -eq 1 ]
}

# total ARGUMENT...: the loss of the nine sentences.
total() {
    "$BIN/sample" run --score perro.txt "$@" | awk '/in all$/ { print $1 }'
}

@test "weights in fewer bytes: nearly the same loss, and the same words with any number of threads" {
    learned_run
    total >f32.txt
    for weights in bf16 q8; do
        total --weights $weights >$weights.txt
        awk '{ if (!was) was = $1; else exit !($1 != was && $1 < was + 0.01) }' f32.txt $weights.txt
        "$BIN/sample" run un --weights $weights --threads 1 >one.txt
        "$BIN/sample" run un --weights $weights --threads 3 | cmp - one.txt
    done
    total --weights f32 | cmp - f32.txt
    refuses 64 "--near reads the embeddings as they are" -- \
        "$BIN/sample" run --near el --weights q8
    "$BIN/train" perro.txt --out odd --width 52 --steps 1 >/dev/null
    refuses 64 --weights "multiples of 64, and odd has 52, 208 and 52" -- \
        "$BIN/sample" odd un --weights q8
}

@test "a line without an end is refused before it fills the memory" {
    small_run
    refuses 1 "more than 1048576 bytes" -- \
        bash -c "yes el | tr '\\n' ' ' | '$BIN/sample' run"
}

# pairs_run: some pairs, learned to the end. One source has two targets.
pairs_run() {
    printf '%s\t%s\n' 'el gato come' 'the cat eats' 'el perro come' 'the dog eats' 'un gato come' \
        'a cat eats' 'el gato salta' 'the cat jumps' 'el gato come' 'the cat feeds' >pairs.tsv
    "$BIN/train" pairs.tsv --out run --context 8 >/dev/null
}

@test "pairs: the most probable targets of a source, and no hopeless ones" {
    pairs_run
    "$BIN/sample" run el gato come >out.txt
    [ "$(wc -l <out.txt)" -eq 2 ]
    grep -qxE '  [12]  el gato come → the cat eats  \[p 0\.(49|5)[0-9]*\]  \[word for word in the text\]' out.txt
    grep -q '^  [12]  el gato come → the cat feeds  \[p 0\.' out.txt
    "$BIN/sample" run "un gato come" | grep -qE '^  1  un gato come → a cat eats  \[p (1|0\.9[0-9]*)\]'
    [ "$("$BIN/sample" run "un gato come" | wc -l)" -eq 1 ]
    [ "$("$BIN/sample" run "un gato come" --count 7 | grep -c '^  [1-7]  ')" -eq 7 ]
    [ "$("$BIN/sample" run "un gato come" --count 2 --table 3 | grep -c '^  word  *in the text')" -eq 1 ]
    # The source is a whole one: no line begins with it.
    "$BIN/sample" run "gato come" --temperature 1 --count 9 >out.txt
    refutes 'in the text' out.txt
    "$BIN/sample" run --score pairs.tsv >out.txt
    grep -qE ' 4  un gato come → a cat eats$' out.txt
    grep -qE ' 20  in all$' out.txt
}

@test "pairs: after a tab stands the beginning of the target" {
    pairs_run
    "$BIN/sample" run $'el gato come\tthe cat' --table 2 >out.txt
    grep -qE '^  feeds +0\.500  1 of 2' out.txt
    grep -q '^  [12]  el gato come → the cat feeds  \[p 0\.[45]' out.txt
    "$BIN/sample" run $'el gato come\tthe cat' --json >out.txt
    grep -q '"prompt":"el gato come\\u0009the cat"' out.txt
    grep -q '{"text":"eats","tokens":\["eats","\[eos\]"\]' out.txt
    grep -q '"next":\[{"token":"[a-z]*","probability":0.[45][0-9]*,"count":1,"of":2}' out.txt
}

@test "pairs: drawn if an option asks for it; a full context ends a target" {
    pairs_run
    [ "$("$BIN/sample" run un gato come --greedy)" = "$("$BIN/sample" run un gato come --count 1)" ]
    "$BIN/sample" run un gato come --temperature 1 --count 9 | grep -q '^  9 x  un gato come → a cat eats'
    for how in --greedy "--beam 4" "--temperature 1"; do
        "$BIN/sample" run un gato come come come $how >out.txt
        grep -qx '     the context of 8 tokens was full: a target ends there' out.txt
    done
    refuses 1 "9 tokens" "context of 8" source -- "$BIN/sample" run un gato come come come come come
    printf 'un gato come\n' >bad.tsv
    refuses 1 "bad.tsv:1" tab -- "$BIN/sample" run --score bad.tsv
}

masked_run() {
    "$BIN/train" perro.txt --objective masked --steps 300 --out run >/dev/null
}

@test "gaps: what may stand there, and the line filled; several are filled one after another" {
    masked_run
    "$BIN/sample" run un [mask] jugaba >out.txt
    head -n 1 out.txt | grep -qE '^  word +in the text +model$'
    grep -qE '^  muchacho +1\.000  1 of 1  0\.9' out.txt
    grep -qx '  3 x  un muchacho jugaba  \[word for word in the text\]' out.txt
    refutes 'gap 1' out.txt
    "$BIN/sample" run "un muchacho [mask] con [mask] cuerda" --table 2 --greedy >out.txt
    [ "$(grep -c '^  gap [12] of 2$' out.txt)" -eq 2 ]
    grep -qE '^  jugaba +1\.000  1 of 1  0\.' out.txt
    grep -qE '^  la +1\.000  1 of 1  0\.' out.txt
    grep -qx '  1  un muchacho jugaba con la cuerda  \[word for word in the text\]' out.txt
}

@test "gaps: --json of each line of a pipe; what makes no sense is refused" {
    masked_run
    printf 'un [mask] jugaba [mask] la cuerda\nun gato\n\n' | "$BIN/sample" run --json >out.txt || true
    holds -s '.[0].tokens == ["[bos]", "un", "[mask]", "jugaba", "[mask]", "la", "cuerda", "[eos]"]
        and (.[0].gaps | map(.at)) == [2, 4]
        and (.[0].gaps[0].candidates[0] | .token == "muchacho" and .count == 1 and .of == 1 and .probability < 1)
        and (.[0].fillings | length == 3 and all(.tokens as $words
            | [.text | split(" ")[1, 3]] == $words and .log_probability < 0
            and .in_text == ($words == ["muchacho", "con"])))
        and (.[1:] | map(.prompt) == ["un gato", ""] and all(.error | contains("no gap")))' out.txt
    refuses 1 "9 tokens" "context of 8" -- "$BIN/sample" run un [mask] la la la la la
    refuses 64 --beam gap -- "$BIN/sample" run un [mask] --beam 3
    refuses 1 "[eos]" -- "$BIN/sample" run un [mask] [eos]
}

# comes PATTERN [TIMES]: waits until TIMES lines on the terminal have it.
comes() {
    for _ in {1..200}; do
        [ "$(grep -acE "$1" raw.txt)" -lt "${2-1}" ] || break
        sleep 0.05
    done
}

# typed KEYS...: what ./sample prints on a terminal where these keys are typed, each group of them
# when it asks for the next prompt. $options, if any, are options of sample. exec, here and below:
# a shell that waits for sample might die of the Ctrl-C that sample outlives.
typed() {
    local asked=0
    : >raw.txt
    for keys in "$@"; do
        asked=$((asked + 1))
        comes '^(.\[K)?> ' $asked
        printf '%b' "$keys"
    done | timeout 60 script -qec "stty cols 80; exec '$BIN/sample' run --count 1 --table 2 ${options-}" /dev/null >raw.txt
    tr -d '\r' <raw.txt
}

@test "a person is greeted, gets help, and completes words with Tab" {
    needs_terminal
    export TERM=xterm
    learned_run
    typed 'un mu\t\n' 'help\n' '\004' >out.txt
    [ "$(grep -c "^run knows 13 words" out.txt)" -eq 2 ]
    grep -q "Ctrl-D leaves" out.txt
    grep -qE "un muchacho(.\[[0-9;]*m)* (jugaba|saltaba)" out.txt
    refutes "does not know" out.txt
    rm -r run
    pairs_run
    typed 'el gato sal\t\n' '\004' >out.txt
    grep -q "Type a source; after -> its target may begin" out.txt
    grep -qE "el gato salta → (.\[[0-9;]*m)*the cat jumps" out.txt
    for arrow in '->' ' → ' '  ->'; do
        typed "el gato salta$arrow the do\\t\\n" '\004' >out.txt
        grep -qE "^  1  .*el gato salta → the dog" out.txt
    done
    rm -r run
    masked_run
    typed 'help\n' 'un [mask] jug\t\n' '\004' >out.txt
    [ "$(grep -c "Type a text with \[mask\] for each word that is missing" out.txt)" -eq 2 ]
    grep -qE "un(.\[[0-9;]*m)* muchacho(.\[[0-9;]*m)* jugaba" out.txt
}

@test "at the prompt line a colon begins a command or an option" {
    needs_terminal
    export TERM=xterm NO_COLOR=1
    learned_run
    # (the keys that were typed are also there: "> :temp 0.5")
    typed ':temp 0.5\n' ':temperature\n' ':words x\n' ':nonsense\n' ':json\n' ':greedy\n' ':temperature default\n' \
        ':gr\t\n' 'el perro\n' ':stop come\n' ':again\n' ':stop default\n' '::\n' ':help\n' \
        ':quit\n' >out.txt
    [ "$(grep -cx '  :temperature 0.5' out.txt)" -eq 2 ]
    grep -qx 'sample: :words needs a whole number from 1 to 1048576, not .x.' out.txt
    grep -q 'sample: there is no command :nonsense; :help lists them' out.txt
    grep -q 'sample: there is no command :json; ' out.txt # it is not for the prompt line
    tr '\n' ' ' <out.txt | grep -q 'sample: :greedy .*:temperature would have no effect; :OPTION default'
    grep -qx '  :greedy on' out.txt
    grep -q '^  1  el perro come' out.txt
    grep -q '^  1  el perro   \[word for word in the text\]' out.txt
    grep -q "does not know ':'" out.txt
    grep -q '^  :again  *answer the last prompt again' out.txt
    tr -s '\n ' ' ' <out.txt | grep -q ':greedy on, :beam 0, :seed 1, :sources off, :stop default, :table 2 '
}

@test "at the prompt line: again, and after the continuation" {
    needs_terminal
    export TERM=xterm NO_COLOR=1
    learned_run
    typed ':again\n' ':more\n' ':words 1\n' ':greedy\n' 'el perro\n' ':more un\n' ':words 9\n' ':more\n' \
        ':more\n' '\004' >out.txt
    [ "$(grep -c '^sample: there is no prompt yet' out.txt)" -eq 1 ]
    [ "$(grep -c '^sample: there is no continuation yet' out.txt)" -eq 1 ]
    grep -q '^  1  el perro come …' out.txt
    grep -q '^  1  el perro come un hueso …' out.txt
    grep -q '^  1  el perro come un hueso  \[word' out.txt
    grep -q '^sample: the continuation has come to its end; :more TEXT' out.txt
    # A seed draws what it draws for the first prompt of a call; after that comes something else.
    "$BIN/sample" run el --temperature 9 --count 1 --seed 5 --table 0 >one.txt
    typed 'un\n' ':table 0\n' ':temperature 9\n' ':seed 5\n' 'el\n' ':again\n' ':seed 5\n' 'el\n' \
        '\004' >out.txt
    [ "$(grep -c '^  1  el' out.txt)" -eq 3 ]
    [ "$(grep -cxF "$(head -n 1 one.txt)" out.txt)" -eq 2 ]
    # JSON for a person also goes on.
    options=--json typed ':words 1\n' ':greedy\n' 'el perro\n' ':more un\n' '\004' >out.txt
    grep -q '^{"prompt":"el perro come un",' out.txt
}

@test "Ctrl-C ends an answer or empties the prompt line, which stays" {
    needs_terminal
    export TERM=xterm NO_COLOR=1
    printf 'abcabcabd' >abc.txt
    "$BIN/train" abc.txt --tokens char --steps 5 --out run >/dev/null
    : >raw.txt
    {
        comes '^(.\[K)?> '
        printf 'a\n'
        comes '^  1  a'
        printf '\003'
        comes '^(.\[K)?> ' 2
        printf 'c\003'
        comes '^(.\[K)?> ' 3
        printf ':words 3\n'
        comes '^(.\[K)?> ' 4
        printf 'b\n'
        comes '^(.\[K)?> ' 5
        printf '\004'
    } | timeout 60 script -qec "exec '$BIN/sample' run --words 1000000 --table 0 --threads 1" /dev/null >raw.txt
    tr -d '\r' <raw.txt >out.txt
    [ "$(grep -ac '^  1  a.* …  \[new\]$' out.txt)" -eq 1 ]
    refutes -a '^  2  a' out.txt
    grep -aqE '^  1  b.{3} …  ' out.txt
}

@test "prompts are kept for the next time, unless that is not wanted" {
    needs_terminal
    export TERM=xterm NO_COLOR=1
    learned_run
    typed 'un gato\n' 'un gato\n' ':table 0\n' '\004' >out.txt
    printf 'un gato\n:table 0\n' | cmp - state/pulga/history
    typed '\033[A\033[A\n' '\004' >out.txt
    grep -q '^  1  un gato come' out.txt
    rm -r state
    PULGA_HISTORY= typed 'el\n' '\004' >out.txt
    [ ! -e state ]
    # Where it cannot be, one line says so, once.
    XDG_STATE_HOME=$PWD/perro.txt typed 'el\n' 'un\n' '\004' >out.txt
    [ "$(grep -c '^sample: prompts are not kept for the next time:' out.txt)" -eq 1 ]
}

@test "continuations grow in their place; equal ones are taken back if they are on the screen" {
    needs_terminal
    export TERM=xterm NO_COLOR=1
    printf 'abcabcabd' >abc.txt
    "$BIN/train" abc.txt --tokens char --steps 5 --out run >/dev/null
    # So many words take long enough to be watched.
    on_screen() {
        timeout 60 script -qec "stty $*; exec '$BIN/sample' run a --words 9000 --greedy --count 3 --table 0 --threads 1" /dev/null |
            tr -d '\r'
    }
    on_screen cols 30000 rows 24 >wide.txt
    [ "$(grep -c '^  [123]  a' wide.txt)" -eq 3 ]
    tail -n +4 wide.txt | head -n 1 | grep -qF $'\033[3A\033[J  3 x  a'
    on_screen cols 80 rows 24 >out.txt
    head -n 3 wide.txt | cmp - <(head -n 3 out.txt)
    refutes ' x  a' out.txt
}

@test "bad input is refused in one line" {
    small_run
    refuses 64 RUN -- "$BIN/sample"
    refuses 1 nowhere -- "$BIN/sample" nowhere el
    refuses 1 UTF-8 -- "$BIN/sample" run $'el \xff'
    for option in --greedy "--beam 3" "--count 2" "--text perro.txt" "--seed 1" "--stop come" \
        "--repetition-penalty 2"; do
        refuses 64 --score "${option% *}" -- "$BIN/sample" run --score perro.txt $option
    done
    refuses 1 context -- "$BIN/sample" run el el el el el el el el el --beam 2
    printf x >>run/model.safetensors
    refuses 1 model.safetensors -- "$BIN/sample" run el
}

@test "a run whose text has changed, or that has a later one, is told from what is meant" {
    cp "$ROOT/data/perro.txt" mio.txt
    "$BIN/train" mio.txt --steps 2 >/dev/null
    "$BIN/sample" runs/mio el >/dev/null 2>err.txt
    [ ! -s err.txt ]
    sed -i 's/gato/pato/' mio.txt # of the same size
    "$BIN/sample" runs/mio el 2>&1 >/dev/null |
        grep -qx "sample: mio.txt has changed since runs/mio was trained on it"
    "$BIN/attend" runs/mio el 2>&1 >/dev/null | grep -q "attend: mio.txt has changed"
    echo "un pato come" >>mio.txt
    "$BIN/sample" runs/mio el 2>&1 >/dev/null | grep -q "mio.txt has changed"
    touch -d '1 hour ago' runs/mio/model.safetensors
    "$BIN/train" mio.txt --steps 2 >/dev/null
    "$BIN/sample" runs/mio/ el 2>&1 >/dev/null |
        grep -qx "sample: this is runs/mio/; runs/mio-2 was trained later"
    "$BIN/sample" runs/mio-2/ el >/dev/null 2>err.txt
    [ ! -s err.txt ]
    touch runs/mio-2/model.safetensors -d '2 hours ago'
    LC_ALL=es_MX.UTF-8 "$BIN/sample" runs/mio-2 el 2>&1 >/dev/null |
        grep -qx "sample: este es runs/mio-2; runs/mio se entrenó después"
}

@test "--json tells the ids of a prompt, and --decode the text of ids" {
    "$BIN/train" perro.txt --width 8 --heads 1 --steps 0 --out run >/dev/null
    "$BIN/sample" run el perro --json | jq -c .ids | grep -qxF '[0,2,3]'
    [ "$("$BIN/sample" run --decode 0 2 3 1)" = "el perro" ]
    printf '2 3\n\n5  14\n15\n2 x\n' | "$BIN/sample" run --decode --json >out.jsonl && false
    jq -s -e 'map(.text)[:3] == ["el perro", "", "un con"] and map(.error != null)[2:] == [false, true, true]' \
        out.jsonl
    refuses 1 "'15' is no token's id" "0 to 14" -- "$BIN/sample" run --decode 2 15
    refuses 64 "--seed would have no effect" -- "$BIN/sample" run --decode --seed 1 2
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens bpe --vocabulary 400 --steps 0 --out parts >/dev/null
    ids=$("$BIN/sample" parts "La niña  canta." --json | jq -r '.ids | map(tostring) | join(" ")')
    [ "$("$BIN/sample" parts --decode "$ids")" = "La niña  canta." ]
}
