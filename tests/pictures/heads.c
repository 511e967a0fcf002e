/* test_heads.c: where heads look, what is said of it, and how it is written. */
#include "tests/helpers/close.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "pictures/heads_file.h"
#include "formats/npy.h"
#include "base/display.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/patterns.h"

static const char LETTERS[] = "a b c d e f g h i j k";
static const int TOKENS[] = {0, 12, 3, 3, 7, 1, 4};
enum { T = 7 };

static void test_rows(void **state)
{
    (void)state;
    Tokenizer words = literal_tokenizer(LETTERS, TOKENIZER_WORD, false);
    for (int c = 0; c < CASE_COUNT; c++) {
        const GptConfig *shape = &CASES[c].shape;
        Gpt gpt = case_model(&CASES[c]);
        Heads heads = heads_look(&gpt, &words, TOKENS, T);
        assert_int_equal(words.vocabulary.count, shape->vocabulary);
        assert_true(heads.begun);
        assert_string_equal(heads.tokens[1], "k");
        size_t seen_by_all = 0;
        for (int l = 0; l < shape->layers; l++)
            for (int h = 0; h < shape->heads; h++) {
                const int window = shape->patterns
                                       ? pattern_window_size(shape->patterns[l * shape->heads + h])
                                       : 0;
                const Real *P = head_weights(&heads, l, h);
                size_t pairs = 0;
                for (int i = 0; i < T; i++) {
                    double sum = 0;
                    for (int j = 0; j < T; j++) {
                        const bool seen = j <= i && (!window || i - j < window);
                        assert_int_equal(seen, j <= i && j >= head_first_key(&heads, l, h, i));
                        assert_true(seen ? P[i * T + j] > 0 : P[i * T + j] == 0);
                        sum += (double)P[i * T + j];
                        pairs += seen;
                    }
                    assert_close_one("a row's sum", sum, 1, 1e-5);
                }
                assert_int_equal(head_pairs(&heads, l, h), pairs);
                seen_by_all += pairs;
            }
        assert_int_equal(heads_pairs(&heads), seen_by_all);
        heads_free(&heads);
        gpt_free(&gpt);
    }
    tokenizer_free(&words);
}

/* A model of one layer that was never run: the weights are given. */
static Heads made(int heads, int length, Real *weights, Pattern *patterns)
{
    static char *words[] = {"[bos]", "un", "gato"};
    return (Heads){.heads = heads,
                   .length = length,
                   .layer = {0, 1},
                   .head = {0, heads},
                   .begun = true,
                   .tokens = words,
                   .shown = words,
                   .patterns = patterns,
                   .weights = weights};
}

static void assert_summary(const Heads *heads, int head, HeadSummary wanted)
{
    const HeadSummary got = head_summary(heads, 0, head);
    assert_close_one("entropy", got.entropy, wanted.entropy, 1e-6);
    assert_close_one("back", got.back, wanted.back, 1e-6);
    assert_close_one("itself", got.itself, wanted.itself, 1e-6);
    assert_close_one("before", got.before, wanted.before, 1e-6);
    assert_close_one("bos", got.bos, wanted.bos, 1e-6);
}

static void test_summaries(void **state)
{
    (void)state;
    Real weights[] = {
        1, 0, 0, 0,    1,    0, 0,   0,    1,    /* each at itself            */
        1, 0, 0, 1,    0,    0, 0,   1,    0,    /* each at the one before    */
        1, 0, 0, 0.5,  0.5,  0, 0.5, 0.25, 0.25, /* 0, 1 and 1.5 bits         */
        1, 0, 0, 0.25, 0.75, 0, 0,   0.5,  0.5,  /* a window of 2             */
    };
    Pattern patterns[] = {W(0), W(0), W(0), W(2)};
    Heads heads = made(4, 3, weights, patterns);
    assert_summary(&heads, 0, (HeadSummary){0, 0, 1, 0, 0});
    assert_summary(&heads, 1, (HeadSummary){0, 2 / 3.0, 1 / 3.0, 1, 0.5});
    assert_summary(&heads, 2, (HeadSummary){2.5 / 3, 1.75 / 3, 1.75 / 3, 0.375, 0.5});
    assert_summary(&heads, 3, (HeadSummary){1.8112781245 / 3, 0.75 / 3, 2.25 / 3, 0.375, 0.125});

    assert_false(signbit(head_summary(&heads, 0, 0).entropy));
    heads.begun = false;
    assert_true(isnan(head_summary(&heads, 0, 1).bos));
    assert_close_one("before", head_summary(&heads, 0, 1).before, 1, 0);
    Heads one = made(1, 1, weights, patterns);
    assert_true(isnan(head_summary(&one, 0, 0).before));
    assert_true(isnan(head_summary(&one, 0, 0).bos));
}

