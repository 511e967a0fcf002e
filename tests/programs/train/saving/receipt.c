/* A receipt is read back as it was written, to the last digit; rows that a resumed run comes to
 * again are replaced; what is not a receipt, or another run's, is refused. */
#include <stb/stb_ds.h>

#include "programs/train/saving/run.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"

static Receipt begun(void)
{
    Settings settings = {0};
    fields_preset(SETTINGS, &settings);
    settings.steps = 30;
    settings.dropout = 0.1;
    const CorpusOrigin origin = {.text = 5, .run = 0x0123456789abcdef, .text_size = 212};
    const Receipt receipt = receipt_begin(&settings, origin, 0, 0);
    fields_free(SETTINGS, &settings);
    return receipt;
}

/* The file that is written; the caller frees it. */
static char *file_of(const Receipt *receipt)
{
    char *folder = scratch_new();
    Directory directory = directory_open(folder);
    assert_true(receipt_write(&directory, receipt));
    const Bytes file = file_read_in(&directory, "receipt.txt", true);
    directory_close(&directory);
    scratch_remove(folder);
    return file.bytes;
}

TEST(a_receipt_is_read_as_it_was_written)
{
    Receipt one = begun(), other;
    const ReceiptRow rows[] = {{0, 30, 6.9807729313211873, 1, UINT64_MAX, false},
                               {10, 30, NAN, 0xfedcba9876543210, 3, false},
                               {2000000000, 2147483647, 1e-300, 0, 0, false}};
    for (int i = 0; i < 3; i++)
        receipt_add(&one, rows[i]);
    char *file = file_of(&one);
    assert_true(receipt_parse(&other, file, 0x0123456789abcdef));
    assert_string_equal(one.head, other.head);
    assert_int_equal(arrlen(other.rows), 3);
    for (int i = 0; i < 3; i++) {
        const ReceiptRow *row = &other.rows[i];
        assert_true(row->step == rows[i].step && row->of == rows[i].of);
        assert_true(row->loss == rows[i].loss || (isnan(row->loss) && isnan(rows[i].loss)));
        assert_true(row->state == rows[i].state && row->model == rows[i].model);
    }
    assert_true(!other.rows[0].replanned && !other.rows[1].replanned && other.rows[2].replanned);
    char *again = file_of(&other), *dropout = receipt_value(&other, "dropout");
    assert_string_equal(file, again);
    assert_string_equal(dropout, "0.1");
    assert_null(receipt_value(&other, "drop"));
    assert_null(receipt_value(&other, "from"));
    free(dropout);
    free(again);
    free(file);
    receipt_free(&one);
    receipt_free(&other);
}

TEST(rows_are_replaced_when_a_run_comes_to_them_again)
{
    Receipt receipt = begun();
    assert_int_equal(receipt_planned(&receipt), 30);
    for (int step = 0; step <= 30; step += 10)
        receipt_add(&receipt, (ReceiptRow){step, 30, step, 1, 1, false});
    receipt_cut(&receipt, 15);
    assert_int_equal(arrlen(receipt.rows), 2);
    receipt_add(&receipt, (ReceiptRow){10, 60, NAN, 2, 2, false}); /* only the plan has changed */
    assert_int_equal(arrlen(receipt.rows), 2);
    assert_true(receipt.rows[1].loss == 10 && receipt.rows[1].state == 2);
    assert_int_equal(receipt_planned(&receipt), 60);
    receipt_add(&receipt, (ReceiptRow){5, 60, 0.5, 3, 3, false});
    assert_int_equal(arrlen(receipt.rows), 2);
    receipt_add(&receipt, (ReceiptRow){5, 60, 0.25, 3, 3, false});
    assert_true(receipt.rows[1].step == 5 && receipt.rows[1].loss == 0.25);
    receipt_free(&receipt);
}

/* Cut anywhere, or with a letter that does not belong there, it is refused or has fewer rows. */
TEST(what_is_not_a_receipt_is_refused)
{
    Receipt one = begun(), other;
    for (int step = 0; step < 3; step++)
        receipt_add(&one, (ReceiptRow){step, 3, step, 1, 1, false});
    char *file = file_of(&one);
    one.rows[2].of = 1; /* a step after the last one */
    char *beyond = file_of(&one);
    assert_false(receipt_parse(&other, beyond, 0));
    free(beyond);
    assert_false(receipt_parse(&other, file, 0x0123456789abcdee));
    assert_false(receipt_parse(&other, "", 0));
    const char *table = strstr(file, "    step");
    assert_non_null(table);
    for (size_t size = strlen(file); size--;) {
        const char was = file[size];
        file[size] = 'x';
        if (file + size >= table)
            assert_false(receipt_parse(&other, file, 0));
        else if (receipt_parse(&other, file, 0))
            receipt_free(&other);
        file[size] = 0;
        if (receipt_parse(&other, file, 0)) {
            assert_true(arrlen(other.rows) < 3);
            receipt_free(&other);
        }
        file[size] = was;
    }
    free(file);
    receipt_free(&one);
}
