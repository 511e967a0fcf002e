/* trained.h: a small trained model, opened as sample opens a run, and its answers to prompts. */
#ifndef PULGA_TRAINED_H
#define PULGA_TRAINED_H

#include "programs/answer/answer.h"

typedef struct {
    char *folder;
    Pretrained model;
    TrainingText text;
} Trained;

/* Trains on the text as tiny_run() does, which has the options, and opens the run. */
Trained trained_open(const char *text, const char *const *options);
void trained_close(Trained *trained);

/* The answer to a prompt, which the model must be able to read, without its continuations, and with
 * them. The caller frees both with answer_free(). */
Answer answer_begun(Answerer *answerer, const char *prompt);
Answer answer_to(Answerer *answerer, const char *prompt);

#endif
