/* source.h: the text that a model was trained on, asked what it has itself: what follows a
 * beginning and how often, whether it holds some words in a row, how it writes them. */
#ifndef PULGA_TRAINING_TEXT_H
#define PULGA_TRAINING_TEXT_H

#include "data/corpus/corpus.h"
#include "formats/huggingface/pretrained.h"
#include "data/spelling.h"

typedef struct {
    bool there; /* else nothing can be counted */
    Corpus corpus;
    Spelling spelling; /* there in any case */
} TrainingText;

/* The text named, or NULL for the run's own copy, if it has one. Dies where it is not the text that
 * the model was trained on. */
TrainingText training_text_open(const Pretrained *model, const char *text_path);
void training_text_free(TrainingText *source);

/* next (V): how often the text goes on with each token after these; returns the sum. */
size_t training_text_count_next(const TrainingText *source, size_t *next, int V, const int *tokens,
                                int count);

/* Whether the text has these tokens in a row. */
bool training_text_holds(const TrainingText *source, const int *tokens, int count);

#endif
