/* data.c: what a page with the model knows is JSON, and it is the model's: sizes, tensors, weights,
 * tokens, the text to count in, the log. tests/browser/ has a browser compute with it. */
#include "tests/helpers/close.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "programs/attend/page/page.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/scratch.h"

/* A folder with a model that is open. */
typedef struct {
    char *folder;
    Pretrained written, model;
    const char *without; /* what a page begins without */
} Opened;

static Opened open_model(Kind kind)
{
    Opened o = {.folder = scratch_new()};
    o.written = write_model(o.folder, kind);
    o.model = pretrained_open(o.folder);
    return o;
}

static void close_model(Opened *o)
{
    pretrained_close(&o->model);
    free_model(&o->written);
    scratch_remove(o->folder);
}

/* What a page with the model holds, parsed; the caller deletes it. */
static cJSON *data_of(const Opened *o, const TrainingText *text)
{
    const PageSource source = {
        .model = &o->model, .training_text = text, .without = o->without, .live = true};
    char *json;
    size_t size;
    FILE *out = memory_stream(&json, &size);
    fputc('{', out);
    data_put(out, &source);
    fputc('}', out);
    fclose(out);
    cJSON *parsed = cJSON_Parse(json);
    assert_non_null(parsed);
    free(json);
    return parsed;
}

static const TrainingText NO_TEXT = {.there = false};

static cJSON *get(const cJSON *json, const char *name)
{
    cJSON *member = cJSON_GetObjectItemCaseSensitive(json, name);
    assert_non_null(member);
    return member;
}

static int number(const cJSON *json, const char *name)
{
    assert_true(cJSON_IsNumber(get(json, name)));
    return get(json, name)->valueint;
}

static void the_model_is_described(void **state)
{
    (void)state;
    Kind kind = PLAIN;
    kind.shape.patterns = PATTERNS;
    kind.shape.norm = NORM_POST;
    kind.shape.activation = ACTIVATION_GELU;
    kind.shape.untied = true;
    Opened o = open_model(kind);
    cJSON *data = data_of(&o, &NO_TEXT), *model = get(data, "model");
    assert_int_equal(number(model, "layers"), 2);
    assert_int_equal(number(model, "head-size"), 3);
    assert_int_equal(number(model, "hidden"), 24);
    assert_string_equal(get(model, "norm")->valuestring, "post");
    assert_string_equal(get(model, "activation")->valuestring, "gelu");
    assert_true(cJSON_IsTrue(get(model, "untied")));
    const cJSON *second = cJSON_GetArrayItem(get(model, "patterns"), 1);
    assert_int_equal(cJSON_GetArraySize(get(model, "patterns")), 2);
    assert_string_equal(cJSON_GetArrayItem(second, 0)->valuestring, "window 2");
    assert_string_equal(cJSON_GetArrayItem(second, 1)->valuestring, "window 7");
    assert_true(cJSON_IsNull(get(data, "counts")));
    assert_true(cJSON_IsNull(get(data, "floor")));
    assert_true(cJSON_IsNull(get(data, "counting")));
    assert_int_equal(cJSON_GetArraySize(get(model, "off")), 0);
    cJSON_Delete(data);
    o.without = "L2H1,L1";
    data = data_of(&o, &NO_TEXT);
    const cJSON *off = get(get(data, "model"), "off");
    assert_int_equal(cJSON_GetArraySize(off), 2);
    assert_string_equal(cJSON_GetArrayItem(off, 0)->valuestring, "L2H1");
    assert_string_equal(cJSON_GetArrayItem(off, 1)->valuestring, "L1");
    cJSON_Delete(data);
    close_model(&o);
}

static void the_weights_are_those_of_the_tensors(void **state)
{
    (void)state;
    Opened o = open_model(PLAIN);
    const Gpt *gpt = &o.model.gpt;
    cJSON *data = data_of(&o, &NO_TEXT), *tensors = get(get(data, "model"), "tensors");
    char *weights, *wanted;
    size_t size;
    FILE *out = memory_stream(&weights, &size);
    data_put_weights(out, gpt);
    fclose(out);
    assert_int_equal(size, (data_weights_size(gpt) + 2) / 3 * 4);
    assert_int_equal(cJSON_GetArraySize(tensors), gpt->tensor_count);
    for (int i = 0; i < gpt->tensor_count; i++) {
        const cJSON *tensor = cJSON_GetArrayItem(tensors, i);
        assert_string_equal(get(tensor, "name")->valuestring, gpt->tensors[i].name);
        int numbers = 1;
        for (int d = 0; d < cJSON_GetArraySize(get(tensor, "shape")); d++)
            numbers *= cJSON_GetArrayItem(get(tensor, "shape"), d)->valueint;
        assert_int_equal(numbers, tensor_size(&gpt->tensors[i]));
        /* Three floats are 16 letters. */
        const size_t first = ((size_t)number(tensor, "at") + 2) / 3 * 3;
        out = memory_stream(&wanted, &size);
        put_base64(out, (const uint8_t *)(gpt->weight_block + first), 12);
        fclose(out);
        assert_memory_equal(weights + first / 3 * 16, wanted, 16);
        free(wanted);
    }
    free(weights);
    cJSON_Delete(data);
    close_model(&o);
}

