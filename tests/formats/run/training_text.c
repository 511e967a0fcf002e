/* training_text.c: only the record of a run says which text its model was trained on. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/run/training_text.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"
#include "text/corpus/counts.h"

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

static const char TEXT[] = "un gato come\nun perro salta\n";

/* A folder, and in it the directory of a run on TEXT. */
static char *folder, *run;

static int begin(void **state)
{
    (void)state;
    folder = scratch_new();
    run = format_text("%s/run", folder);
    char *path = scratch_write(folder, "text.txt", TEXT, strlen(TEXT));
    tiny_run(run, path, (const char *[]){NULL});
    free(path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(run);
    scratch_remove(folder);
    return 0;
}

static TrainingText open_text(void)
{
    Pretrained model = pretrained_open(run);
    TrainingText text = training_text_open(&model, NULL);
    pretrained_close(&model);
    return text;
}

/* Takes the record of the text out of config.json, as if someone else had made the model. */
static void forget_text(void)
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

static void a_run_has_its_own_text(void **state)
{
    (void)state;
    TrainingText text = open_text();
    assert_true(text.there);
    size_t next[16];
    const Tokenizer words = {.kind = TOKENIZER_WORD};
    const int un[] = {0, 2};
    assert_int_equal(counts_next(&text.corpus, &words, next, 16, un, 2), 2);
    training_text_free(&text);
}

/* It was refused because of a file that has nothing to do with it. */
static void a_text_beside_someone_elses_model_is_left_alone(void **state)
{
    (void)state;
    forget_text();
    free(scratch_write(run, "text.txt", "otra cosa\n", 10));
    TrainingText text = open_text();
    assert_false(text.there);
    training_text_free(&text);
}

static void open_it(void *context)
{
    (void)context;
    open_text();
}

static void another_text_is_refused(void **state)
{
    (void)state;
    free(scratch_write(run, "text.txt", "un perro salta\n", 15));
    assert_dies(open_it, NULL, "text.txt is not the text that", "was trained on");
}

/* A text that cannot be looked for was taken for one that is not there. */
static void an_error_is_not_an_absent_text(void **state)
{
    (void)state;
    char *path = format_text("%s/text.txt", run);
    assert_int_equal(remove(path), 0);
    assert_int_equal(symlink("text.txt", path), 0); /* leads to itself */
    assert_dies(open_it, NULL, "text.txt");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_has_its_own_text),
        TEST(a_text_beside_someone_elses_model_is_left_alone),
        TEST(another_text_is_refused),
        TEST(an_error_is_not_an_absent_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
