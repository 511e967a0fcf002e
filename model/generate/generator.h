/* writer.h: a model that reads a prompt and goes on token by token. What was read is remembered
 * (keys and values), so a further token costs one row. When the context is full it forgets: it
 * reads the last T/2 tokens again from position 0, behind [bos] where there is one. */
#ifndef PULGA_GENERATOR_H
#define PULGA_GENERATOR_H

#include "model/gpt.h"

typedef struct {
    Gpt *gpt;
    int slot;       /* of what the model remembers */
    int bos;        /* -1: none */
    int *tokens;    /* (T, and one) what it has read and not forgotten */
    int *positions; /* (T) 0, 1, 2, … */
    int count;      /* of tokens */
    bool forgot;    /* since it began */
    Real *logits;   /* (V) what may come next */
} Generator;

/* Over a model that remembers (gpt_remember). */
Generator generator_new(Gpt *gpt, int slot, int bos);
void generator_free(Generator *writer);

/* Begins with a prompt of at least one token. */
void generator_begin(Generator *writer, const int *tokens, int count);

/* Goes on by one token. */
void generator_add(Generator *writer, int token);

/* Makes a writer stand where another one of the same model stands, without reading. */
void generator_copy(Generator *to, const Generator *from);

/* How many tokens are read again when the context is full, and whether behind [bos]. */
int generator_keeps(const Generator *writer, bool *behind_bos);

#endif
