#!/bin/sh
# completion.sh PROGRAM SHELL: prints what bash or zsh needs to complete the command line of PROGRAM
# (the path of train, sample, ...). It is made of what the program prints for --help all: its options,
# the values of those that list them (A|B), files for FILE, directories for DIR and RUN. A TEXT that
# comes first is also a file.
set -eu
here=$(dirname "$0")
help=$(LC_ALL=C.UTF-8 LANGUAGE= "$1" --help all)

printf '%s\n' "$help" | awk -f "$here/help.awk" |
awk -v name="pulga-$(basename "$1")" -v shell="$2" '
# What a value may be: "list" A|B, "files", "directories", or "" for anything else.
function kind_of(value) {
    if (value ~ /[|]/)
        return "list"
    return value ~ /^FILE/ ? "files" : value ~ /^(DIR|RUN)/ ? "directories" : ""
}

function spaced(value) {
    gsub(/[|]/, " ", value)
    return value
}

function bash_source(files) {
    return files ? "default" : "dirnames"
}

# Notes for bash what to offer after this option: a case of the function, or, if nothing is known of
# its value, a name in the list of such options.
function note_bash(option, value,    kind) {
    kind = kind_of(value)
    if (kind == "list")
        cases = cases "    " option ") words=\"" spaced(value) "\" ;;\n"
    else if (kind == "")
        unknown = unknown (unknown == "" ? "" : " | ") option
    else
        cases = cases "    " option ") compopt -o " bash_source(kind == "files") " ;;\n"
}

# A line of _arguments for zsh: --option=[explanation]:value:action. The explanation ends with its
# first part.
function zsh_value(value,    kind) {
    kind = kind_of(value)
    if (kind == "list")
        return ":value:(" spaced(value) ")"
    return ":" value ":" (kind == "files" ? "_files" : kind == "directories" ? "_files -/" : " ")
}

function zsh_argument(place, value) {
    return " \\\n    \047" place zsh_value(value) "\047"
}

function zsh_line(option, value, explanation) {
    sub(/ \[[^]]*\]$/, "", explanation) # the default
    sub(/[;.:] .*/, "", explanation)
    sub(/ \[[^]]*$/, "", explanation) # half of a default
    gsub(/[][]/, "\\\\&", explanation)
    gsub(/\047/, "\047\\\047\047", explanation)
    return " \\\n    \047" option (value != "" && option ~ /^--/ ? "=" : "") "[" explanation "]" \
        (value != "" ? zsh_value(value) : "") "\047"
}

BEGIN { FS = "\t" }
# What follows [OPTION...]: TEXT..., or RUN, a FILE perhaps, and words that nobody can complete.
$1 == "usage" {
    split($2, words, " ")
    files = words[2] ~ /^TEXT/
    arguments = zsh_argument(files ? "*" : "1", files ? "FILE" : words[2])
    if (words[3] ~ /^FILE/) {
        files = 1
        arguments = arguments zsh_argument("2", words[3])
    }
}
$1 == "option" {
    count = split($2, names, ", ")
    value = sub(/^.*=/, "", $2) ? $2 : ""
    for (i = 1; i <= count; i++) {
        sub(/=.*/, "", names[i])
        if (names[i] ~ /[?]/) # the shells would take it for a pattern
            continue
        options = options " " names[i] (value != "" && names[i] ~ /^--/ ? "=" : "")
        if (value != "")
            note_bash(names[i], value)
        lines = lines zsh_line(names[i], value, $3)
    }
}
END {
    if (shell == "zsh") {
        print "#compdef " name "\n_arguments" lines arguments
        exit
    }
    call = name
    gsub(/-/, "_", call)
    print "# Completes the command line of " name " in bash."
    print "_" call "() {"
    print "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} words="
    print "    # The = of --option=value is a word of its own."
    print "    [[ $word != = ]] || word="
    print "    [[ $option != = ]] || option=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    COMPREPLY=()"
    print "    case $option in"
    printf "%s", cases
    if (unknown != "")
        print "    " unknown ") ;;"
    print "    *)"
    print "        if [[ $word == -* ]]; then"
    print "            words=\"" substr(options, 2) "\""
    print "        else"
    print "            compopt -o " bash_source(files)
    print "        fi ;;"
    print "    esac"
    print "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))"
    print "    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace"
    print "}"
    print "complete -F _" call " " name
}'
