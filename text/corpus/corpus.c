/* corpus.c: the text is encoded chunk by chunk, then cut into pieces; the lines held out are drawn
 * as the first of a random order. The store has
 *
 *     header   ids (in 2 or 4 bytes each, then up to 7 zeros)   pieces to train on   held out
 *
 * and where a line ends is seen from the ids: after its [eos], before the next [bos]. */
#include "corpus.h"

#include <assert.h>
#include <limits.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/numbers/random.h"
#include "base/parallel/threads.h"
#include "text/encoder.h"

/* What a store begins with, if it is kept: all that is known of the text. */
typedef struct {
    char magic[8];
    CorpusOrigin origin;
    uint64_t width, count; /* of the ids */
    uint64_t lines, longest, lines_cut;
    uint64_t context, train, held_out; /* how it is cut; the last two count listed pieces */
    uint64_t train_end;                /* of a stream */
    uint64_t train_rows, train_targets, held_out_rows, held_out_targets;
    uint64_t rest;   /* checksum of all that follows the header */
    uint64_t header; /* checksum of all before this */
} Header;

static const char MAGIC[8] = "pulga\0\0\3";

/* ---- From text to tokens ---- */

/* A thread, and what it has made of a chunk. */
typedef struct {
    Encoder *encoder;
    int *ids; /* stb_ds array */
    size_t lines, longest;
    char *reserved; /* the message if the chunk contains a reserved token, or NULL */
    bool known;     /* else a token has no id */
    Span unknown;
} Worker;

struct CorpusBuilder {
    Corpus corpus;
    const Tokenizer *tokenizer;
    Worker *workers; /* stb_ds array: one of each thread */
    bool blank;      /* so far */
    char *wrong;     /* the first thing wrong, or NULL */
};

CorpusBuilder *corpus_begin(const Tokenizer *tokenizer, Store store, size_t text_size)
{
    const Header header = {.count = 0};
    CorpusBuilder *b = memory_new(1, sizeof *b, "a corpus");
    b->corpus = (Corpus){
        .stream = tokenizer->stream, .objective = tokenizer_objective(tokenizer), .store = store};
    b->tokenizer = tokenizer;
    b->blank = true;
    store_put(&b->corpus.store, &header, sizeof header);
    for (int i = 0; i < thread_limit(); i++)
        arrput(b->workers,
               ((Worker){.encoder = encoder_new(tokenizer, text_size, tokenizer->unk)}));
    b->corpus.vocabulary = tokenizer_size(tokenizer);
    b->corpus.ids.width = ids_width(b->corpus.vocabulary);
    return b;
}

static void encode(const CorpusBuilder *b, Worker *w, const Text *chunk)
{
    const Span text = text_span(chunk);
    arrsetlen(w->ids, 0);
    w->lines = w->longest = 0;
    w->reserved = tokenizer_check_text(b->tokenizer, chunk);
    w->known = b->corpus.stream ? encoder_add(w->encoder, text, &w->ids, &w->unknown)
                                : encoder_add_lines(w->encoder, text, &w->ids, &w->lines,
                                                    &w->longest, &w->unknown);
}

/* A word that the tokenizer does not know can come if it was trained on another text. */
static void put(CorpusBuilder *b, Worker *w, const Text *chunk)
{
    Corpus *c = &b->corpus;
    const size_t count = arrlenu(w->ids);
    if (!b->wrong)
        b->wrong = w->reserved;
    if (!b->wrong && !w->known)
        b->wrong = tokenizer_unknown(b->tokenizer,
                                     text_place(chunk, chunk->clean, w->unknown.begin), w->unknown);
    store_put(&c->store, w->ids, count * (size_t)c->ids.width);
    c->ids.count += count;
    c->lines += w->lines;
    c->longest = w->longest > c->longest ? w->longest : c->longest;
    b->blank = b->blank && is_blank(text_span(chunk));
}

