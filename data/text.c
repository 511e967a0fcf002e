/* text.c: a text is checked and cleaned line by line, since NFC never joins anything across a line
 * end. A line of plain ASCII is copied as it is; utf8proc composes any other line: "e" and a
 * combining accent become "é". */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/utf8.h"

/* ---- Cleaning ---- */

/* Whether a line is plain ASCII without a 0: then it is UTF-8, and in NFC, as it is. The loop does
 * not stop early, so that the compiler can vectorise it. */
static bool is_plain(const char *line, size_t size)
{
    bool plain = true;
    for (size_t i = 0; i < size; i++)
        plain &= line[i] > 0 && !(line[i] & 0x80);
    return plain;
}

/* Returns NULL, or what is wrong with line number `number`; put_clean() below does the same. */
static char *check_line(const char *name, size_t number, const char *line, size_t size)
{
    enum { MOST_MARKS = 100 }; /* sorting them for NFC takes time in the square of their number */
    size_t column = 1;
    int marks = 0;
    for (const char *at = line, *end = line + size; at < end; column++) {
        const unsigned char byte = (unsigned char)*at;
        const int32_t c = utf8_next(&at, end);
        if (c < 0)
            return format_text(
                "%s:%zu:%zu: byte 0x%02X is not UTF-8; if the text is Latin-1, convert "
                "it: iconv -f LATIN1 -t UTF-8",
                name, number, column, byte);
        if (!c)
            return format_text("%s:%zu:%zu: byte 0x00: this is not a text", name, number, column);
        marks = is_combining(c) ? marks + 1 : 0;
        if (marks > MOST_MARKS)
            return format_text("%s:%zu:%zu: more than %d accents and other marks on one letter",
                               name, number, column, MOST_MARKS);
    }
    return NULL;
}

/* Lower case with Unicode's full mapping: İ is the only letter that becomes two code points, i and
 * a dot above (U+0307). */
static void put_lower(FILE *out, const char *line, size_t size)
{
    for (const char *at = line, *end = line + size; at < end;) {
        const int32_t c = utf8_next(&at, end);
        if (c == 0x130) {
            fputs("i\xCC\x87", out);
        } else {
            char bytes[4];
            const size_t count = utf8_put(bytes, to_lower(c));
            fwrite(bytes, 1, count, out);
        }
    }
}

static char *put_clean(FILE *out, const char *name, size_t number, const char *line, size_t size,
                       bool lower)
{
    utf8proc_uint8_t *composed = NULL;
    if (!is_plain(line, size)) {
        char *wrong = check_line(name, number, line, size);
        if (wrong)
            return wrong;
        const utf8proc_ssize_t length =
            utf8proc_map((const utf8proc_uint8_t *)line, (utf8proc_ssize_t)size, &composed,
                         UTF8PROC_STABLE | UTF8PROC_COMPOSE);
        if (length < 0)
            return format_text("%s:%zu: %s", name, number, utf8proc_errmsg(length));
        line = (const char *)composed;
        size = (size_t)length;
    }
    if (lower)
        put_lower(out, line, size);
    else
        fwrite(line, 1, size, out);
    free(composed);
    return NULL;
}

/* Lines end with \n or, in a text without any \n, as old Macs wrote it, with \r. */
static char line_end_of(const char *bytes, size_t size)
{
    return memchr(bytes, '\n', size) ? '\n' : '\r';
}

char *text_clean(const char *name, const char *bytes, size_t size, bool lower, char **clean,
                 size_t *clean_size)
{
    const char line_end = line_end_of(bytes, size), *at = bytes, *end = bytes + size;
    FILE *out = memory_stream(clean, clean_size);
    char *wrong = NULL;
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) /* byte order mark */
        at += 3;
    for (size_t number = 1; at < end && !wrong; number++) {
        const char *stop = memchr(at, line_end, (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (stop && line_end == '\n' && length && stop[-1] == '\r')
            length--;
        wrong = put_clean(out, name, number, at, length, lower);
        if (stop)
            fputc('\n', out);
        at = stop ? stop + 1 : end;
    }
    fclose(out);
    if (wrong) {
        free(*clean);
        *clean = NULL;
    }
    return wrong;
}

Text text_from(const char *name, Bytes raw, bool lower)
{
    if (!raw.size)
        die("%s is empty", name);
    Text text = {
        .name = format_text("%s", name), .raw = raw, .checksum = checksum_of(raw.bytes, raw.size)};
    char *wrong = text_clean(name, raw.bytes, raw.size, lower, &text.clean, &text.size);
    if (wrong)
        die("%s", wrong);
    return text;
}

Text text_read(const char *path, bool lower)
{
    return text_from(strcmp(path, "-") ? path : "standard input", file_read(path, true), lower);
}

void text_free_bytes(Text *text)
{
    free(text->raw.bytes);
    free(text->clean);
    text->raw.bytes = NULL;
    text->clean = NULL;
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
    const char line_end = line_end_of(bytes, strlen(bytes));
    size_t line = 1;
    for (; bytes < at; bytes++)
        line += *bytes == line_end;
    return format_text("%s:%zu", text->name, line);
}
