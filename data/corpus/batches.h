/* batches.h: pieces of a corpus as a batch that the model reads. */
#ifndef PULGA_BATCHES_H
#define PULGA_BATCHES_H

#include "corpus.h"
#include "model/batch.h"

/* Memory for one batch of at most so many rows. */
typedef struct {
    int *start, *tokens, *targets, *positions;
    int rows;
} BatchRoom;

BatchRoom batch_room_new(int rows);
void batch_room_free(BatchRoom *room);

/* Fills it with some pieces; first_row: see model/batch.h. The batch lies in the room. */
Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                 uint32_t first_row);

#endif