void corpus_add(CorpusBuilder *b, const Text *chunks, int count)
{
    OMP(parallel for ordered schedule(dynamic) if (count > 1))
    for (int i = 0; i < count; i++) {
        Worker *worker = &b->workers[thread_index()];
        encode(b, worker, &chunks[i]);
        ids_pack(worker->ids, arrlenu(worker->ids), b->corpus.ids.width);
        OMP(ordered)
        put(b, worker, &chunks[i]);
    }
    if (b->wrong)
        die("%s", b->wrong);
}

static void view(Corpus *c)
{
    const char *bytes = store_view(&c->store);
    c->ids.at = bytes + sizeof(Header);
}

/* The bytes of the ids, with the zeros after them. */
static size_t ids_size(const Ids *ids)
{
    return (ids->count * (size_t)ids->width + 7) / 8 * 8;
}

Corpus corpus_end(CorpusBuilder *b, const char *name)
{
    static const char zeros[8];
    Corpus c = b->corpus;
    for (ptrdiff_t i = 0; i < arrlen(b->workers); i++) {
        encoder_free(b->workers[i].encoder);
        arrfree(b->workers[i].ids);
    }
    arrfree(b->workers);
    if (b->blank)
        die("%s has only white space", name);
    free(b);
    if (c.stream && c.ids.count < 2)
        die("%s is a stream of one token: there is nothing to predict; use --sequence lines", name);
    store_put(&c.store, zeros, ids_size(&c.ids) - c.ids.count * (size_t)c.ids.width);
    c.longest = (c.stream ? c.ids.count : c.longest) - (size_t)objective_ahead(&c.objective);
    view(&c);
    return c;
}

Corpus corpus_new(const Text *text, const Tokenizer *tokenizer)
{
    CorpusBuilder *builder = corpus_begin(tokenizer, store_in_memory(), text->size);
    corpus_add(builder, text, 1);
    return corpus_end(builder, text->name);
}

void corpus_free(Corpus *corpus)
{
    part_free(&corpus->evaluated);
    store_free(&corpus->store);
}

/* ---- From tokens to pieces ---- */

static _Noreturn void die_changed(const Corpus *c)
{
    die("%s was changed during training; go on from the last save with the text: --resume RUN "
        "--text FILE",
        c->store.path);
}

void corpus_check_unchanged(const Corpus *c)
{
    if (c->store.file >= 0 && store_is_changed(&c->store))
        die_changed(c);
}

Sequence corpus_sequence(const Corpus *c, Piece piece, int *tokens)
{
    const int rows = (int)piece.length;
    const size_t count = (size_t)rows + (size_t)objective_ahead(&c->objective);
    const size_t width = (size_t)c->ids.width;
    const char *from = (const char *)c->ids.at + piece.from * width;
    if (!store_read(&c->store, from, tokens, count * width) ||
        ids_unpack(tokens, count, c->ids.width) >= (uint32_t)c->vocabulary)
        die_changed(c);
    return objective_sequence(&c->objective, tokens, rows);
}

/* If the next token is predicted, every row counts: the ids need not be looked at. */
static size_t targets_of(const Corpus *c, Piece piece, int *tokens)
{
    if (c->objective.kind == OBJECTIVE_NEXT)
        return piece.length;
    const Sequence sequence = corpus_sequence(c, piece, tokens);
    return (size_t)objective_targets(&c->objective, &sequence);
}

/* How many tokens are read before a piece of a stream, which do not count. A hidden token sees
 * those after it instead. */
static size_t read_before(const Corpus *c)
{
    return c->stream && objective_ahead(&c->objective) ? (size_t)c->context / 2 : 0;
}

/* The rows of a piece that is not the last one. */
static size_t rows_of_piece(const Corpus *c)
{
    return (size_t)c->context - read_before(c);
}

/* A piece from a token on; `end` is the index after the last token that it may have. */
static Piece piece_from(const Corpus *c, size_t from, size_t end)
{
    const size_t left = end - (size_t)objective_ahead(&c->objective) - from;
    const size_t most = rows_of_piece(c);
    return (Piece){from, left < most ? left : most};
}

