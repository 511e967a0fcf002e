/* corpus.c: see corpus.h. */
#include "corpus.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/random.h"

/* ---- From text to tokens ---- */

/* A tokenizer that was not trained on this text need not know all of its words. */
static void put_tokens(Corpus *corpus, const Text *text, Span part, const Tokenizer *tokenizer)
{
    Span unknown;
    if (!tokenizer_encode(tokenizer, part, &corpus->tokens, &unknown))
        die("%s",
            tokenizer_unknown(tokenizer, text_place(text, text->clean, unknown.begin), unknown));
}

static void put_lines(Corpus *corpus, const Text *text, const Tokenizer *tokenizer)
{
    Span rest = text_span(text), line;
    while (split_line(&rest.begin, rest.end, &line)) {
        if (is_blank(line))
            continue;
        const size_t begin = (size_t)arrlen(corpus->tokens);
        arrput(corpus->lines, begin);
        arrput(corpus->tokens, tokenizer->bos);
        put_tokens(corpus, text, line, tokenizer);
        arrput(corpus->tokens, tokenizer->eos);
        const size_t inputs = (size_t)arrlen(corpus->tokens) - begin - 1;
        corpus->longest = inputs > corpus->longest ? inputs : corpus->longest;
    }
    arrput(corpus->lines, (size_t)arrlen(corpus->tokens));
}

Corpus corpus_new(const Text *text, const Tokenizer *tokenizer)
{
    Corpus corpus = {.stream = tokenizer->stream};
    if (is_blank(text_span(text)))
        die("%s has only white space", text->name);
    tokenizer_check_text(tokenizer, text);
    if (!corpus.stream) {
        put_lines(&corpus, text, tokenizer);
        return corpus;
    }
    put_tokens(&corpus, text, text_span(text), tokenizer);
    if (arrlen(corpus.tokens) < 2)
        die("%s is a stream of one token: there is nothing to predict; use --sequence lines",
            text->name);
    corpus.longest = (size_t)arrlen(corpus.tokens) - 1;
    return corpus;
}

void corpus_free(Corpus *corpus)
{
    arrfree(corpus->tokens);
    arrfree(corpus->lines);
    arrfree(corpus->train);
    arrfree(corpus->held_out);
}

/* ---- From tokens to pieces ---- */

/* A random key for each thing and its place: sorted, they are an order. */
typedef struct PieceKey {
    uint64_t key;
    size_t place;
} PieceKey;

static int by_key(const void *a, const void *b)
{
    const PieceKey *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->place > y->place) - (x->place < y->place);
}

static void random_order(PieceKey *keys, size_t count, uint32_t seed, RandomPurpose purpose,
                         int64_t epoch)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = (PieceKey){
            random_bits(seed, purpose, (Random4){{(uint32_t)i, 0, 0, (uint32_t)epoch}}), i};
    qsort(keys, count, sizeof *keys, by_key);
}

/* Appends the tokens [begin, end) in pieces whose last target is the last token; returns how many
 * targets there are. */
static size_t put_pieces(Piece **pieces, size_t begin, size_t end, int context)
{
    for (size_t from = begin; from + 1 < end; from += (size_t)context) {
        const size_t left = end - 1 - from;
        const Piece piece = {from, left < (size_t)context ? (int)left : context};
        arrput(*pieces, piece);
    }
    return end > begin ? end - begin - 1 : 0;
}

static void cut_lines(Corpus *corpus, double share, uint32_t seed)
{
    const size_t count = (size_t)arrlen(corpus->lines) - 1;
    size_t held_out = (size_t)(share * (double)count + 0.5);
    held_out = held_out >= count ? count - 1 : held_out;
    bool *is_held_out = memory_new(count, sizeof *is_held_out, "the held-out lines");
    PieceKey *keys = memory_new(count, sizeof *keys, "the held-out lines");
    random_order(keys, count, seed, RANDOM_SPLIT, 0);
    for (size_t i = 0; i < held_out; i++)
        is_held_out[keys[i].place] = true;

    for (size_t i = 0; i < count; i++) {
        const size_t begin = corpus->lines[i], end = corpus->lines[i + 1];
        corpus->lines_cut += end - begin - 1 > (size_t)corpus->context;
        if (is_held_out[i])
            corpus->held_out_targets += put_pieces(&corpus->held_out, begin, end, corpus->context);
        else
            corpus->train_targets += put_pieces(&corpus->train, begin, end, corpus->context);
    }
    free(keys);
    free(is_held_out);
}

