/* gaps.c (test): what fills the gaps of a line, against the probabilities of each order of filling,
 * which are computed from the losses of single tokens. */
#include <stb/stb_ds.h>

#include "tests/helpers/test.h"
#include "tests/helpers/trained.h"

enum { MOST = 16, COUNT = 5 }; /* tokens of the model; of "[bos] un [mask] [mask] [eos]" */

static bool was_first[2]; /* each of two gaps, of some prompt */

/* A model that has hardly learned; its context is 5 tokens. */
int begin_tests(void **state)
{
    static Trained trained;
    trained =
        trained_open("un gato come\nun perro salta\nun gato salta\nel gato\n",
                     (const char *[]){"objective", "masked", "context", "5", "width", "8", NULL});
    *state = &trained;
    return 0;
}

int end_tests(void **state)
{
    trained_close(*state);
    return 0;
}

/* p (V): what the model predicts at one token of a line, from its loss with each target. */
static void predict(Trained *f, const int *tokens, int place, double *p)
{
    const int start[] = {0, COUNT}, prefix = COUNT;
    for (int id = 0; id < tokenizer_size(&f->model.tokenizer); id++) {
        int targets[COUNT] = {-1, -1, -1, -1, -1};
        targets[place] = id;
        const Batch batch = {.rows = COUNT,
                             .sequences = 1,
                             .start = start,
                             .tokens = tokens,
                             .targets = targets,
                             .counted = 1,
                             .prefix = &prefix};
        p[id] = exp(-gpt_evaluate(&f->model.gpt, &batch));
    }
}

/* The same, but 0 for special tokens. Returns the largest. */
static double predict_text(Trained *f, const int *tokens, int place, double *p)
{
    double most = 0;
    predict(f, tokens, place, p);
    for (int id = 0; id < tokenizer_size(&f->model.tokenizer); id++) {
        p[id] *= tokenizer_is_text(&f->model.tokenizer, id);
        most = fmax(most, p[id]);
    }
    return most;
}

static double sum_of(const double *p, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += p[i];
    return sum;
}

/* The probability that the two gaps of an answer are filled with these tokens: the surest one
 * first. *model receives the model's own, in which special tokens have a share. */
static double filled_with(Trained *f, const Answer *answer, const int *ids, double *model)
{
    const int V = tokenizer_size(&f->model.tokenizer);
    double p[2][MOST], rest[MOST];
    int tokens[COUNT];
    memcpy(tokens, answer->encoding.ids, sizeof tokens);
    const int at[] = {answer->places[0].at, answer->places[1].at};
    const double one = predict_text(f, tokens, at[0], p[0]),
                 other = predict_text(f, tokens, at[1], p[1]);
    const int first = one >= other ? 0 : 1;
    tokens[at[first]] = ids[first];
    predict_text(f, tokens, at[!first], rest);
    was_first[first] = true;
    *model = p[first][ids[first]] * rest[ids[!first]];
    return *model / sum_of(p[first], V) / sum_of(rest, V);
}

static void check_filling(Trained *f, const char *prompt)
{
    enum { DRAWS = 4000 };
    const AnswerRules rules = {.count = DRAWS, .seed = 7, .sampling = {1, 1, 0}};
    const Tokenizer *t = &f->model.tokenizer;
    const int V = tokenizer_size(t);
    int seen[MOST][MOST] = {{0}}, freedom = -1;
    double squares = 0, in_all = 0;
    FREED_BY(answerer_free) Answerer answerer = answerer_new(&f->model, &f->text, rules);
    FREED_BY(answer_free) Answer answer = answer_to(&answerer, prompt);
    assert_int_equal(answer.encoding.count, COUNT);
    for (int i = 0; i < DRAWS; i++) {
        const Continuation *c = &answer.continuations[i];
        assert_true(c->count == 2 && c->ended && !c->context_full);
        assert_true(tokenizer_is_text(t, c->tokens[0]) && tokenizer_is_text(t, c->tokens[1]));
        if (!seen[c->tokens[0]][c->tokens[1]]++) {
            double model;
            filled_with(f, &answer, c->tokens, &model);
            assert_close_one("ln p", c->log_probability, log(model), 1e-5);
        }
    }
    for (int x = 0; x < V; x++)
        for (int y = 0; y < V; y++) {
            double model, wanted = filled_with(f, &answer, (int[]){x, y}, &model);
            in_all += wanted;
            if (wanted * DRAWS < 5) /* too few for chi-squared, or none */
                continue;
            squares += pow(seen[x][y] - wanted * DRAWS, 2) / (wanted * DRAWS);
            freedom++;
        }
    assert_close_one("all that may come", in_all, 1, 1e-5);
    assert_true(freedom > 20 && freedom < 36);
    assert_true(squares <= 66.6); /* of 35 degrees of freedom: once in a thousand times */
}

TEST(gaps_are_filled_with_the_models_probabilities)
{
    Trained *f = *state;
    static const char *const prompts[] = {"un [mask] [mask]",   "[mask] [mask] come",
                                          "[mask] gato [mask]", "salta [mask] [mask]",
                                          "[mask] come [mask]", "[mask] [mask] el"};
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
        check_filling(f, prompts[i]);
    assert_true(was_first[0] && was_first[1]);
}

/* The table of a gap is about that gap only, with all others as they are. un [mask] salta is twice
 * in the text. */
TEST(each_gap_has_its_table)
{
    Trained *f = *state;
    const Tokenizer *t = &f->model.tokenizer;
    const int V = tokenizer_size(t);
    FREED_BY(answerer_free)
    Answerer answerer = answerer_new(&f->model, &f->text, (AnswerRules){.table = MOST});
    FREED_BY(answer_free) Answer answer = answer_to(&answerer, "[mask] [mask] salta");
    double p[MOST];
    assert_int_equal(answer.place_count, 2);
    for (int gap = 0; gap < 2; gap++) {
        const Candidates *c = &answer.places[gap];
        assert_int_equal(c->at, gap + 1);
        assert_int_equal(arrlen(c->best), V);
        assert_int_equal(c->times_in_all, 2);
        predict(f, answer.encoding.ids, c->at, p);
        for (int i = 0; i < V; i++) {
            const Candidate *one = &c->best[i];
            const int id = vocabulary_find(&t->vocabulary, one->text, strlen(one->text));
            assert_close_one("p", one->probability, p[id], 1e-5);
            if (!strcmp(one->text, gap ? "gato" : "un"))
                assert_int_equal(one->times, gap ? 1 : 2);
        }
    }
}

TEST(a_filled_line_is_looked_for_from_end_to_end)
{
    Trained *f = *state;
    const AnswerRules rules = {.count = 60, .sampling = {1, 1, 0}};
    FREED_BY(answerer_free) Answerer answerer = answerer_new(&f->model, &f->text, rules);
    FREED_BY(answer_free) Answer answer = answer_to(&answerer, "[mask] gato");
    const int el = tokenizer_find(&f->model.tokenizer, "el");
    int found = 0;
    for (int i = 0; i < answer.count; i++) {
        const Continuation *c = &answer.continuations[i];
        assert_int_equal(c->in_text, c->tokens[0] == el); /* un gato is only a beginning */
        found += c->in_text;
    }
    assert_true(found > 0 && found < answer.count);
}
