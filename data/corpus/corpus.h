/* corpus.h: a text as sequences of ids, and the batches that are drawn from it.
 *
 * Read by lines, each line that is not blank is [bos] w1 … wn [eos]; as a stream, the text is one
 * long row of tokens. Either way a piece of at most T tokens is one sequence of a batch: its inputs
 * are the tokens from `from` on, its targets those one further. */
#ifndef PULGA_CORPUS_H
#define PULGA_CORPUS_H

#include "model/batch.h"
#include "data/tokenizer.h"

typedef struct {
    size_t from; /* first input, an index into the tokens */
    int length;  /* inputs, and as many targets           */
} Piece;

typedef struct {
    bool stream;
    int *tokens;    /* stb_ds array */
    size_t *lines;  /* stb_ds array: where each line begins in tokens; the end behind */
    size_t longest; /* inputs of the longest line; of the whole stream */

    /* Filled by corpus_cut: */
    int context;             /* T */
    Piece *train, *held_out; /* stb_ds arrays; a stream's epochs cut the training part anew */
    size_t train_end;        /* a stream's: tokens that are trained on; the rest is held out */
    size_t train_targets, held_out_targets;
    size_t lines_cut; /* lines longer than the context */
} Corpus;

/* The tokens of a text; dies if it has none, or one that the tokenizer does not know. The text may
 * be let go after this. */
Corpus corpus_new(const Text *text, const Tokenizer *tokenizer);
void corpus_free(Corpus *corpus);

/* Cuts it for a context of T tokens and holds out a share of it: lines drawn by the seed, or the
 * stream's tail. */
void corpus_cut(Corpus *corpus, int context, double held_out, uint32_t seed);

/* The pieces of one epoch after another, each epoch in an order of its own. */
typedef struct {
    const Corpus *corpus;
    uint32_t seed;
    int64_t epoch; /* from 0 */
    size_t next;   /* of the epoch's pieces: with epoch, the whole position in the data */
    Piece *pieces; /* this epoch's, in their order */
    size_t count;
    struct PieceKey *keys;
} Reader;

Reader reader_new(const Corpus *corpus, uint32_t seed);
void reader_free(Reader *reader);
bool reader_seek(Reader *reader, int64_t epoch, size_t next); /* false: no such place */

/* Up to `most` next pieces of the epoch, fewer at its end; points into the reader. */
const Piece *reader_take(Reader *reader, int most, int *count);

/* How many pieces an epoch has. */
size_t epoch_pieces(const Corpus *corpus, uint32_t seed, int64_t epoch);

/* Room for a batch, and filling it. first_row: see model/batch.h. */
typedef struct {
    int *start, *tokens, *targets, *positions;
    int rows; /* at most */
} BatchRoom;

BatchRoom batch_room_new(int rows);
void batch_room_free(BatchRoom *room);
Batch batch_fill(BatchRoom *room, const Corpus *corpus, const Piece *pieces, int count,
                 uint32_t first_row);

#endif
