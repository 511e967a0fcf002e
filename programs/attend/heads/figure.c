/* figure.c: lays the heads out as a grid of panels, a row for each layer. A panel is a hatched
 * square on which each pair of a query and a key that it attends to is drawn as a coloured cell. */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/numbers/elementary.h"
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
        char *name = name_of(head);
        layout.name = fmax(layout.name, 0.58 * 12 * (double)strlen(name));
        free(name);
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
    char *name = name_of(head);
    fprintf(out, "<text y=\"%g\" font-weight=\"bold\" font-size=\"12\">%s</text>\n<g>",
            TITLE - 10 - layout->above, name);
    free(name);
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

/* The scale of colours, and what the hatching means. */
static void put_key(FILE *out)
{
    svg_scale(out, 0, _("weight"));
    fprintf(out,
            "<rect x=\"216\" width=\"20\" height=\"10\" fill=\"url(#unseen)\" stroke=\"#ccc\"/>"
            "<text x=\"242\" y=\"9\" font-size=\"11\" fill=\"#444\">%s</text>\n",
            _("cannot attend"));
}

/* From top to bottom: the text, the model's directory, a row of panels for each layer, the
 * scale. */
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
    put_key(out);
    fputs("</g>\n</svg>\n", out);
}
