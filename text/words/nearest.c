/* nearest.c: computes the edit distance from the unknown word to every word of the vocabulary, with
 * the usual table, of which only one row is kept at a time. The three nearest words are kept. */
#include "nearest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/utf8.h"

/* Code points of a word that is compared, since the time grows with their square; and words that
 * are suggested. */
enum { LONGEST = 100, MOST = 3 };

/* A word as code points, so that ñ is one letter although it takes two bytes. */
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

/* How many letters must be inserted, removed or changed. row[j] is the distance from the first i
 * letters of a to the first j of b; `diagonal` is that from the first i - 1 to the first j - 1. */
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

int letters_apart(const char *word, size_t size, const char *other)
{
    const Letters a = letters_of(word, size), b = letters_of(other, strlen(other));
    return max_int(a.length, b.length) > LONGEST ? INT_MAX : distance(&a, &b);
}

/* The ids of the nearest words, the nearest first; returns how many there are. Both arrays have
 * room for one more, which a fourth word takes before it is forgotten. */
static int nearest(const Vocabulary *v, const Letters *word, int ids[MOST + 1])
{
    int count = 0, away[MOST + 1] = {0};
    for (int id = 0; id < v->count; id++) {
        const char *other = vocabulary_word(v, id);
        const Letters known = letters_of(other, strlen(other));
        if (known.length > LONGEST || vocabulary_is_special(v, id))
            continue;
        const int d = distance(word, &known);
        if (d >= max_int(known.length, word->length))
            continue;
        int place = count; /* its own, after all that are at most as far away */
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
    char *line = format_text(_("%s: the model does not know '%.*s%s'"), where, (int)(cut - word),
                             word, cut < end ? "…" : "");
    for (int i = 0; i < count; i++)
        extend_text(&line, i ? ", %s" : _("; its nearest: %s"), vocabulary_word(v, ids[i]));
    text_sanitize(line);
    return line;
}
