/* test_plan.c: how long a run is, and what is chosen to suit a text. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "training/plan.h"
#include "tests/helpers/close.h"
#include "tests/helpers/tiny.h"

/* A run's options, and a text for it. */
typedef struct {
    Settings settings;
    Decided decided;
    Vocabulary vocabulary;
    Corpus corpus;
    Plan plan;
} Case;

static void give(Case *c, const char *name, int number)
{
    char *text = format_text("%d", number);
    tiny_set(&c->settings, &c->decided, name, text);
    free(text);
}

/* `count` tokens, by lines of ten or as a stream. */
static Case begin(size_t count, bool stream)
{
    Case c = {.vocabulary.count = 0};
    fields_preset(SETTINGS, &c.settings);
    char *text = malloc(2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = (char)('a' + i * i % 17);
        text[2 * i + 1] = i % 10 == 9 ? '\n' : ' ';
    }
    text[2 * count] = 0;
    const VocabularyRules rules = {.stream = stream, .min_count = 1};
    c.vocabulary = vocabulary_of("a.txt", text, 2 * count, rules);
    c.corpus = corpus_of("a.txt", text, 2 * count, &c.vocabulary, stream);
    free(text);
    return c;
}

static const Settings *planned(Case *c)
{
    plan_make(&c->plan, &c->settings, &c->decided, &c->corpus, c->vocabulary.count);
    return &c->plan.settings;
}

static void end(Case *c)
{
    plan_free(&c->plan);
    corpus_free(&c->corpus);
    vocabulary_free(&c->vocabulary);
}

/* ---- Epochs and steps ---- */

static int64_t counted_steps(const Case *c, int epochs)
{
    const size_t batch = (size_t)c->plan.settings.batch;
    int64_t steps = 0;
    for (int e = 0; e < epochs; e++)
        steps += (int64_t)((epoch_pieces(&c->corpus, 1, e) + batch - 1) / batch);
    return steps;
}

static void test_steps_are_counted(void **state)
{
    (void)state;
    for (int stream = 0; stream < 2; stream++)
        for (int context = 1; context < 70; context += context < 12 ? 1 : 13)
            for (int batch = 1; batch < 12; batch++)
                for (int epochs = 1; epochs < 200; epochs = 3 * epochs + 1) {
                    Case c = begin(60, stream);
                    give(&c, "context", context);
                    give(&c, "batch", batch);
                    give(&c, "epochs", epochs);
                    const int steps = planned(&c)->steps;
                    assert_int_equal(steps, counted_steps(&c, epochs));
                    end(&c);
                }
}

/* More epochs than anybody could count are not counted one by one. */
static void test_many_epochs(void **state)
{
    (void)state;
    static const int many[] = {INT_MAX, INT_MAX - 1, INT_MAX / 3, 20000000};
    alarm(60); /* ends this program */
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        for (int batch = 1; batch < 9; batch++) {
            Case c = begin(33, true); /* 32 targets: 4 pieces or 5 of them */
            give(&c, "context", 8);
            give(&c, "batch", batch);
            give(&c, "epochs", many[i]);
            const double steps = planned(&c)->steps, each = (double)counted_steps(&c, 10000) / 1e4;
            const double wanted = each * many[i] < INT_MAX ? each * many[i] : INT_MAX;
            assert_close_one("steps", steps / wanted, 1, 0.01);
            end(&c);
        }
    alarm(0);
}

/* ---- What suits a text ---- */

static void test_model(void **state)
{
    (void)state;
    static const struct {
        size_t tokens;
        int layers, heads, width, context;
    } cases[] = {{60000, 2, 4, 64, 64}, {60001, 4, 4, 128, 64}, {3000001, 4, 4, 256, 128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Case c = begin(cases[i].tokens, true);
        const Settings *s = planned(&c);
        assert_int_equal(s->layers, cases[i].layers);
        assert_int_equal(s->heads, cases[i].heads);
        assert_int_equal(s->width, cases[i].width);
        assert_int_equal(s->context, cases[i].context);
        end(&c);
    }
}

static void test_dropout(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        int tokens, width;
        double dropout;
    } cases[] = {
        {4000, TOKENS_WORD, 64, 0},     {4000, TOKENS_CHAR, 64, 0}, /* nothing is held out */
        {40000, TOKENS_WORD, 64, 0.2},  {240000, TOKENS_WORD, 128, 0.2},
        {36000, TOKENS_CHAR, 64, 0},    {36000, TOKENS_CHAR, 128, 0.1},
        {83000, TOKENS_CHAR, 128, 0.1}, {240000, TOKENS_CHAR, 128, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Case c = begin(cases[i].count, true);
        c.settings.tokens = cases[i].tokens;
        give(&c, "width", cases[i].width);
        assert_close_one("dropout", planned(&c)->dropout, cases[i].dropout, 0);
        end(&c);
        c = begin(cases[i].count, true);
        c.settings.tokens = cases[i].tokens;
        c.settings.dropout = 0.3;
        DECIDED(&c.decided, dropout) = true;
        assert_close_one("dropout as given", planned(&c)->dropout, 0.3, 0);
        end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_counted),
        cmocka_unit_test(test_many_epochs),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_dropout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
