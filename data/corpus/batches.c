/* batches.c: the sequences lie one after another, without padding; data/objective.h says what each
 * row reads and predicts. */
#include "batches.h"

#include <assert.h>
#include <stdlib.h>

#include "base/base.h"

BatchRoom batch_room_new(int rows)
{
    const size_t N = (size_t)rows;
    int *ints = memory_new(5 * N + 2, sizeof *ints, "a batch");
    return (BatchRoom){.tokens = ints,
                       .targets = ints + N,
                       .positions = ints + 2 * N,
                       .start = ints + 3 * N, /* of N + 1: each sequence has at least one row */
                       .piece = ints + 4 * N + 1,
                       .rows = rows};
}

void batch_room_free(BatchRoom *room)
{
    free(room->tokens);
}

Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                 uint32_t first_row)
{
    int rows = 0, counted = 0;
    for (int s = 0; s < count; s++) {
        const int length = (int)pieces[s].length;
        assert(rows + length <= room->rows);
        ids_read(&corpus->ids, pieces[s].from, (size_t)length + 1, room->piece);
        room->start[s] = rows;
        for (int i = 0; i < length; i++, rows++) {
            const ObjectiveRow row = objective_row(corpus->objective, room->piece, i);
            room->tokens[rows] = row.input;
            room->targets[rows] = row.target;
            room->positions[rows] = row.position;
            counted += row.target >= 0;
        }
    }
    room->start[count] = rows;
    return (Batch){.rows = rows,
                   .sequences = count,
                   .start = room->start,
                   .tokens = room->tokens,
                   .targets = room->targets,
                   .counted = counted,
                   .positions = room->positions,
                   .first_row = first_row};
}
