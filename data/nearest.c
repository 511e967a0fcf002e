/* nearest.c: see nearest.h. */
#include "nearest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { LONGEST = 100, MOST = 3 }; /* code points of a word that is compared; suggestions */

typedef struct {
    int32_t at[LONGEST];
    int length; /* LONGEST + 1 where it has more */
} Letters;

static Letters letters_of(const char *word, size_t size)
{
    Letters letters = {.length = 0};
    for (const char *at = word, *end = word + size; at < end && letters.length <= LONGEST;
         letters.length++) {
        const int32_t c = utf8_next(&at, end);
        if (letters.length < LONGEST)
            letters.at[letters.length] = c;
    }
    return letters;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters must be put in, left out or changed; a row of the table of all beginnings of a
 * against all of b at a time. */
static int distance(const Letters *a, const Letters *b)
{
    int row[LONGEST + 1];
    for (int j = 0; j <= b->length; j++)
        row[j] = j;
    for (int i = 1; i <= a->length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b->length; j++) {
            const int changed = diagonal + (a->at[i - 1] != b->at[j - 1]);
            diagonal = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b->length];
}

/* The ids of the nearest words, the nearest first; returns how many. */
static int nearest(const Vocabulary *v, const Letters *word, int ids[MOST + 1])
{
    int count = 0, away[MOST + 1] = {0};
    for (int id = 0; id < v->count; id++) {
        const Letters known = letters_of(v->words[id].key, strlen(v->words[id].key));
        const int longer = known.length > word->length ? known.length : word->length;
        /* The lengths' difference is the least that it can be. */
        if (longer > LONGEST || vocabulary_is_special(v, id) ||
            (count == MOST && abs(known.length - word->length) >= away[MOST - 1]))
            continue;
        const int d = distance(word, &known);
        if (d >= longer)
            continue;
        int place = count;
        for (; place > 0 && away[place - 1] > d; place--) {
            away[place] = away[place - 1];
            ids[place] = ids[place - 1];
        }
        away[place] = d;
        ids[place] = id;
        count = least(count + 1, MOST);
    }
    return count;
}

/* The bytes of so many code points at most. */
static size_t bytes_of(const char *word, size_t size, int most)
{
    size_t i = 0;
    for (; i < size; i++)
        if (((unsigned char)word[i] & 0xC0) != 0x80 && most-- == 0)
            break;
    return i;
}

char *unknown_word(const Vocabulary *v, const char *where, const char *word, size_t size)
{
    const Letters letters = letters_of(word, size);
    const size_t shown = bytes_of(word, size, LONGEST);
    int ids[MOST + 1], count = letters.length > LONGEST ? 0 : nearest(v, &letters, ids);
    char *line = format_text("%s: the model does not know '%.*s%s'", where, (int)shown, word,
                             shown < size ? "…" : "");
    for (int i = 0; i < count; i++) {
        char *longer =
            format_text("%s%s%s", line, i ? ", " : "; its nearest: ", v->words[ids[i]].key);
        free(line);
        line = longer;
    }
    text_sanitize(line);
    return line;
}