static void test_npy(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);
    npy_begin(out, (const int[]){2, 3}, 2);
    npy_numbers(out, (const Real[]){0, 1, 2, 3, 4, -0.5}, 6);
    fclose(out);
    const char wanted[] = "\x93NUMPY\1\0\x76\0"
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    assert_memory_equal(bytes, wanted, sizeof wanted - 1);
    assert_int_equal(size, 128 + 24);
    assert_int_equal(bytes[127], '\n');
    for (size_t i = sizeof wanted - 1; i < 127; i++)
        assert_int_equal(bytes[i], ' ');
    assert_memory_equal(bytes + 128, ((const float[]){0, 1, 2, 3, 4, -0.5f}), 24);
    free(bytes);

    out = open_memstream(&bytes, &size);
    npy_begin(out, (const int[]){5}, 1);
    fclose(out);
    assert_non_null(memmem(bytes, size, "(5,)", 4));
    assert_int_equal(size % 64, 0);
    free(bytes);
}

static char *written(const char *folder, const char *name, const Heads *heads)
{
    char *path = format_text("%s/%s", folder, name);
    assert_null(heads_too_many(path, heads));
    assert_true(heads_write(path, heads, (About){"ru\"n", "un </script>"}));
    Bytes file = file_read(path, false);
    free(path);
    return file.bytes;
}

static void test_files(void **state)
{
    (void)state;
    char *folder = scratch_new();
    Real weights[] = {1, 0, 0.25, 0.75, 1, 0, 0, 1};
    Pattern patterns[] = {W(0), W(1)};
    char *words[] = {"[bos]", "a\"b,\n"};
    Heads heads = made(2, 2, weights, patterns);
    heads.tokens = heads.shown = words;

    char *csv = written(folder, "a.csv", &heads);
    assert_string_equal(csv, "layer,head,query,key,query_token,key_token,weight\n"
                             "1,1,1,1,\"[bos]\",\"[bos]\",1\n"
                             "1,1,2,1,\"a\"\"b,\n\",\"[bos]\",0.25\n"
                             "1,1,2,2,\"a\"\"b,\n\",\"a\"\"b,\n\",0.75\n"
                             "1,2,1,1,\"[bos]\",\"[bos]\",1\n"
                             "1,2,2,2,\"a\"\"b,\n\",\"a\"\"b,\n\",1\n");
    free(csv);
    heads.head.from = 1;
    char *json = written(folder, "a.JSON", &heads);
    assert_string_equal(
        json,
        "{\"run\": \"ru\\\"n\",\n\"text\": \"un \\u003c/script\\u003e\",\n"
        "\"tokens\": [\"[bos]\", \"a\\\"b,\\u000a\"],\n\"layers\": [1],\n\"heads\": [2],\n"
        "\"windows\": [[1]],\n\"summary\": [[{\"entropy_bits\": 0, \"back\": 0, \"itself\": 1, "
        "\"before\": 0, \"bos\": 0}]],\n\"weights\": [[[[1,0],\n[0,1]]]]\n}\n");
    free(json);
    assert_int_equal(scratch_count(folder), 2);
    scratch_remove(folder);
}

static void test_endings(void **state)
{
    (void)state;
    static const char *const known[] = {"a.html", "a.SVG", "d.x/a.npy", ".csv", "a.b.json"};
    static const char *const unknown[] = {"a",    "a.pdf",     "a.html/b", "a.html/",
                                          "html", "a.html.gz", "",         "/dev/stdout"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(heads_ending_is_known(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(heads_ending_is_known(unknown[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),  cmocka_unit_test(test_summaries), cmocka_unit_test(test_npy),
        cmocka_unit_test(test_files), cmocka_unit_test(test_endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
