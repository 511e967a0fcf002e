/* svg.c: a white ground with a title; cells and their scale. */
#include "svg.h"

#include <stdlib.h>

#include "base/display.h"
#include "base/memory.h"

/* A format for the beginning of a figure: width and height, both again, and the font's size; then
 * the hatching and a white ground. */
static const char BEGIN[] = SVG_BEGIN
    "%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
    "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"%g\">\n"
    "<defs><pattern id=\"unseen\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#fff\"/>"
    "<path d=\"M0 0V5\" stroke=\"#d4d4d4\" stroke-width=\"1.4\"/></pattern></defs>\n"
    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n";

void svg_word(FILE *out, const char *word, int columns)
{
    char *fitted = NULL;
    FILE *text = memory_stream(&fitted, NULL);
    put_cut(text, word, columns);
    fclose(text);
    put_xml(out, fitted);
    free(fitted);
}

/* A line above all panels, at most `columns` columns wide. */
static void put_line(FILE *out, const char *text, double columns)
{
    char *safe = display_text(text);
    svg_word(out, safe, (int)columns);
    free(safe);
}

void svg_begin(FILE *out, double width, double height, double font)
{
    fprintf(out, BEGIN, width, height, width, height, font);
}

void svg_title(FILE *out, double width, const char *title, const char *run, const char *note)
{
    fprintf(out, "<text x=\"%g\" y=\"%g\" font-size=\"15\" font-weight=\"bold\">", SVG_MARGIN,
            SVG_MARGIN + 12);
    put_line(out, title, (width - 2 * SVG_MARGIN) / 9);
    fprintf(out, "</text>\n<text x=\"%g\" y=\"%g\" font-size=\"11\" fill=\"#666\">", SVG_MARGIN,
            SVG_MARGIN + 29);
    put_line(out, run, (width - 2 * SVG_MARGIN) / 7);
    fprintf(out, "%s</text>\n", note);
}

void svg_cell(FILE *out, double x, double y, double side, Colour c)
{
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%02x%02x%02x\"/>", x,
            y, side, side, c.red, c.green, c.blue);
}

/* In small steps, which overlap a little, so that there are no gaps. */
void svg_scale(FILE *out, double least, const char *name)
{
    enum { STEPS = 64, WIDE = 192, TALL = 10 };
    fputs("<g shape-rendering=\"crispEdges\">", out);
    for (int i = 0; i < STEPS; i++) {
        const Colour c = colour_of_signed(least + (1 - least) * (i + 0.5) / STEPS);
        fprintf(out, "<rect x=\"%g\" width=\"%g\" height=\"%d\" fill=\"#%02x%02x%02x\"/>",
                (double)i * WIDE / STEPS, (double)WIDE / STEPS + 0.3, TALL, c.red, c.green, c.blue);
    }
    fprintf(out,
            "</g>\n<g font-size=\"11\" fill=\"#444\"><text y=\"%d\">%g</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">1</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text></g>\n",
            TALL + 13, least, WIDE, TALL + 13, WIDE / 2, TALL + 13, name);
}
