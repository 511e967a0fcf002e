/* corpora.h: corpora made of strings, for tests. */
#ifndef PULGA_CORPORA_H
#define PULGA_CORPORA_H

#include "data/corpus/corpus.h"

/* The corpus of a string, all of whose words have an id. */
Corpus corpus_of_string(const char *string, bool stream, bool characters);

/* One of `lines` lines of 1 to `longest` words, the same every time. */
Corpus corpus_made_up(int lines, int longest, bool stream);

#endif
