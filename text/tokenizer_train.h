/* tokenizer_train.h: makes the vocabulary of a text. */
#ifndef PULGA_TOKENIZER_TRAIN_H
#define PULGA_TOKENIZER_TRAIN_H

#include "tokenizer.h"

/* How to train one. */
typedef struct {
    TokenizerKind kind;
    ObjectiveKind objective; /* what special tokens it needs */
    bool lower, stream;
    int min_count;  /* keep only the tokens that occur at least this often; merge only such pairs of
                      subwords */
    int max_words;  /* of those, keep only this many, the most frequent ones; 0: all. Not for
                      subwords */
    int vocabulary; /* of subwords: how many in all, special tokens and bytes included */
    size_t bytes;   /* subwords of a stream are made of this many bytes at its beginning, up to a
                      word's end; 0: of all. So they know nothing of a tail that is held out */
} TokenizerRules;

/* Makes the vocabulary of a text: [bos] is 0 and [eos] 1 if it is read by lines; [sep] of pairs, or
 * [mask], comes next. Of words and characters [unk] follows if some token is not kept, then the
 * tokens in the order of their first appearance; of subwords the 256 bytes, then what they are
 * merged to, fewer than asked for if the text has no more pairs. Dies if a word is too long to be
 * one, or if the rules keep no token. */
Tokenizer tokenizer_train(const Text *text, TokenizerRules rules);

/* The vocabulary of a text in chunks: begin, add, ..., add, end. Chunks are counted on all threads; what
 * is in memory are the different tokens of the text. `name` is what messages call it; of the rules
 * at the end only those may differ that say what is kept. */
typedef struct TokenCounts TokenCounts;
TokenCounts *token_counts_begin(TokenizerRules rules);
void token_counts_add(TokenCounts *counts, const Text *chunks, int count);
Tokenizer token_counts_end(TokenCounts *counts, const char *name, TokenizerRules rules);

#endif
