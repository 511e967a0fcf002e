/* cases.h: small whole models under every option, at odd sizes, for the tests of exactness. Built
 * in float and in double: both start from the same weights. */
#ifndef PULGA_CASES_H
#define PULGA_CASES_H

#include "model/gpt.h"

typedef struct {
    const char *name;
    GptConfig shape;
    double dropout;
    bool some_count; /* only some of the batch's targets count, else all */
} Case;

extern const Case CASES[];
extern const int CASE_COUNT;

/* The batch that the cases learn from: three sequences of 1, 7 and 4 tokens. */
extern const Batch CASE_BATCH;

/* A model of a case with all its weights away from 0, and its loss: the mean over the batch, as
 * gpt_forward_backward gives it, adding to the gradients. */
Gpt case_model(const Case *c);
double case_learn(Gpt *gpt, const Case *c);

#endif
