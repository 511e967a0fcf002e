# rooms.bats: the folders of the code, see CONTRIBUTING.md.
load programs.bash

# Each pair of rooms of which a file of the first includes one of the second, except in tests.
arrows() {
    local room other
    for room in $(rooms); do
        sed -n 's,^#include "\(.*\)/[^/]*"$,\1,p' "$room"/*.[ch] | while read -r other; do
            [ "$other" = "$room" ] || echo "$room $other"
        done
    done | sort -u
}

# Each pair of rooms that an arrow of the map joins, at once or over others.
arrows_of_map() {
    sed -n '/^Folders are rooms/,/^Everything that trains/p' CONTRIBUTING.md | tr '\n' ' ' | sed 's/ \* /\n/g' |
        awk '{ count = split($0, side, "→")
               for (i = 1; i <= count; i++)
                   while (match(side[i], /`[a-z_\/]+\/`/)) {
                       room = substr(side[i], RSTART + 1, RLENGTH - 3)
                       side[i] = substr(side[i], RSTART + RLENGTH)
                       for (before in step) if (step[before] < i) print before, room
                       step[room] = i
                   }
               delete step }'
}

# The part of the house that a room is in: of programs/train/plan, programs/train.
part_of() { case $1 in programs/*/*) echo "${1%/*}" ;; programs/*) echo "$1" ;; *) echo "${1%%/*}" ;; esac; }

@test "arrows between rooms run one way, and the map shows each" {
    cd "$ROOT"
    arrows >"$WORK/arrows.txt"
    grep -qx 'model/layers model/matrix' "$WORK/arrows.txt"
    tsort "$WORK/arrows.txt" >"$WORK/order.txt" # fails if there is a circle
    [ "$(tail -n 1 "$WORK/order.txt")" = base/system ]
    arrows_of_map >"$WORK/map.txt"
    while read -r from to; do
        [ "$(part_of "$from")" = "$(part_of "$to")" ] || from=$(part_of "$from") to=$(part_of "$to")
        grep -qx "$from $to" "$WORK/map.txt" || { echo "the map lacks $from → $to"; false; }
    done <"$WORK/arrows.txt"
}

# The last bits of what they return differ between C libraries: base/numbers/elementary.h has others.
# OBJECTS names the folder of another build, as tests/macos/macos.bats does.
@test "nothing that computes a model calls a function of the C library that rounds" {
    local name='(cbrt|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|sincos|tan|a?(sin|cos|tan)h?|atan2'
    name="$name|erf|erfc|lgamma|tgamma|hypot|fma|fmod|remainder|j[01n]|y[01n])[fl]?"
    echo '                 U expf' | grep -qE "U _*$name\$"
    cd "${OBJECTS:-$BUILD/float}"
    find base model text formats -name '*.o' -exec "${NM:-nm}" -A {} + >"$WORK/called.txt"
    grep -q 'model/.* U _*memcpy' "$WORK/called.txt"
    ! grep -E "U _*$name(@.*)?\$" "$WORK/called.txt"
}
