/* text.c: most texts are clean as they are. Any other is checked and cleaned line by line, since
 * NFC never joins anything across a line end. Lines that may need it are composed by utf8proc: "e"
 * and a combining accent become "é". */
#include "text.h"

#include <stb/stb_ds.h>
#include <utf8proc.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/utf8.h"

/* ---- Cleaning ---- */

/* Whether a letter is its own composed form, whatever stands beside it: then a text of such letters
 * is in NFC. True of most letters of living languages; those with marks, and those that combine,
 * are left to utf8proc. */
static bool never_composes(int32_t c)
{
    return c < 0x300 || (c >= 0x400 && c < 0x483) || (c >= 0x2010 && c < 0x2028) ||
           (c >= 0x3041 && c < 0x3097) || (c >= 0x30A0 && c < 0x30FB) ||
           (c >= 0x4E00 && c < 0xA000) || (c >= 0xAC00 && c < 0xD7A4);
}

/* Whether eight bytes are ASCII, without a 0: then neither they nor what is subtracted from them
 * has a highest bit. */
static bool is_plain(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101u, highest = ones << 7;
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    return !((eight | (eight - ones)) & highest);
}

/* Whether a line is UTF-8, and in NFC, as it is. False if that takes a closer look. */
static bool is_composed(const char *line, size_t size)
{
    for (const char *at = line, *end = line + size; at < end;) {
        if (end - at >= 8 && is_plain(at)) {
            at += 8;
            continue;
        }
        const int32_t c = (unsigned char)*at < 0x80 ? *at++ : utf8_next(&at, end);
        if (c <= 0 || !never_composes(c))
            return false;
    }
    return true;
}

/* Where a line of a text is: in which file, and which line of it, from 1. */
static TextPart part_of(const Text *text, size_t line)
{
    TextPart part = {text->name, line + 1};
    for (size_t i = 0; i < text->part_count && text->parts[i].line <= line; i++)
        part = (TextPart){text->parts[i].name, line - text->parts[i].line + 1};
    return part;
}

enum { MOST_MARKS = 100 }; /* sorting them for NFC takes time in the square of their number */

/* What is wrong with a character for which utf8_next() returned c; `byte` is its first one. */
static char *wrong_character(TextPart where, size_t column, unsigned char byte, int32_t c)
{
    if (c < 0)
        return format_text(
            _("%s:%zu:%zu: byte 0x%02X is not UTF-8; if the text is Latin-1, convert "
              "it: iconv -f LATIN1 -t UTF-8"),
            where.name, where.line, column, byte);
    if (!c)
        return format_text(_("%s:%zu:%zu: byte 0x00: this is not a text"), where.name, where.line,
                           column);
    return format_text(_("%s:%zu:%zu: more than %d accents and other marks on one letter"),
                       where.name, where.line, column, MOST_MARKS);
}

/* Returns NULL, or what is wrong with line number `number` of the text, from 0. */
static char *check_line(const Text *text, size_t number, const char *line, size_t size)
{
    size_t column = number == text->lines ? text->columns : 0;
    int marks = 0;
    for (const char *at = line, *end = line + size; at < end;) {
        const unsigned char byte = (unsigned char)*at;
        const int32_t c = utf8_next(&at, end);
        column++;
        marks = is_combining(c) ? marks + 1 : 0;
        if (c <= 0 || marks > MOST_MARKS)
            return wrong_character(part_of(text, number), column, byte, c);
    }
    return NULL;
}

/* Bytes that grow. */
typedef struct {
    char *at;
    size_t size, room;
} Output;

static void put(Output *out, const char *bytes, size_t size)
{
    if (out->room - out->size <= size) { /* with room for the 0 after the last byte */
        out->room += out->room / 2 + size + 1;
        out->at = memory_resize(out->at, out->room);
    }
    memcpy(out->at + out->size, bytes, size);
    out->size += size;
}

/* Lower case with Unicode's full mapping: İ is the only letter that becomes two code points, i and
 * a dot above (U+0307). By the simple mapping, one code point becomes one. */
static void put_lower(Output *out, const char *line, size_t size)
{
    for (const char *at = line, *end = line + size; at < end;) {
        const int32_t c = utf8_next(&at, end);
        char bytes[4] = {0};
        const size_t count = utf8_put(bytes, utf8proc_tolower(c));
        if (c == 0x130)
            put(out, "i\xCC\x87", 3);
        else
            put(out, bytes, count);
    }
}

