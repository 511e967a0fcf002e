#!/bin/sh
# install.sh PROGRAM...     puts under $DESTDIR$PREFIX the programs, the manual pages and completion
#                           that are made of their --help, the documentation, texts to train on,
#                           and the page of the lab, $LAB, if make lab has built it
# install.sh -u PROGRAM...  removes what this puts there, and nothing else
set -eu
undo=
[ "$1" != -u ] || { undo=1; shift; }
root=$DESTDIR$PREFIX
made=$(mktemp)
trap 'rm -f "$made"' EXIT

put() { # MODE FILE PLACE: installs the file, or removes it again
    if [ "$undo" ]; then
        rm -f "$root/$3"
    else
        install -D -m "$1" "$2" "$root/$3"
    fi
}

put_made() { # PLACE COMMAND...: likewise what the command prints
    place=$1
    shift
    [ "$undo" ] || "$@" >"$made"
    put 644 "$made" "$place"
}

for program; do
    name=pulga-$(basename "$program")
    put 755 "$program" "bin/$name"
    put_made "share/man/man1/$name.1" scripts/manual.sh "$program" en
    put_made "share/man/es/man1/$name.1" scripts/manual.sh "$program" es
    put_made "share/bash-completion/completions/$name" scripts/completion.sh "$program" bash
    put_made "share/zsh/site-functions/_$name" scripts/completion.sh "$program" zsh
done
put 755 scripts/pulga.sh bin/pulga # calls them all
overview() { # LANGUAGE
    date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
    sed "s/@DATE@/$date/" "scripts/manual/pulga.$1.1"
}
put_made share/man/man1/pulga.1 overview en
put_made share/man/es/man1/pulga.1 overview es
doc=share/doc/pulga

# A page without screenshots, which are not installed (2 MB), and without the repository's releases;
# its commands work as they stand: only what make builds keeps its name.
page() {
    awk -v RS= -v ORS='\n\n' '!/]\([a-z\/]*page\/[a-z-]*\.png\)/' "$1" |
        sed -E -e 's, ·$,,; s,^\[[^]]*\]\(\.\./\.\./releases/.*,,' \
            -e '/`make`/!s,\./(train|sample|attend|export)\>,pulga-\1,g' \
            -e "s,\<data/([a-z]+\.t[xs][tv]),$PREFIX/$doc/examples/\1,g"
}

# A notebook finds the texts where they are installed.
notebook() {
    sed -e 's,\.\./\.\./data/,../../examples/,g' -e "s,(\\\\\"data/,(\\\\\"$PREFIX/$doc/examples/,g" "$1"
}

put 644 CONTRIBUTING.md "$doc/CONTRIBUTING.md" # is about the source, like tiny.c
put 644 LICENSE "$doc/LICENSE"
put 644 tiny.c "$doc/tiny.c"
for file in README*.md docs/*.md; do
    put_made "$doc/$file" page "$file"
done
for file in docs/notebooks/*.ipynb; do
    put_made "$doc/$file" notebook "$file"
done
for file in docs/*.svg; do
    put 644 "$file" "$doc/$file"
done
for file in data/*.txt data/*.tsv; do
    put 644 "$file" "$doc/examples/${file#data/}"
done
if [ "$undo" ] || [ -e "$LAB" ]; then
    put 644 "$LAB" share/pulga/pulga.html # see programs/attend/page/page.c
fi
if [ "$undo" ]; then # the other directories may be used by other packages
    for directory in "$doc/docs/notebooks" "$doc/docs" "$doc/examples" "$doc" share/pulga; do
        rmdir "$root/$directory" 2>/dev/null || true
    done
fi
