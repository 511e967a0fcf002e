/* spelling.c: see spelling.h. */
#include "spelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"

static int32_t first_code_point(const Vocabulary *v, int id)
{
    const char *at = v->words[id].key, *end = at + strlen(at);
    return at < end ? utf8_next(&at, end) : 0;
}

static bool is_mark(const Vocabulary *v, int id)
{
    /* [bos] is a word, whatever it begins with */
    return !vocabulary_is_special(v, id) && is_punctuation(first_code_point(v, id));
}

static int64_t pair_key(const Vocabulary *v, int left, int right)
{
    return (int64_t)left * v->count + right;
}

static void learn(Spelling *s, const char *text, size_t size)
{
    const Vocabulary *v = s->vocabulary;
    const char *at = text, *end = text + size, *token, *left_end = NULL;
    int left = -1;
    while ((token = vocabulary_next(v, &at, end))) {
        const int right = vocabulary_id(v, token, (size_t)(at - token));
        if (left >= 0 && right >= 0 && (is_mark(v, left) || is_mark(v, right))) {
            const int touch = token == left_end ? 1 : -1;
            const int64_t key = pair_key(v, left, right);
            const int so_far = hmget(s->pairs, key);
            hmput(s->pairs, key, so_far + touch);
            s->behind[left] += touch;
            s->before[right] += touch;
        }
        left = right;
        left_end = at;
    }
}

Spelling spelling_of(const Vocabulary *vocabulary, const char *text, size_t size)
{
    const size_t V = (size_t)vocabulary->count;
    Spelling s = {
        .vocabulary = vocabulary,
        .before = memory_new(V, sizeof *s.before, "how words are written"),
        .behind = memory_new(V, sizeof *s.behind, "how words are written"),
    };
    if (text && !vocabulary->characters)
        learn(&s, text, size);
    return s;
}

void spelling_free(Spelling *s)
{
    hmfree(s->pairs);
    free(s->before);
    free(s->behind);
}

bool spelling_needs_space(const Spelling *s, int left, int right)
{
    const Vocabulary *v = s->vocabulary;
    if (v->characters)
        return false;
    const bool left_marks = is_mark(v, left), right_marks = is_mark(v, right);
    if (!left_marks && !right_marks)
        return true;
    SpelledPair *pairs = s->pairs; /* looking a key up moves the map's own notes, not its pairs */
    const int together = pairs ? hmget(pairs, pair_key(v, left, right)) : 0;
    if (together)
        return together < 0;
    const int behind = left_marks ? s->behind[left] : 0;
    const int before = right_marks ? s->before[right] : 0;
    if (behind || before)
        return behind <= 0 && before <= 0;
    return !(left_marks && is_opening(first_code_point(v, left))) &&
           !(right_marks && !is_opening(first_code_point(v, right)));
}

char *spelling_text(const Spelling *s, const int *tokens, int count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_stream(&text, &size);
    int left = -1;
    for (int i = 0; i < count; i++) {
        const int id = tokens[i];
        if (id == s->vocabulary->bos || id == s->vocabulary->eos)
            continue;
        fprintf(out, "%s%s", left >= 0 && spelling_needs_space(s, left, id) ? " " : "",
                s->vocabulary->words[id].key);
        left = id;
    }
    fclose(out);
    return text;
}
