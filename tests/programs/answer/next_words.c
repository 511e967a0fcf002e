/* next_words.c (test): the words found and their probabilities are those of an exhaustive search:
 * all runs of up to three tokens, with what the model says about each. */
#include <stb/stb_ds.h>

#include "tests/helpers/test.h"
#include "tests/helpers/trained.h"
#include "text/encoder.h"
#include "text/subwords/bpe.h"

/* Whether `more` goes on with the last word of `text`. */
static bool goes_on(const char *text, const char *more)
{
    char *both = format_text("%s%s", text, more);
    const char *at = both;
    Span word = {both, both};
    while (at < both + strlen(text) && byte_level_word(&at, both + strlen(both), &word))
        ;
    const bool longer = word.end > both + strlen(text);
    free(both);
    return longer;
}

/* p (V) after the prompt and these tokens. */
static double *probabilities(Answerer *a, const int *tokens, int count)
{
    const int V = tokenizer_size(&a->model->tokenizer);
    double *p = memory_new((size_t)V, sizeof *p, "a test");
    generator_copy(&a->writer, &a->prompt);
    for (int i = 0; i < count; i++)
        generator_add(&a->writer, tokens[i]);
    softmax_of(p, a->writer.logits, V, 1);
    return p;
}

/* The probability that the word after the prompt, which ends with `before`, is `wanted`: over all
 * runs of tokens, this one and those that begin with it. */
static double exhaustive(Answerer *a, const char *before, const char *wanted, const int *tokens,
                         int count)
{
    const Tokenizer *t = &a->model->tokenizer;
    char text[200];
    strcpy(text, before);
    for (int i = 0; i < count; i++)
        strcat(text, tokenizer_word(t, tokens[i]));
    const char *own = text + strlen(before);
    const size_t size = strlen(own);
    double *p = probabilities(a, tokens, count), sum = 0;
    for (int id = 0; id < tokenizer_size(t); id++) {
        const bool more = tokenizer_is_text(t, id) && goes_on(text, tokenizer_word(t, id));
        if (count && !strcmp(own, wanted) && !more)
            sum += p[id];
        int longer[16];
        memcpy(longer, tokens, sizeof *tokens * (size_t)count);
        longer[count] = id;
        if (tokenizer_is_text(t, id) && (more || !count) && !strncmp(own, wanted, size) &&
            !strncmp(tokenizer_word(t, id), wanted + size, strlen(tokenizer_word(t, id))))
            sum += p[id] * exhaustive(a, before, wanted, longer, count + 1);
    }
    free(p);
    return sum;
}

static void check_words(Answerer *a, const char *prompt, const char *before)
{
    FREED_BY(encoding_free)
    Encoding e = prompt_encode(&a->model->tokenizer, "the prompt", prompt, strlen(prompt));
    generator_begin(&a->prompt, e.ids, e.count, 0);
    Candidate *words = next_words(&a->model->tokenizer, &a->prompt, &a->writer, before, 6, 0, NULL);
    assert_int_equal(arrlen(words), 6);
    for (int i = 0; i < 6; i++) {
        const int id = tokenizer_find(&a->model->tokenizer, words[i].text);
        const bool special = id < 0 && words[i].text[0] == '[';
        if (!special) {
            const double p = exhaustive(a, before, words[i].text, (int[]){0}, 0);
            /* of several ways to make the word, the search may leave out improbable ones */
            if (!(words[i].probability <= p * (1 + 1e-5) && words[i].probability >= 0.8 * p))
                fail_msg("%s has %g, wanted %g", words[i].text, words[i].probability, p);
        }
        assert_true(!i || words[i].probability <= words[i - 1].probability);
    }
    candidates_free(words);
}

TEST(words_are_those_of_an_exhaustive_search)
{
    FREED_BY(trained_close)
    Trained t =
        trained_open("el perro come\nel gato come\nun perro, un gato.\n",
                     (const char *[]){"tokens", "bpe", "vocabulary", "275", "context", "16", NULL});
    FREED_BY(answerer_free) Answerer a = answerer_new(&t.model, &t.text, (AnswerRules){0});
    check_words(&a, "el perro", " perro");
    check_words(&a, "el pe", " pe");
    check_words(&a, "un gato.", ".");
}

/* If the source of a pair fills the context, one token more can come, and it is the word. */
static void check_full(Answerer *a)
{
    const Tokenizer *t = &a->model->tokenizer;
    const int context = a->model->gpt.config.context;
    AUTOFREE int *tokens = memory_new((size_t)context, sizeof *tokens, "a test");
    tokens[0] = t->bos;
    for (int i = 1; i < context; i++)
        tokens[i] = tokenizer_find(t, "a");
    tokens[context - 1] = t->sep;
    generator_begin(&a->prompt, tokens, context, context);
    AUTOFREE double *p = probabilities(a, NULL, 0);
    Candidate *words = next_words(t, &a->prompt, &a->writer, "", 4, 0, NULL);
    assert_true(arrlen(words) == 4);
    for (int i = 0; i < 4; i++) {
        const int id = tokenizer_find(t, words[i].text);
        if (id >= 0)
            assert_close_one(words[i].text, words[i].probability, p[id], 1e-9);
    }
    candidates_free(words);
}

TEST(a_word_ends_where_the_context_of_a_pair_does)
{
    FREED_BY(trained_close)
    Trained t = trained_open("a\taa\naa\ta\nab\tba\n",
                             (const char *[]){"objective", "pairs", "tokens", "bpe", "vocabulary",
                                              "262", "context", "8", NULL});
    FREED_BY(answerer_free) Answerer a = answerer_new(&t.model, &t.text, (AnswerRules){0});
    check_full(&a);
}
