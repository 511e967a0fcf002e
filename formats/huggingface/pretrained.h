/* pretrained.h: a model directory opened for use: a run of ours, or a GPT-2 that Transformers
 * saved. sample, attend and train --from read models through it. The directory may come from a
 * stranger: if anything in it is wrong, one line says what. */
#ifndef PULGA_PRETRAINED_H
#define PULGA_PRETRAINED_H

#include "config.h"

typedef struct {
    Directory directory; /* as the user named it, for messages */
    Config config;
    Gpt gpt;             /* a reader, with room for one sequence of its whole context */
    Tokenizer tokenizer; /* has as many tokens as the config says */
} Pretrained;

/* Dies in one line if there is no such model, if something of it is missing or damaged, if its
 * weights are not finite, or if a run of the same name replaced it meanwhile. */
Pretrained pretrained_open(const char *directory);
void pretrained_close(Pretrained *model);

/* Takes heads and layers out of the model (model/ablation.h): those of a list such as "L2H3,L1",
 * counted from 1. A usage error of --without if the list is malformed or the model lacks one. */
void pretrained_without(Pretrained *model, const char *list);

/* Writes a model into a directory, which is made if it is missing. Warns and returns false if that
 * fails. */
bool pretrained_save(const char *directory, const Gpt *gpt, const Tokenizer *tokenizer);

/* What the model was trained for; what only training reads is 0. */
Objective pretrained_objective(const Pretrained *model);

/* Dies unless a number that the model has computed is finite: weights that are too large make it
 * infinite or NaN. */
void pretrained_check(const Pretrained *model, double number);

#endif
