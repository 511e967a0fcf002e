# printed.bats: the README shows what everyone gets. Its commands run again, and what they print is
# compared with what the README shows below them.
load programs.bash

# commands_of PAGE: writes each command of its blocks ("$ ./train …") into a file 01.command, 02.…,
# and what is shown below it into 01.shown.
commands_of() {
    awk '/^```/ { inside = !inside; name = ""; next }
         inside && /^\$ / { name = sprintf("%02d", ++count); sub(/^\$ /, ""); goes_on = 1
                            printf "" >(name ".shown") }
         name { print >(name (goes_on ? ".command" : ".shown")); goes_on = goes_on && /\\$/ }' "$1"
}

# for_everyone: its input without times and speeds, and without the memory, the threads and the
# kernel, which follow the machine.
for_everyone() {
    sed -E -e 's/( parameters), .*/\1/' -e 's/^(took  ).*/\1/' \
        -e 's/^( +[0-9]+ .*[^ ]) +[0-9,]+ +[0-9.hm]+s$/\1/'
}

# prints FILE: its lines are those of printed.txt. A line … stands for any lines.
prints() {
    local pattern
    for_everyone <printed.txt >all.txt
    pattern=$(for_everyone <"$1" | sed -E -e 's/[][\\*?()|!@+]/\\&/g' -e 's/^ *…$/*/')
    # shellcheck disable=SC2053 # a pattern, not a string
    [[ $(cat all.txt) == $pattern ]] || { cat "${1%.shown}.command"; diff "$1" all.txt; false; }
}

@test "every command in the README prints what the README shows" {
    ln -s "$BIN/train" "$BIN/sample" "$BIN/attend" "$ROOT/data" .
    commands_of "$ROOT/README.md"
    [ -s 17.command ]
    for command in ??.command; do
        # The sums take half a minute.
        if grep -q sumas "$command"; then continue; fi
        shown=${command%.command}.shown
        # A command with nothing below it prepares the next one; once is enough.
        if [ ! -s "$shown" ] && grep -qxF -f "$command" before.txt; then continue; fi
        cat "$command" >>before.txt
        bash "$command" >printed.txt 2>&1
        cat printed.txt >>everything.txt
        if [ -s "$shown" ]; then prints "$shown"; fi
    done
    cmp translation.svg "$ROOT/docs/translation.svg"
    ./attend runs/cuentos --positions -o positions.svg
    cmp positions.svg "$ROOT/docs/positions.svg"
    # Losses in the text between the blocks. (The sums print theirs, too.)
    cat ??.shown >>everything.txt
    for loss in $(sed '/^```/,/^```/d' "$ROOT/README.md" | grep -oE '\b[0-9]\.[0-9]{6}\b'); do
        grep -qF "$loss" everything.txt || { echo "nothing prints $loss"; false; }
    done
}

@test "the picture of patterns is what its commands draw" {
    ln -s "$BIN/train" "$BIN/attend" "$ROOT/data" .
    awk '/^```/ { if (fences++) exit; next } fences' "$ROOT/docs/patterns.md" >commands.sh
    bash -e commands.sh
    cmp patterns.svg "$ROOT/docs/patterns.svg"
}
