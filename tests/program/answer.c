/* test_answer.c: what a model says to a prompt: words alone, with the model's own probabilities,
 * and that its context was full. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/answer.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/tiny.h"

/* A model that has hardly learned: every token has weight. `pad` is one as other models have it,
 * which no text may spell out. */
typedef struct {
    char *folder;
    Pretrained model;
    TrainingText source;
    int pad;
} Fixture;

static int open_model(void **state)
{
    static const char text[] = "un gato come\nun perro salta\nun pad come\n";
    Fixture *f = memory_new(1, sizeof *f, "a test");
    f->folder = scratch_new();
    char *path = scratch_write(f->folder, "text.txt", text, strlen(text));
    char *run = format_text("%s/run", f->folder);
    tiny_run(run, path, (const char *[]){NULL});
    f->model = pretrained_open(run);
    f->source = training_text_open(&f->model, NULL);
    f->pad = vocabulary_find(&f->model.tokenizer.vocabulary, "pad", 3);
    f->model.tokenizer.vocabulary.special[f->pad] = true;
    free(path);
    free(run);
    *state = f;
    return 0;
}

static int close_model(void **state)
{
    Fixture *f = *state;
    training_text_free(&f->source);
    pretrained_close(&f->model);
    scratch_remove(f->folder);
    free(f);
    return 0;
}

static char *said(Fixture *f, AnswerRules rules, const char *prompt)
{
    char *bytes = NULL, *wrong;
    size_t size;
    FILE *const output = stdout;
    stdout = open_memstream(&bytes, &size);
    Answerer answerer = answerer_new(&f->model, &f->source, rules);
    wrong = answer(&answerer, "the prompt", prompt, strlen(prompt));
    answerer_free(&answerer);
    fclose(stdout);
    stdout = output;
    assert_null(wrong);
    return bytes;
}

static cJSON *said_json(Fixture *f, AnswerRules rules, const char *prompt)
{
    rules.json = true;
    char *bytes = said(f, rules, prompt);
    cJSON *json = cJSON_Parse(bytes);
    assert_non_null(json);
    free(bytes);
    return json;
}

static const cJSON *get(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(item);
    return item;
}

static int id_of(const Fixture *f, const cJSON *token)
{
    return vocabulary_find(&f->model.tokenizer.vocabulary, token->valuestring,
                           strlen(token->valuestring));
}

/* ---- Words ---- */

/* p (V) of the table, all of whose rows were asked for. */
static void table_of(const Fixture *f, const cJSON *json, double *p)
{
    const cJSON *row;
    double sum = 0;
    cJSON_ArrayForEach(row, get(json, "next")) sum += p[id_of(f, get(row, "token"))] =
        get(row, "probability")->valuedouble;
    assert_close_one("all that may come", sum, 1, 1e-6);
}

/* Draws fit the model's own distribution over what may come, and say its probabilities. */
static void check_draws(Fixture *f, int top_k)
{
    enum { DRAWS = 4000, MOST = 16 };
    const AnswerRules rules = {
        .table = MOST, .count = DRAWS, .words = 1, .seed = 5, .sampling = {1, 1, top_k}};
    const int bos = f->model.tokenizer.bos;
    cJSON *json = said_json(f, rules, "un");
    double p[MOST] = {0}, kept = 0, squares = 0;
    int seen[MOST] = {0}, kinds = 0;
    table_of(f, json, p);
    assert_true(p[bos] > 0.02 && p[f->pad] > 0.02); /* or there is nothing to see here */
    const cJSON *one;
    cJSON_ArrayForEach(one, get(json, "continuations"))
    {
        const int id = id_of(f, get(one, "tokens")->child);
        assert_close_one("ln p", get(one, "log_probability")->valuedouble, log(p[id]), 1e-6);
        kinds += !seen[id]++;
    }
    cJSON_Delete(json);
    assert_int_equal(seen[bos] + seen[f->pad], 0);
    assert_int_equal(kinds, top_k ? top_k : f->model.tokenizer.vocabulary.count - 2);
    for (int id = 0; id < MOST; id++)
        kept += seen[id] ? p[id] : 0;
    for (int id = 0; id < MOST; id++)
        if (seen[id])
            squares += pow(seen[id] - p[id] / kept * DRAWS, 2) / (p[id] / kept * DRAWS);
    assert_true(squares <= 22.5); /* of 6 degrees of freedom at most: once in a thousand times */
}

