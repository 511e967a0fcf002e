/* advice.h: recognises texts that would be read better with other options, as a person sees at a
 * glance: a book whose lines are wrapped at column 72, a Japanese text. */
#ifndef PULGA_ADVICE_H
#define PULGA_ADVICE_H

#include "text/tokenizer.h"

/* The column at which the lines of a text are wrapped, or 0. */
int text_wrapped_at(const Text *text);

/* Whether the lines of a text come in blocks, as in poems, subtitles and code: then they belong
 * together. */
bool text_in_blocks(const Text *text);

/* One line that names a better option, if a text has no spaces between its words but is read as
 * words; else NULL. The caller frees it. */
char *text_advice(const Text *text, TokenizerKind kind);

/* Advice if most lines of a text that is not read as pairs have one tab. */
char *text_advice_of_pairs(const Text *text);

/* Whether the lines of a text have so few spaces that each side of a pair is one word: then its
 * words would hardly come twice, and its characters are to be read. */
bool text_has_few_spaces(const Text *text);

#endif
