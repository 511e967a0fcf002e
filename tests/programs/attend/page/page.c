/* page.c: the data in a page are those of the heads: the packed weights to the last digit, the
 * small pictures, the ranges of keys; and no word of a text becomes markup. */
#include "tests/helpers/close.h"

#include "programs/attend/page/page.h"
#include "tests/helpers/maps.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/scratch.h"

/* Base64, decoded after its definition. */
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

typedef void PutHead(FILE *out, const Heads *heads, const Head *head);

static unsigned char *bytes_of(PutHead *put, const Heads *heads, const Head *head, size_t *size)
{
    capture_begin();
    put(stdout, heads, head);
    char *text = capture_end();
    unsigned char *bytes = decoded(text, size);
    free(text);
    return bytes;
}

/* Causal, three windows, the whole sequence, and many ranges. */
static const Pattern OF_HEADS[] = {W(0), W(1), W(3), W(40), W(0), STRIDED(2)};
enum { COUNT = sizeof OF_HEADS / sizeof *OF_HEADS };

static Heads every_kind(int length)
{
    Heads heads = maps_new(length, COUNT, OF_HEADS, NULL);
    maps_see_prefix(&heads, COUNT - 2, length);
    return heads;
}

TEST(packed_weights_are_exact_to_four_decimals)
{
    for (int T = 1; T < 30; T++) {
        Heads heads = every_kind(T);
        EACH_HEAD (head, &heads) {
            size_t size;
            unsigned char *bytes = bytes_of(page_put_map, &heads, head, &size), *at = bytes;
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++) {
                    if (!maps_has(head, i, j))
                        continue;
                    char got[16], wanted[16];
                    snprintf(got, sizeof got, "%.4f", (at[0] | at[1] << 8) / 1e4);
                    snprintf(wanted, sizeof wanted, "%.4f", (double)ROW(head->map, i, T)[j]);
                    assert_string_equal(got, wanted);
                    at += 2;
                }
            assert_int_equal(size, at - bytes);
            free(bytes);
        }
        heads_free(&heads);
    }
}

TEST(small_pictures_show_the_largest_weights)
{
    enum { LONG = 200 };
    for (int T = 5; T <= LONG; T += LONG - 5) {
        Heads heads = every_kind(T);
        const int side = page_side(&heads);
        assert_int_equal(side, T == 5 ? 5 : 96);
        EACH_HEAD (head, &heads) {
            double largest[96][96];
            for (int y = 0; y < side; y++)
                for (int x = 0; x < side; x++)
                    largest[y][x] = -1;
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++)
                    if (maps_has(head, i, j)) {
                        double *at = &largest[i * side / T][j * side / T];
                        *at = fmax(*at, (double)ROW(head->map, i, T)[j]);
                    }
            size_t size;
            unsigned char *bytes = bytes_of(page_put_small, &heads, head, &size);
            assert_int_equal(size, side * side);
            for (int y = 0; y < side; y++)
                for (int x = 0; x < side; x++)
                    if (largest[y][x] < 0)
                        assert_int_equal(bytes[y * side + x], 255);
                    else
                        assert_close_one("a square", bytes[y * side + x] / 254.0,
                                         sqrt(largest[y][x]), 0.51 / 254);
            free(bytes);
        }
        heads_free(&heads);
    }
}

/* A page with maps made by hand, beside a model that it does not carry. */
static void write_static(FILE *out, const Heads *heads)
{
    char *folder = scratch_new();
    Pretrained written = write_model(folder, PLAIN), model = pretrained_open(folder);
    const TrainingText no_text = {.there = false};
    const PageSource source = {.model = &model, .training_text = &no_text};
    page_write(out, heads, &source);
    pretrained_close(&model);
    free_model(&written);
    scratch_remove(folder);
}

TEST(a_page_is_whole_and_harmless)
{
    Heads heads = every_kind(6);
    char *page = maps_written(write_static, &heads);
    assert_memory_equal(page, PAGE_BEGIN, strlen(PAGE_BEGIN));
    assert_int_equal(count_parts(page, "<!doctype html>"), 1);
    assert_int_equal(count_parts(page, "class=\"packed\""), COUNT);
    assert_int_equal(count_parts(page, "\"small\":"), COUNT);
    assert_int_equal(count_parts(page, "<!-- the data -->"), 0);
    assert_int_equal(count_parts(page, "run</script>"), 0);
    assert_int_equal(count_parts(page, "run\\u003c/script\\u003e"), 1);
    assert_int_equal(count_parts(page, "<script"), count_parts(page, "</script>"));
    assert_int_equal(count_parts(page, "http://") + count_parts(page, "https://"), 0);
    free(page);
    heads_free(&heads);
}

TEST(a_page_knows_its_ranges_of_keys_and_its_source)
{
    Heads heads = every_kind(4);
    char *page = maps_written(write_static, &heads);
    assert_non_null(strstr(page, "\"pattern\":\"all\""));
    assert_non_null(strstr(page, "\"pattern\":\"window 3\""));
    assert_int_equal(count_parts(page, "\"ranges\":[[[1,1]],[[1,2]],[[1,3]],[[1,4]]]"), 2);
    assert_int_equal(count_parts(page, "\"ranges\":[[[1,1]],[[2,2]],[[3,3]],[[4,4]]]"), 1);
    assert_int_equal(count_parts(page, "\"ranges\":[[[1,1]],[[1,2]],[[1,3]],[[2,4]]]"), 1);
    assert_int_equal(count_parts(page, "\"ranges\":[[[1,4]],[[1,4]],[[1,4]],[[1,4]]]"), 1);
    assert_int_equal(count_parts(page, "\"ranges\":[[[1,1]],[[2,2]],[[1,1],[3,3]],[[2,2],[4,4]]]"),
                     1);
    assert_non_null(strstr(page, "\"source\":0,\"prefix\":0,"));
    free(page);
    heads.source = heads.prefix = 3;
    page = maps_written(write_static, &heads);
    assert_non_null(strstr(page, "\"source\":3,\"prefix\":3,"));
    assert_int_equal(count_parts(page, "\"after\": null"), 0);
    free(page);
    heads_free(&heads);
}
