/* test_heatmap.c: the pictures: what is packed into a page comes out again, colours are even. */
#include "tests/helpers/close.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/colours.h"
#include "pictures/heatmap.h"
#include "tests/helpers/patterns.h"

enum { LONG = 200 };

/* Heads of the given length, with every row's weights spread unevenly over what it may see. */
static Heads spread(int length, Pattern *patterns, int count)
{
    const size_t T = (size_t)length;
    Heads heads = {.heads = count,
                   .length = length,
                   .layer = {0, 1},
                   .head = {0, count},
                   .patterns = patterns,
                   .tokens = memory_new(T, sizeof *heads.tokens, "words"),
                   .weights = memory_new((size_t)count * T * T, sizeof(Real), "weights")};
    heads.shown = heads.tokens;
    for (int i = 0; i < length; i++)
        heads.tokens[i] = i % 2 ? "<b>" : "\"&";
    for (int h = 0; h < count; h++)
        for (int i = 0; i < length; i++) {
            Real *row = heads.weights + ((size_t)h * T + (size_t)i) * T;
            double sum = 0;
            for (int j = head_first_key(&heads, 0, h, i); j <= i; j++)
                sum += exp(4 * sin(i + 7.0 * j + h));
            for (int j = head_first_key(&heads, 0, h, i); j <= i; j++)
                row[j] = (Real)(exp(4 * sin(i + 7.0 * j + h)) / sum);
        }
    return heads;
}

static void spread_free(Heads *heads)
{
    free(heads->tokens);
    free(heads->weights);
}

/* ---- base64, by its definition ---- */

static unsigned char *decoded(const char *text, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *bytes = memory_new(strlen(text) + 1, 1, "bytes");
    uint32_t bits = 0;
    int count = 0;
    *size = 0;
    assert_int_equal(strlen(text) % 4, 0);
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        assert_non_null(digit);
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8)
            bytes[(*size)++] = (unsigned char)(bits >> (count -= 8));
    }
    return bytes;
}

typedef void PutHead(FILE *out, const Heads *heads, int layer, int head);

static unsigned char *bytes_of(PutHead *put, const Heads *heads, int head, size_t *size)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    put(out, heads, 0, head);
    fclose(out);
    unsigned char *bytes = decoded(text, size);
    free(text);
    return bytes;
}

static void test_packed(void **state)
{
    (void)state;
    for (int T = 1; T < 30; T++) {
        Pattern patterns[] = {W(0), W(1), W(3), W(40)};
        Heads heads = spread(T, patterns, 4);
        for (int h = 0; h < 4; h++) {
            size_t size;
            unsigned char *bytes = bytes_of(heatmap_put_packed, &heads, h, &size), *at = bytes;
            assert_int_equal(size, 2 * head_pairs(&heads, 0, h));
            for (int i = 0; i < T; i++)
                for (int j = head_first_key(&heads, 0, h, i); j <= i; j++, at += 2) {
                    char shown[16], wanted[16]; /* to the digit, not only close */
                    snprintf(shown, sizeof shown, "%.4f", (at[0] | at[1] << 8) / 1e4);
                    snprintf(wanted, sizeof wanted, "%.4f",
                             (double)ROW(head_weights(&heads, 0, h), i, T)[j]);
                    assert_string_equal(shown, wanted);
                }
            free(bytes);
        }
        spread_free(&heads);
    }
}

static void test_small(void **state)
{
    (void)state;
    Pattern patterns[] = {W(0), W(1)};
    for (int T = 5; T <= LONG; T += LONG - 5) {
        Heads heads = spread(T, patterns, 2);
        const int side = heatmap_side(&heads);
        assert_int_equal(side, T == 5 ? 5 : 96);
        for (int h = 0; h < 2; h++) {
            size_t size;
            unsigned char *bytes = bytes_of(heatmap_put_small, &heads, h, &size);
            assert_int_equal(size, side * side);
            for (int y = 0; y < side; y++)
                for (int x = 0; x < side; x++) {
                    double most = -1;
                    for (int i = 0; i < T; i++)
                        for (int j = head_first_key(&heads, 0, h, i); j <= i; j++)
                            if (i * side / T == y && j * side / T == x)
                                most = fmax(most, (double)ROW(head_weights(&heads, 0, h), i, T)[j]);
                    const int got = bytes[y * side + x];
                    if (most < 0)
                        assert_int_equal(got, 255);
                    else
                        assert_close_one("a square", got / 254.0, sqrt(most), 0.51 / 254);
                }
            free(bytes);
        }
        spread_free(&heads);
    }
}

