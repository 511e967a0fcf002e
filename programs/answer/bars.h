/* bars.h: a table of probabilities, with a bar for each:
 *
 *      word       in the text    model
 *      perro      0.400  2 of 5  0.400  █████████▋
 *      muchacho   0.400  2 of 5  0.400  █████████▋
 *      gato       0.200  1 of 5  0.200  ████▊
 *      12 others                 0.000
 *
 * The counts are left out if there are none. If the model is mixed with counting:
 *
 *      word       in the text    model  counting  both
 *      perro      0.400  2 of 5  0.400     0.390  0.396  █████████▌
 *      12 others                 0.000     0.031  0.013 */
#ifndef PULGA_BARS_H
#define PULGA_BARS_H

#include "next_words.h"
#include "programs/terminal/screen.h"

typedef struct {
    const char *heading;
    const Candidate *rows; /* (count) the most probable first */
    int count;
    double least; /* the last rows are left out if they are less probable and not in the text */
    size_t times_in_all; /* 0: no counts */
    bool in_parts;       /* the model with counting: each row says what each of them gives alone */
    int kinds;           /* how many rows there could be; 0: any number */
} Bars;

void bars_print(const Bars *bars, const Screen *screen);

/* Ends a line with a bar as long as a share from 0 to 1, or with nothing if that is nearly 0. */
void put_bar(double share);

#endif
