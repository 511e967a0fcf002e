/* tokenizer_train.h: makes the vocabulary of a text. */
#ifndef PULGA_TOKENIZER_TRAIN_H
#define PULGA_TOKENIZER_TRAIN_H

#include "tokenizer.h"

/* How to train one. */
typedef struct {
    TokenizerKind kind;
    ObjectiveKind objective; /* what special tokens it needs */
    bool lower, stream;
    int min_count; /* keep only the tokens, or merge only the pairs of subwords, that occur at least
                      this often */
    int max_words; /* keep at most this many of them, the most frequent ones; 0: all. Not for
                      subwords */
    int vocabulary; /* subwords only: the size, special tokens and bytes included */
    size_t bytes;   /* train the subwords of a stream on this many bytes at its beginning, up to a
                      word's end, so that a tail that is held out has no part in them; 0: on all */
} TokenizerRules;

/* Makes the vocabulary of a text. If it is read by lines, [bos] is 0 and [eos] is 1; [sep] of
 * pairs, or [mask], comes next. If the tokens are words or characters, then come [unk], unless
 * every token is kept, and the tokens in the order of their first appearance. If they are
 * subwords, then come the 256 bytes and the merged tokens, fewer than asked for if the text has no
 * more pairs. Dies if a word is too long to be a token, or if the rules keep no token. */
Tokenizer tokenizer_train(const Text *text, TokenizerRules rules);

/* The vocabulary of a text in chunks: begin, add, ..., add, end. All threads count; memory holds
 * only the different tokens of the text. Messages call the text `name`. The rules at the end may
 * differ from those at the beginning only in what is kept. */
typedef struct TokenCounts TokenCounts;
TokenCounts *token_counts_begin(TokenizerRules rules);
void token_counts_add(TokenCounts *counts, const Text *chunks, int count);
Tokenizer token_counts_end(TokenCounts *counts, const char *name, TokenizerRules rules);

#endif
