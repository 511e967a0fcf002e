/* figure.c: lays the heads out as a grid of panels, a row for each layer. A panel is a hatched
 * square on which each pair of a query and a key that it attends to is drawn as a coloured cell. */
#include "figure.h"

#include "base/numbers/elementary.h"
#include "base/utf8.h"
#include "model/matrix/matrix.h"
#include "programs/pictures/colours.h"
#include "programs/pictures/svg.h"

/* Sizes in pixels. Words stand to the left of the first panel of a row and, turned, above each
 * panel. */
typedef struct {
    double cell, font, side; /* of a cell, of the letters, of a panel */
    double left, above;      /* room for the words on both axes */
    double overhang;         /* how far the last turned word leans beyond its panel */
    double name;             /* the longest panel's name */
    double mark;             /* room for "source" and "target" beside the words, below a panel */
    int columns;             /* longer words are cut to this */
} FigureLayout;

/* TITLE: height of a panel's name; TURN: of the words above a panel, in degrees. */
static const double GAP = 18, TITLE = 22, TURN = 50;

/* "layer 1, head 2", and its pattern unless that is all. */
static char *name_of(const Head *head)
{
    char pattern[PATTERN_TEXT];
    const bool all = head->pattern.kind == PATTERN_ALL;
    return format_text(_("layer %d, head %d%s%s"), head->layer + 1, head->head + 1, all ? "" : ": ",
                       all ? "" : pattern_text(head->pattern, pattern));
}

/* The colour of the line between source and target, which no weight has. */
#define MARK "#d9480f"

/* Cells are smaller the more there are. A letter is assumed to be 0.62 of the font's size wide,
 * about right for Helvetica, since the widths in the viewer's font are not known. */
static FigureLayout layout_of(const Heads *heads)
{
    enum { LONGEST = 18 };
    const int T = heads->length;
    const double cell = T <= 10 ? 30 : T <= 20 ? 20 : T <= 60 ? 14 : 10;
    FigureLayout layout = {.cell = cell, .font = fmin(12, 0.85 * cell), .side = cell * T};
    for (int i = 0; i < T; i++)
        layout.columns = max_int(layout.columns, display_width(heads->display[i]));
    layout.columns = min_int(layout.columns, LONGEST);
    const double word = 0.62 * layout.font * layout.columns + 8, turn = TURN * M_PI / 180;
    layout.left = word;
    layout.above = word * elementary_sin(turn) + TITLE + 6;
    layout.mark = heads->source ? 18 : 0;
    layout.overhang = fmax(word * elementary_cos(turn) - cell / 2, 0);
    EACH_HEAD (head, heads) {
        AUTOFREE char *name = name_of(head);
        layout.name = fmax(layout.name, 0.58 * 12 * (double)strlen(name));
    }
    return layout;
}

/* One cell of a panel, whose origin is the corner of its first cell. Large cells also have their
 * weight as a number. */
static void put_cell(FILE *out, const FigureLayout *layout, int query, int key, double weight)
{
    const Colour c = colour_of(weight, GROUND_LIGHT);
    const double s = layout->cell, x = s * key, y = s * query;
    svg_cell(out, x, y, s, c);
    if (s >= 30)
        fprintf(out,
                "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\" font-size=\"10\" "
                "fill=\"%s\" stroke=\"none\">%.2f</text>",
                x + s / 2, y + s / 2 + 3.5, colour_wants_white(c) ? "#fff" : "#000", weight);
}

/* The panel of one head: its name, the words of the keys above it, the hatched square, the
 * cells. */
