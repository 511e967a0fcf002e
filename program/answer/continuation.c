/* continuation.c: each continuation starts from a copy of the generator that has read the prompt, a
 * beam search from its slot of the KV cache. A line with gaps is read again after each is
 * filled. */
#include "continuation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "data/corpus/counts.h"
#include "model/generate/beam.h"

/* How many tokens a continuation may have. A full context ends a target, and what a beam search
 * finds; but the last token need not be read, since nothing comes after it, so it needs no
 * place. */
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
        const int id = answerer_draw(a, place);
        c.tokens[c.count++] = id;
        c.log_probability += a->log_p[id];
        c.ended = id == a->model->tokenizer.eos;
        if (watch)
            watch(answer, &c, watcher);
    }
    c.context_full = a->writer.forgot || (!c.ended && c.count < a->rules.words);
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

/* Of the gaps that are not filled yet, the one in which the model is surest of a token that may
 * come; leaves the scores at that gap in the writer's logits. The writer has read the line. */
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
        c.tokens[gap] = answerer_draw(a, place);
        c.log_probability += a->log_p[c.tokens[gap]];
        if (watch)
            watch(answer, &c, watcher);
    }
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
    while (answer->count > 1 &&
           elementary_exp(best[answer->count - 1].log_probability) < a->rules.least)
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

int *answer_tokens(const Answer *answer, const Continuation *c, int *count)
{
    return tokens_from(answer, answer->hidden, c, count);
}

/* The text has the source of a pair only if a line begins with it: [bos] is looked for, too. A line
 * with gaps has it anyway. */
static bool is_in_text(const Answerer *a, const Answer *answer, const Continuation *c)
{
    int count, *tokens = tokens_from(answer, a->pairs || a->gaps ? 0 : answer->hidden, c, &count);
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
            answer->continuations[i] =
                a->gaps ? fill(a, answer, i, watch, watcher) : draw(a, answer, i, watch, watcher);
    for (int i = 0; i < answer->count && a->text->there; i++)
        answer->continuations[i].in_text = is_in_text(a, answer, &answer->continuations[i]);
}
