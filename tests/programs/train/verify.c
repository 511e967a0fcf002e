/* verify finds a single changed bit of one weight, of a moment or of the best weights in any
 * checkpoint, whose own checksum is right; and a row of the receipt that training does not come to.
 * It leaves every file as it is. */

#include "programs/train/session.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"

enum { STEPS = 6 };

/* A run of six steps, evaluated at 0, 2, 4 and 6, and kept there. */
static char *run_new(const char *folder)
{
    static const char text[] = "el perro come\nel gato come\nun perro ladra\n";
    char *path = scratch_write(folder, "text.txt", text, strlen(text));
    char *run = format_text("%s/run", folder);
    const char *const sizes[] = {"layers", "1", "heads", "1", "width", "4", "hidden", "4", NULL};
    const char *const options[] = {"steps", "6", "average",          "on", "keep", "9",
                                   "batch", "2", "checkpoint-every", "2",  "out",  run,
                                   NULL};
    Trainer t;
    tiny_open(&t, (char *[]){path, NULL}, sizes, options);
    assert_true(trainer_begin_files(&t, "a test"));
    for (int step = 0; step <= STEPS; step += 2) {
        const double loss = trainer_evaluate(&t);
        receipt_add(&t.receipt, trainer_receipt_row(&t, loss));
        assert_true(trainer_save(&t));
        assert_true(trainer_keep(&t, true));
        for (int i = 0; i < 2 && step < STEPS; i++)
            trainer_step(&t);
    }
    trainer_close(&t);
    free(path);
    return run;
}

/* Verifies a run, a checkpoint, or a receipt of this text; *printed receives what it prints, which
 * the caller frees. */
static bool verify_at(const char *path, char *text, char **printed)
{
    volatile sig_atomic_t asked = 0;
    Session session = {.screen = {.bold = "", .plain = ""}, .asked = &asked};
    session.trainer =
        (Trainer){.texts = (char *[]){text, NULL}, .plan.settings.verify = format_text("%s", path)};
    capture_begin();
    const bool same = verify(&session);
    *printed = capture_end();
    return same;
}

static void assert_verified(const char *path, bool same, const char *text)
{
    char *printed;
    if (verify_at(path, NULL, &printed) != same || !strstr(printed, text))
        fail_msg("%s: '%s' is not in: %s", path, text, printed);
    free(printed);
}

/* Opens a run where it stopped. */
static void resume(Trainer *t, const char *path)
{
    static char *no_texts[] = {NULL};
    *t = (Trainer){.texts = no_texts};
    fields_preset(SETTINGS, &t->plan.settings);
    t->plan.settings.resume = format_text("%s", path);
    trainer_open(t);
}

/* Changes the lowest bit of a number in what a checkpoint holds, and saves it: the checksums of its
 * files are right. Which: of the weights, the moments, the averaged weights, or the best ones. */
static void spoil(const char *path, int which)
{
    Trainer t;
    resume(&t, path);
    Real *const blocks[] = {t.gpt.weight_block, t.optimizer.m, t.optimizer.v, t.optimizer.average,
                            t.best};
    uint32_t bits;
    memcpy(&bits, &blocks[which][3], sizeof bits);
    bits ^= 1;
    memcpy(&blocks[which][3], &bits, sizeof bits);
    assert_true(trainer_save(&t));
    trainer_close(&t);
}

/* What a receipt calls the state: weights, both moments, and the averaged weights. */
TEST(every_number_of_the_state_is_in_its_checksum)
{
    char *folder = scratch_new(), *run = run_new(folder);
    Trainer t;
    resume(&t, run);
    Real *const blocks[] = {t.gpt.weight_block, t.optimizer.m, t.optimizer.v, t.optimizer.average};
    const uint64_t before = state_checksum(&t.gpt, &t.optimizer);
    for (int i = 0; i < 4; i++) {
        const Real number = blocks[i][3];
        blocks[i][3] += 1;
        assert_true(state_checksum(&t.gpt, &t.optimizer) != before);
        blocks[i][3] = number;
    }
    assert_true(state_checksum(&t.gpt, &t.optimizer) == before);
    trainer_close(&t);
    free(run);
    scratch_remove(folder);
}

TEST(a_whole_run_is_the_same)
{
    char *folder = scratch_new(), *run = run_new(folder);
    char *middle = format_text("%s/checkpoint-2", run);
    const int files = scratch_count(run);
    assert_verified(run, true, "the same, bit by bit: 4 rows, from step 0 to step 6");
    assert_verified(middle, true, "the same, bit by bit: 2 rows, from step 2 to step 4");
    assert_int_equal(scratch_count(run), files);
    free(middle);
    free(run);
    scratch_remove(folder);
}

TEST(a_changed_bit_of_one_weight_is_found)
{
    for (int step = 0; step <= STEPS; step += 2)
        for (int which = 0; which < (step ? 5 : 4); which++) { /* the first weights are no best */
            char *folder = scratch_new(), *run = run_new(folder);
            char *checkpoint = format_text("%s/checkpoint-%d", run, step);
            char *differs = format_text("%s/", checkpoint);
            spoil(checkpoint, which);
            assert_verified(run, false, differs);
            assert_verified(checkpoint, false, differs);
            free(differs);
            free(checkpoint);
            free(run);
            scratch_remove(folder);
        }
}

/* In each column of each row of a receipt by itself. */
TEST(a_row_that_training_does_not_come_to_is_found)
{
    static const char *const whats[] = {"the evaluated loss", "the weights, or what",
                                        "the best weights"};
    char *folder = scratch_new(), *run = run_new(folder), *alone = scratch_new();
    char *text = format_text("%s/text.txt", run), *path = format_text("%s/receipt.txt", alone);
    Directory from = directory_open(run), to = directory_open(alone);
    const Bytes file = file_read_in(&from, "receipt.txt", true);
    for (int i = 0; i < 3 * 4; i++) {
        Receipt receipt;
        assert_true(receipt_parse(&receipt, file.bytes, 0));
        ReceiptRow *row = &receipt.rows[i / 3];
        row->loss = i % 3 == 0 ? nextafter(row->loss, 0) : row->loss;
        row->state ^= i % 3 == 1;
        row->model ^= i % 3 == 2;
        assert_true(receipt_write(&to, &receipt));
        char *printed, *where = row->step ? format_text("step %d and step %d", (int)row->step - 2,
                                                        (int)row->step)
                                          : format_text("at step 0");
        assert_false(verify_at(path, text, &printed));
        for (char *at = printed; (at = strchr(at, '\n')); at++)
            *at = ' '; /* where the line was broken */
        assert_non_null(strstr(printed, where));
        assert_non_null(strstr(printed, whats[i % 3]));
        free(printed);
        free(where);
        receipt_free(&receipt);
    }
    free(file.bytes);
    directory_close(&from);
    directory_close(&to);
    free(text);
    free(path);
    free(run);
    scratch_remove(folder);
    scratch_remove(alone);
}
