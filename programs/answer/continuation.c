/* continuation.c: each continuation starts from a copy of the generator that has read the prompt, a
 * beam search from its slot of the KV cache. A line with gaps is read again after each is
 * filled. */
#include "continuation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/elementary.h"
#include "model/generate/beam.h"
#include "text/corpus/counts.h"
#include "text/prompt.h"

/* How many tokens a continuation may have. A full context ends a target, and what a beam search
 * finds; but the last token need not be read, since nothing comes after it, so it needs no
 * place. */
static int most_tokens(const Answerer *a, const Answer *answer)
{
    const int room = a->model->gpt.config.context - answer->encoding.count + 1;
    return a->rules.beam || a->pairs ? min_int(a->rules.words, room) : a->rules.words;
}

/* How many bytes the text of a continuation has from AnswerRules.stop on, if that is in the text of
 * its last tokens; else 0. If it was not there before the last token, the tokens that may hold it
 * are as many as its bytes. */
static size_t stop_bytes(const Answerer *a, const Answer *answer, const int *tokens, int count)
{
    if (!a->rules.stop)
        return 0;
    const int from = max_int(count - (int)strlen(a->rules.stop), 0);
    const int before = from ? tokens[from - 1] : answer->encoding.ids[answer->encoding.count - 1];
    char *text = tokenizer_decode_after(&a->model->tokenizer, before, tokens + from, count - from);
    const char *at = strstr(text, a->rules.stop);
    const size_t bytes = at ? strlen(at) : 0;
    free(text);
    return bytes;
}

static bool is_interrupted(const Answerer *a)
{
    return a->interrupt && *a->interrupt;
}

/* If repetition is penalized: notes that only these tokens were seen. */
static void see(Answerer *a, const int *tokens, int count)
{
    if (!a->seen)
        return;
    memset(a->seen, false, sizeof *a->seen * (size_t)tokenizer_size(&a->model->tokenizer));
    for (int i = 0; i < count; i++)
        a->seen[tokens[i]] = true;
}

/* Draws a token from the writer's logits by the rules, but none that is barred, and notes that it
 * was seen; log_p receives ln p of all tokens by the model itself. `place` numbers the draw: each
 * has its own random bits, which do not depend on what was drawn before. */
static int draw_token(Answerer *a, Random4 place)
{
    const int V = tokenizer_size(&a->model->tokenizer);
    Real *logits = a->writer.logits;
    log_softmax_of(a->log_p, logits, V);
    for (int id = 0; id < V; id++)
        if (a->barred[id])
            logits[id] = -INFINITY;
    if (a->seen)
        penalize_repetition(logits, a->seen, V, a->rules.penalty);
    sampler_probabilities(a->p, a->ranked, logits, V, a->rules.sampling);
    const int id =
        sampler_pick(a->p, V, random_uniform((uint32_t)a->rules.seed, RANDOM_SAMPLE, place));
    pretrained_check(a->model, a->log_p[id]);
    if (a->seen)
        a->seen[id] = true;
    return id;
}

/* One continuation, token by token, up to [eos], AnswerRules.stop, as many as there may be, or an
 * interrupt. */
static Continuation draw(Answerer *a, const Answer *answer, int number, AnswerWatch *watch,
                         void *watcher)
{
    const int most = most_tokens(a, answer);
    Continuation c = {.tokens = memory_new((size_t)most, sizeof *c.tokens, "a continuation")};
    generator_copy(&a->writer, &a->prompt);
    see(a, answer->encoding.ids, answer->encoding.count);
    while (!c.ended && !c.stopped && c.count < most && !is_interrupted(a)) {
        const Random4 place = {{(uint32_t)c.count, (uint32_t)number, answer->number, 0}};
        if (c.count)
            generator_add(&a->writer, c.tokens[c.count - 1]);
        const int id = draw_token(a, place);
        c.tokens[c.count++] = id;
        c.log_probability += a->log_p[id];
        c.ended = id == a->model->tokenizer.eos;
        c.cut = stop_bytes(a, answer, c.tokens, c.count);
        c.stopped = c.cut > 0;
        if (watch)
            watch(answer, number, &c, watcher);
    }
    c.context_full =
        a->writer.forgot || (!c.ended && !c.stopped && c.count == most && most < a->rules.words);
    return c;
}

