/* hint.h: recognises texts that are read better in another way than they are. */
#ifndef PULGA_HINT_H
#define PULGA_HINT_H

#include "tokenizer.h"

/* One line with the option that would suit a text better, for a text that is wrapped at a column
 * but read by lines, or has no spaces between its words but is read as words. NULL if there is
 * nothing to say. The caller frees. */
char *text_hint(const Text *text, TokenizerKind kind, bool stream);

#endif
