# rooms.bats: the folders of the code, see CONTRIBUTING.md.
load programs.bash

# Each pair of rooms of which a file of the first includes one of the second, except in tests.
arrows() {
    local room file other
    for room in $(rooms); do
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
    [ "$(tail -n 1 "$WORK/order.txt")" = base/system ]
    # A circle would be found.
    echo 'base answer' >>"$WORK/arrows.txt"
    [ "$(tsort "$WORK/arrows.txt" 2>&1 | grep -c loop)" -ge 1 ]
}

# Each pair of rooms that an arrow of the map joins, at once or over others.
arrows_of_map() {
    sed -n '/^Folders are rooms/,/^A name without/p' CONTRIBUTING.md | tr '\n' ' ' | sed 's/ \* /\n/g' |
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

@test "the map shows every arrow" {
    cd "$ROOT"
    arrows_of_map >"$WORK/map.txt"
    for arrow in 'answer base' 'training/saving training/plan'; do grep -qx "$arrow" "$WORK/map.txt"; done
    [ "$(grep -c '^base answer$\|^training sampling$' "$WORK/map.txt")" = 0 ]
    while read -r from to; do
        [ "${from%%/*}" = "${to%%/*}" ] || from=${from%%/*} to=${to%%/*}
        grep -qx "$from $to" "$WORK/map.txt" || { echo "the map lacks $from → $to"; false; }
    done < <(arrows)
}

@test "a room has at most a dozen modules" {
    cd "$ROOT"
    grep -qx base <(rooms | tr ' ' '\n')
    for room in $(rooms); do
        [ "$(printf '%s\n' "$room"/*.[ch] | sed 's/\.[ch]$//' | sort -u | wc -l)" -le 12 ] ||
            { echo "$room has too many"; return 1; }
    done
}

# The modules that the linker took into a program.
modules_of() {
    readelf --debug-dump=info --dwarf-depth=1 "$BIN/$1" | sed -n 's,.*DW_AT_name.*[ \t]\([a-z_/0-9]*\)\.c$,\1,p'
}

# The room of each program, and of those in it.
@test "a module is for tiny.c or for two programs, or is in the room of its program" {
    cd "$ROOT"
    declare -A room=([train]=training [sample]=sampling [attend]=attending [export]=exporting)
    for program in $PROGRAMS tiny; do modules_of "$program" | sed "s/$/ $program/"; done | grep / >"$WORK/uses.txt"
    for program in $PROGRAMS; do [ "$(grep -c " $program$" "$WORK/uses.txt")" -gt 50 ]; done
    for file in $(printf '%s/*.c ' $(rooms)); do
        module=${file%.c} users=()
        case $module in training/team/team_mpi | base/system/wasi) continue ;; esac # of other builds
        mapfile -t users < <(sed -n "s,^$module ,,p" "$WORK/uses.txt")
        case " ${users[*]} " in
        *' tiny '*) wanted=library ;;
        *' '*' '*' '*) wanted=library ;;
        *) wanted=${room[${users[0]}]} ;;
        esac
        case ${module%%/*} in training | sampling | attending | exporting) is=${module%%/*} ;; *) is=library ;; esac
        [ "$is" = "$wanted" ] || { echo "$module, used by ${users[*]}, is not in $wanted"; false; }
    done
}

@test "each test is in the folder of a room, where make test finds it" {
    cd "$ROOT"
    rooms | tr -s ' \t' '\n' | sed '/^$/d; s,.*,tests/&\ntests/&/double,' | sort >"$WORK/rooms.txt"
    find tests -name '*.c' -exec dirname {} + | sort -u |
        grep -vE '^tests/(helpers|tools|fuzz|torture)(/|$)' >"$WORK/tests.txt"
    grep -qx tests/model/double "$WORK/tests.txt"
    comm -23 "$WORK/tests.txt" "$WORK/rooms.txt" >"$WORK/lost.txt"
    cat "$WORK/lost.txt"
    [ ! -s "$WORK/lost.txt" ]
}
