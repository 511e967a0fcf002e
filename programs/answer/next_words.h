/* next_words.h: the most probable next words of a model of subwords, which are of interest to a
 * person, while its tokens are often only parts of one.
 *
 * A word is what bpe.h cuts a text into, with the space before it: after "el" may come
 * ␣perro, after "el per" ro. Its probability is that of its tokens, times that of a token after
 * them that does not go on with it:
 *
 *     p(␣perro) = p(␣per) · p(ro | ␣per) · p(space, mark or [eos] | ␣per ro) */
#ifndef PULGA_NEXT_WORDS_H
#define PULGA_NEXT_WORDS_H

#include "model/generator.h"
#include "text/tokenizer.h"

/* What may come next: a word or a token. A token may also stand in a gap. */
typedef struct {
    char *text;         /* of a word the bytes without those that the prompt has, ended by a 0 */
    double probability; /* of a word: if several runs of tokens make it, the sum of those found */
    size_t times;       /* how often the training text has it there */
    double parts[2];    /* if counting is mixed with the model: what each says alone */
} Candidate;

/* The `most` most probable words, special tokens among them, as an stb_ds array, the most probable
 * first; their times are 0. None is less probable than `least`. `prompt` has read the prompt, whose
 * last word is `before`; `writer`, of the same cache, reads on. share is that of the counting which
 * is mixed with the model, or NULL; it is changed, and has its value again in the end. */
Candidate *next_words(const Tokenizer *tokenizer, const Generator *prompt, Generator *writer,
                      const char *before, int most, double least, double *share);
void candidates_free(Candidate *candidates);

#endif
