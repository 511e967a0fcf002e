/* tables.c: fits the widths of words and cells to the screen first, for all tables alike, then
 * prints them. Cells are shaded by the background colour if the terminal has colours, else by block
 * characters. */
#include "tables.h"

#include "base/utf8.h"
#include "programs/answer/answer_print.h"
#include "programs/pictures/colours.h"

/* In columns of the screen: a word at the left, then cells. A cell with a number and a shade needs
 * CELL, one with a shade only SHADE. */
enum { WORD_MOST = 16, CELL = 5, CELL_MOST = 10, SHADE = 2 };

/* Between source and target stand a space and a line. SIDE: the letters of their names. */
enum { MARK = 2, SIDE = 6 };

enum { LINES_MOST = 300 }; /* of several tables together */

typedef struct {
    int word, cell; /* columns */
    int from;       /* the first token shown; of a long text only the end is */
    int source;     /* the first token of the target; 0: no source is shown */
    Shades shades;
} Fit;

/* Words get their own width, up to WORD_MOST and a third of the line. Cells get a word's width if
 * all of them then fit, else an equal share of the line if a number fits in that, else SHADE. If
 * not even those fit, the first tokens are cut: the later ones attend to more. */
static Fit fit_of(const Heads *heads, const Screen *screen)
{
    const int T = heads->length, width = screen_width();
    Fit fit = {.word = 1, .shades = shades_of(screen)};
    for (int i = 0; i < T; i++)
        fit.word = max_int(fit.word, display_width(heads->display[i]));
    fit.cell = min_int(max_int(fit.word + 2, CELL), CELL_MOST);
    fit.word = max_int(fit.word, heads->source ? SIDE : 0);
    fit.word = max_int(min_int(fit.word, min_int(width / 3, WORD_MOST)), 1);
    const int room = width - fit.word - 1 - (heads->source ? MARK : 0);
    if (fit.cell > room / T)
        fit.cell = room / T >= CELL ? room / T : SHADE;
    fit.from = max_int(T - max_int(room / fit.cell, 1), 0);
    fit.source = heads->source > fit.from ? heads->source : 0;
    return fit;
}

/* A cell whose background is its colour. */
static void put_coloured(double weight, const Fit *fit)
{
    shade_begin(fit->shades, weight);
    if (fit->cell > SHADE) {
        /* the number, which has up to three digits, stands in the middle */
        const int after = (fit->cell - 3) / 2;
        printf("%*.0f%*s", fit->cell - after, 100 * weight, after, "");
    } else {
        printf("%*s", fit->cell, "");
    }
    shade_end();
}

/* A cell; returns how many columns it has taken. A weight without a shade leaves out the last one,
 * so that no line ends in spaces. */
static int put_cell(double weight, const Fit *fit)
{
    /* Five steps, for terminals without colours and for files. */
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    const int step =
        (weight >= SHADE_FAINT) + (weight >= 0.25) + (weight >= 0.5) + (weight >= 0.75);
    const char *shade = shades[step];
    const bool faint = !step;
    if (fit->shades.palette != PALETTE_PLAIN)
        put_coloured(weight, fit);
    else if (fit->cell == SHADE)
        printf("%s%s", faint ? "·" : shade, faint ? "·" : shade);
    else {
        printf("%*.0f%s", fit->cell - 1, 100 * weight, faint ? "" : shade);
        return fit->cell - faint;
    }
    return fit->cell;
}

/* Spaces up to the line between source and target, and the line; returns the columns. */
static int put_mark(int column, const Fit *fit)
{
    const int at = (fit->source - fit->from) * fit->cell;
    printf("%*s│", at + 1 - column, "");
    return at + MARK;
}

/* The weights of a row. Spaces are printed only when a cell or the mark follows. */
static void show_row(const Real *row, const Head *head, int query, const Fit *fit)
{
    int column = 0, mark = 0; /* mark: the columns that it has moved the later cells */
    EACH_KEY (key, head, query) {
        if (key < fit->from)
            continue;
        if (fit->source && key >= fit->source && !mark) {
            column = put_mark(column, fit);
            mark = MARK;
        }
        const int at = (key - fit->from) * fit->cell + mark;
        printf("%*s", at - column, "");
        column = at + put_cell((double)row[key], fit);
    }
    if (fit->source && !mark)
        put_mark(column, fit);
    putchar('\n');
}

