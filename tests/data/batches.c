/* batches.c: pieces as the rows of a batch: what each reads, what it is to predict, and where it
 * stands. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "data/corpus/batches.h"
#include "tests/helpers/close.h"
#include "tests/helpers/corpora.h"

static void assert_ints(const int *got, const int *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (got[i] != wanted[i])
            fail_msg("number %zu is %d, wanted %d", i, got[i], wanted[i]);
}

static void test_pieces_become_rows(void **state)
{
    (void)state;
    Corpus c = corpus_of_string("a b c d e f g\nh i\nj\n", false, false);
    corpus_cut(&c, 3, 0, 1);
    BatchRoom room = batch_room_new(13);
    const Batch batch = batch_fill(&room, &c, c.train.list, 5, (HideDraw){.row = 40});
    assert_int_equal(batch.rows, 13);
    assert_int_equal(batch.sequences, 5);
    assert_int_equal(batch.first_row, 40);
    assert_int_equal(batch.counted, 13);
    /* Only a line's first piece reads [bos] and only its last predicts [eos]. */
    assert_ints(batch.start, (const int[]){0, 3, 6, 8, 11, 13}, 6);
    assert_ints(batch.tokens, (const int[]){0, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 0, 11}, 13);
    assert_ints(batch.targets, (const int[]){2, 3, 4, 5, 6, 7, 8, 1, 9, 10, 1, 11, 1}, 13);
    assert_ints(batch.positions, (const int[]){0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1}, 13);

    /* The same room again, with pieces in another order. */
    const Piece some[] = {{13, 2}, {3, 3}};
    const Batch again = batch_fill(&room, &c, some, 2, (HideDraw){.row = 0});
    assert_int_equal(again.rows, 5);
    assert_int_equal(again.first_row, 0);
    assert_ints(again.start, (const int[]){0, 2, 5}, 3);
    assert_ints(again.tokens, (const int[]){0, 11, 4, 5, 6}, 5);
    assert_ints(again.targets, (const int[]){11, 1, 5, 6, 7}, 5);
    assert_ints(again.positions, (const int[]){0, 1, 0, 1, 2}, 5);
    batch_room_free(&room);
    corpus_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_become_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
