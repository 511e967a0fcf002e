/* reader.h: the pieces of one epoch after another, each epoch in an order of its own.
 *
 * Read by lines, every epoch has the same pieces. A stream is cut again in each epoch, at places
 * that are drawn, so that a piece does not always begin at the same token: with a context of 4, ten
 * rows may become 4 + 4 + 2 in one epoch and 3 + 4 + 3 in the next. */
#ifndef PULGA_READER_H
#define PULGA_READER_H

#include "corpus.h"
#include "order.h"

/* It borrows the corpus and owns the rest. */
typedef struct {
    const Corpus *corpus;
    uint32_t seed;
    int64_t epoch; /* from 0 */
    size_t next;   /* of the epoch's pieces; together with epoch, the position in the data */
    size_t count;  /* pieces of the epoch */
    size_t offset; /* of a stream: the tokens before its first cut */
    Order order;
    Piece *taken; /* stb_ds array */
} Reader;

Reader reader_new(const Corpus *corpus, uint32_t seed);
void reader_free(Reader *reader);

/* Goes to a place in the data; false if the epoch does not have it. */
bool reader_seek(Reader *reader, int64_t epoch, size_t next);

/* The next pieces: `most`, or fewer at the end of an epoch; after it, those of the next epoch. They
 * stay the reader's, until the next call. */
const Piece *reader_take(Reader *reader, int most, int *count);

/* How many pieces an epoch has, and the most that any epoch has: a stream's epochs differ. */
size_t epoch_pieces(const Corpus *corpus, uint32_t seed, int64_t epoch);
size_t epoch_most_pieces(const Corpus *corpus);

#endif
