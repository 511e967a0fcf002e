/* data.c: a page with the model holds the run's log, thinned, and a text to count in if it is
 * small. tests/browser/ has a browser compute with all else that data.c writes: sizes, weights,
 * tokens, spacing. */
#include "tests/helpers/close.h"

#include <cjson/cJSON.h>

#include "programs/attend/page/page.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/scratch.h"

/* What a page with the model holds, parsed; the caller deletes it. */
static cJSON *data_of(const Pretrained *model, const TrainingText *text)
{
    const PageSource source = {.model = model, .training_text = text, .live = true};
    capture_begin();
    putchar('{');
    data_put(stdout, &source);
    putchar('}');
    char *json = capture_end();
    cJSON *parsed = cJSON_Parse(json);
    assert_non_null(parsed);
    free(json);
    return parsed;
}

/* A log of `steps` steps, with an evaluation at every `every`-th of them. */
static void write_log(const char *folder, int steps, int every)
{
    capture_begin();
    puts("step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,x,y");
    for (int i = 0; i <= steps; i++)
        if (i % every)
            printf("%d,1,%g,,,,0.5,1,2,3\n", i, 2 + 1.0 / i);
        else
            printf("%d,1,,2.5,1,0.5,0.25,1,2,3\n", i);
    printf("9999,1"); /* not written to its end */
    char *text = capture_end();
    free(scratch_write(folder, "log.csv", text, strlen(text)));
    free(text);
}

TEST(the_log_is_thinned)
{
    char *folder = scratch_new();
    Pretrained written = write_model(folder, PLAIN), model = pretrained_open(folder);
    const TrainingText no_text = {.there = false};
    const int steps[] = {3, 1000, 50000, 50000}, every[] = {2, 10, 100, 2};
    for (int i = 0; i < 4; i++) {
        write_log(folder, steps[i], every[i]);
        cJSON *data = data_of(&model, &no_text);
        const cJSON *log = cJSON_GetObjectItem(data, "log"), *row;
        const int count = cJSON_GetArraySize(log);
        int evaluated = 0, last = -1;
        cJSON_ArrayForEach(row, log)
        {
            assert_int_equal(cJSON_GetArraySize(row), 4);
            assert_true(cJSON_GetArrayItem(row, 0)->valueint > last);
            evaluated += cJSON_IsNumber(cJSON_GetArrayItem(row, 2));
            last = cJSON_GetArrayItem(row, 0)->valueint;
        }
        assert_in_range(count, i ? 990 : 4, 2000);
        assert_int_equal(last, steps[i]);
        if (i < 3)
            assert_int_equal(evaluated, steps[i] / every[i] + 1);
        assert_close_one("the floor", cJSON_GetObjectItem(data, "floor")->valuedouble, 2, 1e-12);
        assert_true(cJSON_IsFalse(cJSON_GetObjectItem(data, "held_out")));
        cJSON_Delete(data);
    }
    pretrained_close(&model);
    free_model(&written);
    scratch_remove(folder);
}

TEST(a_text_rides_along_if_its_ids_are_small)
{
    char *folder = scratch_new();
    Pretrained written = write_model(folder, PLAIN), model = pretrained_open(folder);
    TrainingText text = {.there = true, .corpus = corpus_of_string("a b\n", false, false)};
    for (text.corpus.ids.width = 2; text.corpus.ids.width <= 4; text.corpus.ids.width += 2) {
        cJSON *data = data_of(&model, &text);
        const char *counts = cJSON_GetObjectItem(data, "counts")->valuestring;
        assert_true(text.corpus.ids.width == 2 ? !strcmp(counts, "AAACAAMAAQA=") : !counts);
        cJSON_Delete(data);
    }
    training_text_free(&text);
    pretrained_close(&model);
    free_model(&written);
    scratch_remove(folder);
}
