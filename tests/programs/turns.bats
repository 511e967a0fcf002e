# turns.bats: a model of conversations is trained and talked to.
load programs.bash

# A text in which each name is given and asked for, and a model that has learnt it by heart.
talk() {
    for name in Ana Leo Eva Luis; do
        printf 'yo: hola\npulga: hola, quién eres?\nyo: soy %s\npulga: hola %s\n' "$name" "$name"
        printf 'yo: qué tal\npulga: bien\nyo: quién soy\npulga: eres %s\n\n' "$name"
    done >charla.txt
    "$BIN/train" charla.txt --context "${1:-64}" --steps 200 --threads 1 --out run >train.txt
}

@test "a model of turns remembers what was said" {
    talk
    grep -qx 'text    charla.txt: 4 conversations, 56 tokens to predict, vocabulary 16' train.txt
    grep -q '"objective":.*"turns"' run/config.json
    jq -r .chat_template run/tokenizer_config.json | grep -q "^{% for m in messages %}.*\[bos\].*\[sep\].*\[eos\]"
    printf 'hola\nsoy Leo\nqué tal\nquién soy\n\nhola\nsoy Eva\r\nqué tal\nquién soy' |
        "$BIN/sample" run --threads 1 >out.txt
    printf 'you: hola\nrun: hola, quién eres?\nyou: soy %s\nrun: hola %s\nyou: qué tal\nrun: bien\nyou: quién soy\nrun: eres %s\n' \
        Leo Leo Leo >wanted.txt
    { sed 's/$//' wanted.txt; echo; sed 's/Leo/Eva/' wanted.txt; } | cmp - out.txt
    # one turn by itself, and a conversation with tabs between its turns
    [ "$("$BIN/sample" run --chat hola)" = "$(head -n 2 wanted.txt)" ]
    "$BIN/sample" run $'hola\thola, quién eres?\tsoy Ana' --count 1 >out.txt
    grep -q '^  1  hola → hola, quién eres? → soy Ana → hola Ana  \[p [0-9.]*\]  \[word for word in the text\]$' out.txt
    [ "$(LC_ALL= LANG=es_MX.UTF-8 "$BIN/sample" run --chat hola)" = $'tú: hola\nrun: hola, quién eres?' ]
}

@test "a program gets each answer as JSON, after the whole conversation" {
    talk
    printf 'hola\nsoy Leo\n\nhola\n' | "$BIN/sample" run --json >out.txt
    [ "$(jq -r .prompt out.txt)" = $'hola\nhola\thola, quién eres?\tsoy Leo\nhola' ]
    [ "$(jq -r '.continuations[].text' out.txt)" = $'hola, quién eres?\nhola Leo\nhola, quién eres?' ]
    [ "$(jq -r '.continuations[].ended' out.txt | sort -u)" = true ]
}

@test "words that a model does not know are left out of a turn" {
    talk
    printf 'hola amigo\nxyz\nsoy Leo\n' | "$BIN/sample" run >out.txt 2>err.txt && false
    [ "$(cat out.txt)" = $'you: hola amigo\nrun: hola, quién eres?\nyou: xyz\nyou: soy Leo\nrun: hola Leo' ]
    grep -q "^sample: standard input:1: the model does not know 'amigo'.*; it is left out$" err.txt
    grep -q "^sample: standard input:2: the model does not know 'xyz'" err.txt
}

@test "a long conversation forgets its oldest turns, and says so once" {
    talk 32
    for turn in 1 2 3 4 5 6; do printf 'hola\nsoy Leo\nqué tal\nquién soy\n'; done |
        "$BIN/sample" run --json >out.txt 2>err.txt
    [ "$(cat err.txt)" = "sample: the context of 32 tokens is full: from now on the oldest turns are forgotten" ]
    [ "$(jq -r '.ids | length' out.txt | sort -n | tail -n 1)" -le 24 ]
    jq -r .prompt out.txt | tail -n 1 | grep -q $'\tquién soy$'
}

