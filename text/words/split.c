/* split.c: a word is the longest run of code points of one class. With PUNCTUATION_ALONE, each
 * punctuation mark is a word by itself. */
#include "split.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"

bool span_equal(Span a, Span b)
{
    const size_t size = (size_t)(a.end - a.begin);
    return size == (size_t)(b.end - b.begin) && !memcmp(a.begin, b.begin, size);
}

typedef enum { CLASS_SPACE, CLASS_WORD, CLASS_PUNCTUATION } Class;

/* What a code point is among words. */
static Class class_of(int32_t c, Punctuation punctuation)
{
    if (is_space(c))
        return CLASS_SPACE;
    switch (punctuation) {
    case PUNCTUATION_IN_WORDS: return CLASS_WORD;
    case PUNCTUATION_IN_RUNS: return is_word_letter(c) ? CLASS_WORD : CLASS_PUNCTUATION;
    case PUNCTUATION_ALONE: break;
    }
    return is_punctuation(c) ? CLASS_PUNCTUATION : CLASS_WORD;
}

/* The ASCII characters: s are spaces, c control characters, p punctuation, w letters and digits. */
static const char ascii[] = "cccccccccssssscccccccccccccccccc"
                            "spppppppppppppppwwwwwwwwwwpppppp"
                            "pwwwwwwwwwwwwwwwwwwwwwwwwwwpppp_"
                            "pwwwwwwwwwwwwwwwwwwwwwwwwwwppppc";

/* The class of the code point at *at, which moves past it. Nearly all are letters and spaces. */
static inline Class next_class(const char **at, const char *end, Punctuation punctuation)
{
    const unsigned char c = (unsigned char)**at;
    if (c >= 128)
        return class_of(utf8_next(at, end), punctuation);
    ++*at;
    if (ascii[c] == 'w')
        return CLASS_WORD;
    if (ascii[c] == 's')
        return CLASS_SPACE;
    if (ascii[c] == 'p' && punctuation == PUNCTUATION_ALONE)
        return CLASS_PUNCTUATION;
    return class_of(c, punctuation);
}

bool split_line(const char **at, const char *end, Span *line)
{
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *line = (Span){*at, stop ? stop : end};
    *at = stop ? stop + 1 : end;
    return true;
}

bool split_part(const char **at, const char *end, TextCut cut, Span *part)
{
    if (cut == CUT_NOWHERE) {
        *part = (Span){*at, end};
        *at = end;
        return part->begin < end;
    }
    while (split_line(at, end, part)) {
        const char *tab =
            cut == CUT_SIDES ? memchr(part->begin, '\t', (size_t)(part->end - part->begin)) : NULL;
        if (tab) {
            part->end = tab;
            *at = tab + 1;
        }
        if (cut == CUT_TURNS)
            split_turn(*part, &(Span){NULL, NULL}, part);
        if (!is_blank(*part))
            return true;
    }
    return false;
}

bool split_pair(Span line, Span *source, Span *target)
{
    const char *tab = memchr(line.begin, '\t', (size_t)(line.end - line.begin));
    if (!tab || memchr(tab + 1, '\t', (size_t)(line.end - tab - 1)))
        return false;
    *source = (Span){line.begin, tab};
    *target = (Span){tab + 1, line.end};
    return !is_blank(*source) && !is_blank(*target);
}

/* Without the spaces and tabs around it. */
static Span trimmed(Span text)
{
    while (text.begin < text.end && strchr(" \t", *text.begin))
        text.begin++;
    while (text.begin < text.end && strchr(" \t", text.end[-1]))
        text.end--;
    return text;
}

bool split_turn(Span line, Span *name, Span *said)
{
    const char *colon = memchr(line.begin, ':', (size_t)(line.end - line.begin));
    if (!colon)
        return false;
    *name = trimmed((Span){line.begin, colon});
    *said = trimmed((Span){colon + 1, line.end});
    return !is_blank(*name) && !is_blank(*said);
}

