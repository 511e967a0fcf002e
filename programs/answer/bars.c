/* bars.c: the columns are as wide as the widest of their entries. All words go through
 * display.h. */
#include "bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/display.h"

/* Columns of a bar for probability 1, and of the longest word. */
enum { BAR = 24, WORD_COLUMNS = 16 };

/* Its length is counted in eighths of a column. */
void put_bar(double share)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int length = (int)lround(share * BAR * 8);
    fputs(length ? "  " : "", stdout);
    for (int i = 0; i < length / 8; i++)
        fputs("█", stdout);
    puts(eighths[length % 8]);
}

/* How many rows to print. */
static int rows_to_print(const Bars *bars)
{
    int rows = bars->count;
    for (; rows > 0; rows--) {
        const Candidate *last = &bars->rows[rows - 1];
        if (last->probability >= bars->least || (bars->times_in_all && last->times))
            break;
    }
    return rows;
}

/* Columns of "0.400  2 of 5", or of the heading over it, and of the space after it. */
static int count_columns(const Bars *bars)
{
    const int digits = snprintf(NULL, 0, "%zu", bars->times_in_all);
    return bars->times_in_all ? max_int(11, 7 + digits + 4 + digits) + 2 : 0;
}

/* 0.400     0.390  0.396: what the model and counting give alone, and both together. */
static void put_numbers(const Bars *bars, const double *parts, double probability)
{
    if (bars->in_parts)
        printf("%.3f  %8.3f  ", parts[0], parts[1]);
    printf("%.3f", probability);
}

/* Prints one row; the word is bold and takes `columns` columns. */
static void put_row(const Bars *bars, const Screen *screen, const Candidate *row, int columns)
{
    char *word = display_token(row->text);
    printf("  %s", screen->bold);
    put_fitted(stdout, word, columns, false);
    printf("%s  ", screen->plain);
    if (bars->times_in_all) {
        const size_t all = bars->times_in_all;
        Digits count;
        snprintf(count.text, sizeof count.text, _("%.3f  %zu of %zu"),
                 (double)row->times / (double)all, row->times, all);
        printf("%-*s", count_columns(bars), count.text);
    }
    put_numbers(bars, row->parts, row->probability);
    put_bar(row->probability);
    free(word);
}

/* The columns of the words: as many as the widest word, heading or last line needs. */
static int word_columns(const Bars *bars, int rows, const char *others)
{
    int columns = max_int(display_width(others), display_width(bars->heading));
    for (int i = 0; i < rows; i++) {
        char *word = display_token(bars->rows[i].text);
        columns = max_int(columns, display_width(word));
        free(word);
    }
    return min_int(columns, WORD_COLUMNS);
}

void bars_print(const Bars *bars, const Screen *screen)
{
    const int rows = rows_to_print(bars), counts = count_columns(bars);
    if (!rows)
        return;
    const Digits counted = plural((size_t)(bars->kinds - rows), "other", "others");
    const char *others = bars->kinds ? counted.text : _("others");
    const int columns = word_columns(bars, rows, others);
    printf("  ");
    put_fitted(stdout, bars->heading, columns + 2, false);
    put_fitted(stdout, counts ? _("in the text") : "", counts, false);
    /* translators: keep the widths of the first two */
    printf("%s\n", bars->in_parts ? _("model  counting  both") : _("model"));
    double rest = 1, parts[2] = {1, 1};
    for (int i = 0; i < rows; i++) {
        put_row(bars, screen, &bars->rows[i], columns);
        rest -= bars->rows[i].probability;
        parts[0] -= bars->rows[i].parts[0];
        parts[1] -= bars->rows[i].parts[1];
    }
    if (!bars->kinds || rows < bars->kinds) {
        printf("  ");
        put_fitted(stdout, others, columns + 2 + counts, false);
        put_numbers(bars, (double[]){fmax(parts[0], 0), fmax(parts[1], 0)}, fmax(rest, 0));
        putchar('\n');
    }
}
