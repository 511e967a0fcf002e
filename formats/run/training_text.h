/* training_text.h: the text that a model was trained on, and its counts. A run has a copy of it,
 * text.txt, unless it is large; config.json has its checksum. A run that was trained with --counts
 * has its tokens, tokens.bin; config.json has the order and the share of counting. */
#ifndef PULGA_TRAINING_TEXT_H
#define PULGA_TRAINING_TEXT_H

#include "formats/huggingface/config.h"
#include "text/corpus/counting.h"
#include "text/source.h"

/* The text of a run to be resumed, which may be large: the files named, or the run's own copy.
 * NULL if there is no copy. */
Source *training_text_source(const Directory *directory, char *const *named, SourceRules rules);

/* The text as tokens, to count in. */
typedef struct {
    bool there; /* otherwise nothing can be counted */
    Corpus corpus;
    size_t *lines; /* stb_ds array: of a text that is read by lines, the number in the file of each
                      that is not blank, from 1 */
} TrainingText;

/* Reads the file named, or if `named` is NULL the run's own copy, if there is one; the model's
 * tokenizer learns its spacing from it. Dies if it is not the text that the model was trained
 * on. */
TrainingText training_text_open(Pretrained *model, const char *named);
void training_text_free(TrainingText *text);

/* Whoever edits a text and trains again goes on with the name of the first run from the shell's
 * history: warns if the text has changed since, or another run of it at runs/mio, runs/mio-2, ...
 * was trained later than the model's, at `path`. */
void warn_of_newer(const Pretrained *model, const char *path);

/* Opens the tokens of a run, cut as they were for training, and counts those trained on. Returns
 * false if it keeps no counts; dies if they are damaged. The caller frees both. */
bool counted_read(const Pretrained *model, Corpus *corpus, CountMixture *mixture);

#endif
