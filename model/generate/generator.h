/* generator.h: a model that reads a prompt and is continued token by token. What it has read stays
 * in a slot of a KV cache, so each further token costs one row.
 *
 * When the context is full, the generator forgets: it reads the last T/2 tokens again from position
 * 0, after [bos] if the model has one. With a context of 8, the ninth token is the last of five
 * that are read: [bos] and four. Then there is room for three more. */
#ifndef PULGA_GENERATOR_H
#define PULGA_GENERATOR_H

#include "model/gpt.h"
#include "model/shape/batch.h"

/* It owns the two arrays; the model and the cache are the caller's. Generators of one model may
 * share a cache, each with a slot of its own. */
typedef struct {
    Gpt *gpt;
    KvCache cache;
    int slot;     /* of the cache */
    int bos;      /* -1: none */
    int prefix;   /* the first tokens of the prompt that all see each other */
    int *tokens;  /* (T + 1) what it has read and not forgotten */
    int count;    /* of tokens */
    bool forgot;  /* since generator_begin() */
    Real *logits; /* (V) the scores of the next token */
} Generator;

/* generator_free() frees it, but not the cache. */
Generator generator_new(Gpt *gpt, KvCache cache, int slot, int bos);
void generator_free(Generator *generator);

/* Reads a prompt of at least one token, the first `prefix` of which all see each other; of one that
 * is longer than the context, only the end, and then there may not be such a prefix. What was read
 * before is forgotten. logits are then those of the token after the prompt. */
void generator_begin(Generator *generator, const int *tokens, int count, int prefix);

/* After generator_begin(), and before anything else is read: logits (count, V) receive what the
 * model computes at these tokens of the prompt, which must fit into the context. A model that was
 * trained to fill gaps predicts each of the tokens there. */
void generator_look_at(const Generator *generator, const int *places, int count, Real *logits);

/* Reads one token more, usually one that was chosen by the logits. */
void generator_add(Generator *generator, int token);

/* Brings a generator to the state of another one of the same model, without reading. */
void generator_copy(Generator *to, const Generator *from);

/* How many tokens are read again when the context is full, and whether after [bos]. */
int generator_keeps(const Generator *generator, bool *after_bos);

#endif