static void test_draws_words(void **state)
{
    check_draws(*state, 0);
    check_draws(*state, 3);
}

static void test_searches_words(void **state)
{
    Fixture *f = *state;
    const AnswerRules rules = {.count = 400, .words = 3, .beam = 400};
    cJSON *json = said_json(f, rules, "un");
    const cJSON *one, *token;
    const int words = f->model.tokenizer.vocabulary.count - 3; /* without [bos], pad and [eos] */
    assert_int_equal(cJSON_GetArraySize(get(json, "continuations")),
                     1 + words + words * words + words * words * words);
    cJSON_ArrayForEach(one, get(json, "continuations"))
        cJSON_ArrayForEach(token, get(one, "tokens"))
            assert_true(id_of(f, token) != f->model.tokenizer.bos && id_of(f, token) != f->pad);
    cJSON_Delete(json);
}

/* Where all tokens are special, they come: there is nothing else. */
static void test_nothing_but_special(void **state)
{
    Fixture *f = *state;
    Tokenizer *tokenizer = &f->model.tokenizer;
    const Tokenizer kept = *tokenizer;
    Vocabulary *words = &tokenizer->vocabulary;
    words->special = memory_new((size_t)words->count, sizeof *words->special, "a test");
    memset(words->special, true, (size_t)words->count * sizeof *words->special);
    tokenizer->bos = tokenizer->eos = -1;
    tokenizer->stream = true;
    cJSON *json = said_json(f, (AnswerRules){.count = 40, .words = 9, .sampling = {9, 1, 0}}, "");
    const cJSON *one, *token;
    int kinds = 0, seen[16] = {0};
    cJSON_ArrayForEach(one, get(json, "continuations"))
        cJSON_ArrayForEach(token, get(one, "tokens")) kinds += !seen[id_of(f, token)]++;
    assert_int_equal(kinds, words->count);
    cJSON_Delete(json);
    free(words->special);
    *tokenizer = kept;
}

/* ---- The context: 4 tokens, [bos] among them ---- */

static int times(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void check_full(Fixture *f, int words, int beam, const char *prompt, bool prompt_full,
                       bool full)
{
    const AnswerRules rules = {.count = 2, .words = words, .beam = beam, .sampling = {9, 1, 0}};
    cJSON *json = said_json(f, rules, prompt);
    assert_int_equal(cJSON_IsTrue(get(json, "context_full")), prompt_full);
    const cJSON *one;
    int count = 0;
    cJSON_ArrayForEach(one, get(json, "continuations")) count +=
        cJSON_IsTrue(get(one, "context_full"));
    assert_int_equal(count > 0, full);
    assert_true(count == 2 || !prompt_full); /* else [eos] may have come before */
    cJSON_Delete(json);
    char *text = said(f, rules, prompt);
    assert_int_equal(times(text, "the context of 4 tokens was full"), prompt_full || full);
    assert_int_equal(times(text, "a beam ends there"), beam && full);
    free(text);
}

static void test_full(void **state)
{
    check_full(*state, 1, 0, "un gato come", false, false);
    check_full(*state, 2, 0, "un gato come", false, true);
    check_full(*state, 1, 0, "un gato come come", true, true);
    check_full(*state, 1, 2, "un gato come", false, false);
    check_full(*state, 9, 2, "un gato come", false, true);
    Fixture *f = *state; /* and where nothing is drawn */
    char *text = said(f, (AnswerRules){.table = 1}, "un gato come come");
    assert_int_equal(times(text, "only the last 2 are read again, behind [bos]"), 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_words),
        cmocka_unit_test(test_searches_words),
        cmocka_unit_test(test_nothing_but_special),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
