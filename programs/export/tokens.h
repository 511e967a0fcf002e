/* tokens.h: a tokenizer as llama.cpp has it.
 *
 * Subwords are its "gpt2". Words and characters are its "t5", which cuts a text into those tokens
 * whose scores have the largest sum; all have the same, so it takes the fewest. It marks the
 * beginning of a word by ▁ (U+2581), which is also its space:
 *
 *     words        "¿Qué come?"  becomes  "▁¿▁Qué▁come▁?"   tokens ▁¿ ▁Qué ▁come ▁?
 *     characters   "el perro"             "el▁perro"               e l ▁ p e r r o
 *
 * What differs from text/tokenizer.c: several unknown words in a row are one [unk], a word that
 * begins like a known one is that and [unk], and no word is tried in lower case. */
#ifndef PULGA_TOKENS_H
#define PULGA_TOKENS_H

#include "gguf.h"
#include "text/tokenizer.h"

/* Whether the file needs a token more than the model has, at the end of the vocabulary: one that
 * ends a text. llama.cpp must be told one, and would take any other if it is not. A stream of words
 * or characters has none; subwords have a byte that no text has. */
bool tokens_need_end(const Tokenizer *tokenizer);

/* Adds all keys of the tokenizer. */
void tokens_put(Gguf *gguf, const Tokenizer *tokenizer);

#endif