/* The tokens of the prompt from number `from` on, and of a continuation. */
static int *tokens_from(const Answer *answer, int from, const Continuation *c, int *count)
{
    const int asked = answer->encoding.count, more = c ? c->count : 0;
    const bool fills = answer->places->at < asked;
    int *tokens = memory_new((size_t)asked + (size_t)more, sizeof *tokens, "words");
    memcpy(tokens, answer->encoding.ids, sizeof *tokens * (size_t)asked);
    for (int i = 0; i < more; i++)
        tokens[fills ? answer->places[i].at : asked + i] = c->tokens[i];
    *count = asked - from + (fills ? 0 : more);
    memmove(tokens, tokens + from, sizeof *tokens * (size_t)*count);
    return tokens;
}

/* The probability of the most probable token that may come. */
static double surest(Answerer *a, const Real *logits)
{
    const int V = tokenizer_size(&a->model->tokenizer);
    double most = 0;
    softmax_of(a->p, logits, V, 1);
    for (int id = 0; id < V; id++)
        most = !a->barred[id] && a->p[id] > most ? a->p[id] : most;
    return most;
}

/* The gap, among those not filled yet, in which the model is surest of a token that may come;
 * leaves the scores at that gap in the writer's logits. The writer has read the line. */
static int surest_gap(Answerer *a, const Answer *answer, const int *filled)
{
    const int V = tokenizer_size(&a->model->tokenizer), mask = a->model->tokenizer.mask;
    const size_t most = (size_t)answer->place_count;
    int *gaps = memory_new(most, sizeof *gaps, "the gaps");
    int *places = memory_new(most, sizeof *places, "the gaps");
    Real *logits = memory_new(most * (size_t)V, sizeof *logits, "the gaps");
    int count = 0, best = 0;
    for (int gap = 0; gap < answer->place_count; gap++)
        if (filled[gap] == mask) {
            places[count] = answer->places[gap].at;
            gaps[count++] = gap;
        }
    generator_look_at(&a->writer, places, count, logits);
    double highest = -1;
    for (int i = 0; i < count; i++) {
        const double p = surest(a, ROW(logits, i, V));
        if (p > highest) {
            highest = p;
            best = i;
        }
    }
    memcpy(a->writer.logits, ROW(logits, best, V), sizeof *logits * (size_t)V);
    const int gap = gaps[best];
    free(gaps);
    free(places);
    free(logits);
    return gap;
}

/* Fills the gaps, each with a token that is drawn given all others and the gaps that are left. */
static Continuation fill(Answerer *a, const Answer *answer, int number, AnswerWatch *watch,
                         void *watcher)
{
    const int gaps = answer->place_count, count = answer->encoding.count;
    Continuation c = {.tokens = memory_new((size_t)gaps, sizeof *c.tokens, "the gaps"),
                      .count = gaps,
                      .ended = true};
    for (int gap = 0; gap < gaps; gap++)
        c.tokens[gap] = a->model->tokenizer.mask;
    for (int filled = 0; filled < gaps; filled++) {
        int all, *tokens = tokens_from(answer, 0, &c, &all);
        generator_begin(&a->writer, tokens, all, count);
        free(tokens);
        const int gap = surest_gap(a, answer, c.tokens);
        const Random4 place = {{(uint32_t)gap, (uint32_t)number, answer->number, 0}};
        c.tokens[gap] = draw_token(a, place);
        c.log_probability += a->log_p[c.tokens[gap]];
        if (watch)
            watch(answer, number, &c, watcher);
    }
    return c;
}

int *answer_tokens(const Answer *answer, const Continuation *c, int *count)
{
    return tokens_from(answer, answer->hidden, c, count);
}

char *answer_text(const Answerer *a, const Answer *answer, const Continuation *c)
{
    int count, *tokens = answer_tokens(answer, c, &count);
    char *text = tokenizer_decode(&a->model->tokenizer, tokens, count);
    text[strlen(text) - (c ? c->cut : 0)] = 0;
    free(tokens);
    return text;
}

/* Whether a continuation that was cut, perhaps within a token, is in the text: what is written is
 * looked for. */
