/* tokenizer.h: a vocabulary as Hugging Face's tokenizer files: tokenizer.json (a WordLevel model
 * whose normalizer and splitter do what text.c does) and tokenizer_config.json. */
#ifndef PULGA_TOKENIZER_H
#define PULGA_TOKENIZER_H

#include "vocabulary.h"

/* Writes both into a directory. Says in one line what failed and returns false. */
bool tokenizer_write(const char *directory, const Vocabulary *vocabulary, bool lower, int context);

#endif