/* Puts the NFC of a line of UTF-8. Returns NULL, or what is wrong. */
static char *put_composed(Output *out, const Text *text, size_t number, const char *line,
                          size_t size, TextForm form)
{
    utf8proc_uint8_t *composed = NULL;
    const utf8proc_ssize_t length =
        utf8proc_map((const utf8proc_uint8_t *)line, (utf8proc_ssize_t)size, &composed,
                     UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (length < 0) {
        const TextPart where = part_of(text, number);
        return format_text("%s:%zu: %s", where.name, where.line, utf8proc_errmsg(length));
    }
    (form == TEXT_LOWER ? put_lower : put)(out, (const char *)composed, (size_t)length);
    free(composed);
    return NULL;
}

/* Returns NULL, or what is wrong with line number `number`. */
static char *put_clean(Output *out, const Text *text, size_t number, const char *line, size_t size,
                       TextForm form)
{
    if (!is_composed(line, size)) {
        char *wrong = check_line(text, number, line, size);
        if (wrong || form != TEXT_AS_IS)
            return wrong ? wrong : put_composed(out, text, number, line, size, form);
    }
    (form == TEXT_LOWER ? put_lower : put)(out, line, size);
    return NULL;
}

/* Lines end with \n or, in a text without any \n, as old Macs wrote it, with \r. */
char text_line_end(const char *bytes, size_t size)
{
    return memchr(bytes, '\n', size) || !memchr(bytes, '\r', size) ? '\n' : '\r';
}

/* Cleans the lines from `at` on, one by one. */
static char *put_lines(Output *out, const Text *text, const char *at, const char *end,
                       TextForm form)
{
    char *wrong = NULL;
    for (size_t number = text->lines; at < end && !wrong; number++) {
        const char *stop = memchr(at, text->line_end, (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (stop && text->line_end == '\n' && length && stop[-1] == '\r')
            length--;
        wrong = put_clean(out, text, number, at, length, form);
        if (stop)
            put(out, "\n", 1);
        at = stop ? stop + 1 : end;
    }
    return wrong;
}

/* Returns NULL, or what is wrong with a text whose lines are kept as they are. */
static char *check_lines(const Text *text)
{
    const Bytes raw = text->raw;
    const char *end = raw.bytes + raw.size, *at = raw.bytes;
    Span line;
    char *wrong = NULL;
    for (size_t number = text->lines; !wrong && split_line(&at, end, &line); number++)
        if (!is_composed(line.begin, (size_t)(line.end - line.begin)))
            wrong = check_line(text, number, line.begin, (size_t)(line.end - line.begin));
    return wrong;
}

char *text_clean_raw(Text *text, TextForm form)
{
    const char *begin = text->raw.bytes;
    const size_t size = text->raw.size;
    const bool marked = !text->lines && !text->columns && size >= 3 &&
                        !memcmp(begin, "\xEF\xBB\xBF", 3); /* by a byte order mark */
    if (form != TEXT_LOWER && !marked && text->line_end == '\n' && !memchr(begin, '\r', size) &&
        (form == TEXT_AS_IS || is_composed(begin, size))) { /* clean as it is, as most are */
        char *wrong = form == TEXT_AS_IS ? check_lines(text) : NULL;
        text->clean = wrong ? NULL : text->raw.bytes;
        text->size = wrong ? 0 : size;
        return wrong;
    }
    Output out = {.room = size + 1};
    out.at = memory_take(out.room);
    char *wrong = put_lines(&out, text, begin + (marked ? 3 : 0), begin + size, form);
    out.at[out.size] = 0;
    text->clean = out.at;
    text->size = out.size;
    if (wrong)
        text_free_clean(text);
    return wrong;
}

char *text_clean(const char *name, const char *bytes, size_t size, TextForm form, char **clean,
                 size_t *clean_size)
{
    char *called = format_text("%s", name), *raw = memory_take(size + 1);
    Text text = {.name = called, .raw = {raw, size}, .line_end = text_line_end(bytes, size)};
    memcpy(raw, bytes, size);
    raw[size] = 0;
    char *wrong = text_clean_raw(&text, form);
    *clean = text.clean;
    *clean_size = text.size;
    if (text.clean != raw)
        free(raw);
    free(called);
    return wrong;
}

Text text_from(const char *name, Bytes raw, TextForm form)
{
    if (!raw.size)
        die("%s is empty", name);
    Text text = {.name = format_text("%s", name),
                 .raw = raw,
                 .checksum = checksum_of(raw.bytes, raw.size),
                 .line_end = text_line_end(raw.bytes, raw.size)};
    char *wrong = text_clean_raw(&text, form);
    if (wrong)
        die("%s", wrong);
    return text;
}

Text text_read(const char *path, TextForm form)
{
    return text_from(strcmp(path, "-") ? path : _("standard input"), file_read(path, true), form);
}

void text_free_clean(Text *text)
{
    if (text->clean != text->raw.bytes)
        free(text->clean);
    text->clean = NULL;
}

void text_free_bytes(Text *text)
{
    text_free_clean(text);
    free(text->raw.bytes);
    text->raw.bytes = NULL;
}

void text_free(Text *text)
{
    text_free_bytes(text);
    free(text->name);
}

Span text_span(const Text *text)
{
    return (Span){text->clean, text->clean + text->size};
}

char *text_place(const Text *text, const char *bytes, const char *at)
{
    char line_end = '\n';
    size_t line = text->lines;
    if (bytes == text->raw.bytes)
        line_end = text->line_end;
    for (; bytes < at; bytes++)
        line += *bytes == line_end;
    const TextPart part = part_of(text, line);
    return format_text("%s:%zu", part.name, part.line);
}

char *text_check_pairs(const Text *text)
{
    Span all = text_span(text), line, source, target;
    while (split_part(&all.begin, all.end, CUT_LINES, &line)) {
        if (split_pair(line, &source, &target))
            continue;
        int tabs = 0;
        for (const char *at = line.begin; at < line.end; at++)
            tabs += *at == '\t';
        char *place = text_place(text, text->clean, line.begin);
        char *wrong = format_text(_("%s: %s; a line of pairs is a source, one tab and a target; "
                                    "a model of --objective next reads any text"),
                                  place,
                                  !tabs      ? _("the line has no tab")
                                  : tabs > 1 ? _("the line has more than one tab")
                                             : _("one side of the tab is empty"));
        free(place);
        return wrong;
    }
    return NULL;
}

/* What is wrong with a line, which is turn number `turn` of its conversation, from 0; NULL:
 * nothing. `names` are the two who speak, as far as they are known. The caller frees it. */
static char *wrong_turn(Span line, int turn, Span names[2])
{
    Span name, said;
    if (is_blank(line))
        return turn % 2 ? format_text(_("the conversation ends without an answer")) : NULL;
    if (memchr(line.begin, '\t', (size_t)(line.end - line.begin)))
        return format_text(_("a turn has no tab"));
    if (!split_turn(line, &name, &said))
        return format_text(_("the line has no NAME: before what is said"));
    if (turn < 2)
        names[turn] = name;
    if (turn == 1 && span_equal(names[0], names[1]))
        return format_text(_("the same one speaks twice"));
    const Span next = names[turn % 2];
    return span_equal(name, next) ? NULL
                                  : format_text(_("it is the turn of '%.*s'"),
                                                (int)(next.end - next.begin), next.begin);
}

char *text_check_turns(const Text *text)
{
    Span all = text_span(text), line = {all.begin, all.begin}, names[2] = {{NULL, NULL}};
    AUTOFREE char *wrong = NULL;
    int turn = 0;
    for (bool more = true; more && !wrong; turn = is_blank(line) ? 0 : turn + 1) {
        const char *end = line.end;
        more = split_line(&all.begin, all.end, &line);
        if (!more) /* the end of the text is that of its last conversation */
            line = (Span){end, end};
        wrong = wrong_turn(line, turn, names);
    }
    if (!wrong)
        return NULL;
    AUTOFREE char *place = text_place(text, text->clean, line.begin);
    return format_text(_("%s: %s; each line is a turn, NAME: WORDS; two speak in turns, the second "
                         "one is the model, and a blank line ends a conversation"),
                       place, wrong);
}
