/* maps.h: heads whose attention maps are made by hand, for tests that run no model. */
#ifndef PULGA_TESTS_MAPS_H
#define PULGA_TESTS_MAPS_H

#include "programs/attend/heads/heads.h"
#include "patterns.h"

/* So many heads of one layer, with these patterns and words (NULL: words that need quoting). Each
 * row is spread unevenly over the keys that its query attends to. Freed by heads_free. */
Heads maps_new(int length, int heads, const Pattern *patterns, const char *const *words);

/* Lets the first tokens see each other in both directions, in a head. Spreads its rows again. */
void maps_see_prefix(Heads *heads, int head, int prefix);

/* Whether a query attends to a key, by a look at the ranges. */
bool maps_has(const Head *head, int query, int key);

/* What a function writes about heads; the caller frees it. */
char *maps_written(void (*write)(FILE *out, const Heads *heads), const Heads *heads);

/* How often a text contains a part. */
int count_parts(const char *text, const char *part);

#endif
