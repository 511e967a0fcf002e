/* pattern.c: lists of patterns, and what follows from their ranges of keys. A new kind needs a case
 * in each switch, where the compiler warns about those that are missing, and a line in
 * read_pattern(). */
#include "pattern.h"

#include <limits.h>

/* ---- Lists ---- */

/* Goes on after a word, if it comes next. */
static bool skip(const char **at, const char *word)
{
    const size_t size = strlen(word);
    const bool found = !strncmp(*at, word, size);
    *at += found ? size : 0;
    return found;
}

/* Reads a number from 1 to 2^31 − 1, without a sign or a leading 0. */
static bool read_number(const char **at, int *number)
{
    if (**at < '1' || **at > '9')
        return false;
    char *end;
    const long long read = strtoll(*at, &end, 10);
    *number = (int)read;
    *at = end;
    return read <= INT_MAX;
}

static bool read_pattern(const char **at, Pattern *p)
{
    *p = (Pattern){PATTERN_ALL, 0, 0};
    if (skip(at, "all") || skip(at, "0"))
        return true;
    p->kind = skip(at, "strided:")   ? PATTERN_STRIDED
              : skip(at, "fixed:")   ? PATTERN_FIXED
              : skip(at, "summary:") ? PATTERN_SUMMARY
                                     : PATTERN_WINDOW;
    if (!read_number(at, &p->size))
        return false;
    return p->kind != PATTERN_SUMMARY || (skip(at, ":") && read_number(at, &p->last) &&
                                          p->last <= p->size && p->last <= PATTERN_MOST_LAST);
}

int patterns_parse(Pattern **patterns, const char *list, int layers, int heads)
{
    Pattern *entries = memory_new(strlen(list) / 2 + 1, sizeof *entries, "a list of patterns");
    const int all = layers * heads;
    int count = 0, plain = 0;
    bool good;
    do {
        good = read_pattern(&list, &entries[count]);
        plain += entries[count++].kind == PATTERN_ALL;
    } while (good && skip(&list, ","));
    good = good && !*list;
    *patterns = NULL;
    if (good && plain < count) {
        *patterns = memory_new((size_t)all, sizeof **patterns, "the attention patterns");
        for (int i = 0; i < all; i++)
            (*patterns)[i] = entries[i % count];
    }
    free(entries);
    return good ? count : 0;
}

Pattern pattern_at(const Pattern *patterns, int i)
{
    return patterns ? patterns[i] : (Pattern){PATTERN_ALL, 0, 0};
}

/* As in a list, or as a person reads it: that depends on what stands before the numbers. */
static void put_pattern(Pattern p, char *text, const char *window, const char *colon)
{
    switch (p.kind) {
    case PATTERN_ALL: snprintf(text, PATTERN_TEXT, "all"); break;
    case PATTERN_WINDOW: snprintf(text, PATTERN_TEXT, "%s%d", window, p.size); break;
    case PATTERN_STRIDED: snprintf(text, PATTERN_TEXT, "strided%s%d", colon, p.size); break;
    case PATTERN_FIXED: snprintf(text, PATTERN_TEXT, "fixed%s%d", colon, p.size); break;
    case PATTERN_SUMMARY:
        snprintf(text, PATTERN_TEXT, "summary%s%d:%d", colon, p.size, p.last);
        break;
    }
}

char *patterns_list(const Pattern *patterns, int count)
{
    char *list = memory_new((size_t)count, PATTERN_TEXT, "a list of patterns"), *at = list;
    for (int i = 0; i < count; i++) {
        put_pattern(patterns[i], at, "", ":");
        at += strlen(at);
        *at++ = i + 1 < count ? ',' : 0;
    }
    return list;
}

const char *pattern_text(Pattern p, char text[PATTERN_TEXT])
{
    put_pattern(p, text, "window ", " ");
    return text;
}

/* ---- Keys ---- */

void pattern_mark(Pattern p, int query, int limit, bool *keys)
{
    for (int number = 0; number < pattern_ranges(p); number++) {
        const KeyRange range = pattern_range(p, query, limit, number);
        for (int i = 0; i < key_count(range); i++)
            keys[range.from + i * range.step] = true;
    }
}

