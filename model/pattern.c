/* pattern.c: the ranges of keys of each kind of pattern, and what follows from them. A new kind
 * needs a case in each switch; the compiler warns about those that are missing. */
#include "pattern.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- Lists ---- */

/* Goes behind a word, if it comes next. */
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
    return p->kind != PATTERN_SUMMARY ||
           (skip(at, ":") && read_number(at, &p->last) && p->last <= p->size);
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

int pattern_ranges(Pattern p)
{
    return p.kind == PATTERN_SUMMARY ? p.last + 1 : 1;
}

int pattern_step(Pattern p)
{
    return p.kind == PATTERN_STRIDED ? p.size : 1;
}

/* Below the limit; a size may be so large that the sum is no int. */
static int end_of(int from, int size, int limit)
{
    return (int)min_int64((int64_t)from + size, limit);
}

/* A summary has a range for each of the last tokens of a block, that of all blocks, and one for the
 * query itself, which is empty if it is such a token. */
static KeyRange summary_range(Pattern p, int query, int limit, int number)
{
    const int first = p.size - p.last;
    if (number == p.last)
        return (KeyRange){query, query + (query % p.size < first), 1};
    return (KeyRange){first + number, max_int(limit, first + number), p.size};
}

KeyRange pattern_range(Pattern p, int query, int limit, int number)
{
    switch (p.kind) {
    case PATTERN_ALL: break;
    case PATTERN_WINDOW:
        return (KeyRange){max_int(query - p.size + 1, 0), end_of(query, p.size, limit), 1};
    case PATTERN_STRIDED: return (KeyRange){query % p.size, limit, p.size};
    case PATTERN_FIXED: {
        const int block = query / p.size * p.size;
        return (KeyRange){block, end_of(block, p.size, limit), 1};
    }
    case PATTERN_SUMMARY: return summary_range(p, query, limit, number);
    }
    return (KeyRange){0, limit, 1};
}

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

/* Marks the keys of the queries [from, end). Each query is among its own keys, so that those of a
 * single range without steps are a range, too. */
static void mark_run(Pattern p, int from, int end, int prefix, bool *keys)
{
    if (pattern_ranges(p) > 1 || pattern_step(p) > 1) {
        for (int i = from; i < end; i++)
            pattern_mark(p, i, key_limit(i, prefix), keys);
        return;
    }
    const int first = pattern_range(p, from, key_limit(from, prefix), 0).from;
    const int last = pattern_range(p, end - 1, key_limit(end - 1, prefix), 0).end;
    memset(keys + first, true, (size_t)(last - first));
}

void pattern_reach(const Pattern *patterns, int layers, int heads, int query, int prefix,
                   bool *reach)
{
    const int limit = key_limit(query, prefix);
    bool *queries = memory_new((size_t)limit + 1, sizeof *queries, "the reach of the patterns");
    memset(reach, false, (size_t)limit);
    reach[query] = true;
    for (int l = layers - 1; l >= 0; l--) {
        memcpy(queries, reach, (size_t)limit); /* and an end: false */
        for (int from = 0, end; from < limit; from = end + 1) {
            for (end = from; queries[end]; end++)
                ;
            for (int h = 0; end > from && h < heads; h++)
                mark_run(pattern_at(patterns, l * heads + h), from, end, prefix, reach);
        }
    }
    free(queries);
}
