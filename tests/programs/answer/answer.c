/* answer.c (test): what a model answers to a prompt. Continuations consist of words only, drawn
 * with the model's own probabilities or searched exhaustively, and tell when the context was full.
 */
#include <stb/stb_ds.h>

#include "programs/answer/answer_print.h"
#include "tests/helpers/test.h"
#include "tests/helpers/maps.h"
#include "tests/helpers/trained.h"

/* A model that has hardly learned, so that every token has weight; its context is 4 tokens. `pad`
 * is special, as other models' padding is. */
static int pad;

int begin_tests(void **state)
{
    static Trained trained;
    trained = trained_open("un gato come\nun perro salta\nun pad come\n", (const char *[]){NULL});
    Vocabulary *vocabulary = &trained.model.tokenizer.vocabulary;
    pad = vocabulary_find(vocabulary, "pad", 3);
    vocabulary->kinds[pad] = WORD_SPECIAL;
    *state = &trained;
    return 0;
}

int end_tests(void **state)
{
    trained_close(*state);
    return 0;
}

/* What is printed to a prompt; the caller frees. */
static char *printed(Trained *f, AnswerRules rules, const char *prompt)
{
    Answerer answerer = answerer_new(&f->model, &f->text, rules);
    Answer answer = answer_to(&answerer, prompt);
    const Screen screen = {false, "", ""};
    capture_begin();
    answer_print_tables(&answerer, &answer, &screen);
    answer_print_continuations(&answerer, &answer, &screen);
    answer_free(&answer);
    answerer_free(&answerer);
    return capture_end();
}

/* ---- Words ---- */

/* What is drawn fits the model's own distribution over what may come, and has its probabilities. */
static void check_draws(Trained *f, int top_k)
{
    enum { DRAWS = 4000, MOST = 16 };
    const AnswerRules rules = {
        .table = MOST, .count = DRAWS, .words = 1, .seed = 5, .sampling = {1, 1, top_k}};
    const Vocabulary *vocabulary = &f->model.tokenizer.vocabulary;
    const int V = vocabulary->count, bos = f->model.tokenizer.bos;
    FREED_BY(answerer_free) Answerer answerer = answerer_new(&f->model, &f->text, rules);
    FREED_BY(answer_free) Answer answer = answer_to(&answerer, "un");
    double p[MOST] = {0}, sum = 0, kept = 0, squares = 0;
    int seen[MOST] = {0}, kinds = 0;
    assert_int_equal(arrlen(answer.places->best), V);
    for (int i = 0; i < V; i++) {
        const Candidate *c = &answer.places->best[i];
        sum += p[vocabulary_find(vocabulary, c->text, strlen(c->text))] = c->probability;
    }
    assert_close_one("all that may come", sum, 1, 1e-6);
    assert_true(p[bos] > 0.02 && p[pad] > 0.02); /* else nothing would be proved below */
    for (int i = 0; i < answer.count; i++) {
        const Continuation *c = &answer.continuations[i];
        assert_close_one("ln p", c->log_probability, log(p[c->tokens[0]]), 1e-6);
        kinds += !seen[c->tokens[0]]++;
    }
    assert_int_equal(seen[bos] + seen[pad], 0);
    assert_int_equal(kinds, top_k ? top_k : V - 2);
    for (int id = 0; id < V; id++)
        kept += seen[id] ? p[id] : 0;
    for (int id = 0; id < V; id++)
        if (seen[id])
            squares += pow(seen[id] - p[id] / kept * DRAWS, 2) / (p[id] / kept * DRAWS);
    assert_true(squares <= 22.5); /* of 6 degrees of freedom at most: once in a thousand times */
}

TEST(draws_only_words_with_the_models_probabilities)
{
    check_draws(*state, 0);
    check_draws(*state, 3);
}

