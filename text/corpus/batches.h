/* batches.h: pieces of a corpus as a batch that the model reads. The pieces [bos] el (perro) and
 * perro come ([eos]), whose ids are 0 2 3 and 3 4 1, become the batch
 *
 *     tokens  0 2 3 4      targets  2 3 4 1      start  0 2 4 */
#ifndef PULGA_BATCHES_H
#define PULGA_BATCHES_H

#include "base/numbers/random.h"
#include "model/shape/batch.h"
#include "corpus.h"

/* ---- Reader ---- */

/* The pieces of one epoch after another, each epoch in an order of its own.
 *
 * Read by lines, every epoch has the same pieces. A stream is cut again in each epoch, at places
 * that are drawn, so that a piece does not always begin at the same token: with a context of 4, ten
 * rows may become 4 + 4 + 2 in one epoch and 3 + 4 + 3 in the next. */

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

/* Memory for one batch of at most `rows`: six arrays in one block. */
typedef struct {
    int *start, *tokens, *targets, *prefix; /* (rows + 1), (rows), … */
    int *piece;                             /* (rows + 1) the ids of one piece */
    int *history;                           /* (rows, HISTORY_MOST) */
    int rows;
} BatchRoom;

BatchRoom batch_room_new(int rows);
void batch_room_free(BatchRoom *room);

/* Fills the room with some pieces to train on; the batch is valid until the room is filled again.
 * If tokens are masked, `hide` draws those that are hidden. hide.row is the number of rows of the
 * same step that come before: see model/shape/batch.h. */
Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count);
Batch batch_fill_hiding(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                        HideDraw hide);

/* How many rows of all pieces of a step count. */
int64_t batch_targets(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                      HideDraw hide);

/* Where an evaluation of a part is. A hidden token is evaluated in a sequence of its own, with all
 * others as they are: then `row` is the next one to be hidden. */
typedef struct {
    size_t piece;
    int row;
} BatchPlace;

/* Fills the room with what comes next in a part: as many pieces, each with what is read before it,
 * as there is room for, and one at least must have room. Returns false at the end. */
bool batch_next(Batch *batch, BatchRoom *room, const Corpus *corpus, const Part *part,
                BatchPlace *place);

#endif