Piece corpus_piece(const Corpus *corpus, const Part *part, size_t i)
{
    if (!part->list)
        return piece_from(corpus, part->begin + i * rows_of_piece(corpus), part->end);
    if (part->sample)
        return part->list[i];
    Piece piece;
    if (!store_read(&corpus->store, &part->list[i], &piece, sizeof piece) || !piece.length ||
        piece.length > (size_t)corpus->context)
        die_changed(corpus);
    return piece;
}

Piece corpus_read(const Corpus *corpus, const Part *part, Piece piece)
{
    const size_t most = read_before(corpus), there = piece.from - part->begin;
    const size_t before = there < most ? there : most;
    return (Piece){piece.from - before, piece.length + before};
}

bool corpus_begins_line(const Corpus *c, size_t at)
{
    const Objective *o = &c->objective;
    const int id = ids_at(&c->ids, at);
    if (id == o->bos || o->kind != OBJECTIVE_TURNS)
        return id == o->bos;
    const bool goes_on = at + 1 < c->ids.count && ids_at(&c->ids, at + 1) != o->bos;
    return id == o->sep || (id == o->eos && !o->opening && goes_on);
}

/* Whether a line ends with this token: [eos], but not that of an answer after which the
 * conversation goes on. */
static bool ends_line(const Corpus *c, size_t at)
{
    return ids_at(&c->ids, at) == c->objective.eos &&
           (at + 1 == c->ids.count || ids_at(&c->ids, at + 1) == c->objective.bos);
}

bool corpus_ends_line(const Corpus *c, Piece piece)
{
    const size_t end = piece.from + piece.length;
    if (objective_ahead(&c->objective))
        return ends_line(c, end);
    /* A piece of nothing but [eos] was left out. */
    return ids_at(&c->ids, end - 1) == c->objective.eos || ids_at(&c->ids, end) == c->objective.eos;
}

/* After the [eos] that is next to a token. */
static size_t after_eos(const Corpus *c, size_t at)
{
    while (ids_at(&c->ids, ++at) != c->objective.eos)
        ;
    return at + 1;
}

/* Where the line ends that begins at a token. */
static size_t line_end(const Corpus *c, size_t begin)
{
    while (!ends_line(c, ++begin))
        ;
    return begin + 1;
}

/* Where the exchange ends that begins at a token: the person's turn, which in ChatML has an [eos]
 * of its own, and the answer. */
static size_t exchange_end(const Corpus *c, size_t begin)
{
    return after_eos(c, c->objective.opening ? after_eos(c, begin) : begin);
}

/* A bit for each line: 1 if it is held out. Held out are the first lines of a random order, or the
 * last lines of the text if the seed is 0. The caller frees it. */
static unsigned char *draw_held_out(size_t lines, size_t held_out, uint32_t seed)
{
    const Order order = order_new(lines, seed, RANDOM_SPLIT, 0);
    unsigned char *held = memory_new(lines / 8 + 1, 1, "cutting");
    for (size_t place = 0; place < held_out; place++) {
        const uint64_t line = seed ? order_find(&order, place) : lines - 1 - place;
        held[line / 8] |= (unsigned char)(1 << line % 8);
    }
    return held;
}

/* Where the pieces of one of the two sides go. */
typedef struct {
    Part *part;
    Store *store;
    Piece *pieces; /* stb_ds array: those that are not in the store yet */
} Side;

static void put_piece(const Corpus *c, Side *side, Piece piece, int *tokens)
{
    const size_t targets = targets_of(c, piece, tokens);
    if (!targets)
        return;
    side->part->rows += piece.length;
    side->part->targets += targets;
    arrput(side->pieces, piece);
}

/* Appends a conversation with the tokens [begin, end): as many exchanges in a piece as fit. */
static void put_turns(const Corpus *c, Side *side, size_t begin, size_t end, int *tokens)
{
    size_t from = begin;
    for (size_t next, after = exchange_end(c, begin); from + 1 < end; after = next) {
        next = after < end ? exchange_end(c, after - 1) : end;
        if (after < end && next - 1 - from <= (size_t)c->context)
            continue;
        put_piece(c, side, (Piece){from, after - 1 - from}, tokens);
        from = after - 1;
    }
}