TEST(a_wide_beam_finds_every_continuation_of_words)
{
    Trained *f = *state;
    FREED_BY(answerer_free)
    Answerer answerer =
        answerer_new(&f->model, &f->text, (AnswerRules){.count = 400, .words = 3, .beam = 400});
    FREED_BY(answer_free) Answer answer = answer_to(&answerer, "un");
    const int words = f->model.tokenizer.vocabulary.count - 3; /* without [bos], pad and [eos] */
    assert_int_equal(answer.count, 1 + words + words * words + words * words * words);
    for (int i = 0; i < answer.count; i++)
        for (int j = 0; j < answer.continuations[i].count; j++) {
            assert_int_not_equal(answer.continuations[i].tokens[j], f->model.tokenizer.bos);
            assert_int_not_equal(answer.continuations[i].tokens[j], pad);
        }
}

TEST(special_tokens_are_drawn_if_there_are_no_others)
{
    Trained *f = *state;
    Tokenizer *t = &f->model.tokenizer;
    const Tokenizer kept = *t;
    const int V = t->vocabulary.count;
    bool seen[16] = {0};
    WordKind special[16];
    for (int i = 0; i < 16; i++)
        special[i] = WORD_SPECIAL;
    t->vocabulary.kinds = special;
    t->bos = t->eos = -1;
    t->stream = true;
    const AnswerRules rules = {.count = 40, .words = 9, .sampling = {9, 1, 0}};
    Answerer answerer = answerer_new(&f->model, &f->text, rules);
    Answer answer = answer_to(&answerer, "");
    int kinds = 0;
    for (int i = 0; i < answer.count; i++)
        for (int j = 0; j < answer.continuations[i].count; j++) {
            kinds += !seen[answer.continuations[i].tokens[j]];
            seen[answer.continuations[i].tokens[j]] = true;
        }
    assert_int_equal(kinds, V);
    answer_free(&answer);
    answerer_free(&answerer);
    *t = kept;
}

/* The most probable tokens by penalized logits; each counts as seen after it was written. */
TEST(repetition_is_penalized_in_prompt_and_continuation)
{
    enum { WORDS = 12 };
    Trained *f = *state;
    const int V = f->model.tokenizer.vocabulary.count;
    const double penalties[] = {0.2, 1, 1.5, 50};
    int tokens[2][WORDS];
    for (int which = 0; which < 4; which++) {
        const double penalty = penalties[which];
        const AnswerRules rules = {.count = 1, .words = WORDS, .penalty = penalty};
        FREED_BY(answerer_free) Answerer a = answerer_new(&f->model, &f->text, rules);
        FREED_BY(answer_free) Answer answer = answer_to(&a, "un gato");
        const Continuation *c = answer.continuations;
        bool seen[16] = {false};
        for (int i = 0; i < answer.encoding.count; i++)
            seen[answer.encoding.ids[i]] = true;
        generator_copy(&a.writer, &a.prompt);
        for (int i = 0; i < c->count; i++) {
            double best = -INFINITY;
            int wanted = -1;
            for (int id = 0; id < V; id++) {
                const double logit = (double)a.writer.logits[id];
                const double score = !seen[id]   ? logit
                                     : logit > 0 ? logit / penalty
                                                 : logit * penalty;
                if (!a.barred[id] && score > best) {
                    best = score;
                    wanted = id;
                }
            }
            assert_int_equal(c->tokens[i], wanted);
            tokens[which == 3][i] = wanted;
            seen[wanted] = true;
            generator_add(&a.writer, wanted);
        }
    }
    assert_memory_not_equal(tokens[0], tokens[1], 3 * sizeof(int)); /* it made a difference */
}

/* ---- The context: 4 tokens, [bos] among them ---- */

static void check_full(Trained *f, int words, int beam, const char *prompt, bool prompt_full,
                       bool full)
{
    const AnswerRules rules = {.count = 2, .words = words, .beam = beam, .sampling = {9, 1, 0}};
    Answerer answerer = answerer_new(&f->model, &f->text, rules);
    Answer answer = answer_to(&answerer, prompt);
    int count = 0;
    assert_int_equal(answer.context_full, prompt_full);
    for (int i = 0; i < answer.count; i++)
        count += answer.continuations[i].context_full;
    assert_int_equal(count > 0, full);
    assert_true(count == 2 || !prompt_full); /* else [eos] may have come before */
    answer_free(&answer);
    answerer_free(&answerer);
    AUTOFREE char *text = printed(f, rules, prompt);
    assert_int_equal(count_parts(text, "the context of 4 tokens was full"), prompt_full || full);
    assert_int_equal(count_parts(text, "a beam ends there"), beam && full);
}

