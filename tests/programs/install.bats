# install.bats: what make install leaves behind, manual pages, completion, and the Debian package.
load programs.bash
load links.bash

# make, in which the programs are where it puts them by itself.
make() { env -u BIN -u BUILD make "$@"; }

@test "installed programs are called pulga-train, pulga-sample and so on, and name each other" {
    mkdir bin
    for name in $PROGRAMS; do ln -s "$BIN/$name" "bin/pulga-$name"; done
    export PATH="$WORK/bin:$PATH"
    pulga-train perro.txt --steps 2 --out run >out.txt
    grep -qx ' *pulga-sample run' out.txt
    grep -qx ' *pulga-train --resume run --steps 4' out.txt
    pulga-sample run el >out.txt
    pulga-attend run el >out.txt
    for name in $PROGRAMS; do
        pulga-$name --help all >help.txt
        LC_ALL= LANG=es_MX.UTF-8 pulga-$name --help all >>help.txt
        [ "$(grep -c "^  pulga-$name " help.txt)" -ge 4 ]
        [ "$(wc -L <help.txt)" -le 79 ]
    done
    refuses 1 "pulga-export: run has --activation relu" -- pulga-export run a.gguf
}

@test "pulga calls the installed programs by their names, and alone says what there is" {
    mkdir -p root/bin
    cp "$ROOT/scripts/pulga.sh" root/bin/pulga
    for name in $PROGRAMS; do ln -s "$BIN/$name" "root/bin/pulga-$name"; done
    root/bin/pulga train perro.txt --steps 2 --out "a run" >out.txt
    root/bin/pulga sample "a run" el --table 2 >out.txt
    grep -q perro out.txt
    [ "$(root/bin/pulga --version)" = "$("$BIN/train" --version)" ]
    [ "$(root/bin/pulga | grep -c '^pulga [a-z]')" = 5 ]
    [ "$(LC_ALL= LANG=es_MX.UTF-8 root/bin/pulga | grep -c '^pulga train TEXTO')" = 1 ]
    refuses 64 "pulga: there is no tarin; it can be train, sample, attend, export or lab" -- root/bin/pulga tarin
    refuses 1 "pulga: the lab is not installed" -- root/bin/pulga lab
    mkdir -p root/share/pulga
    touch root/share/pulga/pulga.html
    env -u DISPLAY -u WAYLAND_DISPLAY root/bin/pulga lab | grep -qF "$WORK/root/share/pulga/pulga.html"
}

# options_of PROGRAM: the long options that its --help lists.
options_of() {
    "$BIN/$1" --help all | grep -oE '^ {2,6}(-., )?--[a-z-]+' | grep -oE -- '--.*' | sort
}

@test "make install puts everything in place, and make uninstall removes just that" {
    [ -x "$ROOT/train" ] || skip "not built in place"
    # A prefix with a blank, which other packages also use.
    local prefix="$WORK/root/a b" file count=0
    mkdir -p "$prefix/share/man/man1" "$prefix/share/doc/pulga"
    touch "$prefix/share/man/man1/other.1" "$prefix/share/doc/pulga/of-the-user"
    (cd "$prefix" && find . -type f) | sort >before.txt

    mkdir lab
    printf '<!doctype html>\n<html lang="en">\n<!-- the run -->\n</html>\n' >lab/pulga.html
    to_prefix() {
        make -C "$ROOT" -o all "$1" PREFIX="/a b" DESTDIR="$WORK/root" LAB="$WORK/lab" >out.txt
    }
    to_prefix install
    for name in $PROGRAMS; do
        refuses 64 "pulga-$name: " -- "$prefix/bin/pulga-$name" --no-such-option
        for file in man/man1/pulga-$name.1 man/es/man1/pulga-$name.1 \
            bash-completion/completions/pulga-$name zsh/site-functions/_pulga-$name; do
            [ -s "$prefix/share/$file" ]
            count=$((count + 1))
        done
    done
    [ "$count" -ge 16 ]
    (cd "$prefix/share/doc/pulga" && no_dead_link ./*.md docs/*.md docs/notebooks/*.ipynb)
    # No screenshots, and commands as they are typed now.
    [ -z "$(find "$prefix" -name '*.png')" ]
    grep -qxF '$ pulga-train /a b/share/doc/pulga/examples/cuentos.txt' "$prefix/share/doc/pulga/README.md"
    refutes '^\$ \./' "$prefix"/share/doc/pulga/*.md "$prefix"/share/doc/pulga/docs/*.md
    cmp "$ROOT/data/perro.txt" "$prefix/share/doc/pulga/examples/perro.txt"

    # With the page of the lab, which attend --train finds.
    "$ROOT/train" perro.txt --steps 2 --out run >/dev/null
    "$prefix/bin/pulga-attend" run el -o a.html --train >/dev/null
    grep -q 'data-name="state.safetensors"' a.html

    to_prefix uninstall
    (cd "$prefix" && find . -type f) | sort >after.txt
    diff before.txt after.txt
    [ ! -e "$prefix/share/doc/pulga/docs" ]
    [ ! -e "$prefix/share/pulga" ]
    rm "$prefix/share/doc/pulga/of-the-user"
    to_prefix uninstall
    [ ! -e "$prefix/share/doc/pulga" ]
}

@test "a manual page has every option of --help, in English and Spanish, and no fault" {
    for name in $PROGRAMS; do
        for language in en es; do
            "$ROOT/scripts/manual.sh" "$BIN/$name" $language >page.1
            groff -ww -k -K utf8 -man -T utf8 page.1 >page.txt 2>faults.txt
            ! command -v mandoc >/dev/null || mandoc -T lint -W warning page.1 >>faults.txt || true
            [ ! -s faults.txt ] || { cat faults.txt; return 1; }
            options_of $name >options.txt
            [ "$(wc -l <options.txt)" -gt 2 ]
            while read -r option; do
                grep -qF "\\fB${option//-/\\-}\\fR" page.1 ||
                    { echo "$name: no $option"; return 1; }
            done <options.txt
        done
        grep -q '^\.SH EXAMPLES' <("$ROOT/scripts/manual.sh" "$BIN/$name" en)
        grep -q '^\.SH EJEMPLOS' page.1
        grep -q "^.fBpulga.-$name " page.1 # an example
    done
}

@test "the manual names every environment variable that the programs read" {
    cd "$ROOT"
    grep -rhoE 'getenv\("[A-Z_]+"\)' --include='*.c' --exclude='*_wasi.c' \
        $(ls -d */ | grep -vE '^(tests|build|runs)/') *.c |
        grep -oE '[A-Z_]+' | sort -u >"$WORK/names.txt"
    [ "$(wc -l <"$WORK/names.txt")" -gt 5 ]
    while read -r name; do # machines.md has those of teams
        for page in scripts/manual/en.1 scripts/manual/es.1; do
            grep -qw "$name" "$page" docs/machines.md || { echo "$page: no $name"; return 1; }
        done
    done <"$WORK/names.txt"
}

