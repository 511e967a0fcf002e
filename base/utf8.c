/* utf8.c: decoding is utf8proc's, which refuses overlong forms, surrogates and what lies beyond
 * U+10FFFF. The classes are read from utf8proc's table of categories, with the few exceptions
 * written out. */
#include "utf8.h"

#include <string.h>
#include <utf8proc.h>

/* utf8proc's iterate returns the bytes of the code point, or a negative error. */
int32_t utf8_next(const char **at, const char *end)
{
    utf8proc_int32_t code_point;
    const utf8proc_ssize_t size =
        utf8proc_iterate((const utf8proc_uint8_t *)*at, end - *at, &code_point);
    *at += size > 0 ? size : 1;
    return size > 0 ? code_point : -1;
}

bool utf8_is_valid(const char *bytes, size_t size)
{
    for (const char *at = bytes; at < bytes + size;)
        if (utf8_next(&at, bytes + size) < 0)
            return false;
    return true;
}

size_t utf8_put(char bytes[4], int32_t code_point)
{
    return (size_t)utf8proc_encode_char(code_point, (utf8proc_uint8_t *)bytes);
}

int utf8_columns(int32_t code_point)
{
    return utf8proc_charwidth(code_point);
}

int32_t to_lower(int32_t code_point)
{
    return utf8proc_tolower(code_point);
}

/* Categories Z*, and the control characters from tab to carriage return, and "next line". */
bool is_space(int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return (c >= 0x09 && c <= 0x0D) || c == 0x85 ||
           (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP);
}

/* In ASCII, symbols such as $ + < = > ^ ` | ~ count as well: Transformers has the same rule. */
bool is_punctuation(int32_t c)
{
    if (c < 0x80)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
               (c >= '{' && c <= '~');
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

/* Categories Ps and Pi, and the ¿ and ¡ of Spanish, which are in Po. */
bool is_opening(int32_t c)
{
    return c == 0xBF || c == 0xA1 || utf8proc_category(c) == UTF8PROC_CATEGORY_PS ||
           utf8proc_category(c) == UTF8PROC_CATEGORY_PI;
}

/* Categories L*, M*, Nd, Nl and Pc; the joiners; and letters in circles and squares, which are
 * symbols by their category and alphabetic by another property. */
bool is_word_letter(int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
           category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D ||
           (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

/* Blocks of Unicode, from Thai and Lao to the Chinese characters beyond U+20000. */
bool is_unspaced(int32_t c)
{
    return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
           (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3040 && c <= 0x30FF) ||
           (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

bool is_combining(int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

/* Categories Cn, Z* and C*, without the two joiners. */
bool is_invisible(int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return (category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_ZS) && c != 0x200C &&
           c != 0x200D;
}

/* C0, DEL and C1; then the marks and overrides of direction, and the two separators. */
bool is_control(int32_t c)
{
    return c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void text_sanitize(char *text)
{
    const char *end = text + strlen(text);
    for (char *begin = text; begin < end;) {
        const char *at = begin;
        const int32_t c = utf8_next(&at, end);
        if (is_control(c)) /* -1, a byte that is not UTF-8, is also below the space */
            memset(begin, '?', (size_t)(at - begin));
        begin += at - begin;
    }
}
