/* effects.h: what each head of a model does, in three numbers:
 *
 *     rise        of the mean loss of a text if the head, or all of its layer, adds nothing
 *     before      the mean attention to the token before, and
 *     induction   from a token that occurs for the second time to the one that came after it the
 *                 first time (Olsson et al. 2022): both in random tokens that are written twice
 *
 * A head with an induction of 1 finds what followed the last time: it copies. */
#ifndef PULGA_EFFECTS_H
#define PULGA_EFFECTS_H

#include "model/gpt.h"
#include "text/tokenizer.h"

typedef struct {
    int layers, heads;          /* L H */
    double loss;                /* of the text, with all heads: the mean of its tokens */
    int count;                  /* of its tokens that the model predicts */
    double *rise;               /* (L, H + 1) number H is of the whole layer */
    double *before, *induction; /* (L, H) */
    int twice;                  /* how many random tokens are written twice; 0: none, since the
                                  model does not predict each next token, or its context or its
                                  vocabulary has no room for two */
} Effects;

/* The sum of the losses of a text's tokens, and in *count how many of them the model predicts. If
 * it fills gaps, each token is masked by itself. */
double effects_loss(Gpt *gpt, const Objective *objective, const int *ids, int length, int *count);

/* What the heads do for a text. If the model predicts none of its tokens, count is 0 and the rises
 * are not set. effects_free() frees it. */
Effects effects_read(Gpt *gpt, const Tokenizer *tokenizer, const Objective *objective,
                     const int *ids, int length);
void effects_free(Effects *effects);

#endif
