# because.bats: attend --because as a user calls it: what it prints is what train and sample give by
# hand, and nothing is written.
load programs.bash

# small OPTION...: a run of perro.txt, or of another text after it, made in a moment.
small() {
    "$BIN/train" perro.txt --layers 1 --heads 2 --width 16 --steps 20 --out run "$@" >/dev/null
}

# again TEXT RUN: trains on this text with all settings that the run's config.json has, into hand.
again() {
    local options
    mapfile -t options < <(jq -r '.pulga | to_entries[] | select(.key | IN("version", "command", "kernel",
        "identity", "text", "result", "epochs", "mask", "lr", "min-lr", "keep", "show") | not) |
        select(.value != null and .value != "") | select((.key | IN("vocabulary", "max-words") | not) or .value > 0) |
        if .value == true then "--\(.key)" elif .value == false then empty
        else "--\(.key)=\(.value)" end' "$2/config.json")
    "$BIN/train" "$1" "${options[@]}" --out hand --overwrite >/dev/null
}

# the_same ROW.JSON PROMPT WORD: the row has the probability that the run `hand` gives, to the last
# digit.
the_same() {
    local by_hand
    by_hand=$("$BIN/sample" hand "$2" --json --table 20 | jq --arg word "$3" \
        '.next[] | select(.token == $word).probability')
    [ -n "$by_hand" ] && [ "$(jq .probability "$1")" = "$by_hand" ]
}

@test "each probability is that of train on the text without the line" {
    sed -n 6p perro.txt >>perro.txt # lines that occur twice are two lines
    small --steps 40
    "$BIN/attend" run el --because gato -o all.json >out.txt
    grep -qx "wrote all.json" out.txt
    holds '.complete and (.groups | length == 0) and (.lines | length == 10)' all.json
    cp -r run hand
    the_same all.json el gato
    for line in 1 2 3 4 5 6 7 8 9 10; do
        sed "${line}d" perro.txt >shorter.txt
        "$BIN/train" shorter.txt --layers 1 --heads 2 --width 16 --steps 40 --out hand --overwrite >/dev/null
        jq ".lines[] | select(.first_line == $line and .last_line == $line)" all.json >row.json
        the_same row.json el gato
        holds --argjson all "$(jq .probability all.json)" \
            '.change - (.probability - $all) | fabs < 1e-8' row.json
    done
    # The largest change comes first.
    holds '[.lines[].change | fabs] | . == (sort | reverse)' all.json
    # The table and the .csv have the same.
    "$BIN/attend" run el --because gato -o - | cmp - <(
        echo first_line,last_line,text,probability,change
        jq -r '.lines[] | "\(.first_line),\(.last_line),\(.text | tojson),\(.probability),\(.change)"' all.json)
    "$BIN/attend" run el --because gato >out.txt
    [ "$(sed -n 1p out.txt)" = "the probability of gato after: el" ]
    grep -qE "^ +with all +$(jq .probability all.json | cut -c 1-4)[0-9]$" out.txt
    [ "$(sed -n 5p out.txt | sed 's/.*  //')" = "$(jq -r '.lines[0].text' all.json)" ]
    [ "$(wc -l <out.txt)" -eq 14 ]
}

@test "all settings of the run stay, whatever train would choose for the shorter text" {
    # From 200 lines on a tenth is held out; without one of them nothing would be.
    for _ in $(seq 23); do cat perro.txt; done | head -n 200 >long.txt
    "$BIN/train" long.txt --layers 1 --heads 2 --width 16 --steps 5 --seed 7 --out run >/dev/null
    holds .pulga.result.held_out run/config.json
    "$BIN/attend" run el --because gato -o all.json >out.txt
    # Groups first, then each line of the group with the largest change.
    holds '(.groups | length == 14) and (.lines | length | . == 14 or . == 15)' all.json
    holds '[.groups[] | .last_line - .first_line + 1] | add == 200' all.json
    holds '(.groups[0] | [range(.first_line; .last_line + 1)]) == ([.lines[].first_line] | sort)' all.json
    jq '.groups[0]' all.json >row.json
    sed "$(jq -r '"\(.first_line),\(.last_line)d"' row.json)" long.txt >shorter.txt
    again shorter.txt run
    the_same row.json el gato
    jq '.lines[3]' all.json >row.json
    sed "$(jq .first_line row.json)d" long.txt >shorter.txt
    again shorter.txt run
    holds .pulga.result.held_out hand/config.json
    the_same row.json el gato
    "$BIN/attend" run el --because gato >out.txt
    grep -qx "of the group with the largest change, each line:" out.txt
    [ "$(grep -cE '^ +[0-9]+-[0-9]+ +0\.[0-9]{3} +[+-]0\.[0-9]{3}  ' out.txt)" -eq 14 ]
    [ "$(grep -c '^ *with all ' out.txt)" -eq 2 ]
}

