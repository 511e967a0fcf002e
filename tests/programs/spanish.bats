# spanish.bats: every text for a person has a translation, and LANG chooses it. That each message
# about a bad input is translated, programs.bash's refuses() tests wherever it is called.
load programs.bash

# in_spanish COMMAND...
in_spanish() {
    LC_ALL=es_MX.UTF-8 "$@"
}

@test "every text in the sources is in the catalogue, translated, and no other" {
    command -v xgettext >/dev/null || skip "no gettext"
    cd "$ROOT"
    scripts/messages.sh "$WORK/sources.pot"
    [ "$(grep -c '^msgid ' "$WORK/sources.pot")" -gt 500 ] # or the sources were not read
    msgfmt --check -o /dev/null base/po/es.po
    for list in "--translated base/po/es.po" "$WORK/sources.pot"; do
        msgattrib --no-wrap --no-location $list | msgcat --no-wrap --sort-output - |
            grep '^msgid' >"$WORK/texts" # with the msgid of the head
        [ -e "$WORK/others" ] || mv "$WORK/texts" "$WORK/others"
    done
    diff "$WORK/others" "$WORK/texts"
    refutes -E '^#~|^#, fuzzy' base/po/es.po
}

# The lines of a catalogue's texts that have two words side by side, which are no markup.
phrases_of() {
    sed -nE 's/^(msgid |msgid_plural )?"/"/p' "$1" | grep -E '[a-z]{2,} [a-z]{2,}' |
        grep -v '^"[<{]' | LC_ALL=C sort -u
}

@test "no string of several words is left without a mark" {
    command -v xgettext >/dev/null || skip "no gettext"
    cd "$ROOT"
    find . -name '*.c' ! -path './.*/*' ! -path './tests/*' ! -path './build/*' >"$WORK/files"
    xgettext -a -L C --from-code=UTF-8 --no-wrap --no-location -o "$WORK/all.pot" \
        -f "$WORK/files" 2>/dev/null
    # Assertions, a value for scripts and a template stay as they are.
    LC_ALL=C comm -23 <(phrases_of "$WORK/all.pot") <(phrases_of base/po/es.po) |
        grep -vE 'little-endian"|^"as is"|for message in messages' >"$WORK/left" || true
    [ ! -s "$WORK/left" ] || { cat "$WORK/left"; false; }
    [ "$(phrases_of "$WORK/all.pot" | wc -l)" -gt 400 ]
}

@test "--help is Spanish; C and English stay English" {
    for program in $PROGRAMS; do
        in_spanish "$BIN/$program" --help all >help.txt
        grep -q '^Uso: ' help.txt
        grep -q '^Ejemplos:' help.txt
        refutes -nE ' $|\[suits|\b(the|of|and|with)\b' help.txt
        # The same options in the same order.
        cmp <(grep -oE '^ {2,6}(-., )?--[a-z-]+' help.txt) \
            <("$BIN/$program" --help all | grep -oE '^ {2,6}(-., )?--[a-z-]+')
        in_spanish "$BIN/$program" --usage | grep -q '^Uso: '
        LC_ALL= LANG=es_MX.UTF-8 "$BIN/$program" --help all | cmp - help.txt
        LC_ALL=en_US.UTF-8 "$BIN/$program" --help | grep -q '^Usage: '
        LC_ALL=C LANGUAGE=es "$BIN/$program" --help | grep -q '^Usage: '
    done
}

# The numbers that two outputs print are the same.
same_numbers() { # ENGLISH SPANISH
    cmp <(grep -oE '[0-9]+[.][0-9]{3,}' "$1") <(grep -oE '[0-9]+[.][0-9]{3,}' "$2")
}

# The widths of the heads of tables.
heads_of() {
    grep -E '^ +(-----|step|paso)|perplex|perplej|entrop|cosine|coseno' "$1" | sed -E 's/  texto?$//' |
        while IFS= read -r line; do echo ${#line}; done
}

@test "what the programs print is Spanish, with the same numbers in tables of the same width" {
    local few=(--steps 40 --eval-every 20 --seed 3 --overwrite)
    "$BIN/train" perro.txt "${few[@]}" --out english | grep -v '^ .*e-' >train.en
    in_spanish "$BIN/train" perro.txt "${few[@]}" --out spanish | grep -v '^ .*e-' >train.es
    cmp english/model.safetensors spanish/model.safetensors
    cmp <(cut -d, -f1-8 english/log.csv) <(cut -d, -f1-8 spanish/log.csv)
    grep -q '>piso ' spanish/curve.svg
    same_numbers <(grep -v '^took' train.en) <(grep -v '^tiempo' train.es)
    heads_of train.en >heads.txt
    heads_of train.es | cmp - heads.txt
    grep -q $'^ *101\u202f056 parámetros' train.es
    grep -q '^pérdida 2.708050 con probabilidades iguales' train.es
    for call in "sample spanish un gato" "sample spanish el --greedy" "sample spanish --score perro.txt" \
        "attend spanish un gato" "attend spanish --positions"; do
        set -- $call
        "$BIN/$1" "${@:2}" >out.en
        in_spanish "$BIN/$1" "${@:2}" >out.es
        same_numbers out.en out.es
        cmp <(heads_of out.en) <(heads_of out.es)
        heads_of out.en >>heads.txt
        differ out.en out.es
        refutes -wE 'the|of|and|with|text|model|head|loss|others' out.es
    done
    [ "$(wc -l <heads.txt)" -eq 5 ]
    # What programs read stays English, with points in its numbers and commas between them.
    for call in "sample spanish un --json" "sample spanish --score perro.txt --json" \
        "sample spanish --score perro.txt --each --csv" "train --compare english spanish -o -.csv"; do
        set -- $call
        in_spanish "$BIN/$1" "${@:2}" | cmp - <("$BIN/$1" "${@:2}")
    done
    for kind in json csv npy; do
        "$BIN/attend" spanish un gato -o english.$kind >/dev/null
        in_spanish "$BIN/attend" spanish un gato -o spanish.$kind >/dev/null
        cmp english.$kind spanish.$kind
    done
}

@test "a Spanish sentence has its numbers and its singular in the right place" {
    in_spanish "$BIN/train" perro.txt --steps 3 --layers 2 --heads 1 --width 16 --out run >out.es
    grep -q ' 2 capas, 1 cabeza de 16,' out.es
    in_spanish "$BIN/attend" run un gato --layer 2 --head 1 | grep -x 'capa 2, cabeza 1'
    in_spanish "$BIN/sample" run el --words 40 --count 1 --temperature 5 |
        grep 'el contexto de 8 tokens .* los últimos 4,'
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --steps 1 --layers 1 --width 16 --context 8 \
        --out stream >/dev/null
    in_spanish "$BIN/sample" stream el --words 20 --count 1 | grep 'el contexto de 8 tokens .* los últimos 4$'
}
