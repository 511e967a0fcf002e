/* utf8.c: decoding is utf8proc's, which refuses overlong forms, surrogates and what lies beyond
 * U+10FFFF. The classes are read from utf8proc's table of categories, with the few exceptions
 * written out. */
#include "utf8.h"

#include <utf8proc.h>

#include "base.h"

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

/* ---- Text to be looked at ---- */

/* Each function walks the text one code point at a time and replaces what must not reach the reader
 * as it is. */

/* The text as it is shown; see display_token(), display_text() and display_part(). */
static char *shown(const char *text, bool keep_spaces, bool is_part)
{
    char *result;
    FILE *out = memory_stream(&result, NULL);
    for (const char *at = text, *end = text + strlen(text); at < end;) {
        const char *begin = at;
        const int32_t c = utf8_next(&at, end);
        if (c < 0 && !keep_spaces)
            fprintf(out, "\\x%02X", (unsigned char)*begin);
        else if (c < 0)
            fputs("\uFFFD", out);
        else if (c == ' ')
            fputs(keep_spaces ? " " : "␣", out);
        else if (c == '\n')
            fputs(is_part ? "\n     " : "↵", out);
        else if (c == '\t' && keep_spaces)
            fputs(" → ", out);
        else if (is_invisible(c))
            fprintf(out, "U+%04X", (unsigned)c);
        else
            fprintf(out, "%s%.*s", begin == text && !is_part && is_combining(c) ? "◌" : "",
                    (int)(at - begin), begin);
    }
    fclose(out);
    return result;
}

char *display_token(const char *token)
{
    return shown(token, false, false);
}

char *display_text(const char *text)
{
    return shown(text, true, false);
}

char *display_part(const char *text)
{
    return shown(text, true, true);
}

/* A shown text is UTF-8 and has no control characters, so each code point has a width. */
int display_width(const char *text)
{
    int columns = 0;
    for (const char *end = text + strlen(text); text < end;)
        columns += utf8_columns(utf8_next(&text, end));
    return columns;
}

int put_cut(FILE *out, const char *text, int columns)
{
    const bool cut = display_width(text) > columns;
    int left = cut ? columns - 1 : columns; /* … takes one */
    for (const char *at = text, *end = text + strlen(text); at < end;) {
        const char *begin = at;
        const int wide = utf8_columns(utf8_next(&at, end));
        if (wide > left)
            break;
        left -= wide;
        fwrite(begin, 1, (size_t)(at - begin), out);
    }
    fputs(cut ? "…" : "", out);
    return columns - left;
}

/* "gato" in six columns: "gato  ", or at the right "  gato"; in three: "ga…". A character that
 * is two columns wide may not fit before the "…"; its place is then filled after the "…". */
void put_fitted(FILE *out, const char *text, int columns, bool right)
{
    const int before = right ? max_int(columns - display_width(text), 0) : 0;
    fprintf(out, "%*s", before, "");
    const int after = columns - before - put_cut(out, text, columns);
    fprintf(out, "%*s", after, "");
}

/* JSON itself requires escapes only for ", \ and control characters. Two more groups are written as
 * \u003c and so on: <, > and &, so that no text can end a <script>, and invisible characters, so
 * that a reader sees them. */
void put_json(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text, *end = text + strlen(text); at < end;) {
        const char *begin = at;
        const int32_t c = utf8_next(&at, end);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (char)c);
        else if (c < 0)
            fputs("\\ufffd", out);
        else if (c > 0xFFFF && is_invisible(c)) /* as a surrogate pair */
            fprintf(out, "\\u%04x\\u%04x", 0xD7C0u + ((unsigned)c >> 10),
                    0xDC00u + ((unsigned)c & 0x3FF));
        else if ((c != ' ' && is_invisible(c)) || c == '<' || c == '>' || c == '&')
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fwrite(begin, 1, (size_t)(at - begin), out);
    }
    fputc('"', out);
}

/* A spreadsheet takes a cell that begins with one of = + - @ for a formula; an apostrophe before it
 * makes it a text. */
void put_csv(FILE *out, const char *text)
{
    fputs(strchr("=+-@", *text) && *text ? "\"'" : "\"", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void put_xml(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}
