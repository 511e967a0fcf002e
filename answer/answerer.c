/* answerer.c: what stands for no text is never drawn; each draw has random bits of its own. */
#include "answerer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* [bos], [sep] and another model's padding stand for no text, so no continuation contains them,
 * whatever their probability. [eos] ends a line, or a text, and [unk] stands for words: these two
 * are not barred, but neither do they fill a gap. If no token would be left, none is barred. */
static bool *barred_tokens(const Tokenizer *t)
{
    const int V = tokenizer_size(t);
    bool *barred = memory_new((size_t)V, sizeof *barred, "the vocabulary");
    int left = 0;
    for (int id = 0; id < V; id++) {
        const bool is_text = tokenizer_is_text(t, id) && id != t->bos;
        const bool may_come = t->objective != OBJECTIVE_MASKED && (id == t->eos || id == t->unk);
        barred[id] = !is_text && !may_come;
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
    const bool penalizes = rules.penalty != 0 && rules.penalty != 1;
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
                      .barred = barred_tokens(&model->tokenizer),
                      .seen = penalizes ? memory_new(V, sizeof(bool), "the vocabulary") : NULL,
                      .pairs = model->tokenizer.objective == OBJECTIVE_PAIRS,
                      .gaps = model->tokenizer.objective == OBJECTIVE_MASKED};
}

void answerer_free(Answerer *a)
{
    generator_free(&a->prompt);
    generator_free(&a->writer);
    kv_cache_free(&a->cache);
    free(a->p);
    free(a->log_p);
    free(a->ranked);
    free(a->barred);
    free(a->seen);
}

bool answerer_is_interrupted(const Answerer *a)
{
    return a->interrupt && *a->interrupt;
}

void answerer_see(Answerer *a, const int *tokens, int count)
{
    if (!a->seen)
        return;
    memset(a->seen, false, sizeof *a->seen * (size_t)tokenizer_size(&a->model->tokenizer));
    for (int i = 0; i < count; i++)
        a->seen[tokens[i]] = true;
}

int answerer_draw(Answerer *a, Random4 place)
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
