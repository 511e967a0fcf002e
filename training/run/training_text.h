/* training_text.h: the text that a model was trained on, to count in. */
#ifndef PULGA_TRAINING_TEXT_H
#define PULGA_TRAINING_TEXT_H

#include "data/corpus/corpus.h"
#include "formats/huggingface/pretrained.h"

typedef struct {
    bool there; /* else nothing can be counted */
    Corpus corpus;
} TrainingText;

/* Reads the text named, or if text_path is NULL the run's own copy, if it has one; the model's
 * tokenizer learns its spacing from it. Dies if it is not the text that the model was trained on. */
TrainingText training_text_open(Pretrained *model, const char *text_path);
void training_text_free(TrainingText *text);

/* next (V): how often the text continues with each token after these; returns the sum. */
size_t training_text_count_next(const TrainingText *text, size_t *next, int V, const int *tokens,
                                int count);

/* Whether the text has these tokens in a row. */
bool training_text_holds(const TrainingText *text, const int *tokens, int count);

#endif
