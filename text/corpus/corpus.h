/* corpus.h: a text as ids, cut into pieces of at most T rows, each of which is a sequence of a
 * batch.
 *
 * Read by lines, each line that is not blank is [bos] w1 … wn [eos]; read as a stream, the text is
 * one long line without those two. A line that is longer than the context becomes several pieces.
 * With a context of 3,
 *
 *     el perro come un hueso      is  [bos] el perro come un hueso [eos]    seven tokens, six rows
 *     and is cut into             [bos] el perro (come)   and   come un hueso ([eos])
 *
 * where the last token of each piece, in brackets, is only predicted. If tokens are hidden,
 * a piece has no such token. A pair is one piece, and is never cut. A conversation is a line:
 *
 *     [bos] hola [sep] ¡hola! [eos] me llamo Ana [sep] encantada [eos]
 *
 * If it is longer than the context, it becomes several pieces, each of whole exchanges: the older
 * ones are forgotten, and a piece begins with the [eos] after them.
 *
 * A stream is evaluated as it is written: when the context is full, its older half is forgotten. So
 * a piece has half a context, and is read together with the half before it, which does not count.
 * With a context of 4,
 *
 *     el perro come un hueso      is read as  el perro (come)   and   el perro come un (hueso)
 *     and what counts is                      perro come        and   un hueso
 *
 * For training, each epoch cuts it in another way: see batches.h. */
#ifndef PULGA_CORPUS_H
#define PULGA_CORPUS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/files/store.h"
#include "text/source.h"
#include "text/tokenizer.h"

/* The ids of a text, in two bytes each if the vocabulary has at most 65,536 tokens, else in
 * four. They belong to a store. */
typedef struct {
    const void *at; /* (count) */
    int width;      /* bytes of each */
    size_t count;
} Ids;

static inline int ids_width(int vocabulary)
{
    return vocabulary <= 1 << 16 ? 2 : 4;
}

static inline int ids_at(const Ids *ids, size_t i)
{
    return ids->width == 2 ? ((const uint16_t *)ids->at)[i] : ((const int32_t *)ids->at)[i];
}

/* The ids [from, from + count). */
static inline void ids_read(const Ids *ids, size_t from, size_t count, int *out)
{
    const uint16_t *narrow = (const uint16_t *)ids->at + from;
    if (ids->width == 2)
        for (size_t i = 0; i < count; i++)
            out[i] = narrow[i];
    else
        memcpy(out, (const int32_t *)ids->at + from, count * sizeof *out);
}

/* Makes ids of this width of ints, at the same place. */
static inline void ids_pack(int *ids, size_t count, int width)
{
    uint16_t *narrow = (void *)ids;
    for (size_t i = 0; width == 2 && i < count; i++) {
        const uint16_t id = (uint16_t)ids[i];
        memcpy(&narrow[i], &id, sizeof id); /* not an int any more */
    }
}

/* Makes ints of ids of this width, at the same place; returns the largest. From the last one on: no
 * int covers an id that is still to come. */
static inline uint32_t ids_unpack(int *ids, size_t count, int width)
{
    const uint16_t *narrow = (const void *)ids;
    uint32_t largest = 0;
    for (size_t i = count; i-- > 0;) {
        uint16_t id;
        if (width == 2) {
            memcpy(&id, &narrow[i], sizeof id); /* not an int yet */
            ids[i] = id;
        }
        largest = (uint32_t)ids[i] > largest ? (uint32_t)ids[i] : largest;
    }
    return largest;
}

/* In eight bytes, since a large text has many. */
typedef struct {
    uint64_t from : 43;   /* its first token, an index into the corpus' ids */
    uint64_t length : 21; /* rows; it has objective_ahead() tokens more */
} Piece;

/* The part of the text to train on, or the part held out. Pieces of lines are listed; those of a
 * stream are computed from begin and end, and nothing before begin is read. */
typedef struct {
    size_t count; /* of pieces */
    const Piece *list;
    size_t begin, end;
    size_t rows, targets; /* of all pieces; the targets that count */
    bool sample;          /* drawn from a larger part; then it owns the list */
} Part;

typedef struct {
    bool stream;
    Objective objective; /* its causal_source and share are 0 until the caller sets them */
    Store store;         /* the ids, and after them the pieces of lines */
    Ids ids;             /* of the whole text */
    int vocabulary;      /* every id is below this */
    size_t lines;        /* how many there are, of turns conversations; 0 for a stream */
    size_t longest;      /* rows of the longest line, or of the whole stream */

    /* Set by corpus_cut: */
    int context;          /* T */
    Part train, held_out; /* each epoch cuts a stream's training part again */
    Part aside;           /* neither of them: see corpus_set_aside() */
    size_t lines_cut;     /* lines longer than the context */
    Part evaluated;       /* what a run evaluates: the part held out or, if there is none, the part
                             to train on; if that is large, a sample of it, drawn by the seed */
} Corpus;

/* Targets of a sample of a corpus that was cut. The deviation of −ln p is 2 or 3, so its mean over
 * 2^17 is known to less than 0.01; the differences between two models on the same sample are known
 * better. A target of a stream costs two rows, and a long stream is not read often: there are as
 * many as it has 256 tokens, and 2^13 at least, whose mean is known to 0.03. A token that is hidden
 * costs a sequence of its own: as many as have 2^19 rows, but 2^14 at most, whose mean is known to
 * 0.02, and 2^12 at least, to 0.04. */
