/* next_words.h: the most probable next words of a model of subwords, which are of interest to a
 * person, while its tokens are often only parts of one.
 *
 * A word is what byte_level.h cuts a text into, with the space before it: after "el" may come
 * ␣perro, after "el per" ro. Its probability is that of its tokens, times that of a token after
 * them that does not go on with it:
 *
 *     p(␣perro) = p(␣per) · p(ro | ␣per) · p(space, mark or [eos] | ␣per ro) */
#ifndef PULGA_NEXT_WORDS_H
#define PULGA_NEXT_WORDS_H

#include "model/generate/generator.h"
#include "text/tokenizer.h"

/* A special token is also a word. */
typedef struct {
    char *text;         /* the bytes of the word, without those that the prompt has, ended by a 0 */
    double probability; /* if several runs of tokens make it, the sum of those that were found */
    size_t times;       /* how often the training text continues with it */
} NextWord;

/* The `most` most probable words, an stb_ds array, the most probable first. None is less probable
 * than `least`. `prompt` has read the prompt, whose last word is `before`; `writer`, of the same
 * cache, reads on. */
NextWord *next_words(const Tokenizer *tokenizer, const Generator *prompt, Generator *writer,
                     const char *before, int most, double least);
void next_words_free(NextWord *words);

#endif
