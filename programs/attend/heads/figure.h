/* figure.h: attention maps as a figure for paper, in SVG: a panel for each chosen head. Rows are
 * queries, columns are keys, and a cell's colour is its weight; a key that a query cannot attend to
 * is hatched. */
#ifndef PULGA_FIGURE_H
#define PULGA_FIGURE_H

#include "model/gpt.h"
#include "heads.h"

/* The most pairs of query and key that a figure may have. Each is an element of its own: with more,
 * viewers become slow. */
enum { FIGURE_MOST = 1 << 17 };

void heads_figure(FILE *out, const Heads *heads);

/* ---- Positions ---- */

/* How alike the vectors are that tell a model where a token stands: the cosine of every pair of
 * them. For sinusoidal vectors (of an even width) it depends on the distance of the two positions
 * alone; for learned ones it may be anything. The vector of a rotary position is what turns a head:
 * the cosine and the sine of each angle.
 *
 * Positions are counted from 0 in the code and in arrays, but from 1 wherever a person reads
 * them. */

/* The cosines of all pairs of positions that are so far apart. */
typedef struct {
    double mean, least, most;
} CosineSpread;

typedef struct {
    int count, width; /* T, C; D of rotary ones          */
    PositionKind kind;
    bool varies;            /* for pairs of one distance       */
    Real *vectors;          /* (T, C) scaled to length 1       */
    CosineSpread *distance; /* (T) from 0 to T − 1             */
    const char *run;        /* the model's directory; the caller's */
} Positions;

/* The caller frees it with positions_free(). */
Positions positions_read(const Gpt *gpt, const char *run);
void positions_free(Positions *positions);

/* "8 learned positions of width 64"; the caller frees it. */
char *positions_title(const Positions *positions);

/* A picture in SVG: every pair as a cell, and the cosine against the distance. If there are
 * many positions, only every second, every third, … is a cell. */
void positions_figure(FILE *out, const Positions *positions);

/* The numbers: NumPy's file of an array (1, 1, T, T); a line for each pair, under this
 * header; an object with all pairs and the spread by distance. */
#define POSITIONS_CSV_HEADER "position,other,distance,cosine\n"
void positions_npy(FILE *out, const Positions *positions);
void positions_csv(FILE *out, const Positions *positions);
void positions_json(FILE *out, const Positions *positions);

#endif
