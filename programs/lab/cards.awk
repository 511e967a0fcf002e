# cards.awk: the cards of the lab's lesson as JSON, from docs/lesson.md and docs/leccion.md (in this
# order). There a comment under a paragraph, an item of a list or a table says what it is for:
#
#     <!-- card 4.1: p croquetas; reads: el perro come -->   the question of card 4.1
#     <!-- question 4.1 -->                                  more of the question, before it
#     <!-- answer 4.1 -->                                    a part of the answer
#     <!-- about 4: attend: 1 -->                            stands above the questions of all 4.N
#
# After the colon, only in the English page, is what is asked of the model, which lesson.js lists, and
# what is set for it.

function trimmed(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }

function quoted(text) {
    gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\n/, "\\n", text)
    return "\"" text "\""
}

function add(part, name) {
    part = language SUBSEP part SUBSEP name
    words[part] = words[part] (words[part] ? "\n" : "") block
}

# A whole comment: "<!-- card 4.1: p croquetas; reads: el perro come -->".
function take(comment,    head, part, name, set) {
    gsub(/^ *<!-- | *-->.*$| +/, " ", comment)
    comment = trimmed(comment)
    head = comment
    sub(/:.*/, "", head)
    set = substr(comment, length(head) + 3)
    part = head
    sub(/ .*/, "", part)
    name = substr(head, length(part) + 2)
    if (set) sets[name] = set
    if (part == "card") {
        if (language == "en") cards[++count] = name
        titles[language, name] = title
        part = "question"
    }
    add(part, name)
}

# "cell L2H1; reads: el perro come" -> "ask":"cell L2H1","reads":"el perro come"
function fields(set,    parts, n, i, name, out) {
    n = split(set, parts, /; */)
    for (i = 1; i <= n; i++) {
        name = "ask"
        if (match(parts[i], /^[a-z-]+: /)) {
            name = substr(parts[i], 1, RLENGTH - 2)
            parts[i] = substr(parts[i], RLENGTH + 1)
        }
        out = out "," quoted(name) ":" quoted(parts[i])
    }
    return out
}

function spoken(language, name, group,    out, part, i, parts) {
    out = "\"title\":" quoted(titles[language, name]) ",\"about\":" quoted(words[language, "about", group])
    split("question answer", parts)
    for (i = 1; i <= 2; i++) {
        part = words[language, parts[i], name]
        if (!part) {
            print "the lesson in '" language "': card " name " has no " parts[i] >"/dev/stderr"
            failed = 1
        }
        out = out "," quoted(parts[i]) ":" quoted(part)
    }
    return "{" out "}"
}

FNR == 1 { language = FILENAME ~ /leccion/ ? "es" : "en" }
/^```/ { code = !code }
code || /^```/ { block = ""; next }
comment || /^ *<!-- (card|question|answer|about) / {
    comment = comment " " $0
    if (/-->/) { take(comment); comment = block = ""; ended = 1 }
    next
}
/^## / { title = substr($0, 4); block = ""; next }
/^$/ { ended = 1; next }
/^\| [-|]/ && !/[^-| ]/ || /^[| ]+$/ { next }
ended || /^([0-9]+\.|\*) / { block = ""; ended = 0; sub(/^([0-9]+\.|\*) /, "") }
/^\|/ { # a row of a table: a line of its own
    gsub(/^\| | \|$/, "")
    gsub(/ \| /, " → ")
    block = block (block ? "\n" : "") $0
    next
}
{
    sub(/^\*\*(Predict|Predice|Do|Haz la cuenta)\.\*\* /, "")
    block = block (block ? " " : "") trimmed($0)
}
END {
    for (i = 1; i <= count; i++) {
        name = cards[i]
        group = substr(name, 1, index(name, ".") - 1)
        set = fields(sets[name]) (sets[group] ? fields(sets[group]) : "")
        print (i == 1 ? "[" : ",") "{\"name\":" quoted(name) set ",\"en\":" spoken("en", name, group) \
            ",\"es\":" spoken("es", name, group) "}"
    }
    print "]"
    exit failed
}
