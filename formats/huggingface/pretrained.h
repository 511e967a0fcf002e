/* pretrained.h: a model directory opened for use: a run of ours, or a GPT-2 that Transformers
 * saved. */
#ifndef PULGA_PRETRAINED_H
#define PULGA_PRETRAINED_H

#include "config.h"

typedef struct {
    Directory directory;
    Config config;
    Gpt gpt; /* its weights; room for one sequence of its whole context */
    Tokenizer tokenizer;
} Pretrained;

/* Dies in one line if there is no such model, or something of it is missing or damaged. */
Pretrained pretrained_open(const char *directory);
void pretrained_close(Pretrained *model);

/* Dies unless a number that the model has computed is finite: with weights that are too large it is
 * not. */
void pretrained_check(const Pretrained *model, double number);

#endif
