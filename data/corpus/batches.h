/* batches.h: pieces of a corpus as a batch that the model reads. Of the two pieces [bos] el (perro)
 * and perro come ([eos]), whose ids are 0 2 3 and 3 4 1, the batch is
 *
 *     tokens  0 2 3 4      targets  2 3 4 1      positions  0 1 0 1      start  0 2 4 */
#ifndef PULGA_BATCHES_H
#define PULGA_BATCHES_H

#include "corpus.h"
#include "model/batch.h"

/* Memory for one batch of at most `rows`: five arrays in one block. */
typedef struct {
    int *start, *tokens, *targets, *positions; /* (rows + 1), (rows), (rows), (rows) */
    int *piece;                                /* (rows + 1) the ids of one piece */
    int rows;
} BatchRoom;

BatchRoom batch_room_new(int rows);
void batch_room_free(BatchRoom *room);

/* Fills the room with some pieces; the batch is valid until the room is filled again. first_row is
 * the number of rows of the same step that come before: see model/batch.h. */
Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                 uint32_t first_row);

#endif
