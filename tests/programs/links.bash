# links.bash: the links between pages.

# links_of PAGE: the targets of its links to other pages and pictures, and to its own headings.
links_of() {
    grep -oP '\]\(\K[^)\s]+(?=\))' "$1" | grep -v '^https://' | sort -u
}

# anchors_of PAGE: what a link to each of its headings has after #, as GitHub makes it.
anchors_of() {
    sed '/^```/,/^```/d' "$1" | grep '^#' |
        sed -E -e 's/^#+ //' -e 's/.*/\L&/' -e 's/[^[:alnum:] _-]//g' -e 's/ /-/g'
}

# no_dead_link PAGE...: each link leads to a file that exists, and to a heading that stands there. What
# a release of the repository has beside it, ../../releases/, is not looked for.
no_dead_link() {
    local page link file anchor dead=0
    for page; do
        while read -r link; do
            [[ $link != ../../releases/* ]] || continue
            file=${link%%#*}
            file=${file:+$(dirname "$page")/$file}
            file=${file:-$page}
            [ -e "$file" ] || { echo "$page: $link leads to no file"; dead=1; continue; }
            [[ $link == *#* ]] || continue
            anchor=${link#*#}
            anchors_of "$file" | grep -qxF -- "$anchor" ||
                { echo "$page: $link leads to no heading"; dead=1; }
        done < <(links_of "$page")
    done
    [ "$dead" = 0 ]
}
