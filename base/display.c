/* shown.c: see shown.h. */
#include "display.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base.h"

/* The next code point of *at, which moves behind it; -1 for a byte that is not UTF-8. */
static int32_t next_of(const char **at)
{
    utf8proc_int32_t c;
    const utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)*at, -1, &c);
    *at += size > 0 ? size : 1;
    return size > 0 ? c : -1;
}

static bool is_invisible(int32_t c)
{
    if (c == 0x200C || c == 0x200D) /* they join letters and tell them apart: part of a word */
        return false;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS: return true;
    default: return false;
    }
}

static bool is_mark(int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

static char *shown(const char *text, bool spaces_stay, bool goes_on)
{
    char *result = NULL;
    size_t size = 0;
    FILE *out = memory_stream(&result, &size);
    for (const char *at = text; *at;) {
        const char *begin = at;
        const int32_t c = next_of(&at);
        if (c < 0)
            fputs("\uFFFD", out);
        else if (c == ' ')
            fputs(spaces_stay ? " " : "␣", out);
        else if (c == '\n')
            fputs(goes_on ? "\n" : "↵", out);
        else if (is_invisible(c))
            fprintf(out, "U+%04X", (unsigned)c);
        else
            fprintf(out, "%s%.*s", begin == text && !goes_on && is_mark(c) ? "◌" : "",
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

int display_width(const char *text)
{
    int columns = 0;
    while (*text)
        columns += utf8proc_charwidth(next_of(&text));
    return columns;
}

void put_fitted(FILE *out, const char *text, int columns, bool right)
{
    const int width = display_width(text), spare = columns - width;
    if (right && spare > 0)
        fprintf(out, "%*s", spare, "");
    int left = spare < 0 ? columns - 1 : columns;
    for (const char *at = text; *at;) {
        const char *begin = at;
        const int wide = utf8proc_charwidth(next_of(&at));
        if (wide > left)
            break;
        left -= wide;
        fwrite(begin, 1, (size_t)(at - begin), out);
    }
    if (spare < 0)
        fprintf(out, "…%*s", left, "");
    else if (!right)
        fprintf(out, "%*s", spare, "");
}

void put_json(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text; *at;) {
        const char *begin = at;
        const int32_t c = next_of(&at);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (char)c);
        else if (c < 0)
            fputs("\\ufffd", out);
        else if (c > 0xFFFF && is_invisible(c)) /* as two halves */
            fprintf(out, "\\u%04x\\u%04x", 0xD7C0u + ((unsigned)c >> 10),
                    0xDC00u + ((unsigned)c & 0x3FF));
        else if ((c != ' ' && is_invisible(c)) || c == '<' || c == '>' || c == '&')
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fwrite(begin, 1, (size_t)(at - begin), out);
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
