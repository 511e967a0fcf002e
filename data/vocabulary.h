/* vocabulary.h: the tokens a model knows, and their ids.
 *
 * [bos] is 0 and [eos] 1 where lines are sequences (a stream has neither), [unk] comes next where
 * some word is not kept, then the words in the order of their first appearance. */
#ifndef PULGA_VOCABULARY_H
#define PULGA_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

typedef struct {
    char *key;
    int value; /* how often the text has it; 0 where the words come from a file */
} KnownWord;

typedef struct {
    KnownWord *words; /* stb_ds string map: words[id].key is the token */
    int count;
    int bos, eos, unk; /* ids, -1 where there is none */
    int *special;      /* stb_ds array: ids of what no text may spell out, these three among them */
    bool characters;   /* tokens are code points, not words */
    Marks marks;       /* among words */
} Vocabulary;

typedef struct {
    bool characters, stream;
    int min_count, max_words; /* keep words seen so often; and so many, 0: all */
} VocabularyRules;

/* Counts the tokens of a clean text: by lines, those of its lines that are not blank. Dies naming
 * it where a word is no word or the rules keep none. The caller frees. */
Vocabulary vocabulary_of(const char *name, const char *text, size_t size, VocabularyRules rules);
void vocabulary_free(Vocabulary *vocabulary);

/* An empty one, and its next word: false where it has that already. */
Vocabulary vocabulary_new(bool characters);
bool vocabulary_add(Vocabulary *vocabulary, const char *word, int count, bool special);

/* The id of a token of `size` bytes; [unk]'s, or -1, where it is not known. */
int vocabulary_id(const Vocabulary *vocabulary, const char *token, size_t size);

/* Whether no text may spell it out. */
bool vocabulary_is_special(const Vocabulary *vocabulary, int id);

/* The next token of a clean text, as this vocabulary cuts it: see token_next(). */
const char *vocabulary_next(const Vocabulary *vocabulary, const char **at, const char *end);

/* Whether a text spells out a special token: NULL, or what is wrong. The caller frees. */
char *vocabulary_check_text(const Vocabulary *vocabulary, const char *name, const char *text,
                            size_t size);

#endif