/* A line across a table before the rows of one side. */
static void show_side(const char *name, const Heads *heads, const Fit *fit)
{
    const int before = (fit->source - fit->from) * fit->cell + 1;
    const int after = (heads->length - fit->source) * fit->cell;
    printf("%*s ", fit->word, name);
    for (int i = 0; i < before + 1 + after; i++)
        fputs(i == before ? "┼" : "─", stdout);
    putchar('\n');
}

/* The words above their columns: above the digits, unless they need the whole cell. */
static void show_keys(const Heads *heads, const Fit *fit)
{
    printf("%*s", fit->word + 1, "");
    for (int j = fit->from; j < heads->length; j++) {
        const bool spare = display_width(heads->display[j]) < fit->cell - 1;
        const bool marked = fit->source && j + 1 == fit->source;
        putchar(' ');
        put_fitted(stdout, heads->display[j], fit->cell - (spare ? 2 : 1), true);
        if (spare && (marked || j + 1 < heads->length))
            putchar(' ');
        fputs(marked ? " │" : "", stdout);
    }
    putchar('\n');
}

/* layer 2, head 3
 *              [bos]        un  muchacho
 *    [bos]       100█
 *       un        76█       24░
 * muchacho        20░       56▓       24░
 *
 * A pair also has the names of its sides, over the columns and before the rows. */
static void show_table(const Heads *heads, const Head *head, const Fit *fit, const Screen *screen)
{
    printf(_("\n%slayer %d, head %d%s\n"), screen->bold, head->layer + 1, head->head + 1,
           screen->plain);
    if (fit->source)
        printf("%*s │ %s\n", fit->word + 1 + (fit->source - fit->from) * fit->cell, _("source"),
               _("target"));
    if (fit->cell > SHADE)
        show_keys(heads, fit);
    for (int i = fit->from; i < heads->length; i++) {
        if (fit->source && (i == fit->from || i == fit->source))
            show_side(i < fit->source ? _("source") : _("target"), heads, fit);
        put_fitted(stdout, heads->display[i], fit->word, true);
        putchar(' ');
        show_row(ROW(head->map, i, heads->length), head, i, fit);
    }
}

/* What the shades mean, and what did not fit. */
static void show_notes(const Heads *heads, const Fit *fit)
{
    const int T = heads->length;
    if (fit->shades.palette != PALETTE_PLAIN) {
        const Fit cells = {.cell = CELL, .shades = fit->shades};
        printf(_("\npercent: "));
        for (int i = 0; i <= 4; i++)
            put_coloured(i / 4.0, &cells);
        putchar('\n');
    } else if (fit->cell == SHADE) {
        printf(_("\n·· under 5%%, ░░ under 25%%, ▒▒ under 50%%, ▓▓ under 75%%, ██ more\n"));
    }
    if (fit->cell == SHADE && fit->from)
        printf(
            _("only the last %d of %d tokens fit, without numbers; -o attention.html shows all\n"),
            T - fit->from, T);
    else if (fit->cell == SHADE)
        printf(_("the numbers do not fit; -o attention.html shows them\n"));
}

void tables_show(const Heads *heads, const Screen *screen)
{
    const Fit fit = fit_of(heads, screen);
    /* a table has its name, the words above it, and an empty line before it; of a pair, the
     * sides */
    const size_t lines =
        (size_t)heads->count * (size_t)(heads->length - fit.from + (fit.source ? 6 : 3));
    if (heads->count > 1 && lines > LINES_MOST) {
        printf(
            _("\nnot shown: %d tables, %s lines; choose --layer and --head, or write a page with "
              "-o attention.html\n"),
            heads->count, thousands(lines).text);
        return;
    }
    EACH_HEAD (head, heads)
        show_table(heads, head, &fit, screen);
    show_notes(heads, &fit);
}

/* "-" if there is no such mean. */
static void put_percent(double share, int columns)
{
    if (isnan(share))
        printf("%*s", columns, "-");
    else
        printf("%*.0f%%", columns - 1, 100 * share);
}

/* layer  head  entropy (bits)  mean distance  itself  previous  next  [bos]
 *     2     3            1.43           1.64     29%       36%    5%    30%
 *
 * "next" is missing if no token sees ahead, "[bos]" if the text does not begin with it. */
