/* corpus.c: see corpus.h. */
#include "corpus.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/random.h"
#include "data/nearest.h"
#include "data/text.h"

/* ---- From text to tokens ---- */

/* A text, and the words that it is to be made of. */
typedef struct {
    const char *name, *text;
    const Vocabulary *vocabulary;
} Source;

/* A vocabulary that was not made from this text need not have all of its words. */
static _Noreturn void die_of_unknown(const Source *source, const char *token, size_t size)
{
    size_t line = 1;
    for (const char *at = source->text; at < token; at++)
        line += *at == '\n';
    char *where = format_text("%s:%zu", source->name, line);
    die("%s", unknown_word(source->vocabulary, where, token, size));
}

static void put_tokens(Corpus *corpus, const char *from, const char *end, const Source *source)
{
    const char *token;
    while ((token = vocabulary_next(source->vocabulary, &from, end))) {
        const int id = vocabulary_id(source->vocabulary, token, (size_t)(from - token));
        if (id < 0)
            die_of_unknown(source, token, (size_t)(from - token));
        arrput(corpus->tokens, id);
    }
}

static void put_lines(Corpus *corpus, const char *end, const Source *source)
{
    const Vocabulary *v = source->vocabulary;
    const char *at = source->text;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = stop ? stop : end;
        if (!is_blank(at, line_end)) {
            const size_t begin = (size_t)arrlen(corpus->tokens);
            arrput(corpus->lines, begin);
            arrput(corpus->tokens, v->bos);
            put_tokens(corpus, at, line_end, source);
            arrput(corpus->tokens, v->eos);
            const size_t inputs = (size_t)arrlen(corpus->tokens) - begin - 1;
            corpus->longest = inputs > corpus->longest ? inputs : corpus->longest;
        }
        at = line_end + 1;
    }
    arrput(corpus->lines, (size_t)arrlen(corpus->tokens));
}

Corpus corpus_of(const char *name, const char *text, size_t size, const Vocabulary *vocabulary,
                 bool stream)
{
    Corpus corpus = {.stream = stream};
    const Source source = {name, text, vocabulary};
    if (is_blank(text, text + size))
        die("%s holds nothing but white space", name);
    if (!stream) {
        put_lines(&corpus, text + size, &source);
        return corpus;
    }
    put_tokens(&corpus, text, text + size, &source);
    if (arrlen(corpus.tokens) < 2)
        die("%s is a stream of one token: there is nothing to foretell; use --sequence lines",
            name);
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
