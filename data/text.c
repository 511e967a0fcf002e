/* text.c: see text.h. */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/base.h"

/* Our own tokens: a text that spells them out would be taken for them by other tools. */
static const char *const RESERVED[] = {"[bos]", "[eos]", "[unk]"};

bool is_space(int32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool is_punctuation(int32_t c)
{
    if (c < 0x80)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
               (c >= '{' && c <= '~');
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

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

static bool is_mark(utf8proc_int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

/* Each of these returns NULL, or what is wrong. */
static char *check_line(const char *name, size_t number, const char *line, size_t size)
{
    enum { MOST_MARKS = 100 }; /* NFC puts them in order in the square of their number */
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)line;
    size_t column = 1;
    int marks = 0;
    for (size_t i = 0; i < size; column++) {
        utf8proc_int32_t code_point;
        const utf8proc_ssize_t length =
            utf8proc_iterate(at + i, (utf8proc_ssize_t)(size - i), &code_point);
        if (length < 0)
            return format_text(
                "%s:%zu:%zu: byte 0x%02X is not UTF-8; if the text is Latin-1, convert "
                "it: iconv -f LATIN1 -t UTF-8",
                name, number, column, at[i]);
        if (!code_point)
            return format_text("%s:%zu:%zu: byte 0x00: this is not a text", name, number, column);
        marks = is_mark(code_point) ? marks + 1 : 0;
        if (marks > MOST_MARKS)
            return format_text("%s:%zu:%zu: more than %d accents and other marks on one letter",
                               name, number, column, MOST_MARKS);
        i += (size_t)length;
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
    for (size_t i = 0; i < size;) {
        utf8proc_int32_t code_point;
        utf8proc_uint8_t encoded[4];
        i += (size_t)utf8proc_iterate((const utf8proc_uint8_t *)line + i,
                                      (utf8proc_ssize_t)(size - i), &code_point);
        if (code_point == 0x130)
            append(out, "i\xCC\x87", 3);
        else
            append(out, encoded,
                   (size_t)utf8proc_encode_char(utf8proc_tolower(code_point), encoded));
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

Text text_read(const char *path, bool lower)
{
    const char *name = strcmp(path, "-") ? path : "standard input";
    Text text = {.raw = file_read(path, true)};
    if (!text.raw.size)
        die("%s is empty", name);
    text.checksum = checksum_of(text.raw.bytes, text.raw.size);
    char *wrong = text_clean(name, text.raw.bytes, text.raw.size, lower, &text.clean, &text.size);
    if (wrong)
        die("%s", wrong);
    return text;
}

void text_free(Text *text)
{
    free(text->raw.bytes);
    free(text->clean);
}

/* ---- Tokens ---- */

static const char *after(const char *at, const char *end, int32_t *code_point)
{
    return at + utf8proc_iterate((const utf8proc_uint8_t *)at, end - at, code_point);
}

/* What regular expressions call \w: letters and what counts as such, marks on them, decimal digits,
 * connectors as _ is one, and the two joiners. */
static bool is_letter(int32_t c)
{
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC: return true;
    default: /* the letters in circles and squares are symbols and alphabetic all the same */
        return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) ||
               (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
               (c >= 0x1F170 && c <= 0x1F189);
    }
}

/* What a code point belongs to. */
typedef enum { SPACE, WORD, MARK } Class;

static Class class_of(int32_t c, Marks marks)
{
    if (is_space(c))
        return SPACE;
    switch (marks) {
    case MARKS_IN_WORDS: return WORD;
    case MARKS_IN_RUNS: return is_letter(c) ? WORD : MARK;
    case MARKS_ALONE: break;
    }
    return is_punctuation(c) ? MARK : WORD;
}

const char *token_next(const char **at, const char *end, bool characters, Marks marks)
{
    int32_t c = 0;
    const char *token = *at, *next = token;
    while (token < end && (next = after(token, end, &c), !characters && is_space(c)))
        token = next;
    if (token == end)
        return *at = end, NULL;
    const Class class = class_of(c, marks);
    if (!characters && (class == WORD || marks == MARKS_IN_RUNS))
        for (const char *more;
             next < end && (more = after(next, end, &c), class_of(c, marks) == class);)
            next = more;
    *at = next;
    return token;
}

bool is_blank(const char *at, const char *end)
{
    return !token_next(&at, end, false, MARKS_ALONE);
}
