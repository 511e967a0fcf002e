/* counting.c: what is counted, and what is predicted. */
#include <math.h>

#include "tests/helpers/close.h"
#include "tests/helpers/corpora.h"
#include "training/plan/counting.h"

/* What counting reaches on a tenth of a text that is held out. */
static Counting counting_in(const char *path, ObjectiveKind objective, TokenizerKind kind,
                            bool stream, int context, double held_out)
{
    Text text = text_read(path, false);
    Tokenizer t;
    Corpus c = corpus_for(objective, kind, stream, text.clean, &t);
    corpus_cut(&c, context, held_out, 1);
    const Counting found = counting_of(&c);
    corpus_free(&c);
    tokenizer_free(&t);
    text_free(&text);
    return found;
}

/* The value is that of a program in Python with dictionaries, written from the formulas alone. */
static void test_a_stream_of_characters(void **state)
{
    (void)state;
    const Counting found =
        counting_in("data/cuentos.txt", OBJECTIVE_NEXT, TOKENIZER_CHAR, true, 64, 0.1);
    assert_int_equal(found.order, 8);
    assert_true(fabs(found.loss - 0.988677) < 1e-6);
    assert_false(found.some);
}

/* A model of a small context reads long lines in pieces; counting does not. */
static void test_lines_are_counted_whole(void **state)
{
    (void)state;
    const double whole =
        counting_in("data/cuentos.txt", OBJECTIVE_NEXT, TOKENIZER_WORD, false, 100, 0.1).loss;
    const double cut =
        counting_in("data/cuentos.txt", OBJECTIVE_NEXT, TOKENIZER_WORD, false, 5, 0.1).loss;
    assert_true(fabs(whole - cut) < 1e-12);
    assert_true(whole > 2 && whole < 4);
}

static void test_what_has_no_counting(void **state)
{
    (void)state;
    assert_true(
        isnan(counting_in("data/perro.txt", OBJECTIVE_NEXT, TOKENIZER_WORD, false, 8, 0).loss));
    assert_true(
        isnan(counting_in("data/perro.txt", OBJECTIVE_MASKED, TOKENIZER_WORD, false, 8, 0.3).loss));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_of_characters),
        cmocka_unit_test(test_lines_are_counted_whole),
        cmocka_unit_test(test_what_has_no_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