static void put_panel(FILE *out, const Heads *heads, const FigureLayout *layout, const Head *head)
{
    const int T = heads->length;
    const double s = layout->cell;
    AUTOFREE char *name = name_of(head);
    fprintf(out, "<text y=\"%g\" font-weight=\"bold\" font-size=\"12\">%s</text>\n<g>",
            TITLE - 10 - layout->above, name);
    for (int i = 0; i < T; i++) {
        fprintf(out, "<text transform=\"translate(%g,-6) rotate(-%g)\">", s * (i + 0.6), TURN);
        svg_word(out, heads->display[i], layout->columns);
        fputs("</text>", out);
    }
    fprintf(out,
            "</g>\n<rect width=\"%g\" height=\"%g\" fill=\"url(#unseen)\"/>\n"
            "<g stroke=\"#fff\" stroke-width=\"%g\">\n",
            layout->side, layout->side, s >= 14 ? 1 : 0.5);
    for (int i = 0; i < T; i++) {
        EACH_KEY (j, head, i)
            put_cell(out, layout, i, j, (double)ROW(head->map, i, T)[j]);
        fputc('\n', out);
    }
    fputs("</g>\n", out);
}

/* Lines between source and target; their names at the ends, on both sides of each line. Those of
 * the rows are to the left of the row's first panel. */
static void put_marks(FILE *out, const Heads *heads, const FigureLayout *layout, bool first)
{
    const double at = layout->cell * heads->source, end = layout->side + layout->mark;
    const double left = first ? -layout->left - layout->mark : 0;
    if (!heads->source)
        return;
    fprintf(out,
            "<g font-size=\"11\" fill=\"" MARK "\"><path d=\"M%g 0V%gM%g %gH%g\" stroke=\"" MARK
            "\" stroke-width=\"1.5\"/><text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>"
            "<text x=\"%g\" y=\"%g\">%s</text>",
            at, end, left, at, layout->side, at - 5, end - 4, _("source"), at + 5, end - 4,
            _("target"));
    if (first)
        fprintf(out,
                "<g transform=\"translate(%g,%g) rotate(-90)\"><text x=\"5\">%s</text>"
                "<text x=\"-5\" text-anchor=\"end\">%s</text></g>",
                left + 11, at, _("source"), _("target"));
    fputs("</g>\n", out);
}

