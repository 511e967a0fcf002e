#!/bin/sh
# messages.sh          brings base/po/es.po up to date with the texts in the sources, and prints
#                      those without a translation; called from the project's root
# messages.sh FILE     writes the texts of the sources into FILE, a template without translations
#
# Needs gettext's tools. A text is found by the function that gets it, or by _() or N_() around it.
set -eu

# A label and a text of one call are two messages, which xgettext finds in two rounds.
first='-k -k_ -kN_ -kdie -kwarn -kusage_error -kplural:2,3 -kscreen_paragraph:2 -kscreen_command:2
    -kscreen_task:2 -kfile_failed -kcannot -kFIELD_HEADING -kmemory_new:3 -kmemory_numbers:2 -kmemory_check:2
    -ksource_next:3 -kwatch:2 -kteam_agree:2 -kend_not_finite:3 -ksession_save:2 -kdamaged:2 -kjson_refuse:4
    -krefuse:3,3t -kput_item:2'
second='-k -kscreen_paragraph:3 -kscreen_command:3 -kput_item:3'

catalogue=base/po/es.po
template=${1:-$(mktemp)}
find . -name '*.c' ! -path './.*/*' ! -path './tests/*' ! -path './build/*' |
    sed 's,^\./,,' | LC_ALL=C sort >"$template.files"
for keywords in "$first" "$second"; do
    touch "$template.part"
    # An empty label is no message.
    xgettext -L C --from-code=UTF-8 --no-wrap --add-location=file -c'translators:' $keywords \
        -o "$template.part" -j -f "$template.files" 2>"$template.log" || {
        cat "$template.log" >&2
        exit 1
    }
done
sed '/^"POT-Creation-Date/d; s/charset=CHARSET/charset=UTF-8/' "$template.part" >"$template"
rm "$template.part" "$template.files" "$template.log"
[ $# = 0 ] || exit 0

msgmerge --quiet --no-fuzzy-matching --no-wrap --add-location=file --sort-by-file \
    -o "$template.merged" $catalogue "$template"
msgattrib --no-wrap --no-obsolete -o "$template.merged" "$template.merged"
grep -v '^"POT-Creation-Date' "$template.merged" >$catalogue
msgfmt --check -o /dev/null $catalogue
msgattrib --no-wrap --untranslated $catalogue | grep -v '^#' || true
rm "$template" "$template.merged"
