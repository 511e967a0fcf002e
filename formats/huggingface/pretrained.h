/* pretrained.h: a model directory opened for use: a run of ours, or a GPT-2 that Transformers
 * saved. */
#ifndef PULGA_PRETRAINED_H
#define PULGA_PRETRAINED_H

#include "config.h"

typedef struct {
    Directory directory;
    Config config;
    Gpt gpt; /* its weights; room for one sequence of its whole context */
    Vocabulary vocabulary;
    bool lower;  /* a text is lower-cased before it is read */
    bool stream; /* else it is read by lines, each beginning with [bos] */
} Pretrained;

/* Dies in one line if there is no such model, or something of it is missing or damaged. */
Pretrained pretrained_open(const char *directory);
void pretrained_close(Pretrained *model);

/* Dies unless a number that the model has computed is finite: with weights that are too large it is
 * not. */
void pretrained_check(const Pretrained *model, double number);

/* The tokens of a prompt, [bos] first where the model reads by lines: nothing in it is that one
 * alone, or no token at all in a stream. `name` is what messages call the prompt. Returns NULL, or
 * what is wrong in one line (the caller frees); the tokens are the caller's to free(). */
char *pretrained_tokens(const Pretrained *model, const char *name, const char *bytes, size_t size,
                        int **tokens, int *count);

#endif