TEST(a_full_context_is_told_once)
{
    check_full(*state, 1, 0, "un gato come", false, false);
    check_full(*state, 2, 0, "un gato come", false, true);
    check_full(*state, 1, 0, "un gato come come", true, true);
    check_full(*state, 1, 2, "un gato come", false, false);
    check_full(*state, 9, 2, "un gato come", false, true);
    /* Also if nothing is drawn. */
    AUTOFREE char *text = printed(*state, (AnswerRules){.table = 1}, "un gato come come");
    assert_int_equal(count_parts(text, "only the last 2 are read again, after [bos]"), 1);
}

TEST(a_full_context_is_told_once_in_a_conversation)
{
    Trained *f = *state;
    const AnswerRules rules = {.count = 1, .words = 9, .sampling = {9, 1, 0}};
    FREED_BY(answerer_free) Answerer answerer = answerer_new(&f->model, &f->text, rules);
    const Screen screen = {false, "", ""};
    for (int times = 1; times >= 0; times--) {
        FREED_BY(answer_free) Answer answer = answer_to(&answerer, "un gato come come");
        capture_begin();
        answer_print_continuations(&answerer, &answer, &screen);
        AUTOFREE char *text = capture_end();
        assert_true(answer.context_full);
        assert_int_equal(count_parts(text, "the context of 4 tokens was full"), times);
    }
}

/* ---- An interrupt ---- */

static volatile sig_atomic_t interrupt;

static void interrupt_at_two(const Answer *answer, int number, const Continuation *c, void *watcher)
{
    (void)answer, (void)number, (void)watcher;
    interrupt = c->count == 2;
}

TEST(an_interrupt_ends_what_is_drawn)
{
    Trained *f = *state;
    const AnswerRules rules = {.count = 3, .words = 2000, .sampling = {9, 1, 0}};
    FREED_BY(answerer_free) Answerer a = answerer_new(&f->model, &f->text, rules);
    const int eos = f->model.tokenizer.eos;
    f->model.tokenizer.eos = -1; /* else it may end by itself */
    a.interrupt = &interrupt;
    FREED_BY(answer_free) Answer answer = answer_begun(&a, "un");
    answer_continue(&a, &answer, interrupt_at_two, NULL);
    const Continuation *c = answer.continuations;
    assert_int_equal(answer.count, 1);
    assert_true(c->count == 2 && c->complete && !c->ended && !c->context_full);
    f->model.tokenizer.eos = eos;
}

TEST(an_interrupt_ends_a_search)
{
    Trained *f = *state;
    const AnswerRules rules = {.count = 9, .words = 2, .beam = 9};
    FREED_BY(answerer_free) Answerer a = answerer_new(&f->model, &f->text, rules);
    int ended = 0;
    interrupt = 1;
    a.interrupt = &interrupt;
    FREED_BY(answer_free) Answer answer = answer_to(&a, "un");
    for (int i = 0; i < answer.count; i++) {
        const Continuation *c = &answer.continuations[i];
        assert_true(c->count == 1 && !c->context_full);
        assert_int_equal(c->ended, c->tokens[0] == f->model.tokenizer.eos);
        ended += c->ended;
    }
    assert_true(ended == 1 && answer.count > 2);
}

/* ---- What is printed ---- */

TEST(equal_continuations_are_printed_once_with_their_number)
{
    const AnswerRules rules = {.count = 300, .words = 1, .sampling = {1, 1, 2}};
    AUTOFREE char *text = printed(*state, rules, "un");
    const char *second = strchr(text, '\n') + 1;
    int one, other, at = 0;
    assert_int_equal(sscanf(text, "%d x  un%n", &one, &at), 1);
    assert_true(at > 0);
    assert_int_equal(sscanf(second, "%d x  un%n", &other, &at), 1);
    assert_int_equal(one + other, 300);
    assert_true(one >= other);
    assert_int_equal(count_parts(text, "\n"), 2);
}
