/* training_text.c: only the record of a run says which text its model was trained on. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/corpus/counts.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"
#include "training/run/training_text.h"

static const char TEXT[] = "un gato come\nun perro salta\n";

/* The directory of a run on TEXT, inside the folder. */
static char *write_run(const char *folder)
{
    char *path = scratch_write(folder, "text.txt", TEXT, strlen(TEXT));
    char *run = format_text("%s/run", folder);
    tiny_run(run, path, (const char *[]){NULL});
    free(path);
    return run;
}

static TrainingText open_text(const char *run, const char *text_path)
{
    Pretrained model = pretrained_open(run);
    TrainingText text = training_text_open(&model, text_path);
    pretrained_close(&model);
    return text;
}

/* Takes the record of the text out of config.json, as if someone else had made the model. */
static void forget_text(const char *run)
{
    char *path = format_text("%s/config.json", run);
    Bytes config = file_read(path, true);
    char *record = strstr(config.bytes, "\"text\"");
    assert_non_null(record);
    memcpy(record, "\"else\"", 6);
    free(scratch_write(run, "config.json", config.bytes, config.size));
    free(config.bytes);
    free(path);
}

static void test_a_run_has_its_own_text(void **state)
{
    (void)state;
    char *folder = scratch_new(), *run = write_run(folder);
    TrainingText text = open_text(run, NULL);
    assert_true(text.there);
    size_t next[16];
    assert_int_equal(counts_next(&text.corpus, next, 16, (const int[]){0, 2}, 2), 2); /* un */
    training_text_free(&text);
    free(run);
    scratch_remove(folder);
}

/* It was refused because of a file that has nothing to do with it. */
static void test_a_text_beside_someone_elses_model_is_left_alone(void **state)
{
    (void)state;
    char *folder = scratch_new(), *run = write_run(folder);
    forget_text(run);
    free(scratch_write(run, "text.txt", "otra cosa\n", 10));
    TrainingText text = open_text(run, NULL);
    assert_false(text.there);
    training_text_free(&text);
    free(run);
    scratch_remove(folder);
}

static void open_it(void *run)
{
    open_text(run, NULL);
}

static void test_another_text_is_refused(void **state)
{
    (void)state;
    char *folder = scratch_new(), *run = write_run(folder);
    free(scratch_write(run, "text.txt", "un perro salta\n", 15));
    assert_dies(open_it, run, "text.txt is not the text that", "was trained on");
    free(run);
    scratch_remove(folder);
}

/* A text that cannot be looked for was taken for one that is not there. */
static void test_an_error_is_not_an_absent_text(void **state)
{
    (void)state;
    char *folder = scratch_new(), *run = write_run(folder);
    char *path = format_text("%s/text.txt", run);
    assert_int_equal(remove(path), 0);
    assert_int_equal(symlink("text.txt", path), 0); /* leads to itself */
    assert_dies(open_it, run, "text.txt");
    free(path);
    free(run);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_has_its_own_text),
        cmocka_unit_test(test_a_text_beside_someone_elses_model_is_left_alone),
        cmocka_unit_test(test_another_text_is_refused),
        cmocka_unit_test(test_an_error_is_not_an_absent_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