/* The words of the queries, to the left of a row of panels. */
static void put_queries(FILE *out, const Heads *heads, const FigureLayout *layout)
{
    fputs("<g text-anchor=\"end\">", out);
    for (int i = 0; i < heads->length; i++) {
        fprintf(out, "<text x=\"-6\" y=\"%g\">", layout->cell * (i + 0.5) + 0.35 * layout->font);
        svg_word(out, heads->display[i], layout->columns);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

/* From top to bottom: the text, the model's directory, a row of panels for each layer, the scale of
 * colours and what the hatching means. */
void heads_figure(FILE *out, const Heads *heads)
{
    const FigureLayout layout = layout_of(heads);
    const double step_x = fmax(layout.side + fmax(GAP, layout.overhang + 6), layout.name + 6);
    const double step_y = layout.above + layout.side + layout.mark + GAP, top = SVG_MARGIN + 48;
    const double left = SVG_MARGIN + layout.mark + layout.left;
    const double width = fmax(left + step_x * heads->heads + SVG_MARGIN, 420);
    const double height = top + step_y * heads->layers + 36 + SVG_MARGIN;

    svg_begin(out, width, height, layout.font);
    svg_title(out, width, heads->text, heads->run, _(": rows attend to columns"));
    EACH_HEAD (head, heads) {
        const int place = (int)(head - heads->head);
        const int row = place / heads->heads, column = place % heads->heads;
        fprintf(out, "<g transform=\"translate(%g,%g)\">\n", left + step_x * column,
                top + step_y * row + layout.above);
        if (!column)
            put_queries(out, heads, &layout);
        put_panel(out, heads, &layout, head);
        put_marks(out, heads, &layout, !column);
        fputs("</g>\n", out);
    }
    fprintf(out, "<g transform=\"translate(%g,%g)\">\n", SVG_MARGIN,
            top + step_y * heads->layers + 10);
    svg_scale(out, 0, _("weight"));
    fprintf(out,
            "<rect x=\"216\" width=\"20\" height=\"10\" fill=\"url(#unseen)\" stroke=\"#ccc\"/>"
            "<text x=\"242\" y=\"9\" font-size=\"11\" fill=\"#444\">%s</text>\n</g>\n</svg>\n",
            _("cannot attend"));
}

/* The cosine of two vectors of length 1 is their product, so a row of all cosines is a
 * product of a vector and a matrix. Rows are computed when they are needed and never kept. */

/* ---- The cosines ---- */

/* cosines (T): of position i and every position. */
static void find_row(const Positions *p, int i, Real *cosines)
{
    const Matrix vectors = matrix(p->vectors, p->count, p->width);
    matmul(matrix(cosines, 1, p->count), matrix_rows(vectors, i, 1), transposed(vectors));
}

static Real *row_new(const Positions *p)
{
    return memory_new((size_t)p->count, sizeof(Real), "the cosines of a position");
}

/* A vector of zeros has no direction: it stays as it is, and all its cosines are 0. */
static void scale_to_one(Real *to, const Real *from, int C)
{
    double squares = 0;
    for (int c = 0; c < C; c++)
        squares += (double)from[c] * (double)from[c];
    for (int c = 0; squares > 0 && c < C; c++)
        to[c] = (Real)((double)from[c] / sqrt(squares));
}

/* Every pair once: i up to j. Two vectors of one distance have the same cosine if each sine stands
 * beside its cosine: sin a·sin b + cos a·cos b = cos(a − b). */
static void find_spread(Positions *p)
{
    AUTOFREE Real *row = row_new(p);
    for (int d = 0; d < p->count; d++)
        p->distance[d] = (CosineSpread){0, 1, -1};
    for (int i = 0; i < p->count; i++) {
        find_row(p, i, row);
        for (int j = i; j < p->count; j++) {
            CosineSpread *spread = &p->distance[j - i];
            const double cosine = (double)row[j];
            spread->mean += cosine / (p->count - (j - i)); /* the pairs that are as far apart */
            spread->least = fmin(spread->least, cosine);
            spread->most = fmax(spread->most, cosine);
        }
    }
    for (int d = 0; d < p->count; d++)
        p->varies |= p->distance[d].most - p->distance[d].least > 1e-5; /* more than rounding */
}

Positions positions_read(const Gpt *gpt, const char *run)
{
    const bool rotary = gpt->config.positions == POSITIONS_ROTARY;
    const int T = gpt->config.context, C = rotary ? gpt->config.head_size : gpt->config.width;
    const Rotary angles = gpt->work.block.attention.rotary;
    Positions p = {.count = T,
                   .width = C,
                   .kind = gpt->config.positions,
                   .vectors = memory_new((size_t)T * (size_t)C, sizeof(Real), "the positions"),
                   .distance = memory_new((size_t)T, sizeof *p.distance, "the distances"),
                   .run = run};
    for (int i = 0; i < T; i++) {
        Real *vector = ROW(p.vectors, i, C);
        for (int c = 0; rotary && c < C; c++)
            vector[c] = ROW(c % 2 ? angles.sine : angles.cosine, i, C / 2)[c / 2];
        scale_to_one(vector, rotary ? vector : ROW(gpt->weights.embedding.wpe, i, C), C);
    }
    find_spread(&p);
    return p;
}

char *positions_title(const Positions *p)
{
    static const char *const titles[] = {
        [POSITIONS_SINUSOIDAL] = N_("%d sinusoidal positions of width %d"),
        [POSITIONS_LEARNED] = N_("%d learned positions of width %d"),
        [POSITIONS_ROTARY] = N_("%d rotary positions in heads of %d")};
    return format_text(translated(titles[p->kind]), p->count, p->width);
}

void positions_free(Positions *p)
{
    free(p->vectors);
    free(p->distance);
}

/* ---- As numbers ---- */

void positions_npy(FILE *out, const Positions *p)
{
    AUTOFREE Real *row = row_new(p);
    npy_begin(out, (const int[]){1, 1, p->count, p->count});
    for (int i = 0; i < p->count; i++) {
        find_row(p, i, row);
        npy_numbers(out, row, (size_t)p->count);
    }
}

void positions_csv(FILE *out, const Positions *p)
{
    AUTOFREE Real *row = row_new(p);
    fputs(POSITIONS_CSV_HEADER, out);
    for (int i = 0; i < p->count; i++) {
        find_row(p, i, row);
        for (int j = 0; j < p->count; j++)
            fprintf(out, "%d,%d,%d,%.9g\n", i + 1, j + 1, abs(i - j), (double)row[j]);
    }
}

/* {"run": "runs/perro",
 * "positions": "sinusoidal",
 * "cosines": [
 * [1, 0.966, …],
 * …],
 * "distances": [
 * {"mean": 1, "least": 1, "most": 1},
 * …]} */
void positions_json(FILE *out, const Positions *p)
{
    AUTOFREE Real *row = row_new(p);
    fputs("{\"run\": ", out);
    put_json(out, p->run);
    fprintf(out, ",\n\"positions\": \"%s\",\n\"cosines\": [", GPT_POSITIONS[p->kind]);
    for (int i = 0; i < p->count; i++) {
        find_row(p, i, row);
        for (int j = 0; j < p->count; j++)
            fprintf(out, "%s%.9g", j ? ", " : i ? "],\n[" : "\n[", (double)row[j]);
    }
    fputs("]],\n\"distances\": [", out);
    for (int d = 0; d < p->count; d++)
        fprintf(out, "%s{\"mean\": %.6g, \"least\": %.6g, \"most\": %.6g}", d ? ",\n" : "\n",
                p->distance[d].mean, p->distance[d].least, p->distance[d].most);
    fputs("]}\n", out);
}

/* ---- As a picture ---- */

/* Sizes in pixels: of the square of all pairs, and of the chart beside it, which is as high. BESIDE
 * is the room for the numbers of an axis on its left, BELOW on its lower side. */
static const double MARGIN = 24, SIDE = 320, CHART = 420, BESIDE = 44, BELOW = 40,
                    GAP_OF_CHART = 34, TOP = 100;

/* The most cells along each side of a square: each is an element of its own. */
enum { CELLS_MOST = 128 };

/* Between the numbers of an axis that counts to a range: at most eight parts. */
static int tick_step(int range)
{
    return max_int((int)axis_step(range, 8), 1);
}

/* A number of an axis. */
static void put_number(FILE *out, double x, double y, const char *anchor, double number)
{
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">%g</text>", x, y, anchor, number);
}

/* A panel's name above it, and what its lower axis counts below it. */
static void put_names(FILE *out, double width, const char *name, const char *axis)
{
    fprintf(out,
            "<text y=\"-10\" font-weight=\"bold\" font-size=\"12\" fill=\"#000\">%s</text>"
            "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
            name, width / 2, SIDE + 34, axis);
}

/* Every step-th position against every step-th; both axes have the same numbers, from 1. */
static void put_square(FILE *out, const Positions *p)
{
    const int step = (p->count - 1) / CELLS_MOST + 1, cells = (p->count - 1) / step + 1;
    const double cell = SIDE / cells;
    AUTOFREE Real *row = row_new(p);
    put_names(out, SIDE, _("every pair"), _("position"));
    for (int i = 0; i < p->count; i++) {
        if (i && (i + 1) % tick_step(p->count)) /* 1, then 10, 20, … */
            continue;
        const int number = i / step;
        const double middle = cell * (number + 0.5);
        put_number(out, middle, SIDE + 15, "middle", i + 1);
        put_number(out, -7, middle + 4, "end", i + 1);
    }
    fputs("<g shape-rendering=\"crispEdges\">\n", out);
    for (int i = 0; i < cells; i++) {
        find_row(p, i * step, row);
        for (ptrdiff_t j = 0; j < cells; j++)
            svg_cell(out, cell * (double)j, cell * i, cell,
                     colour_of_signed((double)row[j * step]));
        fputc('\n', out);
    }
    fputs("</g>\n", out);
}

/* Where a distance and a cosine stand in the chart. */
static double chart_x(const Positions *p, int distance)
{
    return CHART * distance / max_int(p->count - 1, 1);
}

static double chart_y(double cosine)
{
    return SIDE * (1 - cosine) / 2;
}

/* Lines at −1, −½, 0, ½ and 1, and the numbers of both axes. */
static void put_grid(FILE *out, const Positions *p)
{
    for (int i = -2; i <= 2; i++) {
        const double y = chart_y(i / 2.0);
        fprintf(out, "<path d=\"M0 %gH%g\" stroke=\"%s\"/>", y, CHART, i ? "#ddd" : "#888");
        put_number(out, -7, y + 4, "end", i / 2.0);
    }
    for (int d = 0; d < p->count; d += tick_step(p->count))
        put_number(out, chart_x(p, d), SIDE + 15, "middle", d);
    fputc('\n', out);
}

/* The mean as a line; a band around it holds all cosines of a distance, if they differ. */
static void put_chart(FILE *out, const Positions *p)
{
    put_names(out, CHART,
              p->varies ? _("by distance: mean, least and most")
                        : _("by distance: all pairs of a distance have one cosine"),
              _("distance of the two positions"));
    put_grid(out, p);
    if (p->varies) { /* there along the most, and back along the least */
        for (int d = 0; d < p->count; d++)
            fprintf(out, "%s%.5g %.5g", d ? "L" : "<path fill=\"#c9d7ea\" d=\"M", chart_x(p, d),
                    chart_y(p->distance[d].most));
        for (int d = p->count - 1; d >= 0; d--)
            fprintf(out, "L%.5g %.5g", chart_x(p, d), chart_y(p->distance[d].least));
        fputs("Z\"/>\n", out);
    }
    for (int d = 0; d < p->count; d++)
        fprintf(out, "%s%.5g %.5g",
                d ? "L"
                  : "<path fill=\"none\" stroke=\"#2b3a8c\" "
                    "stroke-width=\"2\" d=\"M",
                chart_x(p, d), chart_y(p->distance[d].mean));
    fputs("\"/>\n", out);
}

/* From top to bottom: the title, the square with the chart to its right, the scale of colours. */
void positions_figure(FILE *out, const Positions *p)
{
    const double left = MARGIN + BESIDE, chart = left + SIDE + GAP_OF_CHART + BESIDE;
    const double width = chart + CHART + MARGIN, height = TOP + SIDE + BELOW + 54 + MARGIN;
    const int step = (p->count - 1) / CELLS_MOST + 1;
    AUTOFREE char *title = positions_title(p);
    AUTOFREE char *note = format_text(": %s", title);
    svg_begin(out, width, height, 11);
    svg_title(out, width, _("Cosine of every pair of position vectors"), p->run, note);
    fprintf(out, "<g transform=\"translate(%g,%g)\" fill=\"#444\">\n", left, TOP);
    put_square(out, p);
    fprintf(out, "</g>\n<g transform=\"translate(%g,%g)\" fill=\"#444\">\n", chart, TOP);
    put_chart(out, p);
    fprintf(out, "</g>\n<g transform=\"translate(%g,%g)\">\n", left, TOP + SIDE + BELOW + 16);
    svg_scale(out, -1, _("cosine"));
    if (step > 1)
        fprintf(out, _("<text x=\"%g\" y=\"9\" fill=\"#444\">1 of %d positions is drawn</text>"),
                SIDE, step);
    fputs("</g>\n</svg>\n", out);
}
