/* The parts of a run's directory: its identity is one run's, its log is read line by line, and its
 * checkpoints are those of its names. */
#include <stb/stb_ds.h>
#include <sys/stat.h>

#include "formats/run/checkpoint.h"
#include "programs/train/saving/run.h"
#include "tests/helpers/close.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/scratch.h"

/* ---- The identity ---- */

/* A value that differs from the default of a field. */
static void change(const Field *field, Settings *settings)
{
    char *number = format_text("%.0f", fmin(field->max, field->min + 3));
    const char *texts[] = {[FIELD_WHOLE] = number,
                           [FIELD_NUMBER] = field->max < 1   ? "0.25"
                                            : field->min < 1 ? "0.75"
                                                             : "3",
                           [FIELD_CHOICE] = field->choices ? field->choices[1] : NULL,
                           [FIELD_TEXT] = "2"};
    if (field->kind == FIELD_FLAG)
        *(bool *)((char *)settings + field->offset) = true;
    else
        field_set(field, settings, texts[field->kind]);
    free(number);
}

TEST(an_identity_changes_with_all_that_makes_the_run)
{
    static const char text[] = "el perro come";
    const uint64_t same = 5, another = 6;
    Tokenizer words = literal_tokenizer(text, TOKENIZER_WORD, false);
    Tokenizer more = literal_tokenizer("el gato come", TOKENIZER_WORD, false);
    Settings settings = {0};
    fields_preset(SETTINGS, &settings);
    const uint64_t one = record_identity(&settings, same, &words);
    EACH_FIELD (field, SETTINGS) {
        Settings changed = {0};
        fields_preset(SETTINGS, &changed);
        change(field, &changed);
        const uint64_t other = record_identity(&changed, same, &words);
        if ((one == other) != (field->life != LIFE_RUN))
            fail_msg("--%s makes %s run", field->name, one != other ? "another" : "the same");
        fields_free(SETTINGS, &changed);
    }
    assert_true(record_identity(&settings, another, &words) != one);
    assert_true(record_identity(&settings, same, &more) != one);
    words.eos = words.bos;
    assert_true(record_identity(&settings, same, &words) != one);
    tokenizer_free(&words);
    tokenizer_free(&more);
    fields_free(SETTINGS, &settings);
}

/* ---- The sizes in config.json ---- */

static const GptConfig SHAPE = {.context = 8, .layers = 2, .heads = 2, .width = 6, .hidden = 12};

static void check_shape(void *edited)
{
    const Config config = {.shape = *(const GptConfig *)edited};
    record_check_plan(&config, &(const Directory){.path = "run"}, &(const Plan){.shape = SHAPE});
}

TEST(a_size_that_was_edited_is_refused)
{
    GptConfig edited = SHAPE;
    check_shape(&edited);
    const struct {
        const char *name;
        int *size;
    } sizes[] = {{"n_positions", &edited.context}, {"n_layer", &edited.layers},
                 {"n_head", &edited.heads},        {"n_embd", &edited.width},
                 {"n_inner", &edited.hidden},      {"vocab_size", &edited.vocabulary},
                 {"head-size", &edited.head_size}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ++*sizes[i].size;
        assert_dies(check_shape, &edited, "run/config.json: its ", sizes[i].name, " was changed");
        --*sizes[i].size;
    }
    edited.untied = true;
    assert_dies(check_shape, &edited, "its tie_word_embeddings was changed");
    edited = SHAPE;
    edited.activation = ACTIVATION_GELU;
    assert_dies(check_shape, &edited, "its activation_function was changed");
}

/* ---- The log ---- */

typedef struct {
    int count;
    LogEntry last;
} Visited;

static void note_line(void *lines, const LogEntry *entry)
{
    ((Visited *)lines)->count++;
    ((Visited *)lines)->last = *entry;
}

/* A person may have edited the file. */
TEST(a_log_is_read_line_by_line)
{
    char *folder = scratch_new();
    Directory run = directory_open(folder);
    Lines log = log_begin(&run);
    assert_int_equal(scratch_count(folder), 0); /* nothing is there before the first save */
    assert_true(lines_sync(&log));
    log_write(&log, &(LogEntry){.step = 1, .loss = 1.5});
    log_write(&log, &(LogEntry){3, 2, 0.25, 0.125, NAN, NAN, 1e-3, 4, 5, 6});
    Visited lines = {0};
    log_each(log.directory, note_line, &lines); /* who watches sees it at once */
    lines_close(&log);
    assert_int_equal(lines.count, 2); /* not the names of the columns */
    assert_true(lines.last.step == 3 && lines.last.epoch == 2 && lines.last.loss == 0.25);
    assert_true(lines.last.evaluated == 0.125 && lines.last.rate == 1e-3);
    assert_true(isnan(lines.last.bits_per_byte) && isnan(lines.last.gap));

    const char edited[] = "x,1\n-1,1,2\n1e99,1,2\n\n4,1,2.5x,7\n5,,,,,,,,,,,9\nnan,3\n6\n7";
    free(scratch_write(folder, "log.csv", edited, strlen(edited)));
    lines.count = 0;
    log_each(log.directory, note_line, &lines);
    assert_int_equal(lines.count, 3); /* 4, 5 and 6; 7 is being written */
    assert_int_equal(lines.last.step, 6);
    assert_true(isnan(lines.last.loss) && isnan(lines.last.seconds));
    directory_close(&run);
    scratch_remove(folder);
}

/* ---- Checkpoints ---- */

TEST(only_names_as_written_here_are_checkpoints)
{
    char *folder = scratch_new();
    Directory run = directory_open(folder);
    static const char *const others[] = {"checkpoint-007",
                                         "checkpoint-",
                                         "checkpoint--1",
                                         "checkpoint-+2",
                                         "checkpoint-3x",
                                         "checkpoint- 4",
                                         "checkpoint-99999999999999999999",
                                         "Checkpoint-5"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(mkdirat(run.handle, others[i], 0777), 0);
    assert_null(checkpoint_steps(&run));
    checkpoints_clear(&run, true);
    assert_int_equal(scratch_count(folder), sizeof others / sizeof *others);
    assert_int_equal(mkdirat(run.handle, "checkpoint-9223372036854775807", 0777), 0);
    int64_t *steps = checkpoint_steps(&run);
    assert_int_equal(arrlen(steps), 1);
    char *longest = checkpoint_path(&run, steps[0]), *wanted;
    wanted = format_text("%s/checkpoint-9223372036854775807", folder);
    assert_string_equal(longest, wanted);
    arrfree(steps);
    free(wanted);
    free(scratch_write(longest, "config.json", "{}", 2));
    free(longest);
    checkpoints_clear(&run, true);
    assert_int_equal(scratch_count(folder), sizeof others / sizeof *others);
    directory_close(&run);
    scratch_remove(folder);
}
