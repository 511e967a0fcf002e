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

#include "text/tokenizer.h"
#include "gguf.h"

/* ---- The map of characters ---- */

/* What llama.cpp replaces in a text before it looks for tokens, so that it reads a text as
 * text/text.c and text/words/split.c do. In the order of their bytes:
 *
 *     "\n"            " "     of words: white space of every kind
 *     "?"             " ? "   likewise: each mark of punctuation is a word
 *     "É"             "é"     with --lower
 *     "e" U+0301      "é"     what NFC composes
 *
 * The longest that fits the text is replaced first. The table is a tree in an array of numbers of
 * 32 bits, the double array of the library Darts, in which a step costs one look. */

/* The table of a tokenizer of words or characters as tokenizer.ggml.precompiled_charsmap has it: an
 * stb_ds array of bytes, which the caller frees; NULL if nothing is replaced. */
char *charsmap_new(const Tokenizer *tokenizer);

/* Whether the file needs a token more than the model has, at the end of the vocabulary: one that
 * ends a text. llama.cpp must be told one, and would take any other if it is not. A stream of words
 * or characters has none; subwords have a byte that no text has. */
bool tokens_need_end(const Tokenizer *tokenizer);

/* Adds all keys of the tokenizer. */
void tokens_put(Gguf *gguf, const Tokenizer *tokenizer);

#endif
