/* source.h: the text that a model was trained on, asked what it has itself: what follows a
 * beginning and how often, whether it holds some words in a row, how it writes them. */
#ifndef PULGA_SOURCE_H
#define PULGA_SOURCE_H

#include "corpus.h"
#include "pretrained.h"
#include "spelling.h"

typedef struct {
    bool there;        /* else nothing can be counted */
    Corpus corpus;
    Spelling spelling; /* there in any case */
} Source;

/* The text named, or NULL for the run's own copy, if it has one. Dies where it is not the text that
 * the model was trained on. */
Source source_open(const Pretrained *model, const char *text_path);
void source_free(Source *source);

/* next (V): how often the text goes on with each token after these; returns the sum. */
size_t source_count_next(const Source *source, size_t *next, int V, const int *tokens, int count);

/* Whether the text has these tokens in a row. */
bool source_holds(const Source *source, const int *tokens, int count);

#endif
