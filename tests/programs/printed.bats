# printed.bats: the README, the lesson and other pages show what everyone gets. Their commands run
# again, and what they print is compared with what the page shows below them.
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
    sed -E -e 's/( parameters| parámetros), .*/\1/' -e 's/^(took|tiempo|time|tarda)  .*/\1/' \
        -e 's/^( +[0-9]+ .*[^ ]) +[0-9][^ ]* +[0-9.hm]+s$/\1/'
}

# prints FILE PRINTED: the lines of FILE are those of PRINTED. A line … stands for any lines.
prints() {
    local pattern
    for_everyone <"$2" >all.txt
    pattern=$(for_everyone <"$1" | sed -E -e 's/[][\\*?()|!@+]/\\&/g' -e 's/^ *…$/*/')
    # shellcheck disable=SC2053 # a pattern, not a string
    [[ $(cat all.txt) == $pattern ]] || { cat "${1%.shown}.command"; diff "$1" all.txt; false; }
}

# check_page PAGE LOCALE: in this locale each command of the page prints what the page shows.
check_page() {
    ln -sf "$BIN/train" "$BIN/sample" "$BIN/attend" "$BIN/export" "$ROOT/data" .
    rm -f ./*.command ./*.shown # of another page
    commands_of "$ROOT/$1"
    for command in ??.command; do
        # The sums take half a minute.
        if grep -q sumas "$command"; then continue; fi
        shown=${command%.command}.shown
        # A command that stands there twice runs once. Only a message that is shown may be an error.
        printed=$(md5sum <"$command" | cut -c 1-32).printed
        [ -e "$printed" ] || env -u LC_ALL -u LC_MESSAGES -u LANGUAGE LANG="$2" \
            bash "$command" >"$printed" 2>&1 || [ -s "$shown" ]
        if [ -s "$shown" ]; then prints "$shown" "$printed"; fi
    done
    # Losses in the text between the blocks. (The sums also print theirs.)
    for loss in $(sed '/^```/,/^```/d' "$ROOT/$1" | grep -oE '\b[0-9]\.[0-9]{6}\b'); do
        cat ./*.printed ./*.shown | grep -qF "$loss" || { echo "nothing prints $loss"; false; }
    done
}

@test "every command in the README prints what it shows" {
    check_page README.md C.UTF-8
    [ -s 10.command ]
    cmp runs/cuentos/curve.svg "$ROOT/docs/curve.svg"
    ./attend runs/cuentos --positions -o positions.svg
    cmp positions.svg "$ROOT/docs/positions.svg"
}

# bats test_tags=long
@test "every command in the pages that go on from the README prints what they show" {
    check_page README.md C.UTF-8
    check_page docs/objectives.md C.UTF-8
    [ -s 08.command ]
    cmp translation.svg "$ROOT/docs/translation.svg"
    check_page docs/own-text.md C.UTF-8
}

# bats test_tags=long
@test "every command in the lesson prints what the lesson shows" {
    check_page docs/lesson.md C.UTF-8
    [ -s 12.command ]
}

# bats test_tags=long
@test "every command in the Spanish README and lesson prints in Spanish what they show" {
    check_page README.es.md es_MX.UTF-8
    [ -s 08.command ]
    rm -r runs ./*.printed # a lesson of its own: README has trained another runs/perro-2
    check_page docs/leccion.md es_MX.UTF-8
    [ -s 12.command ]
}

# bats test_tags=long
@test "the picture of patterns is what its commands draw" {
    ln -s "$BIN/train" "$BIN/attend" "$ROOT/data" .
    awk '/^```/ { if (fences++) exit; next } fences' "$ROOT/docs/patterns.md" >commands.sh
    bash -e commands.sh
    cmp patterns.svg "$ROOT/docs/patterns.svg"
}

# bats test_tags=long
@test "the moving pictures are what scripts/film.py draws" {
    command -v python3 >/dev/null || skip "python3 draws them"
    (cd "$ROOT" && BIN=$BIN python3 scripts/film.py "$WORK")
    cmp film.svg "$ROOT/docs/film.svg"
    cmp pelicula.svg "$ROOT/docs/pelicula.svg"
}
