/* spacing.c: keeps one sum for each pair with punctuation in it, and two for each token, with its
 * neighbours before and after it. A sum is positive if the text writes the two together more often
 * than apart. */
#include "spacing.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"

void spacing_free(Spacing *s)
{
    hmfree(s->pairs);
    free(s->before);
    free(s->after);
}

/* 0 if the token is empty. */
static int32_t first_code_point(const Vocabulary *v, int id)
{
    const char *at = vocabulary_word(v, id), *end = at + strlen(at);
    return at < end ? utf8_next(&at, end) : 0;
}

/* Special tokens count as words, although [bos] begins with punctuation. */
static bool token_is_punctuation(const Vocabulary *v, int id)
{
    return !vocabulary_is_special(v, id) && is_punctuation(first_code_point(v, id));
}

void spacing_learn(Spacing *s, const Vocabulary *v, int left, int right, bool apart)
{
    if (!token_is_punctuation(v, left) && !token_is_punctuation(v, right))
        return;
    if (!s->before) {
        s->before = memory_new((size_t)v->count, sizeof *s->before, "the spacing of words");
        s->after = memory_new((size_t)v->count, sizeof *s->after, "the spacing of words");
    }
    const int touch = apart ? -1 : 1;
    const int64_t key = (int64_t)left * v->count + right;
    const int sum = hmget(s->pairs, key);
    hmput(s->pairs, key, sum + touch);
    s->after[left] += touch;
    s->before[right] += touch;
}

bool spacing_is_needed(const Spacing *s, const Vocabulary *v, int left, int right)
{
    const bool left_is_punctuation = token_is_punctuation(v, left),
               right_is_punctuation = token_is_punctuation(v, right);
    if (!left_is_punctuation && !right_is_punctuation)
        return true;
    if (s->before) {
        SpacedPair *pairs = s->pairs; /* a look-up writes to its variable */
        const int together = hmget(pairs, (int64_t)left * v->count + right);
        if (together)
            return together < 0;
        /* A word says nothing by itself: it may be next to any mark. */
        const int after = left_is_punctuation ? s->after[left] : 0;
        const int before = right_is_punctuation ? s->before[right] : 0;
        if (after || before)
            return after <= 0 && before <= 0;
    }
    return !(left_is_punctuation && is_opening(first_code_point(v, left))) &&
           !(right_is_punctuation && !is_opening(first_code_point(v, right)));
}
