# docs.bats: what the documentation quotes is what the programs print and the code contains.
load programs.bash

@test "docs/options.md shows each program's --help word for word" {
    for name in train sample attend; do
        "$BIN/$name" --help >printed.txt
        sed -n "/^\$ \.\/$name --help\$/,/^\`\`\`\$/p" "$ROOT/docs/options.md" | sed '1d;$d' >quoted.txt
        diff quoted.txt printed.txt
    done
}

@test "every path and every function named in the documentation exists" {
    cd "$ROOT"
    local missing=0
    for page in README.md CONTRIBUTING.md docs/*.md; do
        for path in $(grep -oE '`[a-z_/.]+/[A-Za-z_.]+\.(c|h|sh|py|bats|mk|md|txt|html)`' "$page" |
            tr -d '`' | grep -v '^\./\|^runs/\|^build/' | sort -u); do
            [ -e "$path" ] || { echo "$page names $path, which is missing"; missing=1; }
        done
        # a row "`path` | `function()`" of a table
        while read -r path function; do
            grep -qE "\b$function\(" "$path" || { echo "$page: no $function() in $path"; missing=1; }
        done < <(sed -nE 's/^.*`([a-z_/]+\.[ch])` \| `([a-z_]+)\(\)`.*$/\1 \2/p' "$page")
    done
    [ "$missing" = 0 ]
}