bool split_word(const char **at, const char *end, Punctuation punctuation, Span *word)
{
    /* The first code point that is not white space decides what kind of word this is. */
    Class class = CLASS_SPACE;
    word->begin = word->end = *at;
    while (class == CLASS_SPACE) {
        word->begin = word->end;
        if (word->begin == end) {
            *at = end;
            return false;
        }
        class = next_class(&word->end, end, punctuation);
    }
    /* The word goes on as long as the class stays the same. */
    if (class == CLASS_WORD)
        word->end = after_letters(word->end, end, true);
    const bool alone = class == CLASS_PUNCTUATION && punctuation == PUNCTUATION_ALONE;
    for (const char *more = word->end; !alone && more < end; word->end = more)
        if (next_class(&more, end, punctuation) != class)
            break;
    *at = word->end;
    return true;
}

bool is_blank(Span text)
{
    while (text.begin < text.end)
        if (next_class(&text.begin, text.end, PUNCTUATION_IN_WORDS) != CLASS_SPACE)
            return false;
    return true;
}

/* Keeps one sum for each pair with punctuation in it, and two for each token, with its
 * neighbours before and after it. A sum is positive if the text writes the two together more often
 * than apart. */
void spacing_free(Spacing *s)
{
    hmfree(s->pairs);
    free(s->before);
    free(s->after);
    free(s->tabs);
}

int spacing_token(const Vocabulary *v, int id, bool *open)
{
    if (strcmp(vocabulary_word(v, id), "\"") != 0)
        return id;
    *open = !*open;
    return *open ? id : v->count;
}

/* 0 if the token is empty. */
static int32_t first_code_point(const Vocabulary *v, int id)
{
    if (id == v->count)
        return '"';
    const char *at = vocabulary_word(v, id), *end = at + strlen(at);
    return at < end ? utf8_next(&at, end) : 0;
}

static bool opens(const Vocabulary *v, int id)
{
    const int32_t c = first_code_point(v, id);
    return is_opening(c) || (c == '"' && id != v->count);
}

/* Special tokens count as words, although [bos] begins with punctuation. */
static bool token_is_punctuation(const Vocabulary *v, int id)
{
    return id == v->count ||
           (!vocabulary_is_special(v, id) && is_punctuation(first_code_point(v, id)));
}

/* A line end says nothing about tabs. */
void spacing_learn_tab(Spacing *s, const Vocabulary *v, int left, Span between)
{
    const size_t size = (size_t)(between.end - between.begin);
    if (!s->tabs)
        s->tabs = memory_new((size_t)v->count + 1, sizeof *s->tabs, "the spacing of words");
    if (!memchr(between.begin, '\n', size))
        s->tabs[left] += memchr(between.begin, '\t', size) ? 1 : -1;
}

void spacing_learn(Spacing *s, const Vocabulary *v, int left, int right, bool apart)
{
    if (!token_is_punctuation(v, left) && !token_is_punctuation(v, right))
        return;
    if (!s->before) {
        s->before = memory_new((size_t)v->count + 1, sizeof *s->before, "the spacing of words");
        s->after = memory_new((size_t)v->count + 1, sizeof *s->after, "the spacing of words");
    }
    const int touch = apart ? -1 : 1;
    const int64_t key = (int64_t)left * (v->count + 1) + right;
    const int sum = hmget(s->pairs, key);
    hmput(s->pairs, key, sum + touch);
    s->after[left] += touch;
    s->before[right] += touch;
}

/* Whether white space stands between them. */
static bool spacing_is_needed(const Spacing *s, const Vocabulary *v, int left, int right)
{
    const bool left_is_punctuation = token_is_punctuation(v, left),
               right_is_punctuation = token_is_punctuation(v, right);
    if (!left_is_punctuation && !right_is_punctuation)
        return true;
    if (s->before) {
        SpacedPair *pairs = s->pairs; /* a look-up writes to its variable */
        const int together = hmget(pairs, (int64_t)left * (v->count + 1) + right);
        if (together)
            return together < 0;
        /* A word says nothing by itself: it may be next to any mark. */
        const int after = left_is_punctuation ? s->after[left] : 0;
        const int before = right_is_punctuation ? s->before[right] : 0;
        if (after || before)
            return after <= 0 && before <= 0;
    }
    return !(left_is_punctuation && opens(v, left)) && !(right_is_punctuation && !opens(v, right));
}

const char *spacing_between(const Spacing *s, const Vocabulary *v, int left, int right)
{
    if (!spacing_is_needed(s, v, left, right))
        return "";
    return s->tabs && s->tabs[left] > 0 ? "\t" : " ";
}