void corpus_cut(Corpus *corpus, int context, double held_out, uint32_t seed)
{
    corpus->context = context;
    if (!corpus->stream) {
        cut_lines(corpus, held_out, seed);
        return;
    }
    /* A part of fewer than two tokens has no target: then all is trained on. */
    const size_t count = (size_t)arrlen(corpus->tokens);
    const size_t tail = (size_t)(held_out * (double)count + 0.5);
    corpus->train_end = tail >= 2 && count - tail >= 2 ? count - tail : count;
    corpus->train_targets = put_pieces(&corpus->train, 0, corpus->train_end, context);
    corpus->held_out_targets = put_pieces(&corpus->held_out, corpus->train_end, count, context);
}

/* ---- Epochs ---- */

/* Where an epoch cuts the stream first: what lies before is a shorter piece. */
static size_t stream_offset(const Corpus *corpus, uint32_t seed, int64_t epoch)
{
    const Random4 counter = {{0, 0, 0, (uint32_t)epoch}};
    const size_t offset = random_bits(seed, RANDOM_OFFSET, counter) % (uint64_t)corpus->context;
    return offset < corpus->train_targets ? offset : 0;
}

size_t epoch_pieces(const Corpus *corpus, uint32_t seed, int64_t epoch)
{
    if (!corpus->stream)
        return (size_t)arrlen(corpus->train);
    const size_t offset = stream_offset(corpus, seed, epoch), context = (size_t)corpus->context;
    return (offset > 0) + (corpus->train_targets - offset + context - 1) / context;
}

/* The pieces of an epoch before they are shuffled. */
static Piece piece_of(const Corpus *corpus, size_t offset, size_t i)
{
    if (!corpus->stream)
        return corpus->train[i];
    if (offset > 0 && i == 0)
        return (Piece){0, (int)offset};
    const size_t from = offset + (i - (offset > 0)) * (size_t)corpus->context;
    const size_t left = corpus->train_targets - from;
    return (Piece){from, left < (size_t)corpus->context ? (int)left : corpus->context};
}

Reader reader_new(const Corpus *corpus, uint32_t seed)
{
    const size_t most = corpus->stream ? corpus->train_targets / (size_t)corpus->context + 2
                                       : (size_t)arrlen(corpus->train);
    Reader reader = {.corpus = corpus,
                     .seed = seed,
                     .pieces = memory_new(most, sizeof(Piece), "the order of an epoch"),
                     .keys = memory_new(most, sizeof(PieceKey), "the order of an epoch")};
    reader_seek(&reader, 0, 0);
    return reader;
}

void reader_free(Reader *reader)
{
    free(reader->pieces);
    free(reader->keys);
}

bool reader_seek(Reader *reader, int64_t epoch, size_t next)
{
    const size_t offset =
        reader->corpus->stream ? stream_offset(reader->corpus, reader->seed, epoch) : 0;
    reader->epoch = epoch;
    reader->count = epoch_pieces(reader->corpus, reader->seed, epoch);
    random_order(reader->keys, reader->count, reader->seed, RANDOM_ORDER, epoch);
    for (size_t i = 0; i < reader->count; i++)
        reader->pieces[i] = piece_of(reader->corpus, offset, reader->keys[i].place);
    reader->next = next < reader->count ? next : reader->count;
    return next <= reader->count;
}

const Piece *reader_take(Reader *reader, int most, int *count)
{
    if (reader->next == reader->count)
        reader_seek(reader, reader->epoch + 1, 0);
    const size_t left = reader->count - reader->next;
    *count = left < (size_t)most ? (int)left : most;
    const Piece *taken = reader->pieces + reader->next;
    reader->next += (size_t)*count;
    return taken;
}

/* ---- Batches ---- */

BatchRoom batch_room_new(int rows)
{
    int *numbers = memory_new(4 * (size_t)rows + 1, sizeof *numbers, "a batch");
    return (BatchRoom){numbers + 3 * (size_t)rows, numbers, numbers + (size_t)rows,
                       numbers + 2 * (size_t)rows, rows};
}

void batch_room_free(BatchRoom *room)
{
    free(room->tokens);
}

Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                 uint32_t first_row)
{
    int rows = 0;
    for (int s = 0; s < count; s++) {
        room->start[s] = rows;
        for (int i = 0; i < pieces[s].length; i++, rows++) {
            assert(rows < room->rows);
            room->tokens[rows] = corpus->tokens[pieces[s].from + (size_t)i];
            room->targets[rows] = corpus->tokens[pieces[s].from + (size_t)i + 1];
            room->positions[rows] = i;
        }
    }
    room->start[count] = rows;
    return (Batch){.rows = rows,
                   .sequences = count,
                   .start = room->start,
                   .tokens = room->tokens,
                   .targets = room->targets,
                   .counted = rows,
                   .positions = room->positions,
                   .first_row = first_row};
}
