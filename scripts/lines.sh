#!/bin/bash
# lines.sh [PAGE...]: a table row that ends with `FILE:LINE` | `CODE` | names the line of FILE on which
# CODE stands. Renews the numbers, in docs/exact.md or in the given pages. A code that stands nowhere, or
# on several lines, is an error.
set -eu
root=$(dirname "$0")/..
[ $# -gt 0 ] || set -- "$root/docs/exact.md"
row='^(.*\| `([a-z_/]+\.[a-z]+):)[0-9]+(` \| `(.*)` \|)$'
for page; do
    while IFS= read -r line; do
        if [[ $line =~ $row ]]; then
            begin=${BASH_REMATCH[1]} file=${BASH_REMATCH[2]} end=${BASH_REMATCH[3]} code=${BASH_REMATCH[4]}
            number=$(grep -nF -e "$code" "$root/$file" | cut -d: -f1)
            [[ $number =~ ^[0-9]+$ ]] || {
                echo "$page: this is not on exactly one line of $file: $code" >&2
                rm -f "$page.new"
                exit 1
            }
            line=$begin$number$end
        fi
        printf '%s\n' "$line"
    done <"$page" >"$page.new"
    mv "$page.new" "$page"
done
