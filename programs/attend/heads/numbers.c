/* numbers.c: writes the maps as .npy, .csv and .json. A map's numbers are printed with nine digits,
 * which give back the same float; the summaries with six. */
#include "numbers.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* 10 bytes, then the header's text, for example
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (4, 4, 9, 9), }
 *
 * padded with spaces and a line end, so that the numbers begin on a multiple of 64 bytes. */

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the file's numbers are little-endian");

/* Not as one string: gettext's tools refuse strings that are not UTF-8. */
const char NPY_BEGIN[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', '\0'};

void npy_begin(FILE *out, const int shape[4])
{
    char header[256];
    const int size =
        snprintf(header, sizeof header,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }", shape[0],
                 shape[1], shape[2], shape[3]);
    const uint16_t padded = (uint16_t)((10 + size + 1 + 63) / 64 * 64 - 10);
    fputs(NPY_BEGIN, out);
    fwrite("\1\0", 1, 2, out); /* version 1.0 of the format */
    fwrite(&padded, sizeof padded, 1, out);
    fprintf(out, "%-*s\n", padded - 1, header);
}

void npy_numbers(FILE *out, const Real *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float number = (float)numbers[i]; /* also in the double build */
        fwrite(&number, sizeof number, 1, out);
    }
}

void numbers_npy(FILE *out, const Heads *heads)
{
    const int T = heads->length;
    npy_begin(out, (const int[]){heads->layers, heads->heads, T, T});
    EACH_HEAD (head, heads)
        npy_numbers(out, head->map, (size_t)T * (size_t)T);
}

/* ---- .csv ---- */

void numbers_csv(FILE *out, const Heads *heads)
{
    fputs(NUMBERS_CSV_HEADER, out);
    EACH_HEAD (head, heads)
        for (int i = 0; i < heads->length; i++)
            EACH_KEY (j, head, i) {
                fprintf(out, "%d,%d,%d,%d,", head->layer + 1, head->head + 1, i + 1, j + 1);
                put_csv(out, heads->display[i]);
                fputc(',', out);
                put_csv(out, heads->display[j]);
                fprintf(out, ",%.9g\n", (double)ROW(head->map, i, heads->length)[j]);
            }
}

/* ---- .json ---- */

/* Each of the following writes one thing about one head; put_heads collects them. */
static void put_pattern(FILE *out, const Heads *heads, const Head *head)
{
    (void)heads;
    char text[PATTERN_TEXT];
    put_json(out, pattern_text(head->pattern, text));
}

/* A mean that is NAN is written as null. */
void put_summary(FILE *out, const Heads *heads, const Head *head)
{
    const HeadSummary s = head_summary(heads, head);
    const char *const names[] = {"entropy_bits", "back", "itself", "before", "after", "bos"};
    const double means[] = {s.entropy, s.distance, s.itself, s.before, s.after, s.bos};
    for (int i = 0; i < 6; i++) {
        fprintf(out, "%s\"%s\": ", i ? ", " : "{", names[i]);
        if (isnan(means[i]))
            fputs("null", out);
        else
            fprintf(out, "%.6g", means[i]);
    }
    fputc('}', out);
}

/* [[[1,1]], [[1,2]], …]: for each query a list of [first, last] keys, counted from 1. */
void put_key_ranges(FILE *out, const Heads *heads, const Head *head)
{
    for (int i = 0; i < heads->length; i++) {
        fputs(i ? ",[" : "[[", out);
        const char *comma = "";
        EACH_RANGE (keys, head, i) {
            fprintf(out, "%s[%d,%d]", comma, keys->from + 1, keys->end);
            comma = ",";
        }
        fputc(']', out);
    }
    fputc(']', out);
}

/* The whole square, so that it is easy to use: 0 for a key that is not attended to. */
static void put_map(FILE *out, const Heads *heads, const Head *head)
{
    const int T = heads->length;
    for (int i = 0; i < T; i++) {
        fputs(i ? ",[" : "[[", out);
        for (int j = 0; j < T; j++)
            fprintf(out, "%s%.9g", j ? "," : "", (double)ROW(head->map, i, T)[j]);
        fputc(']', out);
    }
    fputc(']', out);
}

/* "name": [[…, …], [… , …]]: something of each head, a list for each layer. */
static void put_heads(FILE *out, const char *name, const Heads *heads,
                      void (*put)(FILE *out, const Heads *heads, const Head *head))
{
    fprintf(out, ",\n\"%s\": ", name);
    EACH_HEAD (head, heads) {
        const int place = (int)(head - heads->head);
        fputs(!place ? "[[" : place % heads->heads ? ", " : "], [", out);
        put(out, heads, head);
    }
    fputs("]]", out);
}

/* ,"name": [from + 1, from + 2, …]: which layers or heads these are, as a person counts. */
static void put_count(FILE *out, const char *name, int from, int count)
{
    fprintf(out, ",\n\"%s\": [", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? ", " : "", from + i + 1);
    fputc(']', out);
}

void numbers_json(FILE *out, const Heads *heads)
{
    fputs("{\"run\": ", out);
    put_json(out, heads->run);
    fputs(",\n\"text\": ", out);
    put_json(out, heads->text);
    fputs(",\n\"tokens\": [", out);
    for (int i = 0; i < heads->length; i++) {
        fputs(i ? ", " : "", out);
        put_json(out, heads->tokens[i]);
    }
    fprintf(out, "],\n\"source\": %d", heads->source);
    put_count(out, "layers", heads->head->layer, heads->layers);
    put_count(out, "heads", heads->head->head, heads->heads);
    put_heads(out, "patterns", heads, put_pattern);
    put_heads(out, "summary", heads, put_summary);
    put_heads(out, "ranges", heads, put_key_ranges);
    put_heads(out, "weights", heads, put_map);
    fputs("\n}\n", out);
}
