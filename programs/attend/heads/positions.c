/* positions.c: the cosine of two vectors of length 1 is their product, so a row of all cosines is a
 * product of a vector and a matrix. Rows are computed when they are needed and never kept. */
#include "positions.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "model/matrix/matrix.h"
#include "numbers.h"
#include "programs/pictures/svg.h"
#include "programs/pictures/colours.h"

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
    Real *row = row_new(p);
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
    free(row);
}

Positions positions_read(const Gpt *gpt, const char *run)
{
    const int T = gpt->config.context, C = gpt->config.width;
    Positions p = {.count = T,
                   .width = C,
                   .learned = gpt->config.positions == POSITIONS_LEARNED,
                   .vectors = memory_new((size_t)T * (size_t)C, sizeof(Real), "the positions"),
                   .distance = memory_new((size_t)T, sizeof *p.distance, "the distances"),
                   .run = run};
    for (int i = 0; i < T; i++)
        scale_to_one(ROW(p.vectors, i, C), ROW(gpt->weights.embedding.wpe, i, C), C);
    find_spread(&p);
    return p;
}

void positions_free(Positions *p)
{
    free(p->vectors);
    free(p->distance);
}

/* ---- As numbers ---- */

void positions_npy(FILE *out, const Positions *p)
{
    Real *row = row_new(p);
    npy_begin(out, (const int[]){1, 1, p->count, p->count});
    for (int i = 0; i < p->count; i++) {
        find_row(p, i, row);
        npy_numbers(out, row, (size_t)p->count);
    }
    free(row);
}

void positions_csv(FILE *out, const Positions *p)
{
    Real *row = row_new(p);
    fputs(POSITIONS_CSV_HEADER, out);
    for (int i = 0; i < p->count; i++) {
        find_row(p, i, row);
        for (int j = 0; j < p->count; j++)
            fprintf(out, "%d,%d,%d,%.9g\n", i + 1, j + 1, abs(i - j), (double)row[j]);
    }
    free(row);
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
    Real *row = row_new(p);
    fputs("{\"run\": ", out);
    put_json(out, p->run);
    fprintf(out, ",\n\"positions\": \"%s\",\n\"cosines\": [",
            p->learned ? "learned" : "sinusoidal");
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
    free(row);
}

/* ---- As a picture ---- */

/* Sizes in pixels: of the square of all pairs, and of the chart beside it, which is as high. BESIDE
 * is the room for the numbers of an axis on its left, BELOW on its lower side. */
static const double MARGIN = 24, SIDE = 320, CHART = 420, BESIDE = 44, BELOW = 40, GAP = 34,
                    TOP = 100;

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
    Real *row = row_new(p);
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
    free(row);
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
    const double left = MARGIN + BESIDE, chart = left + SIDE + GAP + BESIDE;
    const double width = chart + CHART + MARGIN, height = TOP + SIDE + BELOW + 54 + MARGIN;
    const int step = (p->count - 1) / CELLS_MOST + 1;
    char *note = format_text(p->learned ? _(": %d learned positions of width %d")
                                        : _(": %d sinusoidal positions of width %d"),
                             p->count, p->width);
    svg_begin(out, width, height, 11);
    svg_title(out, width, _("Cosine of every pair of position vectors"), p->run, note);
    free(note);
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
