/* tokenizer.h: a vocabulary as Hugging Face's tokenizer files: tokenizer.json (a WordLevel model
 * whose normalizer and splitter do what text.c does) and tokenizer_config.json. */
#ifndef PULGA_TOKENIZER_JSON_H
#define PULGA_TOKENIZER_JSON_H

#include "base/directory.h"
#include "data/vocabulary.h"

/* Writes both into a directory. Says in one line what failed and returns false. */
bool tokenizer_write(const Directory *directory, const Vocabulary *vocabulary, bool lower,
                     int context);

/* A vocabulary, and how a text is read with it. */
typedef struct {
    Vocabulary vocabulary; /* without [bos] and [eos] where it is read as a stream */
    bool lower, stream;
} Tokenizer;

/* Reads both from a directory: a run's, or such as Transformers saved. It must know `count` tokens,
 * and `eos` (or -1) ends a line where the files do not say it. Dies naming what is not supported.
 * A text is brought to NFC whether they say so or not. */
Tokenizer tokenizer_read(const Directory *directory, int count, int eos);

#endif
