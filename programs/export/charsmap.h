/* charsmap.h: what llama.cpp replaces in a text before it looks for tokens, so that it reads a text
 * as text/text.c and text/words/split.c do. In the order of their bytes:
 *
 *     "\n"            " "     of words: white space of every kind
 *     "?"             " ? "   likewise: each mark of punctuation is a word
 *     "É"             "é"     with --lower
 *     "e" U+0301      "é"     what NFC composes
 *
 * The longest that fits the text is replaced first. The table is a tree in an array of numbers of
 * 32 bits, the double array of the library Darts, in which a step costs one look. */
#ifndef PULGA_CHARSMAP_H
#define PULGA_CHARSMAP_H

#include "text/tokenizer.h"

/* The table of a tokenizer of words or characters as tokenizer.ggml.precompiled_charsmap has it: an
 * stb_ds array of bytes, which the caller frees; NULL if nothing is replaced. */
char *charsmap_new(const Tokenizer *tokenizer);

#endif
