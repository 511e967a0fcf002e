/* stop.c (test): continuations that end before a text, and that are printed as they grow. The same
 * draws without an end tell where each must end; printing at the end tells what must be printed. */

#include "programs/sample/show.h"
#include "tests/helpers/test.h"
#include "tests/helpers/trained.h"

static const char TEXT[] = "un gato come\nun perro salta: ¡año!\nel niño come un año\n";

/* Texts of one token, of parts of tokens, of several, of marks; the last is nowhere. */
static const char *const STOPS[] = {" come", "come", "om",     "ga", "o ", "un ", "e un",
                                    "ñ",     "o s",  "perro!", "!",  " ",  "xyz"};
enum { STOP_COUNT = sizeof STOPS / sizeof *STOPS, DRAWS = 60 };

/* The text that a continuation adds to the prompt; the caller frees. */
static char *added(const Answerer *a, const Answer *answer, const Continuation *c)
{
    char *all = answer_text(a, answer, c), *prompt = answer_text(a, answer, NULL);
    assert_memory_equal(all, prompt, strlen(prompt));
    memmove(all, all + strlen(prompt), strlen(all + strlen(prompt)) + 1);
    free(prompt);
    return all;
}

/* Returns how many continuations were stopped. */
static int check_stop(Trained *f, AnswerRules rules, const char *stop, const char *prompt)
{
    int stopped = 0;
    Answerer plain = answerer_new(&f->model, &f->text, rules);
    rules.stop = (char *)stop;
    Answerer ending = answerer_new(&f->model, &f->text, rules);
    Answer whole = answer_to(&plain, prompt), answer = answer_to(&ending, prompt);
    for (int i = 0; i < answer.count; i++) {
        const Continuation *c = &answer.continuations[i];
        AUTOFREE char *wanted = added(&plain, &whole, &whole.continuations[i]);
        char *got = added(&ending, &answer, c), *at = strstr(wanted, stop);
        assert_int_equal(c->stopped, at != NULL);
        assert_int_equal(c->ended, !at && whole.continuations[i].ended);
        stopped += c->stopped;
        if (at)
            *at = 0;
        assert_string_equal(got, wanted);
        AUTOFREE char *text = answer_text(&ending, &answer, c);
        if (f->model.tokenizer.kind != TOKENIZER_WORD && c->stopped && *text)
            assert_int_equal(c->in_text, strstr(TEXT, text) != NULL);
        free(got);
    }
    answer_free(&whole);
    answer_free(&answer);
    answerer_free(&plain);
    answerer_free(&ending);
    return stopped;
}

/* What is printed of one continuation, as it grows or at the end; the caller frees. */
static char *printed(Trained *f, AnswerRules rules, const char *prompt, bool grows)
{
    Answerer a = answerer_new(&f->model, &f->text, rules);
    const Screen screen = {false, "<", ">"};
    Answer answer = answer_begun(&a, prompt);
    capture_begin();
    if (grows) {
        answer_show(&a, &answer, &screen);
    } else {
        answer_continue(&a, &answer, NULL, NULL);
        answer_print_continuations(&a, &answer, &screen);
    }
    answer_free(&answer);
    answerer_free(&a);
    return capture_end();
}

static void check_model(const char *const *options, const char *prompt, int words)
{
    FREED_BY(trained_close) Trained f = trained_open(TEXT, options);
    int stopped = 0;
    for (int i = 0; i < STOP_COUNT; i++) {
        AnswerRules rules = {.count = DRAWS, .words = words, .sampling = {3, 1, 0}, .seed = 3};
        stopped += check_stop(&f, rules, STOPS[i], prompt);
        rules.count = 1;
        rules.stop = (char *)STOPS[i];
        for (rules.seed = 0; rules.seed < DRAWS / 2; rules.seed++) {
            char *grown = printed(&f, rules, prompt, true), *at_end = printed(&f, rules, prompt, 0);
            assert_string_equal(grown, at_end);
            free(grown);
            free(at_end);
        }
    }
    assert_true(stopped > DRAWS); /* else little is proved */
}

TEST(continuations_end_before_a_text)
{
    check_model((const char *[]){NULL}, "un", 25);
    check_model((const char *[]){"tokens", "char", NULL}, "un", 25);
    check_model((const char *[]){"tokens", "char", "sequence", "stream", NULL}, "", 25);
    check_model((const char *[]){"tokens", "bpe", "vocabulary", "270", NULL}, "un", 150);
}
