# help.awk: takes apart what a program prints for --help. For each part it prints a line, whose
# fields stand between tabs and are free of line breaks:
#     usage    ARGUMENTS           what follows the program's name
#     text     PARAGRAPH           above the options
#     group    HEADING             of the options that follow, without its colon
#     option   NAMES  EXPLANATION
#     note     PARAGRAPH           below the options
#     example  COMMAND  EXPLANATION
# No word is looked for, so any language will do; only indents count: paragraphs have none, options
# and headings have less than 10 columns, explanations 10 or more; two spaces end an option's names.

function flush() {
    if (kind != "")
        print kind "\t" text
    kind = ""
}

# A paragraph with a colon at its end turns out to be the heading of what comes now.
function flush_heading(group) {
    if ((kind == "text" || kind == "note") && text ~ /:$/) {
        sub(/:$/, "", text)
        kind = group
    }
    flush()
}

# "NAMES   EXPLANATION": between tabs.
function two_fields(line) {
    sub(/^ +/, "", line)
    if (!sub(/   */, "\t", line))
        line = line "\t"
    return line
}

{
    sub(/ +$/, "")
    indent = match($0, /[^ ]/) - 1
    option = indent > 0 && indent < 10 && /^ *-/
}
NR == 1 {
    sub(/^[^:]*: *[^ ]+ */, "")
    print "usage\t" $0
    next
}
indent < 0 { flush(); next }
indent > 0 && (examples || (kind == "note" && text ~ /:$/ && !option)) {
    examples = 1
    kind = ""
    print "example\t" two_fields($0)
    next
}
option {
    flush_heading("group")
    options = 1
    kind = "option"
    text = two_fields($0)
    next
}
indent > 0 && indent < 10 && /:$/ {
    flush()
    gsub(/^ +|:$/, "")
    print "group\t" $0
    next
}
{
    examples = 0
    sub(/^ +/, "")
    if (kind == "") {
        kind = options ? "note" : "text"
        text = $0
    } else
        text = text (text ~ /\t$/ ? "" : " ") $0
}
END { flush() }
