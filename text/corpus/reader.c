/* reader.c: each piece is computed when it is taken. The order depends on the seed and the epoch
 * only, so that a resumed run finds its place again. */
#include "reader.h"

#include <stb/stb_ds.h>

#include "base/base.h"

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