/* Appends the tokens [begin, end) in pieces. If the last token of a piece is only predicted, it is
 * the first of the next one, and read there. A piece without a target, such as a single [eos] that
 * cannot be hidden, is left out. `tokens` is room for a piece. */
static void put_pieces(const Corpus *c, Side *side, size_t begin, size_t end, int *tokens)
{
    const size_t ahead = (size_t)objective_ahead(&c->objective);
    for (size_t from = begin; from + ahead < end; from += (size_t)c->context)
        put_piece(c, side, piece_from(c, from, end), tokens);
}

static void flush(Side *side)
{
    const size_t count = arrlenu(side->pieces);
    side->part->count += count;
    store_put(side->store, side->pieces, count * sizeof *side->pieces);
    arrsetlen(side->pieces, 0);
}

enum { LINES_AT_ONCE = 1 << 14 };

/* Gives the pieces of some lines to their sides: those to train on, and those held out. `begin` is
 * where the first of these lines begins; returns where the last one ends. */
static size_t list_some(Corpus *c, const unsigned char *held, size_t first, size_t end,
                        size_t begin, Side sides[2])
{
    int *tokens = memory_new((size_t)c->context + 1, sizeof *tokens, "cutting");
    for (size_t line = first; line < end; line++) {
        const size_t next = line_end(c, begin);
        (c->objective.kind == OBJECTIVE_TURNS ? put_turns : put_pieces)(
            c, &sides[held[line / 8] >> line % 8 & 1], begin, next, tokens);
        c->lines_cut += next - begin - (size_t)objective_ahead(&c->objective) > (size_t)c->context;
        begin = next;
    }
    free(tokens);
    flush(&sides[0]);
    flush(&sides[1]);
    view(c); /* the store has grown */
    return begin;
}

/* Every line goes to one of the two sides whole. One line at least is trained on. Pieces that are
 * held out wait in memory. */
static void cut_lines(Corpus *c, double share, uint32_t seed, SourceWatch *watch, void *watcher)
{
    const size_t held_out = (size_t)(share * (double)c->lines + 0.5), ids_end = c->store.size;
    unsigned char *held =
        draw_held_out(c->lines, held_out >= c->lines ? c->lines - 1 : held_out, seed);
    Store waiting = store_in_memory();
    Side sides[2] = {{.part = &c->train, .store = &c->store},
                     {.part = &c->held_out, .store = &waiting}};
    size_t begin = 0;
    for (size_t first = 0; first < c->lines; first += LINES_AT_ONCE) {
        const size_t end = (size_t)min_int64((int64_t)first + LINES_AT_ONCE, (int64_t)c->lines);
        if (watch)
            watch(watcher, "cutting lines", (double)first / (double)c->lines);
        begin = list_some(c, held, first, end, begin, sides);
    }
    store_put(&c->store, store_view(&waiting), waiting.size);
    store_free(&waiting);
    free(held);
    arrfree(sides[0].pieces);
    arrfree(sides[1].pieces);
    view(c);
    c->train.list = (const Piece *)(store_view(&c->store) + ids_end);
    c->held_out.list = c->train.list + c->train.count;
}

/* A range of a stream's tokens. */
static Part stream_part(const Corpus *c, size_t begin, size_t end)
{
    const size_t ahead = (size_t)objective_ahead(&c->objective), each = rows_of_piece(c);
    const size_t rows = end > begin + ahead ? end - begin - ahead : 0;
    return (Part){.count = (rows + each - 1) / each,
                  .begin = begin,
                  .end = end,
                  .rows = rows,
                  .targets = rows};
}

void corpus_set_aside(Corpus *c)
{
    Part *train = &c->train, *aside = &c->aside;
    const size_t fortieth = train->targets / 40;
    const size_t most = fortieth < ASIDE_MOST ? fortieth : ASIDE_MOST;
    if (c->stream) {
        *aside = stream_part(c, 0, most);
        *train = stream_part(c, most, train->end);
        return;
    }
    int *tokens = memory_new((size_t)c->context + 1, sizeof *tokens, "cutting");
    while (train->count > 1 && aside->targets < most) {
        const Piece piece = corpus_piece(c, train, --train->count);
        const size_t targets = targets_of(c, piece, tokens);
        aside->count++;
        aside->rows += piece.length;
        aside->targets += targets;
        train->rows -= piece.length;
        train->targets -= targets;
    }
    aside->list = train->list + train->count;
    free(tokens);
}

