# docs.bats: what the documentation quotes is what the programs print and the code contains.
load programs.bash
load links.bash

@test "each option that docs/options.md names exists" {
    for name in $PROGRAMS; do "$BIN/$name" --help all; done | grep -oE -- '--[a-z][a-z-]+' | sort -u >all.txt
    grep -oE -- '--[a-z][a-z-]+' "$ROOT/docs/options.md" | sort -u >named.txt
    [ -z "$(comm -13 all.txt named.txt)" ]
}

@test "every path and every function named in the documentation exists" {
    cd "$ROOT"
    local missing=0
    for page in README*.md CONTRIBUTING.md docs/*.md; do
        for path in $(grep -oE '`[a-z_/.]+/[A-Za-z_.]+\.(c|h|sh|py|bats|mk|md|txt|html)`' "$page" |
            tr -d '`' | grep -v '^\./\|^runs/\|^build/' | sort -u); do
            [ -e "$path" ] || { echo "$page names $path, which is missing"; missing=1; }
        done
        # a row "`path` | `function()` |" of a table, or with two functions
        while read -r path functions; do
            for function in $functions; do
                grep -qE "\b$function\(" "$path" ||
                    { echo "$page: no $function() in $path"; missing=1; }
            done
        done < <(sed -nE 's/^.*`([a-z_/]+\.[ch])` \| (`[a-z_]+\(\)`( \| `[a-z_]+\(\)`)?).*$/\1 \2/p' \
            "$page" | tr -d '`()|')
    done
    [ "$missing" = 0 ]
}

@test "each link leads to a page and a heading that exist, and the README to every page" {
    cd "$ROOT"
    no_dead_link README*.md CONTRIBUTING.md docs/*.md docs/notebooks/*.ipynb
    for page in docs/*.md; do
        links_of README.md | grep -qxF "$page" || { echo "README.md does not lead to $page"; false; }
    done
}

# The paths of the map in a page: the names of a row are its first 24 columns, and their
# indentation says in which folder they are.
paths_of_map() {
    sed -n '/^The map, in reading/,/^## /p' "$1" | awk '/^```/ { inside = !inside; next }
         inside && match($0, /[a-z]/) && RSTART < 24 {
             depth = (RSTART - 1) / 2
             count = split(substr($0, 1, 24), names)
             for (i = 1; i <= count; i++) print folder[depth] names[i]
             folder[depth + 1] = folder[depth] names[count]
         }'
}

@test "the map names each folder of the code, and only what exists" {
    cd "$ROOT"
    paths_of_map CONTRIBUTING.md >"$WORK/map.txt"
    [ "$(wc -l <"$WORK/map.txt")" -gt 30 ]
    while read -r path; do
        [ -e "$path" ] || [ -e "$path.h" ] || [ -e "$path.js" ] ||
            { echo "the map names $path, which is missing"; false; }
    done <"$WORK/map.txt"
    find [a-z]*/ \( -name '*.c' -o -name '*.js' \) -printf '%h/\n' | grep -v '^tests/\|^build/' | sort -u >"$WORK/folders.txt"
    for path in *.c $(cat "$WORK/folders.txt"); do
        grep -qxF "$path" "$WORK/map.txt" || { echo "the map lacks $path"; false; }
    done
}

@test "each formula of docs/exact.md stands on the line that is named" {
    cp "$ROOT/docs/exact.md" page.md
    "$ROOT/scripts/lines.sh" page.md
    diff "$ROOT/docs/exact.md" page.md || { echo "code has moved: call scripts/lines.sh"; false; }
    [ "$(grep -c '^| .*`[a-z_/]*\.c:[0-9]*` | `.*` |$' page.md)" -ge 30 ]
}

# The words in bold of each paragraph and each item of a list that tells of the page or the lab, except
# those that it begins with.
parts_of() {
    sed -nE '/^(On the page|En la página):$/,/^(Without|Sin) /p' "$1" | tr '\n' ' ' | tr -s ' ' |
        grep -oP '\*\*\K[^*]+(?=\*\*)'
    awk 'function end() { if (part ~ /[Tt]he lab|laboratorio/) print part; part = "" }
         /^$|^[0-9]+\. |^\* / { end() }
         { part = part " " $0 }
         END { end() }' "$1" | tr -s ' ' |
        sed -E 's/^ ([0-9]+\. |\* )?\*\*[^*]*\*\*//; s/\*\*(In the lab|En el laboratorio):\*\*//g' |
        grep -oE '\*\*[^*]+\*\*' | tr -d '*'
}

@test "both lessons have the same cards and the same homework, and a card that lacks its words is told" {
    cd "$ROOT"
    for page in lesson leccion; do
        grep -oE '<!-- (card|question|answer|about) [0-9h.]+' "docs/$page.md" >"$WORK/$page.cards"
        sed -n '/^## \(Homework\|Para la casa\)$/,/^<details>$/p' "docs/$page.md" |
            grep -c '^[0-9]*\. ' >"$WORK/$page.homework"
    done
    diff "$WORK/lesson.cards" "$WORK/leccion.cards"
    diff "$WORK/lesson.homework" "$WORK/leccion.homework"
    [ "$(grep -c card "$WORK/lesson.cards")" -ge 23 ]
    awk -f programs/lab/cards.awk docs/lesson.md docs/leccion.md | jq -e 'length >= 23 and
        all(.ask and ([.en, .es] | all(.title != "" and .question != "" and .answer != "")))'
    grep -v 'answer 4.2' docs/leccion.md >"$WORK/leccion.md"
    run awk -f programs/lab/cards.awk docs/lesson.md "$WORK/leccion.md"
    [ "$status" = 1 ]
    [[ "$output" == *"the lesson in 'es': card 4.2 has no answer"* ]]
}

@test "what the lessons call the parts of the page and of the lab stands there" {
    for page in lesson leccion; do
        parts_of "$ROOT/docs/$page.md" >parts.txt
        [ "$(wc -l <parts.txt)" -ge 39 ]
        while read -r part; do
            grep -qF "\"$part\"" "$ROOT/programs/lab/words.js" "$ROOT/programs/attend/page/base/words.js" ||
                { echo "$page: $part"; false; }
        done <parts.txt
    done
}
