/* vocabulary.c: see vocabulary.h. */
#include "vocabulary.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"

/* In bytes. What is longer is no word of any language: the text has no white space. */
enum { LONGEST_WORD = 1000 };

/* A token with a 0 behind it, as the map wants it. */
typedef struct {
    char bytes[LONGEST_WORD + 1];
} Word;

static bool word_of(Word *word, const char *token, size_t size)
{
    if (size > LONGEST_WORD)
        return false;
    memcpy(word->bytes, token, size);
    word->bytes[size] = 0;
    return true;
}

int vocabulary_id(const Vocabulary *vocabulary, const char *token, size_t size)
{
    Word word;
    KnownWord *words = vocabulary->words; /* a look-up writes to its variable */
    const ptrdiff_t found = word_of(&word, token, size) ? shgeti(words, word.bytes) : -1;
    return found >= 0 ? (int)found : vocabulary->unk;
}

bool vocabulary_is_special(const Vocabulary *vocabulary, int id)
{
    for (ptrdiff_t i = 0; i < arrlen(vocabulary->special); i++)
        if (vocabulary->special[i] == id)
            return true;
    return false;
}

const char *vocabulary_next(const Vocabulary *vocabulary, const char **at, const char *end)
{
    return token_next(at, end, vocabulary->characters, vocabulary->marks);
}

Vocabulary vocabulary_new(bool characters)
{
    Vocabulary empty = {.bos = -1, .eos = -1, .unk = -1, .characters = characters};
    sh_new_arena(empty.words);
    return empty;
}

static int add(Vocabulary *vocabulary, const char *word, int count)
{
    shput(vocabulary->words, word, count);
    return vocabulary->count++;
}

static int add_special(Vocabulary *vocabulary, const char *word)
{
    arrput(vocabulary->special, vocabulary->count);
    return add(vocabulary, word, 0);
}

bool vocabulary_add(Vocabulary *vocabulary, const char *word, int count, bool special)
{
    if (shgeti(vocabulary->words, word) >= 0)
        return false;
    if (special)
        add_special(vocabulary, word);
    else
        add(vocabulary, word, count);
    return true;
}

char *vocabulary_check_text(const Vocabulary *vocabulary, const char *name, const char *text,
                            size_t size)
{
    for (ptrdiff_t i = 0; i < arrlen(vocabulary->special); i++) {
        const char *own = vocabulary->words[vocabulary->special[i]].key;
        if (*own && memmem(text, size, own, strlen(own)))
            return format_text("%s: the text spells out %s, which is the model's own; write it "
                               "otherwise",
                               name, own);
    }
    return NULL;
}

/* Counts the tokens from `at` to `end`, a part of `text`. */
static void count_part(Vocabulary *all, const char *name, const char *text, const char *at,
                       const char *end)
{
    const char *token;
    while ((token = vocabulary_next(all, &at, end))) {
        Word word;
        if (!word_of(&word, token, (size_t)(at - token)))
            die("%s has a word of %zu bytes (at byte %zu); a text without white space is for "
                "--tokens char",
                name, (size_t)(at - token), (size_t)(token - text) + 1);
        const ptrdiff_t known = shgeti(all->words, word.bytes);
        if (known >= 0)
            all->words[known].value++;
        else
            add(all, word.bytes, 1);
    }
}

/* All tokens with their counts, in order of first appearance. By lines, a line's end and what is in
 * a blank line stand in no sequence: they get no id. */
static Vocabulary count_tokens(const char *name, const char *text, size_t size,
                               VocabularyRules rules)
{
    Vocabulary all = vocabulary_new(rules.characters);
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = rules.stream ? NULL : memchr(at, '\n', (size_t)(end - at));
        const char *part_end = stop ? stop : end;
        if (rules.stream || !is_blank(at, part_end))
            count_part(&all, name, text, at, part_end);
        at = stop ? stop + 1 : end;
    }
    return all;
}

static int most_frequent_first(const void *a, const void *b)
{
    const int *x = a, *y = b; /* {count, place of first appearance} */
    return x[0] != y[0] ? (x[0] < y[0] ? 1 : -1) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* kept[i]: whether the i-th token passes the rules. Returns how many do. */
static int choose(bool *kept, const Vocabulary *all, VocabularyRules rules)
{
    int(*order)[2] = memory_new((size_t)all->count + 1, sizeof *order, "the vocabulary");
    int passing = 0;
    for (int i = 0; i < all->count; i++)
        if (all->words[i].value >= rules.min_count) {
            order[passing][0] = all->words[i].value;
            order[passing++][1] = i;
        }
    qsort(order, (size_t)passing, sizeof *order, most_frequent_first);
    if (rules.max_words && passing > rules.max_words)
        passing = rules.max_words;
    for (int i = 0; i < passing; i++)
        kept[order[i][1]] = true;
    free(order);
    return passing;
}

Vocabulary vocabulary_of(const char *name, const char *text, size_t size, VocabularyRules rules)
{
    Vocabulary all = count_tokens(name, text, size, rules);
    bool *kept = memory_new((size_t)all.count + 1, sizeof *kept, "the vocabulary");
    const int passing = choose(kept, &all, rules);
    if (!passing && all.count)
        die("%s has no %s that comes %d times: all would be [unk]; choose a smaller --min-count",
            name, rules.characters ? "character" : "word", rules.min_count);

    Vocabulary chosen = vocabulary_new(rules.characters);
    if (!rules.stream) {
        chosen.bos = add_special(&chosen, "[bos]");
        chosen.eos = add_special(&chosen, "[eos]");
    }
    if (passing < all.count)
        chosen.unk = add_special(&chosen, "[unk]");
    for (int i = 0; i < all.count; i++)
        if (kept[i])
            add(&chosen, all.words[i].key, all.words[i].value);
        else
            chosen.words[chosen.unk].value += all.words[i].value;
    free(kept);
    vocabulary_free(&all);
    return chosen;
}

void vocabulary_free(Vocabulary *vocabulary)
{
    shfree(vocabulary->words);
    arrfree(vocabulary->special);
}
