/* numbers.h: attention maps as numbers for other programs. */
#ifndef PULGA_NUMBERS_H
#define PULGA_NUMBERS_H

#include <stdio.h>

#include "base/base.h"
#include "heads.h"

/* ---- NumPy ---- */

/* NumPy's file of one array: a line of text with its shape, then the numbers, float32,
 * little-endian, the last axis fastest. np.load("heads.npy") reads it. */

/* What such a file begins with. */
extern const char NPY_BEGIN[];

/* The header of an array of four axes; then all of its numbers, in one call or in several. */
void npy_begin(FILE *out, const int shape[4]);
void npy_numbers(FILE *out, const Real *numbers, size_t count);

/* NumPy's file of one float32 array: (layers, heads, T, T). */
void numbers_npy(FILE *out, const Heads *heads);

/* A line for each pair of a query and a key that it attends to, under this header. The tokens are
 * safe to display in a terminal and to open in a spreadsheet. */
#define NUMBERS_CSV_HEADER "layer,head,query,key,query_token,key_token,weight\n"
void numbers_csv(FILE *out, const Heads *heads);

/* One object with the tokens as the vocabulary has them, and for each head its pattern, summary,
 * ranges of keys and map:
 *
 *     source    the number of tokens up to and with [sep]; 0: the text is not a pair
 *     ranges    for each query, the first and the last key of each range that it attends to
 *     weights   for each query, a number for each key of the text */
void numbers_json(FILE *out, const Heads *heads);

/* Two of these members, for one head; the page also has them. */
void put_summary(FILE *out, const Heads *heads, const Head *head);
void put_key_ranges(FILE *out, const Heads *heads, const Head *head);

#endif