static bool is_cut_in_text(const Answerer *a, const Answer *answer, const Continuation *c)
{
    const Tokenizer *t = &a->model->tokenizer;
    char *text = answer_text(a, answer, c);
    Encoding e = prompt_encode(t, "", text, strlen(text));
    const int from = !a->pairs && !t->stream; /* without [bos] */
    const bool held =
        !e.wrong && counts_has(&a->text->corpus, t, e.ids + from, max_int(e.count - from, 0));
    encoding_free(&e);
    free(text);
    return held;
}

/* The text has the source of a pair only if a line begins with it: [bos] is also looked for. A line
 * with gaps has it anyway. */
static bool is_in_text(const Answerer *a, const Answer *answer, const Continuation *c)
{
    if (c->stopped)
        return is_cut_in_text(a, answer, c);
    int count, *tokens = tokens_from(answer, a->pairs || a->gaps ? 0 : answer->hidden, c, &count);
    const bool held = counts_has(&a->text->corpus, &a->model->tokenizer, tokens, count);
    free(tokens);
    return held;
}

/* What a search asks after each token: whether a continuation has AnswerRules.stop, or may not grow
 * any more. */
typedef struct {
    const Answerer *answerer;
    const Answer *answer;
} Judge;

static bool ends(const int *tokens, int count, void *judge)
{
    const Judge *j = judge;
    return is_interrupted(j->answerer) || stop_bytes(j->answerer, j->answer, tokens, count) > 0;
}

/* The best continuations that a beam search finds. */
static void search(Answerer *a, Answer *answer)
{
    see(a, answer->encoding.ids, answer->encoding.count);
    Judge judge = {a, answer};
    const BeamRules rules = {.width = a->rules.beam,
                             .eos = a->model->tokenizer.eos,
                             .most = most_tokens(a, answer),
                             .barred = a->barred,
                             .seen = a->seen,
                             .penalty = a->rules.penalty,
                             .ends = ends,
                             .judge = &judge};
    int found;
    Hypothesis *best = beam_search(&a->model->gpt, &a->cache, a->prompt.logits,
                                   answer->encoding.count, rules, &found);
    answer->count = min_int(answer->count, found);
    while (answer->count > 1 &&
           elementary_exp(best[answer->count - 1].log_probability) < a->rules.least)
        answer->count--;
    for (int i = 0; i < answer->count; i++) {
        Hypothesis *h = &best[i];
        pretrained_check(a->model, h->log_probability);
        const size_t cut = stop_bytes(a, answer, h->tokens, h->count);
        answer->continuations[i] =
            (Continuation){.tokens = h->tokens,
                           .count = h->count,
                           .log_probability = h->log_probability,
                           .ended = h->tokens[h->count - 1] == rules.eos && !cut,
                           .stopped = cut > 0,
                           .cut = cut,
                           .context_full = !h->ended && h->count < a->rules.words};
        h->tokens = NULL; /* the continuation owns them now */
        answer->continuations[i].in_text =
            a->text->there && is_in_text(a, answer, &answer->continuations[i]);
    }
    beam_free(best, found);
}

/* Draws a continuation, or fills the gaps, and tells that it is complete. */
static Continuation draw_whole(Answerer *a, const Answer *answer, int number, AnswerWatch *watch,
                               void *watcher)
{
    Continuation c =
        a->gaps ? fill(a, answer, number, watch, watcher) : draw(a, answer, number, watch, watcher);
    c.complete = true;
    c.in_text = a->text->there && is_in_text(a, answer, &c);
    if (watch)
        watch(answer, number, &c, watcher);
    return c;
}

void answer_continue(Answerer *a, Answer *answer, AnswerWatch *watch, void *watcher)
{
    answer->count = a->rules.count;
    answer->continuations =
        memory_new((size_t)answer->count, sizeof *answer->continuations, "the continuations");
    if (a->rules.beam && answer->count) {
        search(a, answer);
        return;
    }
    for (int i = 0; i < answer->count; i++) {
        answer->continuations[i] = draw_whole(a, answer, i, watch, watcher);
        if (is_interrupted(a))
            answer->count = i + 1;
    }
}