/* Conversations are counted from 1. An exchange that is not the first one is read with the [eos]
 * before it. */
static void check_turns(const Corpus *c, int context, const char *name)
{
    size_t number = 1;
    for (size_t begin = 0, end; begin < c->ids.count; begin = end) {
        const bool first = ids_at(&c->ids, begin) == c->objective.bos;
        const size_t from = first ? begin : begin - 1;
        number += begin && first;
        end = exchange_end(c, from);
        if (end - from - 1 > (size_t)context)
            die("%s: conversation number %zu has a turn and an answer of %zu tokens, but the "
                "context is %d: shorten them, or train with --context %zu",
                name, number, end - from - 1, context, c->longest);
    }
}

/* Pairs are counted from 1. */
void corpus_check_pairs(const Corpus *c, int context, const char *name)
{
    size_t number = 1;
    if (c->objective.kind == OBJECTIVE_TURNS && c->longest > (size_t)context)
        check_turns(c, context, name);
    if (c->objective.kind != OBJECTIVE_PAIRS || c->longest <= (size_t)context)
        return;
    for (size_t begin = 0, end;; begin = end, number++)
        if ((end = line_end(c, begin)) - begin - 1 > (size_t)context)
            die("%s: pair number %zu has %zu tokens, but the context is %d: shorten it, or train "
                "with --context %zu",
                name, number, end - begin - 1, context, c->longest);
}

void corpus_cut_watched(Corpus *corpus, int context, double held_out, uint32_t seed,
                        SourceWatch *watch, void *watcher)
{
    corpus->context = context;
    if (corpus->stream) {
        /* The first part is trained on and the tail is held out. No piece spans both, so the tail's
         * first token is never predicted. A part of fewer than two tokens would have no target:
         * then all is trained on. */
        const size_t count = corpus->ids.count, tail = (size_t)(held_out * (double)count + 0.5);
        const size_t end = tail >= 2 && count - tail >= 2 ? count - tail : count;
        corpus->train = stream_part(corpus, 0, end);
        corpus->held_out = stream_part(corpus, end, count);
    } else {
        cut_lines(corpus, held_out, seed, watch, watcher);
    }
    corpus_choose_evaluated(corpus, seed);
}

void corpus_cut(Corpus *corpus, int context, double held_out, uint32_t seed)
{
    corpus_cut_watched(corpus, context, held_out, seed, NULL, NULL);
}

/* ---- What is evaluated ---- */

