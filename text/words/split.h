/* split.h: where the lines and words of a clean text begin and end. Nothing is copied:
 * each part is a pair of pointers into the text. */
#ifndef PULGA_SPLIT_H
#define PULGA_SPLIT_H

#include <stdbool.h>

/* A part of a text: its first byte, and the one after its last. */
typedef struct {
    const char *begin, *end;
} Span;

/* How punctuation is split from words. The first is ours; models from elsewhere have the others.
 *
 *     the text                I don't know...
 *     PUNCTUATION_ALONE       I | don | ' | t | know | . | . | .      each mark is a token
 *     PUNCTUATION_IN_WORDS    I | don't | know...                     only white space ends a word
 *     PUNCTUATION_IN_RUNS     I | don | ' | t | know | ...            a run of what is no letter,
 *                                                                     digit or _ is one token */
typedef enum { PUNCTUATION_ALONE, PUNCTUATION_IN_WORDS, PUNCTUATION_IN_RUNS } Punctuation;

/* The next line or word from *at. Moves *at past it; false if there is none.
 *
 * Lines end with \n, which is not part of them; the last one may lack it. Words contain no white
 * space. */
bool split_line(const char **at, const char *end, Span *line);
bool split_word(const char **at, const char *end, Punctuation punctuation, Span *word);

/* Whether there is only white space. */
bool is_blank(Span text);

/* What a text is cut into, to be read by itself: it is not cut; at line ends; or at line ends and
 * at the tabs between the two sides of a pair. */
typedef enum { CUT_NOWHERE, CUT_LINES, CUT_SIDES } TextCut;

/* The next part that is not blank, unless the text is not cut; else as above. */
bool split_part(const char **at, const char *end, TextCut cut, Span *part);

/* The two sides of a pair: what stands before the line's tab, and after it. False if the line has
 * no tab, or two, or if one side is blank. */
bool split_pair(Span line, Span *source, Span *target);

#endif