@test "the tokens of a word are multiplied, in any kind of text" {
    # line 4 begins with a blank line and ends as on Windows
    sed 's/$/\r/; 4s/^/\r\n/' perro.txt >windows.txt
    local kinds=("--tokens bpe --sequence lines --vocabulary 280" "--tokens char"
        "--tokens char --sequence lines --lower" "--tokens word --sequence stream --average")
    for kind in "${kinds[@]}"; do
        # shellcheck disable=SC2086 # some words
        "$BIN/train" windows.txt $kind --layers 1 --heads 2 --width 16 --steps 9 --context 32 --out run \
            --overwrite >/dev/null
        "$BIN/attend" run el perro --because come -o all.json >out.txt
        jq '.lines[] | select(.first_line == 7)' all.json >row.json
        [ "$(jq -r .text row.json)" = "el gato come croquetas" ]
        sed 7d windows.txt >shorter.txt
        again shorter.txt run
        printf 'el perro come' >asked.txt
        "$BIN/sample" hand --score asked.txt --each=word --json >each.json
        holds -s --slurpfile row row.json '.[] | select(.word == "come") |
            .probability / $row[0].probability - 1 | fabs < 1e-6' each.json
        rm -r run all.json
    done
}

@test "a word that only the missing line has is impossible, or cannot be read" {
    small
    "$BIN/attend" run el perro come un --because hueso >out.txt
    grep -qE '^ +1 +0 +-[01]\.[0-9]{3}  el perro come un hueso$' out.txt
    [ "$(tail -n 1 out.txt)" = "0: without it the model does not know the word" ]
    "$BIN/attend" run el muchacho saltaba --because la >out.txt
    [ "$(sed -n 5p out.txt | tr -s ' ')" = " 3 - - el muchacho saltaba la cuerda" ]
    [ "$(tail -n 1 out.txt)" = "-: without it the model does not know all words of the text" ]
    "$BIN/attend" run el muchacho saltaba --because la -o -.json |
        holds '.lines[0] | .first_line == 3 and .probability == null and .change == null'
    "$BIN/attend" run el muchacho saltaba --because la -o -.csv |
        grep -qx '3,3,"el muchacho saltaba la cuerda",,'
    "$BIN/attend" run un gato come --because '[eos]' -o -.json |
        holds '.probability > 0 and .probability < 1'
}

@test "nothing is written, and a signal prints what is known so far" {
    small
    find . -type f -exec md5sum {} + >before.txt
    "$BIN/attend" run el --because gato >/dev/null
    find . -type f ! -name before.txt -exec md5sum {} + | sort | cmp - <(grep -v before.txt before.txt | sort)
    # Steps enough that it would take long; 900 seconds were noted, so that it says so.
    "$BIN/train" perro.txt --steps 3000 --no-plot --out long >/dev/null
    jq '.pulga.result.seconds = 300' long/config.json >config.json && cp config.json long/config.json
    start "$BIN/attend" long el --because gato
    await grep -qx 'training 10 times, about 50m00s; Ctrl-C prints what is known so far' out.txt
    stopped 130 INT
    grep -qE '^ +with all +0\.[0-9]{3}$' out.txt
    [ "$(tail -n 1 out.txt)" = "stopped before all lines were tried" ]
    [ ! -s err.txt ]
    [ "$(ls -A | wc -l)" -eq 7 ] # perro.txt, run, long, before.txt, config.json, out.txt, err.txt
}

@test "what cannot be trained again is refused in one line" {
    small
    refuses 64 "--because is empty" -- "$BIN/attend" run el --because ' '
    refuses 1 "'ladra'" -- "$BIN/attend" run el perro --because ladra
    refuses 1 "'ladra'" -- "$BIN/attend" run ladra --because perro
    refuses 64 "--because" --heads -- "$BIN/attend" run el --because gato --heads
    refuses 64 "--because" .csv .json -- "$BIN/attend" run el --because gato -o a.html
    echo mine >a.json
    refuses 1 "a.json" -- "$BIN/attend" run el --because gato -o a.json
    jq '.pulga.result.seconds = 500' run/config.json >config.json
    cp -r run slow && cp config.json slow/config.json
    refuses 1 "10 times" 1h23m --steps -- "$BIN/attend" slow el --because gato
    cp -r run bare && rm bare/text.txt
    refuses 1 "holds no copy" -- "$BIN/attend" bare el --because gato
    cp -r run other && echo "un gato" >>other/text.txt
    refuses 1 "is not the text that other was trained on" -- "$BIN/attend" other el --because gato
    small --stop-after 7 --out stopped
    refuses 1 "stopped is not what its text" -- "$BIN/attend" stopped el --because gato
    "$BIN/train" --resume stopped >/dev/null # as it was planned: then it is
    "$BIN/attend" stopped el --because gato | cmp - <("$BIN/attend" run el --because gato)
    "$BIN/train" perro.txt --from run --steps 3 --out further >/dev/null
    refuses 1 "--from" -- "$BIN/attend" further el --because gato
    head -n 1 perro.txt >one.txt
    "$BIN/train" one.txt --steps 2 --out one >/dev/null
    refuses 1 "only one" -- "$BIN/attend" one el --because perro
    printf 'el perro\tthe dog\nel gato\tthe cat\n' >pairs.tsv
    "$BIN/train" pairs.tsv --steps 2 --out pairs >/dev/null
    refuses 1 "--objective pairs" -- "$BIN/attend" pairs el perro --because the
    small --objective masked --out masked
    refuses 1 "--objective masked" -- "$BIN/attend" masked 'el [mask]' --because perro
    "$BIN/train" perro.txt --max-words 5 --steps 2 --out unknown >/dev/null
    refuses 1 "no token for this word" -- "$BIN/attend" unknown el --because saltaba
}
