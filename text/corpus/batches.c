/* batches.c: the sequences lie one after another, without padding; text/objective.h says what each
 * row reads and predicts. */
#include "batches.h"

#include <assert.h>
#include <stb/stb_ds.h>

#include "base/base.h"

/* ---- Reader ---- */

/* Each piece is computed when it is taken. The order depends on the seed and the epoch only, so
 * that a resumed run finds its place again. */

/* Rows of a stream's training part. */
static size_t rows_of(const Corpus *corpus)
{
    return corpus->train.end - corpus->train.begin - (size_t)objective_ahead(&corpus->objective);
}

/* Where an epoch first cuts a stream. The tokens before that are a shorter piece of their own, so
 * that the pieces of each epoch begin at other tokens. */
static size_t stream_offset(const Corpus *corpus, uint32_t seed, int64_t epoch)
{
    const Random4 counter = {{0, 0, 0, (uint32_t)epoch}};
    const size_t offset = random_bits(seed, RANDOM_OFFSET, counter) % (uint64_t)corpus->context;
    return offset < rows_of(corpus) ? offset : 0;
}

/* A piece before the offset, if there is one, and the rest in pieces of the context. */
size_t epoch_pieces(const Corpus *corpus, uint32_t seed, int64_t epoch)
{
    if (!corpus->stream)
        return corpus->train.count;
    const size_t offset = stream_offset(corpus, seed, epoch), context = (size_t)corpus->context;
    return (offset > 0) + (rows_of(corpus) - offset + context - 1) / context;
}

/* The tokens need as many pieces as from offset 0, and the piece before the offset may add one. */
size_t epoch_most_pieces(const Corpus *corpus)
{
    const size_t context = (size_t)corpus->context;
    return corpus->stream ? (rows_of(corpus) + context - 1) / context + 1 : corpus->train.count;
}

/* Piece number i of an epoch before they are shuffled; offset is stream_offset(). */
static Piece piece_of(const Corpus *corpus, size_t offset, size_t i)
{
    if (!corpus->stream)
        return corpus_piece(corpus, &corpus->train, i);
    const size_t begin = corpus->train.begin;
    if (offset > 0 && i == 0)
        return (Piece){begin, offset};
    const size_t from = offset + (i - (offset > 0)) * (size_t)corpus->context;
    const size_t left = rows_of(corpus) - from;
    return (Piece){begin + from, left < (size_t)corpus->context ? left : (size_t)corpus->context};
}

Reader reader_new(const Corpus *corpus, uint32_t seed)
{
    Reader reader = {.corpus = corpus, .seed = seed};
    reader_seek(&reader, 0, 0);
    return reader;
}

void reader_free(Reader *reader)
{
    arrfree(reader->taken);
}

bool reader_seek(Reader *reader, int64_t epoch, size_t next)
{
    const Corpus *corpus = reader->corpus;
    reader->offset = corpus->stream ? stream_offset(corpus, reader->seed, epoch) : 0;
    reader->epoch = epoch;
    reader->count = epoch_pieces(corpus, reader->seed, epoch);
    reader->order = order_new(reader->count, reader->seed, RANDOM_ORDER, epoch);
    reader->next = next < reader->count ? next : reader->count;
    return next <= reader->count;
}

const Piece *reader_take(Reader *reader, int most, int *count)
{
    if (reader->next == reader->count)
        reader_seek(reader, reader->epoch + 1, 0);
    const size_t left = reader->count - reader->next;
    *count = left < (size_t)most ? (int)left : most;
    arrsetlen(reader->taken, (size_t)*count);
    for (int i = 0; i < *count; i++)
        reader->taken[i] =
            piece_of(reader->corpus, reader->offset, order_at(&reader->order, reader->next++));
    return reader->taken;
}

BatchRoom batch_room_new(int rows)
{
    const size_t N = (size_t)rows;
    int *ints = memory_new((5 + HISTORY_MOST) * N + 2, sizeof *ints, "a batch");
    return (BatchRoom){.tokens = ints,
                       .targets = ints + N,
                       .prefix = ints + 2 * N, /* each sequence has at least one row */
                       .start = ints + 3 * N,
                       .piece = ints + 4 * N + 1,
                       .history = ints + 5 * N + 2,
                       .rows = rows};
}

void batch_room_free(BatchRoom *room)
{
    free(room->tokens);
}

/* An empty batch in the room. Nothing is seen ahead in most of them. */
static Batch batch_in(const BatchRoom *room, uint32_t first_row)
{
    room->start[0] = 0;
    return (Batch){.start = room->start,
                   .tokens = room->tokens,
                   .targets = room->targets,
                   .first_row = first_row};
}

/* Adds a sequence whose inputs and targets are there already; `counted` of its rows count. */
static void add_rows(Batch *batch, BatchRoom *room, const Sequence *sequence, int counted)
{
    assert(batch->rows + sequence->rows <= room->rows);
    room->prefix[batch->sequences++] = sequence->prefix;
    if (sequence->prefix)
        batch->prefix = room->prefix;
    batch->rows += sequence->rows;
    batch->counted += counted;
    room->start[batch->sequences] = batch->rows;
}

