/* nearest.c: the edit distance of two words by the usual table, one row at a time, to every word of
 * the vocabulary whose length does not rule it out. */
#include "nearest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/utf8.h"

enum { LONGEST = 100, MOST = 3 }; /* code points of a word that is compared; words suggested */

typedef struct {
    int32_t at[LONGEST];
    int length; /* LONGEST + 1 if it has more */
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

/* How many letters must be inserted, removed or changed. row[j] is the distance of the first i
 * letters of a to the first j of b. */
static int distance(const Letters *a, const Letters *b)
{
    int row[LONGEST + 1] = {0};
    for (int j = 0; j <= b->length; j++)
        row[j] = j;
    for (int i = 1; i <= a->length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b->length; j++) {
            const int changed = diagonal + (a->at[i - 1] != b->at[j - 1]);
            diagonal = row[j];
            row[j] = min_int(changed, min_int(row[j], row[j - 1]) + 1);
        }
    }
    return row[b->length];
}

/* The ids of the nearest words, the nearest first; returns how many. */
static int nearest(const Vocabulary *v, const Letters *word, int ids[MOST + 1])
{
    int count = 0, away[MOST + 1] = {0};
    for (int id = 0; id < v->count; id++) {
        const char *other = vocabulary_word(v, id);
        const Letters known = letters_of(other, strlen(other));
        const int longer = max_int(known.length, word->length);
        /* The distance is at least the difference of the lengths. */
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
        count = min_int(count + 1, MOST);
    }
    return count;
}

char *unknown_word(const Vocabulary *v, const char *where, const char *word, size_t size)
{
    const Letters letters = letters_of(word, size);
    const char *cut = word, *end = word + size;
    for (int i = 0; i < LONGEST && cut < end; i++)
        utf8_next(&cut, end);
    int ids[MOST + 1], count = letters.length > LONGEST ? 0 : nearest(v, &letters, ids);
    char *line = format_text("%s: the model does not know '%.*s%s'", where, (int)(cut - word), word,
                             cut < end ? "…" : "");
    for (int i = 0; i < count; i++) {
        char *longer =
            format_text("%s%s%s", line, i ? ", " : "; its nearest: ", vocabulary_word(v, ids[i]));
        free(line);
        line = longer;
    }
    text_sanitize(line);
    return line;
}
