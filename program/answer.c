/* answer.c: a generator reads the prompt once. Each continuation starts from a copy of the
 * generator's state, a beam search from its slot of the KV cache. Counts come from searching the
 * training text. */
#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/random.h"
#include "data/corpus/counts.h"
#include "data/subwords/byte_level.h"
#include "model/generate/beam.h"

/* [bos], [sep] and another model's padding stand for no text, so no continuation contains them, whatever
 * their probability. [eos] ends a line, or a text, and [unk] stands for words: these two are not
 * barred. If no token would be left, none is barred. */
static bool *barred_tokens(const Tokenizer *t)
{
    const int V = tokenizer_size(t);
    bool *barred = memory_new((size_t)V, sizeof *barred, "the vocabulary");
    int left = 0;
    for (int id = 0; id < V; id++) {
        const bool is_text = tokenizer_is_text(t, id) && id != t->bos;
        barred[id] = !is_text && id != t->eos && id != t->unk;
        left += !barred[id];
    }
    if (!left)
        memset(barred, false, sizeof *barred * (size_t)V);
    return barred;
}

/* Slot 0 of the KV cache is the prompt's, slot 1 that of the continuations; a beam search takes as
 * many as it is wide, the prompt's among them. */
Answerer answerer_new(Pretrained *model, const TrainingText *text, AnswerRules rules)
{
    const size_t V = (size_t)tokenizer_size(&model->tokenizer);
    const KvCache cache = kv_cache_new(&model->gpt.config, max_int(rules.beam, 2));
    return (Answerer){.model = model,
                      .text = text,
                      .rules = rules,
                      .cache = cache,
                      .prompt = generator_new(&model->gpt, cache, 0, model->tokenizer.bos),
                      .writer = generator_new(&model->gpt, cache, 1, model->tokenizer.bos),
                      .p = memory_new(V, sizeof(double), "the probabilities"),
                      .log_p = memory_new(V, sizeof(double), "the probabilities"),
                      .ranked = memory_new(V, sizeof(Ranked), "the probabilities"),
                      .times = memory_new(V, sizeof(size_t), "the counts"),
                      .barred = barred_tokens(&model->tokenizer),
                      .pairs = model->tokenizer.objective == OBJECTIVE_PAIRS};
}

void answerer_free(Answerer *a)
{
    generator_free(&a->prompt);
    generator_free(&a->writer);
    kv_cache_free(&a->cache);
    free(a->p);
    free(a->log_p);
    free(a->ranked);
    free(a->times);
    free(a->barred);
}

/* ---- The prompt ---- */

/* Draws a token; all that continuations may contain, except [unk], are equally probable. */
static int draw_first(const Answerer *a, uint32_t number)
{
    const Tokenizer *t = &a->model->tokenizer;
    const int V = tokenizer_size(t);
    int kinds = 0;
    for (int id = 0; id < V; id++) {
        const bool may_come = !a->barred[id] && id != t->unk;
        a->p[id] = may_come;
        kinds += may_come;
    }
    const Random4 place = {{UINT32_MAX, 0, number, 0}};
    return sampler_pick(a->p, V,
                        kinds * random_uniform((uint32_t)a->rules.seed, RANDOM_SAMPLE, place));
}

/* A stream has no [bos], so an empty prompt becomes the token that ends a text, after which another
 * one begins, or else a line end; it is hidden. If the vocabulary has neither, the prompt becomes a
 * token drawn at random. */
static void begin_stream(const Answerer *a, Answer *answer)
{
    const Tokenizer *t = &a->model->tokenizer;
    int first = t->eos >= 0 ? t->eos : tokenizer_find(t, "\n");
    answer->hidden = first >= 0;
    if (first < 0) {
        first = draw_first(a, answer->number);
        answer->prompt = tokenizer_word(t, first);
    }
    arrput(answer->encoding.ids, first);
    answer->encoding.count = 1;
}

/* The last word of a prompt of subwords, which begins after the last special token, as [sep] is; the
 * caller frees. */
static char *last_word(const Tokenizer *t, const Encoding *e)
{
    int from = e->count;
    while (from && tokenizer_is_text(t, e->ids[from - 1]))
        from--;
    char *text = tokenizer_decode(t, e->ids + from, e->count - from);
    const char *at = text;
    Span word = {text, text};
    while (byte_level_word(&at, text + strlen(text), &word))
        ;
    char *last = format_text("%s", word.begin);
    free(text);
    return last;
}

