/* corpora.h: corpora made of strings, for tests. */
#ifndef PULGA_CORPORA_H
#define PULGA_CORPORA_H

#include "text/corpus/corpus.h"

/* The corpus of a string, all of whose words have an id. */
Corpus corpus_of_string(const char *string, bool stream, bool characters);

/* The corpus of a string for an objective, with a tokenizer that the caller frees. */
Corpus corpus_for(ObjectiveKind objective, TokenizerKind kind, bool stream, const char *string,
                  Tokenizer *tokenizer);

/* Declares a corpus and its tokenizer, which are freed where the block ends (test.h). */
#define CORPUS(corpus, tokenizer, ...)            \
    FREED_BY(tokenizer_free) Tokenizer tokenizer; \
    FREED_BY(corpus_free) Corpus corpus = corpus_for(__VA_ARGS__, &(tokenizer))

/* One of `lines` lines of 1 to `longest` words, the same every time. */
Corpus corpus_made_up(int lines, int longest, bool stream);

/* All ids of a corpus; where its lines begin and, after the last one, where it ends; and the pieces
 * of a part. The caller frees each. */
int *corpus_tokens(const Corpus *corpus);
size_t *corpus_lines(const Corpus *corpus);
Piece *corpus_pieces(const Corpus *corpus, const Part *part);

#endif
