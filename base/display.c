/* display.c: each function walks the text one code point at a time and replaces what must not reach
 * the reader as it is. */
#include "display.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "utf8.h"

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
