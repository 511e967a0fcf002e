/* byte_level.c: GPT-2's pattern,
 *
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * by hand. Its alternatives are tried in this order, and none but the last two, which share the
 * white space, needs a second look: what a word is follows from its first characters. */
#include "byte_level.h"

#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

/* ---- Words ---- */

typedef enum {
    CLASS_OTHER = 'o',
    CLASS_SPACE = 's',
    CLASS_LETTER = 'l',
    CLASS_NUMBER = 'n',
} CharacterClass;

/* \p{L} and \p{N}; combining marks are neither. */
static CharacterClass class_of(int32_t c)
{
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return CLASS_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return CLASS_NUMBER;
    default: return is_space(c) ? CLASS_SPACE : CLASS_OTHER;
    }
}

/* ASCII's classes, so that most texts need no look into Unicode's tables. */
static const char ascii[] = "ooooooooosssssoo" /* \t \n \v \f \r */
                            "oooooooooooooooo"
                            "sooooooooooooooo" /* the space */
                            "nnnnnnnnnnoooooo" /* 0-9 */
                            "olllllllllllllll" /* A-Z */
                            "lllllllllllooooo"
                            "olllllllllllllll" /* a-z */
                            "lllllllllllooooo";

/* The class of the character at *at, which moves past it. */
static inline CharacterClass class_next(const char **at, const char *end)
{
    const unsigned char byte = (unsigned char)**at;
    if (byte < 0x80) {
        ++*at;
        return (CharacterClass)ascii[byte];
    }
    return class_of(utf8_next(at, end));
}

/* How many ASCII letters 8 bytes begin with: 5 for "hueso, y". All bytes are compared in one
 * number: a sum sets the highest bit of each byte that is 'a' or more, another one that of each
 * that is more than 'z'; the lowest bit that is then left belongs to the first byte that is no
 * letter. */
static inline size_t count_letters(const char *at)
{
    const uint64_t each = 0x0101010101010101;
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    const uint64_t lower = (bytes | 0x20 * each) & 0x7F * each;
    const uint64_t from_a = lower + (0x80 - 'a') * each, after_z = lower + (0x7F - 'z') * each;
    const uint64_t others = ~(from_a & ~after_z & ~bytes) & 0x80 * each;
    return others ? (size_t)__builtin_ctzll(others) / 8 : 8;
}

/* The end of the run of a class from `at` on. Most runs are ASCII letters: 8 at once. */
static const char *run_end(const char *at, const char *end, CharacterClass class)
{
    if (class == CLASS_LETTER)
        for (size_t count = 8; count == 8 && end - at >= 8; at += count)
            count = count_letters(at);
    for (const char *next = at; at < end; at = next)
        if (class_next(&next, end) != class)
            break;
    return at;
}

/* The end of a run of white space, but before its last character if something follows and the run
 * has more than that one. */
static const char *space_end(const char *at, const char *end)
{
    const char *last = at, *next = at;
    for (const char *more = at; next < end; last = next, next = more)
        if (class_next(&more, end) != CLASS_SPACE)
            return last > at ? last : next;
    return end;
}

/* The bytes of the contraction at an apostrophe; 0 if there is none. */
static size_t contraction_size(const char *at, const char *end)
{
    const ptrdiff_t room = end - at;
    if (room >= 2 && strchr("stmd", at[1]) && at[1])
        return 2;
    if (room >= 3 &&
        (!memcmp(at + 1, "re", 2) || !memcmp(at + 1, "ve", 2) || !memcmp(at + 1, "ll", 2)))
        return 3;
    return 0;
}

/* The alternatives of the pattern, in its order. A space takes part in what follows it, unless that
 * is also white space. */
static const char *word_end(const char *at, const char *end)
{
    const size_t contraction = *at == '\'' ? contraction_size(at, end) : 0;
    if (contraction)
        return at + contraction;
    const char *after = at + (*at == ' ' && at + 1 < end);
    const CharacterClass class = class_next(&after, end);
    return class == CLASS_SPACE ? space_end(at, end) : run_end(after, end, class);
}

bool byte_level_word(const char **at, const char *end, Span *word)
{
    if (*at >= end)
        return false;
    word->begin = *at;
    *at = word->end = word_end(*at, end);
    return true;
}

const char *byte_level_word_after(const char *text, size_t before, const char *end)
{
    const char *at = text;
    Span word = {text, text};
    while (word.end <= text + before && byte_level_word(&at, end, &word))
        ;
    return word.end;
}

/* ---- Bytes as characters ---- */

/* 0x00-20, 0x7F-A0 and 0xAD cannot be printed: these 68 are U+0100 to U+0143, in order. */
int32_t byte_level_character(unsigned char byte)
{
    if (byte <= 0x20)
        return 0x100 + byte;
    if (byte >= 0x7F && byte <= 0xA0)
        return 0x121 + (byte - 0x7F);
    return byte == 0xAD ? 0x143 : byte;
}

int byte_level_byte(int32_t c)
{
    if (c >= 0x100 && c <= 0x120)
        return c - 0x100;
    if (c >= 0x121 && c <= 0x142)
        return c - 0x121 + 0x7F;
    if (c == 0x143)
        return 0xAD;
    return c >= 0 && c < 0x100 && byte_level_character((unsigned char)c) == c ? c : -1;
}

size_t byte_level_write(char *out, const char *bytes, size_t size)
{
    size_t written = 0;
    for (size_t i = 0; i < size; i++)
        written += utf8_put(out + written, byte_level_character((unsigned char)bytes[i]));
    out[written] = 0;
    return written;
}

bool byte_level_read(char *out, size_t *out_size, const char *characters, size_t size)
{
    *out_size = 0;
    for (const char *at = characters; at < characters + size;) {
        const int byte = byte_level_byte(utf8_next(&at, characters + size));
        if (byte < 0)
            return false;
        out[(*out_size)++] = (char)byte;
    }
    return true;
}
