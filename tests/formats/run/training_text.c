/* training_text.c: only the record of a run says which text its model was trained on. */
#include <unistd.h>

#include "formats/run/training_text.h"
#include "tests/helpers/test.h"
#include "tests/helpers/tiny.h"
#include "text/corpus/counts.h"

static const char TEXT[] = "un gato come\nun perro salta\n";

/* The directory of a run on TEXT. */
static char *run_in(const char *folder)
{
    AUTOFREE char *path = scratch_write(folder, "text.txt", TEXT, strlen(TEXT));
    char *run = format_text("%s/run", folder);
    tiny_run(run, path, (const char *[]){NULL});
    return run;
}

static TrainingText open_text(const char *run)
{
    FREED_BY(pretrained_close) Pretrained model = pretrained_open(run);
    return training_text_open(&model, NULL);
}

static void open_it(void *run)
{
    open_text(run);
}

TEST(a_run_has_its_own_text)
{
    SCRATCH(folder);
    AUTOFREE char *run = run_in(folder);
    FREED_BY(training_text_free) TrainingText text = open_text(run);
    assert_true(text.there);
    size_t next[16];
    const Tokenizer words = {.kind = TOKENIZER_WORD};
    const int un[] = {0, 2};
    assert_int_equal(counts_next(&text.corpus, &words, next, 16, un, 2), 2);
}

/* It was refused because of a file that has nothing to do with it. Without the record of the text
 * in config.json, someone else has made the model. */
TEST(a_text_beside_someone_elses_model_is_left_alone)
{
    SCRATCH(folder);
    AUTOFREE char *run = run_in(folder), *path = format_text("%s/config.json", run);
    AUTOFREE Bytes config = file_read(path, true);
    char *record = strstr(config.bytes, "\"text\"");
    assert_non_null(record);
    memcpy(record, "\"else\"", 6);
    free(scratch_write(run, "config.json", config.bytes, config.size));
    free(scratch_write(run, "text.txt", "otra cosa\n", 10));
    FREED_BY(training_text_free) TrainingText text = open_text(run);
    assert_false(text.there);
}

/* A text that cannot be looked for was taken for one that is not there. */
TEST(another_text_and_an_error_are_refused)
{
    SCRATCH(folder);
    AUTOFREE char *run = run_in(folder),
                  *path = scratch_write(run, "text.txt", "un perro salta\n", 15);
    assert_dies(open_it, run, "text.txt is not the text that", "was trained on");
    assert_int_equal(remove(path), 0);
    assert_int_equal(symlink("text.txt", path), 0); /* leads to itself */
    assert_dies(open_it, run, "text.txt");
}
