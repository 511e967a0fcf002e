/* because_print.c: a table of the trainings without some lines, and the same as .csv and .json. */
#include <stb/stb_ds.h>

#include "base/utf8.h"
#include "because.h"

/* ---- The table ---- */

/* The heading of the column of lines, and its width and that of the column of probabilities. */
typedef struct {
    const char *heading;
    int lines, probability;
} Columns;

enum { CHANGE = 9 };

/* 0 is printed as that, other probabilities as in the tables of sample. */
static void put_probability(double p, int columns)
{
    if (isnan(p) || p == 0)
        printf("%*s", columns, isnan(p) ? "-" : "0");
    else
        printf("%*.3f", columns, p);
}

static void put_change(double change)
{
    if (isnan(change))
        printf("%*s", CHANGE, "-");
    else
        printf("%+*.3f", CHANGE, fabs(change) < 0.0005 ? 0 : change); /* not -0.000 */
}

static void put_rows(const Without *list, const Columns *c)
{
    const int room = screen_width() - c->lines - c->probability - CHANGE - 3;
    for (const Without *w = list; w < list + arrlen(list); w++) {
        AUTOFREE char *lines = w->first == w->last ? format_text("%zu", w->first)
                                                   : format_text("%zu-%zu", w->first, w->last);
        put_fitted(stdout, lines, c->lines, true);
        put_probability(w->probability, c->probability);
        put_change(w->change);
        printf("  ");
        AUTOFREE char *text = display_text(w->text);
        put_cut(stdout, text, max_int(room, 20));
        putchar('\n');
    }
}

/* The heading, and the probability with all lines. */
static Columns begin_table(const Because *b, const char *heading)
{
    const char *probability = _("probability"), *change = _("change");
    const Columns c = {heading, display_width(heading), display_width(probability) + 2};
    printf("%s  %s", heading, probability);
    put_fitted(stdout, change, CHANGE, true);
    putchar('\n');
    put_fitted(stdout, _("with all"), c.lines, true);
    put_probability(b->probability, c.probability);
    putchar('\n');
    return c;
}

/* Whether one of the models lacks the word, or a word of the text. */
static bool lacks(const Without *list, bool of_text)
{
    for (const Without *w = list; w < list + arrlen(list); w++)
        if (of_text ? isnan(w->probability) : w->probability == 0)
            return true;
    return false;
}

/* the probability of come after: un gato
 *
 * without line  probability   change
 *     with all        0.999
 *            7        0.412   -0.587  un gato come
 *            6        0.998   -0.001  el gato come croquetas
 *
 * Of many lines there is such a table of groups first. */
void because_print(const Because *b)
{
    AUTOFREE char *text = display_text(b->text), *word = display_text(b->word);
    printf(_("the probability of %s after: %s\n\n"), word, text);
    if (b->groups) {
        const Columns c = begin_table(b, _("without lines"));
        put_rows(b->groups, &c);
    }
    if (b->groups && b->lines)
        printf(_("\nof the group with the largest change, each line:\n\n"));
    if (b->lines || !b->groups) {
        const Columns c = begin_table(b, _("without line"));
        put_rows(b->lines, &c);
    }
    if (lacks(b->groups, false) || lacks(b->lines, false))
        printf(_("\n0: without it the model does not know the word\n"));
    if (lacks(b->groups, true) || lacks(b->lines, true))
        printf(_("\n-: without it the model does not know all words of the text\n"));
    if (b->signal)
        printf(_("\nstopped before all lines were tried\n"));
}

/* ---- Files ---- */

static void put_csv_rows(FILE *out, const Without *list)
{
    for (const Without *w = list; w < list + arrlen(list); w++) {
        fprintf(out, "%zu,%zu,", w->first, w->last);
        AUTOFREE char *text = display_text(w->text);
        put_csv(out, text);
        if (isnan(w->probability))
            fputs(",,\n", out);
        else
            fprintf(out, ",%.9g,%.9g\n", w->probability, w->change);
    }
}

void because_csv(FILE *out, const Because *b)
{
    fputs(BECAUSE_CSV_HEADER, out);
    put_csv_rows(out, b->groups);
    put_csv_rows(out, b->lines);
}

/* What is not known is null. */
static void put_list(FILE *out, const char *name, const Without *list)
{
    fprintf(out, ",\n\"%s\": [", name);
    for (const Without *w = list; w < list + arrlen(list); w++) {
        fprintf(out,
                "%s\n  {\"first_line\": %zu, \"last_line\": %zu, \"text\": ", w == list ? "" : ",",
                w->first, w->last);
        put_json(out, w->text);
        if (isnan(w->probability))
            fputs(", \"probability\": null, \"change\": null}", out);
        else
            fprintf(out, ", \"probability\": %.9g, \"change\": %.9g}", w->probability, w->change);
    }
    fputs("]", out);
}

void because_json(FILE *out, const Because *b)
{
    fputs("{\"run\": ", out);
    put_json(out, b->run);
    fputs(",\n\"text\": ", out);
    put_json(out, b->text);
    fputs(",\n\"word\": ", out);
    put_json(out, b->word);
    fprintf(out, ",\n\"probability\": %.9g,\n\"complete\": %s", b->probability,
            b->signal ? "false" : "true");
    put_list(out, "groups", b->groups);
    put_list(out, "lines", b->lines);
    fputs("\n}\n", out);
}