/* The whole words that may come next, and how often the text continues with each. */
static void find_words(Answerer *a, Answer *answer)
{
    const Tokenizer *t = &a->model->tokenizer;
    const Encoding *e = &answer->encoding;
    char *before = last_word(t, e);
    answer->words =
        next_words(t, &a->prompt, &a->writer, before, min_int(a->rules.table, tokenizer_size(t)),
                   a->rules.all_rows ? 0 : ROW_LEAST);
    if (a->text->there) {
        WordTimes *times;
        answer->times_in_all =
            counts_next_words(&a->text->corpus, t, e->ids, e->count, before, &times);
        for (ptrdiff_t i = 0; i < arrlen(answer->words); i++)
            answer->words[i].times = shget(times, answer->words[i].text);
        shfree(times);
    }
    free(before);
}

/* One line about a prompt that is too long, or NULL. If the prompt is longer than the context, the
 * generator forgets its beginning; neither a beam search nor a target may do without it. */
static char *check_length(const Answerer *a, const char *name, int count)
{
    const int T = a->model->gpt.config.context;
    if (count <= T || (!a->rules.beam && !a->pairs))
        return NULL;
    return format_text("%s has %d tokens, more than the context of %d: %s", name, count, T,
                       a->pairs ? "a source and its target must fit into it together"
                                : "a beam search needs all of them in the context");
}

/* The generator reads the prompt, which leaves the scores of the next token in its logits. */
Answer answer_begin(Answerer *a, const char *name, const char *prompt, size_t size)
{
    const int V = tokenizer_size(&a->model->tokenizer);
    Answer answer = {.prompt = prompt,
                     .number = a->asked++,
                     .times = a->times,
                     .encoding = tokenizer_encode_prompt(&a->model->tokenizer, name, prompt, size)};
    Encoding *e = &answer.encoding;
    answer.hidden = !a->model->tokenizer.stream; /* [bos] */
    if (!e->wrong && e->count == 0)
        begin_stream(a, &answer);
    if (!e->wrong)
        e->wrong = check_length(a, name, e->count);
    if (e->wrong)
        return answer;
    if (a->text->there)
        answer.times_in_all =
            counts_next(&a->text->corpus, &a->model->tokenizer, a->times, V, e->ids, e->count);
    const Objective objective = pretrained_objective(a->model);
    const int prefix = objective_sequence(&objective, e->ids, e->count).prefix;
    generator_begin(&a->prompt, e->ids, e->count, prefix);
    answer.context_full = a->prompt.forgot;
    softmax_of(a->p, a->prompt.logits, V, 1);
    pretrained_check(a->model, a->p[0]); /* if any of them is not finite, all are not */
    const int most = min_int(a->rules.table, V);
    answer.next = memory_new((size_t)most, sizeof *answer.next, "the table");
    answer.rows = rank_best(answer.next, most, a->p, V);
    if (a->rules.words_of_subwords && a->model->tokenizer.kind == TOKENIZER_BPE && most)
        find_words(a, &answer);
    return answer;
}

/* ---- Continuations ---- */

/* Draws the next token from those that are not barred, by the rules; log_p receives ln p of all
 * tokens by the model itself. `place` numbers the draw: each has its own random bits, which do not
 * depend on what was drawn before. */
static int draw_token(Answerer *a, Random4 place)
{
    const int V = tokenizer_size(&a->model->tokenizer);
    Real *logits = a->writer.logits;
    log_softmax_of(a->log_p, logits, V);
    for (int id = 0; id < V; id++)
        if (a->barred[id])
            logits[id] = -INFINITY;
    sampler_probabilities(a->p, a->ranked, logits, V, a->rules.sampling);
    const int id =
        sampler_pick(a->p, V, random_uniform((uint32_t)a->rules.seed, RANDOM_SAMPLE, place));
    pretrained_check(a->model, a->log_p[id]);
    return id;
}

/* How many tokens a continuation may have. A full context ends a target, and what a beam search
 * finds; but the last token need not be read, since nothing comes after it, so it needs no place. */