int pattern_most_keys(Pattern p, int length, int queries)
{
    const int64_t size = p.size, blocks = size ? (length - 1) / size + 1 : 0;
    switch (p.kind) {
    case PATTERN_ALL: break;
    case PATTERN_WINDOW: return (int)min_int64(2 * size + queries - 2, length);
    case PATTERN_STRIDED: return (int)blocks;
    case PATTERN_FIXED: return (int)min_int64(2 * size + queries - 2, length);
    case PATTERN_SUMMARY: return (int)(p.last * blocks + min_int(queries, length));
    }
    return length;
}

/* ---- Reach ---- */

/* Queries that have the same keys, as far as their limits go: the last of them has all keys that
 * the others have, but for those that are queries themselves. −1: a query is like no other. */
static int alike(Pattern p, int query)
{
    switch (p.kind) {
    case PATTERN_ALL:
    case PATTERN_SUMMARY: break;
    case PATTERN_STRIDED: return query % p.size;
    case PATTERN_FIXED: return query / p.size;
    case PATTERN_WINDOW: return -1;
    }
    return 0;
}

/* Marks the keys of all marked queries below a limit; these lie in `queries`, and `done` has as
 * much room. Queries that follow each other have one window together. */
static void mark_all(Pattern p, const bool *queries, bool *done, int limit, int prefix, bool *keys)
{
    int marked = limit; /* a window reaches down to this */
    memset(done, false, (size_t)limit);
    for (int i = limit - 1; i >= 0; i--) {
        const int kind = alike(p, i);
        if (!queries[i] || (kind >= 0 && done[kind]))
            continue;
        if (kind >= 0) {
            done[kind] = true;
            pattern_mark(p, i, key_limit(i, prefix), keys);
            continue;
        }
        KeyRange window = pattern_range(p, i, key_limit(i, prefix), 0);
        window.end = min_int(window.end, marked);
        for (int j = window.from; j < window.end; j++)
            keys[j] = true;
        marked = min_int(marked, window.from);
    }
}

/* Whether a query attends to other keys if it has another limit. */
static bool keys_differ(Pattern p, int query, int limit, int other)
{
    for (int number = 0; number < pattern_ranges(p); number++) {
        const KeyRange a = pattern_range(p, query, limit, number);
        const KeyRange b = pattern_range(p, query, other, number);
        const int count = key_count(a);
        if (count != key_count(b) || (count && a.from != b.from) || (count > 1 && a.step != b.step))
            return true;
    }
    return false;
}

/* Marks what reaches a query, layer by layer from the last one. Unless `other` is -1, ends and
 * returns true at the first key that differs with that prefix. */
static bool find_reach(const Pattern *patterns, int layers, int heads, int query, int prefix,
                       int other, bool *reach)
{
    const int limit = key_limit(query, prefix);
    const size_t size = (size_t)limit;
    bool *queries = memory_new(2 * size, sizeof *queries, "the reach of the patterns");
    bool differ = false;
    memset(reach, false, size);
    reach[query] = true;
    for (int l = layers - 1; l >= 0 && !differ; l--) {
        if (other < 0 && !memchr(reach, 0, size))
            break;
        memcpy(queries, reach, size);
        for (int h = 0; h < heads && !differ; h++) {
            const Pattern p = pattern_at(patterns, l * heads + h);
            for (int i = 0; other >= 0 && i < limit && !differ; i++)
                differ = queries[i] && keys_differ(p, i, key_limit(i, prefix), key_limit(i, other));
            mark_all(p, queries, queries + size, limit, prefix, reach);
        }
    }
    free(queries);
    return differ;
}

bool pattern_tells_apart(const Pattern *patterns, int layers, int heads, int query, int prefix,
                         int other)
{
    bool *reach = memory_take((size_t)key_limit(query, prefix) * sizeof *reach);
    const bool differ = find_reach(patterns, layers, heads, query, prefix, other, reach);
    free(reach);
    return differ;
}

void pattern_reach(const Pattern *patterns, int layers, int heads, int query, int prefix,
                   bool *reach)
{
    find_reach(patterns, layers, heads, query, prefix, -1, reach);
}
