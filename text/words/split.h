/* split.h: where the lines and words of a clean text begin and end. Nothing is copied:
 * each part is a pair of pointers into the text. */
#ifndef PULGA_SPLIT_H
#define PULGA_SPLIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vocabulary.h"

/* A part of a text: its first byte, and the one after its last. */
typedef struct {
    const char *begin, *end;
} Span;

bool span_equal(Span a, Span b);

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

/* Sets the highest bit of those of eight bytes, all below 128, that are from `first` to `last`:
 * adding carries into it. */
static inline uint64_t bytes_between(uint64_t bytes, unsigned char first, unsigned char last)
{
    const uint64_t ones = 0x0101010101010101u;
    return (bytes + (128 - first) * ones) & ~(bytes + (127 - last) * ones);
}

/* The end of the ASCII letters, and digits, from a place on, or a place before it near the end of
 * the text. Eight are compared at once, since the processor cannot foresee how long a word is; the
 * lowest bit that is then left belongs to the first byte of the others. */
static inline const char *after_letters(const char *at, const char *end, bool digits)
{
    const uint64_t ones = 0x0101010101010101u;
    for (uint64_t bytes; end - at >= 8; at += 8) {
        memcpy(&bytes, at, sizeof bytes);
        const uint64_t low = bytes & 127 * ones;
        const uint64_t letters =
            bytes_between(low | 32 * ones, 'a', 'z') | (digits ? bytes_between(low, '0', '9') : 0);
        const uint64_t others = (bytes | ~letters) & 128 * ones;
        if (others)
            return at + __builtin_ctzll(others) / 8;
    }
    return at;
}

/* Whether there is only white space. */
bool is_blank(Span text);

/* What a text is cut into, to be read by itself: it is not cut; at line ends; at line ends and
 * at the tabs between the two sides of a pair; or into what is said in each turn. */
typedef enum { CUT_NOWHERE, CUT_LINES, CUT_SIDES, CUT_TURNS } TextCut;

/* The next part that is not blank, unless the text is not cut; else as above. */
bool split_part(const char **at, const char *end, TextCut cut, Span *part);

/* The two sides of a pair: what stands before the line's tab, and after it. False if the line has
 * no tab, or two, or if one side is blank. */
bool split_pair(Span line, Span *source, Span *target);

/* Who speaks in a line of a conversation, and what is said: "Ana: hola". False if the line has no
 * colon, or nothing before or after it. */
bool split_turn(Span line, Span *name, Span *said);

/* ---- Spacing ---- */

/* Whether white space stands between two tokens of a text made of words.
 *
 * Two words never touch. Around punctuation the text that the model was trained on decides: by how
 * often it writes this pair together and apart or, if it does not have the pair, how often its
 * punctuation touches anything. If that decides nothing, or there is no text, opening punctuation
 * touches what follows it, and other punctuation what it follows.
 *
 * The text  ¿Qué? -dijo.  counts the pairs ¿Qué, Qué?, -dijo and dijo. once as written together,
 * and the pair "? -" once as written apart.
 *
 * The space is a tab after tokens after which the text has more often a tab than anything else, as
 * in the columns of a table.
 *
 * A straight quote (") opens and closes in turn. One that opens touches what follows it, one that
 * closes what comes before it, which counts as a token of its own: its id is V. */

/* An entry of the map of pairs; key and value are the names that stb_ds needs. */
typedef struct {
    int64_t key; /* left · (V + 1) + right */
    int value;   /* how often the text writes them together, minus how often apart */
} SpacedPair;

/* Owned by a tokenizer. All zero is the spacing of a model without a text. */
typedef struct {
    SpacedPair *pairs; /* stb_ds map of the pairs with punctuation in them */
    /* (V + 1) the same sum for each token and anything before or after it; NULL until the first
     * pair with punctuation is learned */
    int *before, *after;
    int *tabs; /* (V + 1) how often a tab follows each token, minus how often anything else does in
                  its line; NULL until one is learned */
} Spacing;

void spacing_free(Spacing *spacing);

/* The token that another one counts as here. *open is whether a straight quote is open, at first
 * false; it is changed if the token is one. */
int spacing_token(const Vocabulary *vocabulary, int id, bool *open);

/* Learns that the text has two such tokens in a row, with white space between them or without. */
void spacing_learn(Spacing *spacing, const Vocabulary *vocabulary, int left, int right, bool apart);

/* Learns what comes after such a token, up to the next one. */
void spacing_learn_tab(Spacing *spacing, const Vocabulary *vocabulary, int left, Span between);

/* What to write between two tokens: a tab, a space, or nothing. */
const char *spacing_between(const Spacing *spacing, const Vocabulary *vocabulary, int left,
                            int right);

#endif