@test "a conversation longer than the context is cut between two exchanges" {
    talk 16
    grep -q 'cut because they are longer than the context: 4 conversations' train.txt
    dying "$BIN/train" charla.txt --context 6 --out other 2>err.txt && false
    grep -q '^train: charla.txt: conversation number 1 has a turn and an answer of 8 tokens, but the context is 6' err.txt
}

@test "turns are read by words, characters and subwords" {
    talk
    for tokens in char bpe; do
        "$BIN/train" charla.txt --tokens $tokens --steps 60 --out $tokens --threads 1 >out.txt
        grep -q 'bits per byte' out.txt
        printf 'hola\nsoy Leo\n' | "$BIN/sample" $tokens >out.txt
        [ "$(grep -c '^you: ' out.txt)" = 2 ]
        grep -q "^$tokens: hola" out.txt
        "$BIN/sample" $tokens --score charla.txt | grep -q 'bits per byte, of .* bytes'
    done
}

@test "a line that is no turn is named" {
    talk
    sed '8s/pulga: //' charla.txt >wrong.txt
    dying "$BIN/train" wrong.txt --objective turns --out other 2>err.txt && false
    grep -q '^train: wrong.txt:8: the line has no NAME: before what is said; each line is a turn' err.txt
    # without the option it is any text, with a hint
    "$BIN/train" wrong.txt --steps 2 --out other >out.txt
    grep -q '^hint    wrong.txt:8: the line has no NAME' out.txt
}

