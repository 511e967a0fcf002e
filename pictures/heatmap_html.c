/* heatmap_html.c: the page that stands alone; see heatmap.h.
 *
 * The page draws all heads small at once from what is packed for that, and unpacks a head's own
 * numbers only when it is shown large: a page of 16 heads over 1,000 words opens at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "colours.h"
#include "heatmap.h"
#include "base/display.h"

/* heatmap.html line by line, as the Makefile quotes it. The data stand in the place of one line. */
static const char *const PAGE[] = {
#include "page.inc"
};
static const char PLACE[] = "<!-- the data -->\n";

enum { LARGEST_SIDE = 96 };

/* ---- base64 ---- */

typedef struct {
    FILE *out;
    uint32_t bits;
    int count; /* bytes in bits */
} Base64;

static void put_bits(Base64 *to)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = to->bits << 8 * (3 - to->count);
    for (int i = 0; i < 4; i++)
        fputc(i <= to->count ? DIGITS[bits >> (18 - 6 * i) & 63] : '=', to->out);
    to->bits = 0;
    to->count = 0;
}

static void put_byte(Base64 *to, int byte)
{
    to->bits = to->bits << 8 | (uint32_t)byte;
    if (++to->count == 3)
        put_bits(to);
}

static void end_base64(Base64 *to)
{
    if (to->count)
        put_bits(to);
}

/* ---- A head, whole and small ---- */

void heatmap_put_packed(FILE *out, const Heads *heads, int layer, int head)
{
    const int T = heads->length;
    const Real *P = head_weights(heads, layer, head);
    Base64 to = {.out = out};
    for (int i = 0; i < T; i++)
        for (int j = head_first_key(heads, layer, head, i); j <= i; j++) {
            const int number = (int)lrint(1e4 * (double)ROW(P, i, T)[j]);
            put_byte(&to, number & 0xFF);
            put_byte(&to, number >> 8);
        }
    end_base64(&to);
}

int heatmap_side(const Heads *heads)
{
    return heads->length < LARGEST_SIDE ? heads->length : LARGEST_SIDE;
}

/* The largest weight of a square, not the mean: a line of single words, as heads draw them, would
 * vanish. The root: of many words each gets little. */
void heatmap_put_small(FILE *out, const Heads *heads, int layer, int head)
{
    const int T = heads->length, side = heatmap_side(heads);
    const Real *P = head_weights(heads, layer, head);
    double most[LARGEST_SIDE][LARGEST_SIDE];
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            most[y][x] = -1;
    for (int i = 0; i < T; i++)
        for (int j = head_first_key(heads, layer, head, i); j <= i; j++) {
            double *at = &most[(int64_t)i * side / T][(int64_t)j * side / T];
            *at = fmax(*at, (double)ROW(P, i, T)[j]);
        }
    Base64 to = {.out = out};
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            put_byte(&to, most[y][x] < 0 ? 255 : (int)lround(254 * sqrt(fmin(most[y][x], 1))));
    end_base64(&to);
}

/* ---- What the page is told ---- */

static void put_ramp(FILE *out, const char *name, bool dark)
{
    fprintf(out, "\"%s\":\"", name);
    for (int i = 0; i < 256; i++) {
        const Colour c = colour_of(i / 255.0, dark);
        fprintf(out, "%02x%02x%02x", c.red, c.green, c.blue);
    }
    fputs("\",", out);
}

static void put_number(FILE *out, double number)
{
    if (isnan(number))
        fputs("null", out);
    else
        fprintf(out, "%.4f", number);
}

static void put_head(FILE *out, const Heads *heads, int l, int h)
{
    const HeadSummary s = head_summary(heads, l, h);
    fprintf(out, "{\"layer\":%d,\"head\":%d,\"window\":%d,\"entropy\":", l + 1, h + 1,
            pattern_window_size(head_pattern(heads, l, h)));
    put_number(out, s.entropy);
    fputs(",\"back\":", out);
    put_number(out, s.back);
    fputs(",\"itself\":", out);
    put_number(out, s.itself);
    fputs(",\"before\":", out);
    put_number(out, s.before);
    fputs(",\"bos\":", out);
    put_number(out, s.bos);
    fputs(",\"small\":\"", out);
    heatmap_put_small(out, heads, l, h);
    fputs("\"}", out);
}

static void put_data(FILE *out, const Heads *heads, About about)
{
    char *run = display_text(about.run), *text = display_text(about.text);
    fputs("<script type=\"application/json\" id=\"data\">\n{\"run\":", out);
    put_json(out, run);
    fputs(",\"text\":", out);
    put_json(out, text);
    free(run);
    free(text);
    fputs(",\"words\":[", out);
    for (int i = 0; i < heads->length; i++) {
        fputs(i ? "," : "", out);
        put_json(out, heads->shown[i]);
    }
    fprintf(out, "],\"side\":%d,", heatmap_side(heads));
    put_ramp(out, "light", false);
    put_ramp(out, "dark", true);
    fputs("\n\"heads\":[", out);
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++) {
            fputs(l > heads->layer.from || h > heads->head.from ? ",\n" : "\n", out);
            put_head(out, heads, l, h);
        }
    fputs("]}\n</script>\n", out);
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++) {
            fputs("<script type=\"text/plain\" class=\"packed\">", out);
            heatmap_put_packed(out, heads, l, h);
            fputs("</script>\n", out);
        }
}

void heatmap_html(FILE *out, const Heads *heads, About about)
{
    for (size_t i = 0; i < sizeof PAGE / sizeof *PAGE; i++)
        if (strcmp(PAGE[i], PLACE))
            fputs(PAGE[i], out);
        else
            put_data(out, heads, about);
}
