/* encoder.h: turns parts of a text into ids, one after another, by one thread: all of a corpus, or
 * a prompt. What it has looked up it finds again in a cache. */
#ifndef PULGA_ENCODER_H
#define PULGA_ENCODER_H

#include "tokenizer.h"

typedef struct Encoder Encoder;

/* For about `text_size` bytes of text; the tokenizer must outlive it. `unk` is the id of tokens
 * that have none, -1 if it is to stop at them. */
Encoder *encoder_new(const Tokenizer *tokenizer, size_t text_size, int unk);
void encoder_free(Encoder *encoder);

/* Appends the ids of a part of a clean text to `ids`, an stb_ds array; [bos] and [eos] are not put
 * around them. Stops at the first token that has no id and returns false; `unknown` receives it. */
bool encoder_add(Encoder *encoder, Span text, int **ids, Span *unknown);

/* Appends the ids of all lines of a clean text that are not blank, each between [bos] and [eos],
 * and counts them. *longest becomes the tokens of the longest one, with [bos] and [eos], if that is
 * more. Else as above. */
bool encoder_add_lines(Encoder *encoder, Span text, int **ids, size_t *lines, size_t *longest,
                       Span *unknown);

#endif