# refused PROGRAM OPTION... MESSAGE
refused() {
    local count=$(($# - 1))
    dying "$BIN/$1" "${@:2:count-1}" 2>err.txt && return 1
    grep -qF -- "${@: -1}" err.txt
}

@test "what does not go with conversations is refused" {
    talk
    "$BIN/train" perro.txt --steps 2 --out next >out.txt
    refused sample next --chat "--chat is for a model of conversations, and next is not"
    refused sample run --count 5 "a conversation has one answer to each turn, so --count would"
    refused sample run --chat --table 5 "a conversation shows no table, so --table would"
    refused sample run --chat --score charla.txt "so --chat would have no effect"
    refused train charla.txt --counts --out other "it is not for --objective turns"
    refused train charla.txt --objective turns --sequence stream --out other "--objective turns reads line by line"
    refused train charla.txt --show 1 --out other "--objective turns: what is said to it"
    refused train charla.txt --from next --objective turns --out other "--objective turns conflicts with the model in next"
}

# A GPT-2 with ChatML's two tokens: a run whose [bos] and [eos] get their names.
chatml() {
    rm -rf from
    "$BIN/train" perro.txt --tokens bpe --sequence lines --context 160 --positions learned --activation gelu --steps 2 --out from >out.txt
    sed -i 's/\[bos\]/<|im_start|>/g; s/\[eos\]/<|im_end|>/g' from/tokenizer.json from/tokenizer_config.json
    jq '.post_processor = null' from/tokenizer.json >new.json && mv new.json from/tokenizer.json
    jq --arg system "$1" '.chat_template = $system' from/tokenizer_config.json >new.json
    mv new.json from/tokenizer_config.json
    jq 'del(.pulga)' from/config.json >new.json && mv new.json from/config.json
}

# The text of the prompt that a model reads.
read_of() {
    "$BIN/sample" "$1" --chat --json "$2" --words 1 | jq -r '.ids | map(tostring) | join(" ")' >ids.txt
    jq -r --arg ids "$(cat ids.txt)" '.model.vocab as $v | ($v | with_entries({key: (.value | tostring), value: .key})) as $word |
        $ids | split(" ") | map($word[.]) | join("")' "$1/tokenizer.json"
}

@test "a model with the tokens of ChatML is talked to by them, and learns turns" {
    chatml "{{ '<|im_start|>system' + x }}{{ '<|im_start|>system\nEres una pulga.<|im_end|>' }}"
    [ "$(read_of from $'hola\tsi\tque')" = '<|im_start|>systemĊEresĠunaĠpulga.<|im_end|>Ċ<|im_start|>userĊhola<|im_end|>Ċ<|im_start|>assistantĊsi<|im_end|>Ċ<|im_start|>userĊque<|im_end|>Ċ<|im_start|>assistantĊ' ]
    for place in tokenizer_config.json chat_template.jinja; do # trained further, it keeps its template
        if [ $place = chat_template.jinja ]; then
            jq -j .chat_template from/tokenizer_config.json >from/$place
            jq 'del(.chat_template)' from/tokenizer_config.json >new.json
            mv new.json from/tokenizer_config.json
        fi
        rm -rf further && "$BIN/train" "$ROOT/data/cuentos.txt" --from from --steps 1 --val 0.2 --counts --out further >out.txt
        jq -j .chat_template further/tokenizer_config.json >further.txt
        [ "$(cat further.txt)" = "{{ '<|im_start|>system' + x }}{{ '<|im_start|>system\nEres una pulga.<|im_end|>' }}" ]
        "$BIN/train" --resume further --steps 2 >out.txt
        [ "$(read_of further hola)" = '<|im_start|>systemĊEresĠunaĠpulga.<|im_end|>Ċ<|im_start|>userĊhola<|im_end|>Ċ<|im_start|>assistantĊ' ]
        "$BIN/export" further further.gguf >out.txt
        grep -qaF "Eres una pulga." further.gguf
    done
    chatml "no system"
    [ "$(read_of from hola)" = '<|im_start|>userĊhola<|im_end|>Ċ<|im_start|>assistantĊ' ]
    talk
    "$BIN/train" charla.txt --from from --objective turns --lr-factor 0.3 --steps 300 --threads 1 --out more >out.txt
    grep -q '4 conversations' out.txt
    jq -e '.post_processor == null' more/tokenizer.json >out.txt
    jq -r .chat_template more/tokenizer_config.json | grep -qF "{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
    printf 'hola\nsoy Leo\n' | "$BIN/sample" more >out.txt
    [ "$(cat out.txt)" = $'you: hola\nmore: hola, quién eres?\nyou: soy Leo\nmore: hola Leo' ]
    "$BIN/train" --resume more --steps 301 >out.txt
    "$BIN/attend" more hola -o page.html 2>err.txt && false
    grep -q "ChatML" err.txt
}

# told KEYS...: what ./sample prints on a terminal where these are typed, each when it is asked for.
told() {
    local asked=0
    : >raw.txt
    for keys in "$@"; do
        asked=$((asked + 1))
        for _ in $(seq 400); do
            [ "$(grep -acE '^(.\[K)?you: ' raw.txt)" -lt $asked ] || break
            sleep 0.05
        done
        printf '%b' "$keys"
    done | timeout 60 script -qec "stty cols 80; exec '$BIN/sample' run" /dev/null >raw.txt
    tr -d '\r' <raw.txt
}

@test "at the prompt line a conversation goes on, and a blank line begins another" {
    needs_terminal
    export TERM=xterm NO_COLOR=1
    talk
    told 'hola\n' 'soy Leo\n' ':again\n' ':more\n' 'help\n' 'qué tal\n' 'quién soy\n' '\n' ':again\n' '\004' >out.txt
    grep -q '^run knows 13 words; Tab completes them.$' out.txt
    [ "$(grep -c 'Say something; a blank line begins a new conversation. :help says more' out.txt)" = 2 ]
    [ "$(grep -c '^run: hola Leo$' out.txt)" = 2 ]
    grep -q '^run: eres Leo$' out.txt
    grep -q 'a conversation goes on with what is typed' out.txt
    grep -q '^  (a new conversation)$' out.txt
    grep -q 'there is no prompt yet' out.txt
}