/* Adds a sequence none of whose tokens is hidden. */
static void add_plain(Batch *batch, BatchRoom *room, const Objective *objective,
                      const Sequence *sequence)
{
    for (int i = 0; i < sequence->rows; i++) {
        room->tokens[batch->rows + i] = sequence->tokens[i];
        room->targets[batch->rows + i] = objective_target(objective, sequence, i);
    }
    add_rows(batch, room, sequence, objective_targets(objective, sequence));
}

static void add_to_train(Batch *batch, BatchRoom *room, const Corpus *corpus, Piece piece,
                         HideDraw hide)
{
    const Sequence sequence = corpus_sequence(corpus, piece, room->piece);
    if (corpus->objective.kind != OBJECTIVE_MASKED) {
        add_plain(batch, room, &corpus->objective, &sequence);
        return;
    }
    hide.row += (uint32_t)batch->rows;
    add_rows(batch, room, &sequence,
             objective_hide(&corpus->objective, &sequence, hide, room->tokens + batch->rows,
                            room->targets + batch->rows));
}

Batch batch_fill_hiding(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                        HideDraw hide)
{
    Batch batch = batch_in(room, hide.row);
    for (int s = 0; s < count; s++)
        add_to_train(&batch, room, corpus, pieces[s], hide);
    return batch;
}

Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count)
{
    return batch_fill_hiding(room, corpus, pieces, count, (HideDraw){0});
}

/* The room serves for one piece after another: a step may have several parts. */
int64_t batch_targets(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                      HideDraw hide)
{
    int64_t targets = 0;
    for (int s = 0; s < count; s++) {
        if (corpus->objective.kind == OBJECTIVE_NEXT) {
            targets += (int64_t)pieces[s].length;
            continue;
        }
        const Batch batch = batch_fill_hiding(room, corpus, pieces + s, 1, hide);
        targets += batch.counted;
        hide.row += (uint32_t)batch.rows;
    }
    return targets;
}

/* Adds a piece as often as it has tokens that may be hidden, from place->row on, as long as there
 * is room. Returns whether all are there. */
static bool add_hidden(Batch *batch, BatchRoom *room, const Objective *objective,
                       const Sequence *sequence, BatchPlace *place)
{
    const int rows = sequence->rows;
    for (; place->row < rows; place->row++) {
        const int target = objective_target(objective, sequence, place->row);
        if (target < 0)
            continue;
        if (batch->rows + rows > room->rows)
            return false;
        int *tokens = room->tokens + batch->rows, *targets = room->targets + batch->rows;
        memcpy(tokens, sequence->tokens, (size_t)rows * sizeof *tokens);
        memset(targets, -1, (size_t)rows * sizeof *targets);
        tokens[place->row] = objective->mask;
        targets[place->row] = target;
        add_rows(batch, room, sequence, 1);
    }
    place->row = 0;
    return true;
}

/* Notes which tokens stand before what is read: of a stream those of the part; of lines, those of
 * the piece before, unless it begins its line. */
static void add_history(const Batch *batch, const BatchRoom *room, const Corpus *corpus,
                        const Part *part, Piece read)
{
    int *history = ROW(room->history, batch->sequences, HISTORY_MOST), before[HISTORY_MOST + 1];
    const bool begins = room->piece[0] == corpus->objective.bos;
    const size_t there = corpus->stream ? read.from - part->begin
                         : begins       ? 0
                                        : (size_t)corpus->context;
    const size_t count = there < HISTORY_MOST ? there : HISTORY_MOST;
    memset(history, -1, HISTORY_MOST * sizeof *history);
    if (!count)
        return;
    corpus_sequence(corpus, (Piece){read.from - count, count}, before);
    memcpy(history + HISTORY_MOST - count, before, count * sizeof *history);
}

bool batch_next(Batch *batch, BatchRoom *room, const Corpus *corpus, const Part *part,
                BatchPlace *place)
{
    const Objective *objective = &corpus->objective;
    *batch = batch_in(room, 0);
    batch->history = objective->kind == OBJECTIVE_MASKED ? NULL : room->history;
    for (; place->piece < part->count; place->piece++) {
        const Piece piece = corpus_piece(corpus, part, place->piece);
        const Piece read = corpus_read(corpus, part, piece);
        if (batch->rows + (int)read.length > room->rows)
            break;
        Sequence sequence = corpus_sequence(corpus, read, room->piece);
        sequence.first = max_int(sequence.first, (int)(piece.from - read.from));
        if (objective->kind != OBJECTIVE_MASKED) {
            add_history(batch, room, corpus, part, read);
            add_plain(batch, room, objective, &sequence);
        } else if (!add_hidden(batch, room, objective, &sequence, place)) {
            break;
        }
    }
    return batch->rows > 0;
}