static int by_place(const void *a, const void *b)
{
    const Piece *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The first pieces of a random order, in the order of the text. */
Part corpus_sample(const Corpus *c, const Part *part, size_t targets, uint32_t seed)
{
    if (part->targets <= targets)
        return *part;
    const double share = (double)targets / (double)part->targets;
    Part sample = {
        .count = (size_t)(share * (double)part->count) + 1, .begin = part->begin, .sample = true};
    Piece *list = memory_new(sample.count, sizeof *list, "a sample");
    int *tokens = memory_new((size_t)c->context + 1, sizeof *tokens, "a sample");
    const Order order = order_new(part->count, seed, RANDOM_EVALUATE, 0);
    for (size_t i = 0; i < sample.count; i++) {
        list[i] = corpus_piece(c, part, order_at(&order, i));
        sample.rows += list[i].length;
        sample.targets += targets_of(c, list[i], tokens);
    }
    free(tokens);
    qsort(list, sample.count, sizeof *list, by_place);
    sample.list = list;
    return sample;
}

void part_free(Part *part)
{
    if (part->sample)
        free((Piece *)part->list);
}

size_t corpus_sample_targets(const Corpus *c)
{
    if (c->objective.kind != OBJECTIVE_MASKED) {
        const int64_t share = (int64_t)c->ids.count / 256;
        return (size_t)(c->stream ? min_int64(SAMPLE_TARGETS, max_int64(SAMPLE_STREAM, share))
                                  : SAMPLE_TARGETS);
    }
    const Part *part = &c->train;
    assert(part->rows > 0);
    const size_t some = SAMPLE_HIDDEN_ROWS * part->count / part->rows;
    return some > SAMPLE_HIDDEN         ? SAMPLE_HIDDEN
           : some < SAMPLE_LEAST_HIDDEN ? SAMPLE_LEAST_HIDDEN
                                        : some;
}

void corpus_choose_evaluated(Corpus *c, uint32_t seed)
{
    const Part *part = c->held_out.count ? &c->held_out : &c->train;
    c->evaluated = corpus_sample(c, part, corpus_sample_targets(c), seed);
}

/* Each hidden token is evaluated in a sequence of its own. */
double corpus_evaluation_rows(const Corpus *c, const Part *part)
{
    const bool hides = c->objective.kind == OBJECTIVE_MASKED;
    int *tokens = memory_new((size_t)c->context + 1, sizeof *tokens, "counting");
    double rows = 0;
    for (size_t p = 0; p < part->count; p++) {
        const Piece piece = corpus_piece(c, part, p);
        const double times = hides ? (double)targets_of(c, piece, tokens) : 1;
        rows += times * (double)corpus_read(c, part, piece).length;
    }
    free(tokens);
    return rows;
}

/* ---- Kept as a file ---- */

bool corpus_keep(Corpus *c, CorpusOrigin origin, const Directory *directory, const char *name)
{
    Header h = {.origin = origin,
                .width = (uint64_t)c->ids.width,
                .count = c->ids.count,
                .lines = c->lines,
                .longest = c->longest,
                .lines_cut = c->lines_cut,
                .context = (uint64_t)c->context,
                .train = c->train.count + c->aside.count,
                .held_out = c->held_out.count,
                .train_end = c->held_out.begin,
                .train_rows = c->train.rows + c->aside.rows,
                .train_targets = c->train.targets + c->aside.targets,
                .held_out_rows = c->held_out.rows,
                .held_out_targets = c->held_out.targets};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    const char *bytes = store_view(&c->store);
    h.rest = checksum_of(bytes + sizeof h, c->store.size - sizeof h);
    h.header = checksum_of(&h, offsetof(Header, header));
    return store_set(&c->store, 0, &h, sizeof h) && store_keep(&c->store, directory, name);
}

/* Whether a file has all that its header counts. */
static bool sizes_fit(const Corpus *c, const Header *h)
{
    const size_t size = c->store.size, pieces = c->stream ? 0 : h->train + h->held_out;
    return h->width == (uint64_t)c->ids.width && h->context == (uint64_t)c->context &&
           h->count <= size && h->train <= size && h->held_out <= size &&
           h->train_end <= h->count && (c->stream ? h->train_end >= 2 : h->train >= 1) &&
           size == sizeof *h + ids_size(&c->ids) + pieces * sizeof(Piece);
}

/* Whether the pieces of lines fit into the memory that their longest one and all rows ask for. */
static bool pieces_fit(const Header *h, const Piece *list)
{
    uint64_t rows = 0;
    for (size_t p = 0; p < h->train + h->held_out; p++) {
        if (list[p].length > h->longest)
            return false;
        rows += p < h->train ? list[p].length : 0;
    }
    return rows == h->train_rows;
}

/* What is wrong with a file, or NULL. All of it is read. Anyone can write one with the right
 * checksums, so no size is believed; an id is compared with the vocabulary when it is read. */
static const char *damage_of(const Corpus *c, const char *bytes, const Header *h,
                             const Tokenizer *t, uint64_t run)
{
    const Store *store = &c->store;
    if (store->size < sizeof *h || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return N_("was not written by train");
    if (h->header != checksum_of(h, offsetof(Header, header)))
        return N_("is damaged");
    if (h->origin.tokenizer != tokenizer_checksum(t, 0))
        return N_("belongs to another tokenizer.json");
    if (h->origin.run != run)
        return N_("belongs to another run");
    if (h->rest != checksum_of(bytes + sizeof *h, store->size - sizeof *h) || !sizes_fit(c, h) ||
        (!c->stream && !pieces_fit(h, c->train.list)))
        return N_("is damaged");
    return NULL;
}

Corpus corpus_open(const Directory *directory, const char *name, const Tokenizer *t, int context,
                   uint64_t run, CorpusOrigin *origin)
{
    Corpus c = {.stream = t->stream,
                .objective = tokenizer_objective(t),
                .vocabulary = tokenizer_size(t),
                .context = context,
                .store = store_open(directory, name)};
    Header h = {.count = 0};
    const char *bytes = store_view(&c.store);
    if (c.store.size >= sizeof h)
        memcpy(&h, bytes, sizeof h);
    c.ids = (Ids){bytes + sizeof h, ids_width(c.vocabulary), h.count};
    c.train.list = (const Piece *)(bytes + sizeof h + ids_size(&c.ids));
    const char *wrong = damage_of(&c, bytes, &h, t, run);
    if (wrong)
        die("%s/%s %s; it is made again from the text: --resume %s --text FILE", directory->path,
            name, translated(wrong), directory->path);
    *origin = h.origin;
    if (c.stream) {
        c.longest = h.count - (size_t)objective_ahead(&c.objective);
        c.train = stream_part(&c, 0, h.train_end);
        c.held_out = stream_part(&c, h.train_end, h.count);
        return c;
    }
    c.lines = h.lines;
    c.longest = h.longest;
    c.lines_cut = h.lines_cut;
    c.train = (Part){
        .count = h.train, .list = c.train.list, .rows = h.train_rows, .targets = h.train_targets};
    c.held_out = (Part){.count = h.held_out,
                        .list = c.train.list + h.train,
                        .rows = h.held_out_rows,
                        .targets = h.held_out_targets};
    return c;
}

/* Characters and subwords have all bytes of their text. */
double bits_per_byte(double loss, double bytes)
{
    return loss / (bytes * M_LN2);
}

/* For each id, the bytes that the token has itself. [bos] stands for nothing. */
static double *bytes_of_tokens(const Tokenizer *t)
{
    const int V = tokenizer_size(t);
    double *own = memory_new((size_t)V, sizeof *own, "the vocabulary");
    for (int id = 0; id < V; id++)
        own[id] = id == t->unk ? (double)NAN : (double)strlen(tokenizer_word(t, id));
    if (t->bos >= 0)
        own[t->bos] = 0;
    if (t->sep >= 0)
        own[t->sep] = 0;
    if (t->eos >= 0 && !t->stream)
        own[t->eos] = 1;
    return own;
}

double corpus_bytes(const Corpus *corpus, const Tokenizer *t, const Part *part)
{
    if (t->kind == TOKENIZER_WORD || corpus->objective.kind == OBJECTIVE_MASKED)
        return NAN;
    double *own = bytes_of_tokens(t), bytes = 0;
    int *tokens = memory_new((size_t)corpus->context + 1, sizeof *tokens, "counting");
    for (size_t p = 0; p < part->count; p++) {
        const Sequence sequence = corpus_sequence(corpus, corpus_piece(corpus, part, p), tokens);
        for (int i = 0; i < sequence.rows; i++) {
            const int target = objective_target(&corpus->objective, &sequence, i);
            bytes += target < 0 ? 0 : own[target];
        }
    }
    free(tokens);
    free(own);
    return bytes;
}

double corpus_tail(const Corpus *c, const Tokenizer *t, double share)
{
    AUTOFREE double *own = bytes_of_tokens(t);
    double all = 0, tail = 0;
    size_t count = 0;
    for (size_t i = 0; i < c->ids.count; i++)
        all += own[ids_at(&c->ids, i)];
    while (count < c->ids.count && tail < share * all - 0.5)
        tail += own[ids_at(&c->ids, c->ids.count - ++count)];
    return (double)count / (double)c->ids.count;
}