enum {
    SAMPLE_TARGETS = 1 << 17,
    SAMPLE_STREAM = 1 << 13,
    SAMPLE_HIDDEN = 1 << 14,
    SAMPLE_LEAST_HIDDEN = 1 << 12,
    SAMPLE_HIDDEN_ROWS = 1 << 19
};
size_t corpus_sample_targets(const Corpus *corpus);

/* How many rows an evaluation of a part computes. Goes through the part. */
double corpus_evaluation_rows(const Corpus *corpus, const Part *part);

/* Dies if a pair, or the last two turns of a conversation, are longer than the context; `name` is
 * what messages call the text. Call it before it is cut. */
void corpus_check_pairs(const Corpus *corpus, int context, const char *name);

/* A text in chunks: begin, add, ..., add, end. Chunks are encoded on all threads, and put into the
 * store, which becomes the corpus', in their order. text_size is about how many bytes will come;
 * `name` is what messages call the text. Dies if it has nothing to predict, a token that the
 * tokenizer does not know, or a reserved one. */
typedef struct CorpusBuilder CorpusBuilder;
CorpusBuilder *corpus_begin(const Tokenizer *tokenizer, Store store, size_t text_size);
void corpus_add(CorpusBuilder *builder, const Text *chunks, int count);
Corpus corpus_end(CorpusBuilder *builder, const char *name);

/* The corpus of one text, in memory; its bytes may be freed after this. */
Corpus corpus_new(const Text *text, const Tokenizer *tokenizer);
void corpus_free(Corpus *corpus);

/* Cuts it for a context of T tokens and holds out a share of it, from 0 to 1: lines drawn by the
 * seed, the last ones if that is 0, or the tail of a stream. Call it once. */
void corpus_cut(Corpus *corpus, int context, double held_out, uint32_t seed);

/* Cuts a text that may have many millions of lines; watch is called meanwhile. */
void corpus_cut_watched(Corpus *corpus, int context, double held_out, uint32_t seed,
                        SourceWatch *watch, void *watcher);

/* Takes a fortieth of the part to train on away from it, but at most ASIDE_MOST targets: of a
 * stream the beginning, since its end is the most like what is held out; of lines the last ones.
 * Call it once, after the corpus was cut or opened. */
enum { ASIDE_MOST = 4096 };
void corpus_set_aside(Corpus *corpus);

/* A part that has about `targets` of those of another one, drawn by the seed; or that part, if
 * it has no more. The caller frees with part_free(). */
Part corpus_sample(const Corpus *corpus, const Part *part, size_t targets, uint32_t seed);
void part_free(Part *part);

/* Chooses what is evaluated, as corpus_cut() does: for a corpus that was opened. */
void corpus_choose_evaluated(Corpus *corpus, uint32_t seed);

/* A corpus that was cut is kept as a file: all that is known of a text, so that it need not be read
 * again. The file names where it comes from by checksums. */
typedef struct {
    uint64_t text, tokenizer;
    uint64_t run;       /* its identity: see programs/train/saving/run.h */
    uint64_t text_size; /* in bytes */
} CorpusOrigin;

/* Keeps a corpus as a file of this name. Warns and returns false if that fails. */
bool corpus_keep(Corpus *corpus, CorpusOrigin origin, const Directory *directory, const char *name);

/* Opens a corpus that was kept, cut for a context of T tokens; dies if it is damaged, or of another
 * tokenizer or run. */
Corpus corpus_open(const Directory *directory, const char *name, const Tokenizer *tokenizer,
                   int context, uint64_t run, CorpusOrigin *origin);

/* Dies if its file was changed after it was kept or opened. */
void corpus_check_unchanged(const Corpus *corpus);

/* Piece number i of a part, in the order of the text. Dies, like corpus_sequence(), if a file does
 * not have it any more. */
Piece corpus_piece(const Corpus *corpus, const Part *part, size_t i);

/* What is read so that a piece can be evaluated: the piece, and of a stream also what comes before
 * it in the part, half a context at most. */
Piece corpus_read(const Corpus *corpus, const Part *part, Piece piece);

/* A piece as a sequence; `tokens` (context + 1) receives its ids. */
Sequence corpus_sequence(const Corpus *corpus, Piece piece, int *tokens);

/* Whether a line of the text begins with a token; of a conversation each turn is a line. */
bool corpus_begins_line(const Corpus *corpus, size_t at);

/* Whether a piece of a line is its last one. */
bool corpus_ends_line(const Corpus *corpus, Piece piece);

/* ---- Bytes ---- */

/* How many bytes of text some tokens stand for. A loss in bits per byte,
 *
 *     −Σ ln p / (bytes · ln 2)
 *
 * over the same text compares models of characters and of subwords, whose losses per token cannot
 * be compared. It is also what the best possible compressor would make of a byte with this model's
 * probabilities. */

/* The bytes of the clean text that the targets of a part stand for; [eos] stands for the line end.
 * For pairs and turns, only what the model is to answer counts. NAN if nothing can be compared:
 * with words, whose vocabulary is taken from the whole text, held-out words included, so none has
 * to be spelled; with [unk], which may stand for anything; and if tokens are hidden, since what is
 * predicted with the help of what comes after it is no measure of a text. */
double corpus_bytes(const Corpus *corpus, const Tokenizer *tokenizer, const Part *part);

/* The share of a stream's tokens, subwords, that its last bytes are: `share` of all. */
double corpus_tail(const Corpus *corpus, const Tokenizer *tokenizer, double share);

/* A loss, the sum of −ln p over some targets, in bits per byte; NAN if the bytes are. */
double bits_per_byte(double loss, double bytes);

#endif
