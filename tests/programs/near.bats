# near.bats: sample --near, which tokens a model takes for alike.
load programs.bash

# embeddings RUN WIDTH: the rows of wte, one on each line.
embeddings() {
    local file="$1/model.safetensors" length from end
    length=$(od -An -t u8 -N 8 "$file" | tr -d ' ')
    read -r from end < <(head -c $((length + 8)) "$file" | tail -c "$length" |
        sed 's/.*"[a-z.]*wte.weight":{[^}]*"data_offsets":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/'; echo)
    tail -c +$((length + 9 + from)) "$file" | head -c $((end - from)) | od -An -v -t f4 -w$((4 * $2))
}

# nearest ID: the ids of all others and their cosines by the definition, from the rows that are read.
nearest() {
    awk -v own="$1" '
        { for (c = 1; c <= NF; c++) { x[NR, c] = $c; mean[c] += $c }; C = NF }
        END {
            for (id = 1; id <= NR; id++)
                for (c = 1; c <= C; c++) { x[id, c] -= mean[c] / NR; norm[id] += x[id, c] ^ 2 }
            for (id = 1; id <= NR; id++) {
                dot = 0
                for (c = 1; c <= C; c++) dot += x[id, c] * x[own + 1, c]
                if (id != own + 1) printf "%d %.6f\n", id - 1, dot / sqrt(norm[id] * norm[own + 1])
            }
        }' | sort -k2,2gr -k1,1n
}

@test "--near prints the nearest tokens, by the definition" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --width 16 --heads 2 --steps 60 --out run >/dev/null
    "$BIN/sample" run --near gata --table 1000 --json >near.json
    jq -r --slurpfile run run/tokenizer.json '$run[0].model.vocab as $ids
        | "\($ids[.token]) \(.count)", (.near[] | "\($ids[.token]) \(.cosine)")' near.json >found.txt
    local id count
    read -r id count <found.txt
    [ "$count" -eq "$(grep -ow gata run/text.txt | wc -l)" ]
    embeddings run 16 | nearest "$id" >wanted.txt
    [ "$(wc -l <wanted.txt)" -gt 500 ]
    # The digits of od are not all that a float has.
    paste wanted.txt <(sed 1d found.txt) | awk '
        $1 != $3 && $2 != last { other++ }
        { last = $4; away = $2 - $4; if (away < -2e-6 || away > 2e-6) exit 1 }
        END { exit NR < 500 || other > 5 }'
    # The table is the same, with ten rows unless it is told.
    "$BIN/sample" run --near gata >out.txt
    [ "$(wc -l <out.txt)" -eq 12 ]
    sed -n 2p out.txt | grep -qE "^  gata +$count$"
    cmp <(sed 1,2d out.txt | awk '{ print $3 }') <(sed 1d found.txt | head -n 10 | awk '{ printf "%.3f\n", $2 }')
    [ "$("$BIN/sample" run --near gata --table 3 | wc -l)" -eq 5 ]
    # In lower case if only that is known; without counts if there is no text.
    cmp <("$BIN/sample" run --near GATA) out.txt
    rm run/text.txt
    "$BIN/sample" run --near gata | refutes "in the text"
    "$BIN/sample" run --near gata --text "$ROOT/data/cuentos.txt" | cmp - out.txt
}

@test "--near is for one token, of any kind of model" {
    "$BIN/train" perro.txt --tokens bpe --steps 2 --out bpe >/dev/null
    "$BIN/sample" bpe --near perro --table 2 | sed -n 2p | grep -qE "^  ␣perro +$(grep -o ' perro' perro.txt | wc -l)$"
    refuses 1 "one token" "3 subwords: per, r, a" -- "$BIN/sample" bpe --near perra
    "$BIN/train" "$ROOT/data/traducciones.tsv" --steps 2 --out pairs >/dev/null
    "$BIN/sample" pairs --near gato --table 1 --json | grep -q '^{"token":"gato","count":44,"near":\[{'
    "$BIN/train" perro.txt --untied --min-count 2 --steps 2 --out run >/dev/null
    refuses 1 "does not know 'pero'; its nearest: perro" -- "$BIN/sample" run --near pero
    refuses 1 "one token; ' ' has none" -- "$BIN/sample" run --near " "
    refuses 64 "no effect" -- "$BIN/sample" run un perro --near gato
    refuses 64 "--near writes" "--count" -- "$BIN/sample" run --near gato --count=2
    refuses 64 "--near reads no head" "--without would have no effect" -- "$BIN/sample" run --near gato --without L1
}