void tables_summarise(const Heads *heads)
{
    char pattern[PATTERN_TEXT];
    const bool ahead = heads->prefix > 1;
    int width = 0; /* of the patterns: 0 if all heads attend to all */
    EACH_HEAD (head, heads)
        if (head->pattern.kind != PATTERN_ALL)
            width =
                max_int(max_int(width, 12), (int)strlen(pattern_text(head->pattern, pattern)) + 2);
    /* translators: parts of the head of a table, up to the next blank line; keep their widths */
    const char *begin = _("layer  head");
    const int first = (int)strcspn(begin, " "), second = display_width(begin) - first;
    printf("%s", begin);
    put_fitted(stdout, width ? _("pattern") : "", width, true);
    printf("%s%s%s\n", _("  entropy (bits)  mean distance  itself  previous"),
           ahead ? _("  next") : "", heads->begun ? "  [bos]" : "");
    EACH_HEAD (head, heads) {
        const HeadSummary s = head_summary(heads, head);
        printf("%*d%*d", first, head->layer + 1, second, head->head + 1);
        if (width)
            printf("%*s", width, pattern_text(head->pattern, pattern));
        printf("%16.2f%15.2f", s.entropy, s.distance);
        put_percent(s.itself, 8);
        put_percent(s.before, 10);
        if (ahead)
            put_percent(s.after, 6);
        if (heads->begun)
            put_percent(s.bos, 7);
        putchar('\n');
    }
}

/* distance  cosine   least    most
 *        0   1.000   1.000   1.000
 *        1   0.431   0.377   0.502
 *
 * The last two only if pairs of one distance have different cosines. */
void tables_positions(const Positions *p)
{
    enum { MOST = 40 }; /* lines */
    const int step = (p->count - 1) / MOST + 1;
    AUTOFREE char *title = positions_title(p);
    printf("%s\n", title);
    /* translators: the head of a table; keep the widths */
    printf("\n%s%s\n", _("distance  cosine"), p->varies ? _("   least    most") : "");
    for (int d = 0; d < p->count; d += step) {
        printf("%8d%8.3f", d, p->distance[d].mean);
        if (p->varies)
            printf("%8.3f%8.3f", p->distance[d].least, p->distance[d].most);
        putchar('\n');
    }
}

/* A line for head i % (H + 1) of layer i / (H + 1), the last of which is the whole layer. */
static void put_effect(const Effects *e, int i, int first, int second)
{
    const int H = e->heads, layer = i / (H + 1), head = i % (H + 1), at = layer * H + head;
    printf("%*d", first, layer + 1);
    if (head < H)
        printf("%*d", second, head + 1);
    else
        printf("%*s", second, _("all"));
    printf("%+17.4f", fabs(e->rise[i]) < 0.00005 ? 0 : e->rise[i]); /* not -0.0000 */
    if (head == H || !e->twice) {
        putchar('\n');
        return;
    }
    put_percent(e->before[at], 10);
    put_percent(e->induction[at], 8);
    put_bar(e->induction[at]);
}

/* loss 0.440041: the mean of the tokens that the model predicts in this text, 5
 *
 * layer  head  loss without it  previous  copies
 *     2     3          +0.4123       12%     91%  █████████████████████▊
 *     2   all          +1.2345
 *
 * The bar is of the last number. */
void tables_effects(const Effects *e, const GptConfig *config, ObjectiveKind objective)
{
    if (!e->file)
        printf(_("loss %.6f: the mean of the tokens that the model predicts in this text, %d\n\n"),
               e->loss, e->count);
    else
        printf(e->sample ? _("loss %.6f: the mean of a sample of the tokens that the model "
                             "predicts in %s, %d\n\n")
                         : _("loss %.6f: the mean of the tokens that the model predicts in %s, "
                             "%d\n\n"),
               e->loss, e->file, e->count);
    /* translators: parts of the head of a table, up to the next blank line; keep their widths */
    const char *begin = _("layer  head");
    const int first = (int)strcspn(begin, " "), second = display_width(begin) - first;
    printf("%s%s%s\n", begin, _("  loss without it"), e->twice ? _("  previous  copies") : "");

    for (int i = 0; i < e->layers * (e->heads + 1); i++)
        put_effect(e, i, first, second);
    if (e->twice)
        printf(_("\nprevious, copies: in %d random tokens that are written twice\n"), e->twice);
    else if (objective != OBJECTIVE_NEXT)
        printf(_("\nno column for copying: it is measured in a model that predicts each next "
                 "token\n"));
    else
        printf(_("\nno column for copying: the context of %d tokens is too short for it\n"),
               config->context);
}
