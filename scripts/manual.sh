#!/bin/sh
# manual.sh PROGRAM LANGUAGE: prints the manual page of PROGRAM (the path of train, sample, ...) in
# LANGUAGE (en or es). What the program itself prints for --help all becomes the page's synopsis,
# description, options and examples, so they cannot differ; scripts/manual/LANGUAGE.1 holds the rest.
set -eu
here=$(dirname "$0")
program=$1
language=$2
case $language in es) locale=es_MX.UTF-8 ;; *) locale=C.UTF-8 ;; esac
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
version=$("$program" --version)
help=$(LC_ALL=$locale LANGUAGE= "$program" --help all)

printf '%s\n' "$help" | awk -f "$here/help.awk" |
awk -v name="$(basename "$program")" -v date="$date" -v version="$version" '
# What troff would take for a command, or print as another character.
function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/\047/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/~/, "\\(ti", text)
    gsub(/\^/, "\\(ha", text)
    if (text ~ /^\./)
        text = "\\&" text
    return text
}

# To be typed as it is: no hyphen becomes a dash.
function literal(text) {
    text = escaped(text)
    gsub(/-/, "\\-", text)
    return text
}

# A paragraph. Options and paths are literal; each sentence begins a line of at most 79 characters.
function prose(text,    words, count, i, word, line, all) {
    count = split(text, words, " ")
    for (i = 1; i <= count; i++) {
        word = words[i] ~ /^[[(]*-|\// ? literal(words[i]) : escaped(words[i])
        if (line != "" && length(line " " word) > 79) {
            all = all line "\n"
            line = ""
        }
        line = line (line == "" ? "" : " ") word
        if (words[i] ~ /[.]$/ && i < count) {
            all = all line "\n"
            line = ""
        }
    }
    return all line
}

# --name=A|B, --other=VALUE: what is typed as it is in bold, what VALUE stands for in italics.
function names(text,    parts, count, i, equals, value, line) {
    count = split(text, parts, ", ")
    for (i = 1; i <= count; i++) {
        equals = index(parts[i], "=")
        line = line (i > 1 ? ", " : "")
        if (!equals) {
            line = line "\\fB" literal(parts[i]) "\\fR"
            continue
        }
        line = line "\\fB" literal(substr(parts[i], 1, equals - 1)) "\\fR="
        value = literal(substr(parts[i], equals + 1))
        if (value ~ /[|]/) {
            gsub(/[|]/, "\\fR|\\fB", value)
            line = line "\\fB" value "\\fR"
        } else
            line = line "\\fI" value "\\fR"
    }
    return line
}

BEGIN { FS = "\t" }
FILENAME == "-" {
    if ($1 == "usage") {
        gsub(/[^][ .|]+/, "\\fI&\\fR", $2)
        synopsis = $2
    } else if ($1 == "text" || $1 == "note")
        description = description ".PP\n" prose($2) "\n"
    else if ($1 == "group")
        options = options ".SS " $2 "\n"
    else if ($1 == "option")
        options = options ".TP\n" names($2) "\n" prose($3) "\n"
    else if ($1 == "example") {
        sub(/^/, "pulga-", $2)
        examples = examples ".TP\n\\fB" literal($2) "\\fR\n" prose($3) "\n"
    }
    next
}
# A line of the rest that begins with {train} or {train,sample} is for these programs only.
/^[{]/ {
    if (index("," substr($0, 2, index($0, "}") - 2) ",", "," name ",") == 0)
        next
    sub(/^[{][^}]*[}] ?/, "")
}
/^[.]\\"/ { next }
$0 == "@synopsis" { print "\\fBpulga\\-" name "\\fR " synopsis; next }
$0 == "@description" { sub(/^[.]PP\n/, "", description); printf "%s", description; next }
$0 == "@options" { printf "%s", options; next }
$0 == "@examples" { printf "%s", examples; next }
{
    gsub(/@NAME@/, "PULGA\\-" toupper(name))
    gsub(/@DATE@/, date)
    gsub(/@VERSION@/, version)
    print
}' - "$here/manual/$language.1"
