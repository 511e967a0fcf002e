/* corpus.h: a text as ids, cut into pieces of at most T rows, each of which is a sequence of a
 * batch.
 *
 * Read by lines, each line that is not blank is [bos] w1 … wn [eos]; read as a stream, the text is
 * one long line without those two. A line that is longer than the context becomes several pieces.
 * With a context of 3,
 *
 *     el perro come un hueso      is  [bos] el perro come un hueso [eos]    seven tokens, six rows
 *     and is cut into             [bos] el perro (come)   and   come un hueso ([eos])
 *
 * where the last token of each piece, in brackets, is only predicted. */
#ifndef PULGA_CORPUS_H
#define PULGA_CORPUS_H

#include "data/objective.h"
#include "data/tokenizer.h"

typedef struct {
    size_t from; /* its first token, an index into the corpus' tokens */
    int length;  /* rows; it has one token more */
} Piece;

typedef struct {
    bool stream;
    Objective objective;
    int *tokens;    /* stb_ds array: the ids of the whole text */
    size_t *lines;  /* stb_ds array: where each line begins in tokens, and after the last line where
                       it ends; empty for a stream */
    size_t longest; /* rows of the longest line, or of the whole stream */
    size_t *line_bytes; /* of words: stb_ds array: the size of each line in the text, with its end,
                           or of the whole stream; else NULL: see bytes.h */

    /* Set by corpus_cut: */
    int context;             /* T */
    Piece *train, *held_out; /* stb_ds arrays; each epoch cuts a stream's training part again */
    size_t train_end;        /* of a stream: tokens to train on; the rest is held out */
    size_t train_targets, held_out_targets; /* that count */
    size_t lines_cut;                       /* lines longer than the context */
} Corpus;

/* Encodes a text, whose bytes may be freed after this. Dies if it has nothing to predict, a token
 * that the tokenizer does not know, or a reserved one. */
Corpus corpus_new(const Text *text, const Tokenizer *tokenizer);
void corpus_free(Corpus *corpus);

/* Cuts it for a context of T tokens and holds out a share of it, from 0 to 1: lines drawn by the
 * seed, or the tail of a stream. To be called once. */
void corpus_cut(Corpus *corpus, int context, double held_out, uint32_t seed);

/* How many targets of some pieces count. */
size_t corpus_targets(const Corpus *corpus, const Piece *pieces, size_t count);

#endif
