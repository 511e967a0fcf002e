/* bpe.h: byte-level BPE, GPT-2's tokenizer: from a text to the ids of its subwords, and back.
 *
 * A text is cut into words (byte_level.h). A word begins as its bytes; of all pairs of neighbours
 * that can be merged, the one whose merge comes first in the list is merged, the leftmost of
 * equals, until none is left. With the merges of bpe_train.h's example, "hugs" becomes hug and s:
 *
 *     h u g s  ->  h ug s  ->  hug s
 *
 * Any bytes can be encoded, and decoding returns them. */
#ifndef PULGA_BPE_H
#define PULGA_BPE_H

#include <stdio.h>

#include "bpe_train.h"
#include "pair_table.h"

typedef struct {
    int byte_ids[256];
    PairTable ranks; /* of a pair: its place in the list of merges, plus 1 */
    int *merged;     /* (number of merges) by place: the id that the pair becomes */
    char *bytes;     /* what all tokens stand for, a 0 after each; this and the next are stb_ds
                        arrays */
    size_t *start;   /* (size of the vocabulary + 1) where each begins in bytes */
} Bpe;

/* The id of the token that is a byte, or -1. If all 256 bytes are tokens, any text can be
 * encoded. */
int bpe_byte_id(const Vocabulary *vocabulary, int byte);

/* The vocabulary must have all bytes; the ids of the merges must be ids of it. */
Bpe bpe_new(const Vocabulary *vocabulary, const BpeMerge *merges, int count);
void bpe_free(Bpe *bpe);

/* A long word while it is merged; all zero at first. One thread uses its memory for many words. */
typedef struct {
    struct WordPiece *pieces; /* stb_ds array */
    uint64_t *queue;          /* stb_ds array, a heap: the rank of a pair << 32 | its left piece */
} BpeWord;

/* Writes the ids of a word, at most one for each byte, which are at least 1; returns how many. */
int bpe_encode_word(const Bpe *bpe, BpeWord *work, Span word, int *ids);
void bpe_word_free(BpeWord *work);

/* The bytes that a token stands for, ended by a 0; a special one stands for its name. */
Span bpe_bytes(const Bpe *bpe, int id);

/* A stream of tokens that is shown as it comes. A token may end within a character: the character's
 * first bytes are held back until it is complete, or cannot be completed any more. */
typedef struct {
    char held[4];
    size_t count;
} BpeStream;

/* Writes the bytes of the next token to `out`, after those held back; at the end, the rest. */
void bpe_stream_put(BpeStream *stream, Span bytes, FILE *out);
void bpe_stream_end(BpeStream *stream, FILE *out);

#endif
