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
 * tokenizer learns its spacing from it. Dies if it is not the text that the model was trained
 * on. */
TrainingText training_text_open(Pretrained *model, const char *text_path);
void training_text_free(TrainingText *text);

#endif
