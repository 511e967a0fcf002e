#!/usr/bin/env bash
# settings.sh [NAME...]        prints checksums of what the programs make of each setting
# settings.sh check [NAME...]  compares them with table.txt; prints "same" or what differs
# settings.sh write [NAME...]  puts them into table.txt, after a change that is meant to change them
#
# Without names these are all settings but bf16, which needs the kernel avx512_bf16. Whatever
# compiled the programs and whatever runs them, the checksums must be those in table.txt.
#
# BIN is the directory of the programs, RUN what runs them (an emulator), THREADS how many threads.
set -euo pipefail
: "${BIN:=$PWD}" "${RUN=}" "${THREADS:=2}"
here=$(cd "$(dirname "$0")" && pwd)
: "${TABLE:=$here/table.txt}"

# Short runs that have among them every option which decides how something is computed. Sizes are
# odd, so that no vector fits them. The run `from` starts from the run `post`, so it needs both;
# `resumed` is stopped and goes on.
#
# name | text | prompt of sample | text of attend | options
settings='
plain    | perro.txt        | el perro           | el perro come un hueso |
post     | perro.txt        | un                 | el gato come croquetas | --norm post --activation gelu --positions learned --untied --dropout 0.1 --seed 5 --steps 100
course   | perro.txt        | el                 | un muchacho jugaba     | --layers 1 --width 52 --head-size 29 --window 1,2,3,4 --hidden 75 --batch 1 --epochs 10 --no-qkv-bias
words    | cuentos.txt      | La niña            | La niña corrió         | --steps 40 --batch 20 --optimizer adamw --dropout 0.2 --decay 0.1 --clip 0.5 --log-every 5
patterns | cuentos.txt      | Luna               | Luna lleva al          | --tokens char --heads 4 --width 44 --attend 8,strided:8,fixed:8,summary:8:2 --activation gelu --steps 30 --context 50 --batch 9
subwords | cuentos.txt      | La niña le         | La niña corrió         | --tokens bpe --vocabulary 400 --optimizer muon --epsilon 0.0001 --average --steps 40 --eval-every 8 --width 40 --batch 7 --context 33
pairs    | traducciones.tsv | el perro negro     | el perro negro come    | --steps 40 --batch 12 --heads 3 --width 39 --accumulate 3
sums     | sumas.tsv        | 58+67              | 12+34                  | --causal-source --steps 30 --batch 30 --width 36 --schedule constant --lr 0.003
masked   | perro.txt        | [mask] [mask] come | un [mask] jugaba       | --objective masked --steps 100 --schedule cosine --lr 0.002 --min-lr 0.0001 --hidden 100
from     | perro.txt        | el                 | un gato come           | --from post --steps 40 --dropout 0.05 --lr-factor 0.1
resumed  | cuentos.txt      | la                 | la niña                | --lower --optimizer adamw --dropout 0.2 --min-count 2 --steps 40 --stop-after 23 --average --norm post --layers 3 --cooldown 0.5 --batch 12
shards   | cuentos.txt      | Leo                | Leo dice               | --shards 4 --optimizer adamw --steps 30 --batch 10 --accumulate 2 --dropout 0.1 --eval-every 10
llama    | cuentos.txt      | Leo                | Leo dice               | --shape llama --heads 4 --key-heads 2 --head-size 10 --width 37 --theta 500 --optimizer muon --dropout 0.1 --steps 40 --batch 11
gated    | cuentos.txt      | la                 | la niña                | --tokens char --norm post --rms --gated --activation gelu --no-other-bias --heads 3 --key-heads 1 --width 39 --steps 30 --context 50 --batch 9
turned   | traducciones.tsv | el perro negro     | el perro negro come    | --positions rotary --activation silu --no-qkv-bias=off --norm-epsilon 1e-6 --untied --steps 40 --batch 12 --attend 8,strided:3
bf16     | cuentos.txt      | La niña            | La niña corrió         | --precision bf16 --optimizer adamw --steps 40 --width 72 --heads 3 --hidden 130 --dropout 0.1
'

program() { # NAME ARGUMENT...
    local name=$1
    shift
    $RUN "$BIN/$name" "$@" </dev/null
}

# A short checksum of what it reads.
short() {
    sha256sum | cut -c 1-8
}

# The numbers of a safetensors file, without its header, which has the size of the log.
numbers() { # FILE
    tail -c +$(($(od -An -t u8 -N 8 "$1") + 9)) "$1"
}

# Trains one setting and prints its row: the model as train prints it, the numbers of the state, the
# log without the last two columns (times), all that sample prints, all that attend prints and
# writes.
row() { # NAME TEXT PROMPT ATTENDED OPTION...
    local name=$1 prompt=$3 attended=$4
    program train "$here/../../data/$2" --out "$name" --threads "$THREADS" "${@:5}" >said
    case " $* " in *' --stop-after '*) program train --resume "$name" --threads "$THREADS" >said ;; esac
    program sample "$name" "$prompt" --threads "$THREADS" >samples
    program sample "$name" "$prompt" --threads "$THREADS" --seed 2 --json |
        sed 's/"ids":[^]]*\],//' >>samples # which came later than the table
    program attend "$name" "$attended" >maps
    program attend "$name" "$attended" -o maps.csv >/dev/null
    printf '%-9s %s %s %s %s %s\n' "$name" "$(sed -n 's/^model  *\([0-9a-f]\{16\}\),.*/\1/p' said)" \
        "$(numbers "$name/state.safetensors" | short)" "$(cut -d, -f 1-8 "$name/log.csv" | short)" \
        "$(short <samples)" "$(cat maps maps.csv | short)"
}

# All settings but bf16, or those that are named.
rows() { # NAME...
    local name text prompt attended options
    echo 'setting   model            state    log      samples  attention'
    while IFS='|' read -r name text prompt attended options; do
        read -r name <<<"$name"
        read -r text <<<"$text"
        read -r prompt <<<"$prompt"
        read -r attended <<<"$attended"
        case " ${*:-$name} " in
            *" bf16 "*) [ $# != 0 ] || continue ;;&
            *" $name "*) row "$name" "$text" "$prompt" "$attended" $options ;;
        esac
    done < <(grep '|' <<<"$settings")
}

# Names the settings whose rows differ from those of the table, and the columns in which they do,
# unless all do.
compare() { # ROWS
    awk 'NR == FNR { for (i = 2; i <= NF; i++) expected[$1, i] = $i; next }
         FNR == 1 { split($0, title); next }
         {
             count = 0
             columns = ""
             for (i = 2; i <= NF; i++)
                 if ($i != expected[$1, i] && ++count)
                     columns = columns (columns ? ", " : "") title[i]
             if (count)
                 differing = differing (differing ? ", " : "") $1 \
                             (count < NF - 1 ? " (" columns ")" : "")
         }
         END { print differing ? "DIFFERENT: " differing : "same"; exit differing != "" }' \
        "$TABLE" "$1"
}

# The table with these rows in the place of its own, and new ones at its end.
merge() { # ROWS
    awk 'NR == FNR { row[$1] = $0; name[++count] = $1; next }
         { print $1 in row ? row[$1] : $0; delete row[$1] }
         END { for (i = 1; i <= count; i++) if (name[i] in row) print row[name[i]] }' "$1" "$TABLE"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
case ${1:-} in
    check)
        rows "${@:2}" >rows
        compare rows
        ;;
    write)
        rows "${@:2}" >rows
        merge rows >table
        cat table >"$TABLE"
        ;;
    *) rows "$@" ;;
esac