static void the_tokens_and_their_spacing_are_there(void **state)
{
    (void)state;
    Opened o = open_model(PLAIN);
    Tokenizer *t = &o.model.tokenizer;
    static const char text[] = "el perro come un hueso\n¿qué come el perro?\n";
    tokenizer_learn_spacing(t, (Span){text, text + strlen(text)});
    cJSON *data = data_of(&o, &NO_TEXT), *tokenizer = get(data, "tokenizer");
    assert_string_equal(get(tokenizer, "kind")->valuestring, "word");
    assert_int_equal(cJSON_GetArraySize(get(tokenizer, "tokens")), tokenizer_size(t));
    for (int id = 0; id < tokenizer_size(t); id++)
        assert_string_equal(cJSON_GetArrayItem(get(tokenizer, "tokens"), id)->valuestring,
                            tokenizer_word(t, id));
    assert_int_equal(number(get(tokenizer, "special"), "bos"), t->bos);
    assert_int_equal(number(get(tokenizer, "special"), "mask"), -1);
    const cJSON *pairs = get(get(tokenizer, "spacing"), "pairs");
    const int sums[] = {cJSON_GetArrayItem(pairs, 2)->valueint,
                        cJSON_GetArrayItem(pairs, 5)->valueint,
                        cJSON_GetArrayItem(pairs, 8)->valueint};
    assert_int_equal(cJSON_GetArraySize(pairs), 9);
    assert_int_equal(sums[0], -1); /* hueso ¿ */
    assert_int_equal(sums[1], 1);  /* ¿qué */
    assert_int_equal(sums[2], 1);  /* perro? */
    cJSON_Delete(data);
    close_model(&o);
}

static void a_small_text_rides_along(void **state)
{
    (void)state;
    Opened o = open_model(PLAIN);
    TrainingText text = {.there = true, .corpus = corpus_of_string("a b\n", false, false)};
    cJSON *data = data_of(&o, &text);
    assert_string_equal(get(data, "counts")->valuestring, "AAACAAMAAQA="); /* 0 2 3 1 */
    cJSON_Delete(data);
    text.corpus.ids.width = 4;
    data = data_of(&o, &text);
    assert_true(cJSON_IsNull(get(data, "counts")));
    cJSON_Delete(data);
    training_text_free(&text);
    close_model(&o);
}

/* A log of `steps` steps, with an evaluation at every `every`-th of them. */
static void write_log(const char *folder, int steps, int every)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fputs("step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,x,y\n", out);
    for (int i = 0; i <= steps; i++)
        if (i % every)
            fprintf(out, "%d,1,%g,,,,0.5,1,2,3\n", i, 2 + 1.0 / i);
        else
            fprintf(out, "%d,1,,2.5,1,0.5,0.25,1,2,3\n", i);
    fputs("9999,1", out); /* not written to its end */
    fclose(out);
    free(scratch_write(folder, "log.csv", text, size));
    free(text);
}

static void the_log_is_thinned(void **state)
{
    (void)state;
    Opened o = open_model(PLAIN);
    const int steps[] = {3, 1000, 50000, 50000}, every[] = {2, 10, 100, 2};
    for (int i = 0; i < 4; i++) {
        write_log(o.folder, steps[i], every[i]);
        cJSON *data = data_of(&o, &NO_TEXT);
        const cJSON *log = get(data, "log"), *last = NULL, *row;
        const int count = cJSON_GetArraySize(log);
        int evaluated = 0;
        cJSON_ArrayForEach(row, log)
        {
            assert_int_equal(cJSON_GetArraySize(row), 4);
            assert_true(!last || cJSON_GetArrayItem(row, 0)->valueint >
                                     cJSON_GetArrayItem(last, 0)->valueint);
            evaluated += cJSON_IsNumber(cJSON_GetArrayItem(row, 2));
            last = row;
        }
        assert_in_range(count, i ? 990 : 4, 2000);
        assert_int_equal(cJSON_GetArrayItem(last, 0)->valueint, steps[i]);
        if (i < 3)
            assert_int_equal(evaluated, steps[i] / every[i] + 1);
        assert_close_one("the floor", get(data, "floor")->valuedouble, 2, 1e-12);
        assert_true(cJSON_IsFalse(get(data, "held_out")));
        cJSON_Delete(data);
    }
    close_model(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_described),
        cmocka_unit_test(the_weights_are_those_of_the_tensors),
        cmocka_unit_test(the_tokens_and_their_spacing_are_there),
        cmocka_unit_test(a_small_text_rides_along),
        cmocka_unit_test(the_log_is_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
