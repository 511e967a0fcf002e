# to_c.awk: turns a catalogue into C: {"english", "spanish"}, for each text that has a translation.
# Texts in a catalogue are quoted as in C. %<PRId64> stands for a format of <inttypes.h>. A text with
# a plural is two texts.
function end_text()
{
    if (text[1] != "" && text[2] != "" && !fuzzy)
        print "{\"" text[1] "\", \"" text[2] "\"},"
    if (many != "" && text[3] != "" && !fuzzy)
        print "{\"" many "\", \"" text[3] "\"},"
    delete text
    many = ""
    fuzzy = at = 0
}

/^$/ || /^#~/ { end_text(); next }
/^#, .*fuzzy/ { fuzzy = 1 }
/^#/ { next }
/^msgid / { at = 1 }
/^msgid_plural / { at = 4 }
/^msgstr/ { at = /\[1\]/ ? 3 : 2 }
{
    sub(/^[^"]*"/, "")
    sub(/"$/, "")
    gsub(/%<PRId64>/, "%\" PRId64 \"")
    if (at == 4)
        many = many $0
    else
        text[at] = text[at] $0
}
END { end_text() }