@test "the version is the same everywhere" {
    local version
    version=$(sed -n 's/^#define PULGA_VERSION "\(.*\)"$/\1/p' "$ROOT/base/base.h")
    [ "$("$BIN/train" --version)" = "pulga $version" ]
    [ "$(sed -n '1s/^pulga (\(.*\)) .*/\1/p' "$ROOT/scripts/debian/changelog")" = "$version" ]
    grep -qx "version: \"$version\"" "$ROOT/CITATION.cff"
}

# completed WORD...: what bash offers for this command line, whose = are words of their own; a line
# "compopt ..." stands for files and directories.
completed() {
    bash -c 'compopt() { echo "compopt $*"; }
        program=$1; shift
        source "$program.bash"
        COMP_WORDS=("pulga-$program" "$@") COMP_CWORD=$#
        _pulga_$program
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "bash completes options and their values" {
    for name in $PROGRAMS; do
        "$ROOT/scripts/completion.sh" "$BIN/$name" bash >$name.bash
        options_of $name >all.txt
        completed $name -- | sed 's/=$//' | grep -v compopt | sort >offered.txt
        comm -23 all.txt offered.txt >missing.txt
        [ ! -s missing.txt ] || { cat missing.txt; return 1; }
    done
    [ "$(completed train --optim)" = "compopt -o nospace
--optimizer=" ]
    [ "$(completed train --low)" = "--lower" ]
    [ "$(completed train --objective = m)" = "masked" ]
    [ "$(completed train --objective =)" = "next
pairs
masked
turns" ]
    [ "$(completed train --objective p)" = "pairs" ]
    [ "$(completed train --resume run)" = "compopt -o dirnames" ]
    [ -z "$(completed train --width = 6)" ]
    [ -z "$(completed sample run --stop = e)" ]
    [ "$(completed train --steps 6 per)" = "compopt -o default" ]
    [ "$(completed sample run)" = "compopt -o dirnames" ]
    [ "$(completed attend run el -o f)" = "compopt -o default" ]
    [ "$(completed export run f)" = "compopt -o default" ]
}

# zsh_completed LINE PATTERN: waits for PATTERN on the terminal of a zsh in which LINE and Tab are
# typed.
zsh_completed() {
    cat >zpty.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($PWD \$fpath); autoload -U compinit; compinit -D -u; echo rea''dy"
zpty -r shell output $'*ready\r\n*'
zpty -w -n shell "$1"$'\t'
zpty -r shell output "*$2*"
END
    TERM=dumb timeout 60 zsh -f zpty.zsh "$1" "$2"
}

@test "zsh completes options, their values and directories" {
    command -v zsh >/dev/null || skip "no zsh: scripts/setup.sh deb"
    needs_terminal
    for name in $PROGRAMS; do
        "$ROOT/scripts/completion.sh" "$BIN/$name" zsh >_pulga-$name
        zsh -n _pulga-$name
    done
    mkdir -p runs/long-name
    zsh_completed 'pulga-train --objective=ma' 'sked'
    zsh_completed 'pulga-train --opt' 'imizer'
    zsh_completed 'pulga-sample runs/lo' 'ng-name'
}