static int most_tokens(const Answerer *a, const Answer *answer)
{
    const int room = a->model->gpt.config.context - answer->encoding.count + 1;
    return a->rules.beam || a->pairs ? min_int(a->rules.words, room) : a->rules.words;
}

/* One continuation, token by token, up to [eos] or as many as there may be. */
static Continuation draw(Answerer *a, const Answer *answer, int number, AnswerWatch *watch,
                         void *watcher)
{
    const int most = most_tokens(a, answer);
    Continuation c = {.tokens = memory_new((size_t)most, sizeof *c.tokens, "a continuation")};
    generator_copy(&a->writer, &a->prompt);
    while (!c.ended && c.count < most) {
        const Random4 place = {{(uint32_t)c.count, (uint32_t)number, answer->number, 0}};
        if (c.count)
            generator_add(&a->writer, c.tokens[c.count - 1]);
        const int id = draw_token(a, place);
        c.tokens[c.count++] = id;
        c.log_probability += a->log_p[id];
        c.ended = id == a->model->tokenizer.eos;
        if (watch)
            watch(answer, &c, watcher);
    }
    c.context_full = a->writer.forgot || (!c.ended && c.count < a->rules.words);
    return c;
}

/* The best continuations that a beam search finds. */
static void search(Answerer *a, Answer *answer)
{
    const BeamRules rules = {.width = a->rules.beam,
                             .eos = a->model->tokenizer.eos,
                             .most = most_tokens(a, answer),
                             .barred = a->barred};
    int found;
    Hypothesis *best = beam_search(&a->model->gpt, &a->cache, a->prompt.logits,
                                   answer->encoding.count, rules, &found);
    answer->count = min_int(answer->count, found);
    while (answer->count > 1 && exp(best[answer->count - 1].log_probability) < a->rules.least)
        answer->count--;
    for (int i = 0; i < answer->count; i++) {
        Hypothesis *h = &best[i];
        pretrained_check(a->model, h->log_probability);
        answer->continuations[i] =
            (Continuation){.tokens = h->tokens,
                           .count = h->count,
                           .log_probability = h->log_probability,
                           .ended = h->ended,
                           .context_full = !h->ended && h->count < a->rules.words};
        h->tokens = NULL; /* the continuation owns them now */
    }
    beam_free(best, found);
}

static int *tokens_from(const Answer *answer, int from, const Continuation *c, int *count)
{
    const int asked = answer->encoding.count - from, more = c ? c->count : 0;
    int *tokens = memory_new((size_t)asked + (size_t)more + 1, sizeof *tokens, "words");
    memcpy(tokens, answer->encoding.ids + from, sizeof *tokens * (size_t)asked);
    if (c)
        memcpy(tokens + asked, c->tokens, sizeof *tokens * (size_t)more);
    *count = asked + more;
    return tokens;
}

int *answer_tokens(const Answer *answer, const Continuation *c, int *count)
{
    return tokens_from(answer, answer->hidden, c, count);
}

/* The text has the source of a pair only if a line begins with it: [bos] is looked for, too. */
static bool is_in_text(const Answerer *a, const Answer *answer, const Continuation *c)
{
    int count, *tokens = tokens_from(answer, a->pairs ? 0 : answer->hidden, c, &count);
    const bool held = counts_has(&a->text->corpus, &a->model->tokenizer, tokens, count);
    free(tokens);
    return held;
}

void answer_continue(Answerer *a, Answer *answer, AnswerWatch *watch, void *watcher)
{
    answer->count = a->rules.count;
    answer->continuations =
        memory_new((size_t)answer->count, sizeof *answer->continuations, "the continuations");
    if (a->rules.beam && answer->count)
        search(a, answer);
    else
        for (int i = 0; i < answer->count; i++)
            answer->continuations[i] = draw(a, answer, i, watch, watcher);
    for (int i = 0; i < answer->count && a->text->there; i++)
        answer->continuations[i].in_text = is_in_text(a, answer, &answer->continuations[i]);
}

void answer_free(Answer *answer)
{
    for (int i = 0; i < answer->count; i++)
        free(answer->continuations[i].tokens);
    free(answer->continuations);
    free(answer->next);
    next_words_free(answer->words);
    encoding_free(&answer->encoding);
}
