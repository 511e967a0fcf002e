/* vocabulary.h: the tokens that a model knows, and their ids.
 *
 * Ids are given in the order in which words are added: 0, 1, 2, ... Some words are special ([bos],
 * another model's padding): they stand for no text, and no text may contain them. Others are cut
 * out of a text whole.
 *
 * All words lie in one block of bytes. Of [bos], [eos] and "el" there are
 *
 *     bytes  "[bos]\0[eos]\0el\0"        start  0 6 12        kinds  special special plain */
#ifndef PULGA_VOCABULARY_H
#define PULGA_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    WORD_PLAIN,
    WORD_SPECIAL, /* stands for no text: [bos] */
    WORD_ADDED,   /* text that is one token wherever it stands: <tool_call> */
    WORD_CONTROL, /* likewise; other programs may hide it: <|im_start|> */
    WORD_UNUSED   /* not a word: a model has more ids than its tokenizer */
} WordKind;

/* Words that are looked for in a text, and the bytes that they have there. */
typedef struct {
    int *ids;                     /* stb_ds array */
    bool first[256], second[256]; /* which bytes begin one, and come next */
    int only;                     /* the byte that begins all of them, or -1 */
} WordSet;

typedef struct {
    int count;
    char *bytes;     /* all words, a 0 after each; this and the next two are stb_ds arrays */
    size_t *start;   /* (count) where each word begins in bytes */
    WordKind *kinds; /* (count) */
    int *slots;      /* (slot_count) hash table of ids, -1 where free */
    size_t slot_count;
    uint64_t seed; /* of the hash: random, so that nobody can prepare words that collide */
    WordSet reserved, whole; /* words that no text may contain; those that are cut out of it */
} Vocabulary;

Vocabulary vocabulary_new(void);
void vocabulary_free(Vocabulary *vocabulary);

/* Adds a word of `size` bytes; returns its id, or -1 if the vocabulary has it already. */
int vocabulary_add(Vocabulary *vocabulary, const char *word, size_t size, bool special);

/* The id of a word of `size` bytes, which need not end with a 0; or -1. */
int vocabulary_find(const Vocabulary *vocabulary, const char *word, size_t size);

/* The word of an id, ended by a 0, and its bytes without that one. */
const char *vocabulary_word(const Vocabulary *vocabulary, int id);
size_t vocabulary_word_size(const Vocabulary *vocabulary, int id);

/* Whether a word stands for no text. */
bool vocabulary_is_special(const Vocabulary *vocabulary, int id);

/* Lets texts contain a special word, which becomes one of this kind. Unless it is not used, it is
 * cut out of a text whole. */
void vocabulary_allow(Vocabulary *vocabulary, int id, WordKind kind);

/* Where a text first contains a word that it may not contain, or one that is cut out whole, or
 * NULL; `id` receives which one: of two that begin at the same place, the longer. */
const char *vocabulary_find_reserved(const Vocabulary *vocabulary, const char *text, size_t size,
                                     int *id);
const char *vocabulary_find_whole(const Vocabulary *vocabulary, const char *text, size_t size,
                                  int *id);

/* Words or characters, in the order of their first appearance, and how often each
 * occurs. */
typedef struct {
    Vocabulary words;
    int64_t *counts; /* stb_ds array, by the ids there */
} WordCounts;

WordCounts word_counts_new(void);
void word_counts_free(WordCounts *counts);

/* Adds to the count of a word of `size` bytes. Returns its id. */
int word_counts_add(WordCounts *counts, const char *word, size_t size, int64_t times);

/* How often a word occurs. */
int64_t word_counts_of(const WordCounts *counts, const char *word);

/* One line about a word that a model does not know, and up to three known ones that resemble it:
 *
 *     the prompt: the model does not know 'pero'; its nearest: perro, el, hueso
 *
 * They are those with the smallest edit distance; at equal distance, those with the smallest ids. A
 * word of which every letter would have to change is left out. The caller frees the line. */
char *unknown_word(const Vocabulary *vocabulary, const char *where, const char *word, size_t size);

/* The edit distance from a word of `size` bytes to another one, counted in code points: 2 from
 * "pato" to "gata". INT_MAX if one of them is very long. */
int letters_apart(const char *word, size_t size, const char *other);

#endif
