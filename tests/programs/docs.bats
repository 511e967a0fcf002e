# docs.bats: what the documentation quotes is what the programs print and the code contains.
load programs.bash
load links.bash

@test "each option that docs/options.md names exists" {
    for name in $PROGRAMS; do "$BIN/$name" --help; done | grep -oE -- '--[a-z][a-z-]+' | sort -u >all.txt
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
    no_dead_link README*.md CONTRIBUTING.md docs/*.md
    for page in docs/*.md; do
        links_of README.md | grep -qxF "$page" || { echo "README.md does not lead to $page"; false; }
    done
    # A heading with an accent and marks; a link into nothing is noticed.
    echo '## ¿Dónde `está` el piso, EXACTAMENTE? Él' >"$WORK/heading.md"
    [ "$(anchors_of "$WORK/heading.md")" = dónde-está-el-piso-exactamente-él ]
    echo '[a](heading.md) [b](#none) [c](none.md) [d](heading.md#none)' >"$WORK/links.md"
    no_dead_link "$WORK/links.md" >"$WORK/dead.txt" && false
    [ "$(grep -c 'leads to no' "$WORK/dead.txt")" = 3 ]
}

@test "every picture of docs is shown" {
    cd "$ROOT"
    local unseen=0
    for picture in $(find docs -name '*.png' -o -name '*.svg'); do
        grep -qF "](${picture#docs/})" docs/*.md || grep -qF "]($picture)" README*.md ||
            { echo "$picture is shown nowhere"; unseen=1; }
    done
    [ "$unseen" = 0 ]
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

@test "the packages in CONTRIBUTING.md are those that scripts/setup.sh needs for make" {
    sed -n '/^sudo apt install make gcc /,/^```/p' "$ROOT/CONTRIBUTING.md" |
        grep -oE 'lib[a-z0-9-]+' | sort >page.txt
    awk '$NF == "build" { print $1 }' "$ROOT/scripts/setup.sh" | sort | diff page.txt -
    [ "$(wc -l <page.txt)" -ge 6 ]
    # the table: header and package
    while read -r header package; do
        grep -qE "^$package +<$header> +build$" "$ROOT/scripts/setup.sh" ||
            { echo "$header"; false; }
        sed -i "/^$package\$/d" page.txt
    done < <(sed -nE 's/^\| `<([a-zA-Z0-9/_]+\.h)>` \| `([a-z0-9-]+)` \|.*/\1 \2/p' \
        "$ROOT/CONTRIBUTING.md")
    [ "$(cat page.txt)" = libc6-dev ]
}

@test "each formula of docs/exact.md stands on the line that is named" {
    cp "$ROOT/docs/exact.md" page.md
    "$ROOT/scripts/lines.sh" page.md
    diff "$ROOT/docs/exact.md" page.md || { echo "code has moved: call scripts/lines.sh"; false; }
    [ "$(grep -c '^| .*`[a-z_/]*\.c:[0-9]*` | `.*` |$' page.md)" -ge 30 ]
    # A code that is not there, or on more than one line, is noticed.
    echo '| x | y | `model/layers/linear.c:1` | `no such line` |' >page.md
    refuses 1 'exactly one line' 'no such line' -- "$ROOT/scripts/lines.sh" page.md
    echo '| x | y | `model/layers/linear.c:1` | `for (int i = 0; i < N; i++)` |' >page.md
    refuses 1 'exactly one line' -- "$ROOT/scripts/lines.sh" page.md
}

# Each beginning of a line after which there is a choice, how often it occurs, the entropy of what
# follows, and that times how often: as the lesson works it out by hand.
choices_of() {
    awk '{ read_so_far = ""
           for (i = 1; i <= NF + 1; i++) {
               seen[read_so_far]++
               follows[read_so_far SUBSEP $i]++
               read_so_far = read_so_far (i > 1 ? " " : "") $i
           } }
         END { for (pair in follows) {
                   split(pair, part, SUBSEP)
                   p = follows[pair] / seen[part[1]]
                   entropy[part[1]] -= p * log(p)
               }
               for (beginning in entropy)
                   if (entropy[beginning] > 0)
                       printf "%s\t%d\t%.3f\t%.3f\n", beginning, seen[beginning],
                           entropy[beginning], seen[beginning] * entropy[beginning] }' "$1"
}

@test "the floor that the lessons work out by hand is right" {
    choices_of "$ROOT/data/perro.txt" >choices.txt
    [ "$(wc -l <choices.txt)" -eq 6 ]
    for page in lesson leccion; do
        while IFS=$'\t' read -r beginning count entropy product; do
            grep -qE "^\| (\*$beginning\*|\(n[a-z]+\)) \| $count \| .* \| $entropy \| $product \|$" \
                "$ROOT/docs/$page.md" || { echo "$page: $beginning"; false; }
        done < <(sed 's/^\t/nothing\t/' choices.txt)
    done
}

@test "every training of the lessons can be repeated in class after a rehearsal" {
    grep -h '^\$ .*--out ' "$ROOT/docs/lesson.md" "$ROOT/docs/leccion.md" >commands.txt
    [ "$(wc -l <commands.txt)" -ge 16 ]
    ! grep -v -e --overwrite commands.txt
}

# The words in bold in the list below "On the page:", and the name of the slider of the ages.
parts_of() {
    sed -nE '/^(On the page|En la página):$/,/^(Without|Sin) /p' "$1" | tr '\n' ' ' | tr -s ' ' |
        grep -oP '\*\*\K[^*]+(?=\*\*)'
    tr '\n' ' ' <"$1" | tr -s ' ' | grep -oP '(slider|control) \*\*\K[^*]+(?=\*\*)'
}

@test "what the lessons call the parts of the page stands on the page" {
    for page in lesson leccion; do
        parts_of "$ROOT/docs/$page.md" >parts.txt
        [ "$(wc -l <parts.txt)" -eq 5 ]
        while read -r part; do
            grep -qF "\"$part\"" "$ROOT/programs/attend/page/base/words.js" || { echo "$page: $part"; false; }
        done <parts.txt
    done
}

# The words in bold of each paragraph and each item of a list that tells of the lab, except those that
# it begins with.
parts_of_lab() {
    awk 'function end() { if (part ~ /[Tt]he lab|laboratorio/) print part; part = "" }
         /^$|^[0-9]+\. |^\* / { end() }
         { part = part " " $0 }
         END { end() }' "$1" | tr -s ' ' |
        sed -E 's/^ ([0-9]+\. |\* )?\*\*[^*]*\*\*//; s/\*\*(In the lab|En el laboratorio):\*\*//g' |
        grep -oE '\*\*[^*]+\*\*' | tr -d '*'
}

@test "what the lessons call the parts of the lab stands there" {
    for page in lesson leccion; do
        parts_of_lab "$ROOT/docs/$page.md" >parts.txt
        [ "$(wc -l <parts.txt)" -ge 35 ]
        grep -q '^Train$\|^Entrenar$' parts.txt
        while read -r part; do
            grep -qF "\"$part\"" "$ROOT/programs/lab/words.js" "$ROOT/programs/attend/page/base/words.js" ||
                { echo "$page: $part"; false; }
        done <parts.txt
    done
}
