/* prompt.h: from what a person types to the ids that the model reads. */
#ifndef PULGA_PROMPT_H
#define PULGA_PROMPT_H

#include "tokenizer.h"

/* What becomes of a prompt. It owns all that it points to. */
typedef struct {
    int *ids, count;   /* [bos] first if the model reads by lines; of pairs, with [sep] after the
                        source; of a text with gaps, [mask] for each and [eos] at the end */
    char *wrong;       /* why there are no ids, in one line; or NULL */
    char *lowered;     /* the words that are known only in lower case and were read so; or NULL */
    int lowered_count; /* how many are listed there: at most ten, then … */
} Encoding;

/* Cleans and encodes a prompt, which messages call `name`. A word that is not known is tried in
 * lower case, since people begin a prompt with a capital letter. If the prompt cannot be encoded,
 * `wrong` says why. */
Encoding prompt_encode(const Tokenizer *tokenizer, const char *name, const char *bytes,
                       size_t size);
void encoding_free(Encoding *encoding);

#endif