/* ---- Colours ---- */

static double light_of(int eight_bits)
{
    const double value = eight_bits / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Oklab's lightness of a colour. */
static double lightness(Colour c)
{
    const double r = light_of(c.red), g = light_of(c.green), b = light_of(c.blue);
    return 0.2104542553 * cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) +
           0.7936177850 * cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) -
           0.0040720468 * cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
}

static void test_colours(void **state)
{
    (void)state;
    for (int dark = 0; dark < 2; dark++) {
        const double from = lightness(colour_of(0, dark)), to = lightness(colour_of(1, dark));
        assert_true(dark ? to - from > 0.65 : from - to > 0.65);
        for (int i = 0; i <= 100; i++) {
            const double wanted = from + (to - from) * i / 100;
            assert_close_one("lightness", lightness(colour_of(i / 100.0, dark)), wanted, 0.004);
        }
        /* Rounding may leave a weight a little outside. */
        assert_close_one("beyond", lightness(colour_of(1.0001, dark)), to, 0);
        assert_close_one("beyond", lightness(colour_of(-0.0001, dark)), from, 0);
    }
    assert_true(colour_wants_white(colour_of(1, false)));
    assert_false(colour_wants_white(colour_of(0, false)));
    assert_true(colour_wants_white(colour_of(0, true)));
    assert_false(colour_wants_white(colour_of(1, true)));
}

/* ---- Whole pictures ---- */

static int count_of(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

static const About ABOUT = {"run</script>", "<b>\"& x"};

static char *picture(void (*put)(FILE *, const Heads *, About), const Heads *heads)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put(out, heads, ABOUT);
    fclose(out);
    return text;
}

static void test_page(void **state)
{
    (void)state;
    Pattern patterns[] = {W(0), W(2), W(3), W(4)};
    Heads heads = spread(6, patterns, 4);
    char *page = picture(heatmap_html, &heads);
    assert_int_equal(count_of(page, "<!doctype html>"), 1);
    assert_int_equal(count_of(page, "class=\"packed\""), 4);
    assert_int_equal(count_of(page, "\"small\":"), 4);
    assert_int_equal(count_of(page, "<!-- the data -->"), 0);
    assert_int_equal(count_of(page, "run</script>"), 0);
    assert_int_equal(count_of(page, "run\\u003c/script\\u003e"), 1);
    assert_int_equal(count_of(page, "<script"), count_of(page, "</script>"));
    assert_int_equal(count_of(page, "http://") + count_of(page, "https://"), 0);
    free(page);
    heads.head = (Range){2, 3};
    page = picture(heatmap_html, &heads);
    assert_int_equal(count_of(page, "class=\"packed\""), 1);
    assert_int_equal(count_of(page, "\"head\":3,\"window\":3,"), 1);
    free(page);
    spread_free(&heads);
}

static void test_figure(void **state)
{
    (void)state;
    Pattern patterns[] = {W(0), W(2)};
    Heads heads = spread(12, patterns, 2);
    char *figure = picture(heatmap_svg, &heads);
    /* a cell for each pair that may be seen, and beside them: the ground, a panel's hatching and
     * the hatching's own ground, the key */
    assert_int_equal(count_of(figure, "<rect "), (int)heads_pairs(&heads) + 1 + 2 + 1 + 64 + 1);
    assert_int_equal(count_of(figure, "&lt;b&gt;"), 6 * 3 + 1);
    assert_int_equal(count_of(figure, "<b>"), 0);
    assert_int_equal(count_of(figure, "layer 1, head 2"), 1);
    assert_int_equal(count_of(figure, "<g"), count_of(figure, "</g>"));
    assert_int_equal(count_of(figure, "nan"), 0);
    free(figure);
    spread_free(&heads);
}

static void test_limits(void **state)
{
    (void)state;
    Pattern patterns[] = {W(0), W(0)};
    Heads heads = {
        .heads = 2, .length = 4096, .layer = {0, 1}, .head = {0, 2}, .patterns = patterns};
    char *wrong = heads_too_many("a.html", &heads);
    assert_non_null(wrong);
    assert_non_null(strstr(wrong, "--layer and --head"));
    free(wrong);
    assert_null(heads_too_many("a.npy", &heads));
    heads.length = 1000;
    assert_null(heads_too_many("a.html", &heads));
    wrong = heads_too_many("a.svg", &heads);
    assert_non_null(strstr(wrong, ".svg"));
    free(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed),  cmocka_unit_test(test_small),
        cmocka_unit_test(test_colours), cmocka_unit_test(test_page),
        cmocka_unit_test(test_figure),  cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
