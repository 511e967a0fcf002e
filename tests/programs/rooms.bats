# rooms.bats: the folders of the code, see CONTRIBUTING.md.
load programs.bash

# Each pair of rooms of which a file of the first includes one of the second, except in tests.
arrows() {
    local room file other
    for room in $(sed -n '/^ROOMS = /,/[^\\]$/p' Makefile | sed 's/^ROOMS = //; s/\\$//'); do
        for file in "$room"/*.[ch]; do
            sed -n 's,^#include "\(.*\)/[^/]*"$,\1,p' "$file" | while read -r other; do
                [ "$other" = "$room" ] || echo "$room $other"
            done
        done
    done | sort -u
}

@test "the arrows between rooms run one way, without a circle" {
    cd "$ROOT"
    arrows >"$WORK/arrows.txt"
    grep -qx 'model/layers model/matrix' "$WORK/arrows.txt"
    tsort "$WORK/arrows.txt" >"$WORK/order.txt"
    [ "$(tail -n 1 "$WORK/order.txt")" = base ]
    # A circle would be found.
    echo 'base program' >>"$WORK/arrows.txt"
    [ "$(tsort "$WORK/arrows.txt" 2>&1 | grep -c loop)" -ge 1 ]
}

@test "a room has at most a dozen modules" {
    cd "$ROOT"
    for room in $(arrows | cut -d ' ' -f 1 | sort -u); do
        [ "$(printf '%s\n' "$room"/*.[ch] | sed 's/\.[ch]$//' | sort -u | wc -l)" -le 12 ] ||
            { echo "$room has too many"; return 1; }
    done
}
