/* text.c: see text.h. */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/base.h"
#include "base/checksum.h"

/* Our own tokens: a text that spells them out would be taken for them by other tools. */
static const char *const RESERVED[] = {"[bos]", "[eos]", "[unk]"};

/* ---- Cleaning ---- */

typedef struct {
    char *bytes;
    size_t size, room;
} Buffer;

static void append(Buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->room - buffer->size < size + 1) {
        buffer->room = 2 * buffer->room + size + 1;
        buffer->bytes = memory_resize(buffer->bytes, buffer->room);
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    buffer->bytes[buffer->size] = 0;
}

static bool is_ascii(const char *line, size_t size)
{
    unsigned char any = 0;
    for (size_t i = 0; i < size; i++)
        any |= (unsigned char)line[i];
    return any < 0x80;
}

/* Each of these returns NULL, or what is wrong. */
static char *check_line(const char *name, size_t number, const char *line, size_t size)
{
    enum { MOST_MARKS = 100 }; /* NFC puts them in order in the square of their number */
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

static char *check_reserved(const char *name, size_t number, const char *line, size_t size)
{
    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; i++) {
        const char *found = memmem(line, size, RESERVED[i], strlen(RESERVED[i]));
        if (found)
            return format_text("%s:%zu: the text spells out %s, which is the model's own; write it "
                               "otherwise",
                               name, number, RESERVED[i]);
    }
    return NULL;
}

/* Lower case, code point by code point with Unicode's full mapping: İ alone becomes two. */
static void append_lower(Buffer *out, const char *line, size_t size)
{
    for (const char *at = line, *end = line + size; at < end;) {
        const int32_t c = utf8_next(&at, end);
        char bytes[4];
        if (c == 0x130)
            append(out, "i\xCC\x87", 3);
        else
            append(out, bytes, utf8_put(bytes, to_lower(c)));
    }
}

static char *append_clean(Buffer *out, const char *name, size_t number, const char *line,
                          size_t size, bool lower)
{
    utf8proc_uint8_t *composed = NULL;
    if (!is_ascii(line, size) || memchr(line, 0, size)) {
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
    const size_t before = out->size;
    if (lower)
        append_lower(out, line, size);
    else
        append(out, line, size);
    free(composed);
    return check_reserved(name, number, out->bytes + before, out->size - before);
}

char *text_clean(const char *name, const char *bytes, size_t size, bool lower, char **clean,
                 size_t *clean_size)
{
    Buffer out = {0};
    append(&out, "", 0);
    const char *at = bytes, *end = bytes + size;
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3))
        at += 3;
    /* Line by line: NFC never joins anything across a line's end. */
    for (size_t number = 1; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = stop ? stop : end;
        const bool carriage = stop && line_end > at && line_end[-1] == '\r';
        char *wrong =
            append_clean(&out, name, number, at, (size_t)(line_end - at) - carriage, lower);
        if (wrong) {
            free(out.bytes);
            return wrong;
        }
        if (stop)
            append(&out, "\n", 1);
        at = stop ? stop + 1 : end;
    }
    *clean = out.bytes;
    *clean_size = out.size;
    return NULL;
}

Text text_from(const char *name, Bytes raw, bool lower)
{
    Text text = {.raw = raw};
    if (!text.raw.size)
        die("%s is empty", name);
    text.checksum = checksum_of(text.raw.bytes, text.raw.size);
    char *wrong = text_clean(name, text.raw.bytes, text.raw.size, lower, &text.clean, &text.size);
    if (wrong)
        die("%s", wrong);
    return text;
}

Text text_read(const char *path, bool lower)
{
    return text_from(strcmp(path, "-") ? path : "standard input", file_read(path, true), lower);
}

void text_free(Text *text)
{
    free(text->raw.bytes);
    free(text->clean);
}

/* ---- Tokens ---- */

/* What a code point belongs to. */
typedef enum { SPACE, WORD, MARK } Class;

static Class class_of(int32_t c, Marks marks)
{
    if (is_space(c))
        return SPACE;
    switch (marks) {
    case MARKS_IN_WORDS: return WORD;
    case MARKS_IN_RUNS: return is_word_letter(c) ? WORD : MARK;
    case MARKS_ALONE: break;
    }
    return is_punctuation(c) ? MARK : WORD;
}

const char *token_next(const char **at, const char *end, bool characters, Marks marks)
{
    int32_t c = 0;
    const char *token = *at, *next = token;
    while (token < end && (next = token, c = utf8_next(&next, end), !characters && is_space(c)))
        token = next;
    if (token == end)
        return *at = end, NULL;
    const Class class = class_of(c, marks);
    if (!characters && (class == WORD || marks == MARKS_IN_RUNS))
        for (const char *more;
             next < end && (more = next, class_of(utf8_next(&more, end), marks) == class);)
            next = more;
    *at = next;
    return token;
}

bool is_blank(const char *at, const char *end)
{
    return !token_next(&at, end, false, MARKS_ALONE);
}
