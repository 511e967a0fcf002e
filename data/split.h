/* split.h: where the lines, words and characters of a clean text begin and end. */
#ifndef PULGA_SPLIT_H
#define PULGA_SPLIT_H

#include <stdbool.h>

/* A part of a text: its first byte, and the one after its last. */
typedef struct {
    const char *begin, *end;
} Span;

/* How punctuation is split from words. The first is ours; models from elsewhere have the others. */
typedef enum {
    PUNCTUATION_ALONE,    /* one token for each punctuation mark */
    PUNCTUATION_IN_WORDS, /* words end at white space only */
    PUNCTUATION_IN_RUNS,  /* one token for each run of what is no letter, digit or _ */
} Punctuation;

/* The next line, word or character from *at. Moves *at past it; false if there is none. Lines end
 * with \n, which is not part of them. Characters are code points, white space included. */
bool split_line(const char **at, const char *end, Span *line);
bool split_word(const char **at, const char *end, Punctuation punctuation, Span *word);
bool split_character(const char **at, const char *end, Span *character);

/* Whether there is only white space. */
bool is_blank(Span text);

#endif
