/* score.c: see score.h. */
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

#include "data/corpus/corpus.h"
#include "base/display.h"
#include "screen.h"

/* What is asked about: some pieces of a corpus, one behind another. */
typedef struct {
    Pretrained *model;
    const Corpus *corpus;
    BatchRoom room;
    bool json;
} Score;

/* The sum of the losses of one piece. */
static double loss_of(Score *score, const Piece *piece)
{
    const Batch batch = batch_fill(&score->room, score->corpus, piece, 1, 0);
    const double loss = gpt_evaluate(&score->model->gpt, &batch, NULL);
    pretrained_check(score->model, loss);
    return loss;
}

/* The end of a line of JSON; a perplexity beyond all numbers is none. */
static void put_loss_json(size_t targets, double loss)
{
    printf("\"tokens\":%zu,\"loss\":%.9g,\"perplexity\":", targets, loss);
    if (isfinite(exp(loss)))
        printf("%.9g}\n", exp(loss));
    else
        printf("null}\n");
}

/* The columns; a perplexity that is no use any more must not fill the screen with digits. */
static void put_columns(size_t targets, double loss)
{
    const double perplexity = exp(loss);
    printf(perplexity < 1e5 ? "%9.6f  %10.4f  %7zu  " : "%9.6f  %10.4g  %7zu  ", loss, perplexity,
           targets);
}

static void put_line(const Score *score, size_t number, double sum, size_t targets, size_t from,
                     size_t end)
{
    char *text =
        tokenizer_decode(&score->model->tokenizer, score->corpus->tokens + from, (int)(end - from));
    const double loss = sum / (double)targets;
    if (score->json) {
        printf("{\"line\":%zu,\"text\":", number);
        put_json(stdout, text);
        putchar(',');
        put_loss_json(targets, loss);
    } else {
        char *shown = display_text(text);
        put_columns(targets, loss);
        put_fitted(stdout, shown, screen_width() > 60 ? screen_width() - 33 : 28, false);
        printf("\n");
        free(shown);
    }
    free(text);
}

/* Pieces that begin before `end` belong to the line that ends there. */
static double put_lines(Score *score)
{
    const Corpus *corpus = score->corpus;
    const ptrdiff_t pieces = arrlen(corpus->train);
    const size_t lines = corpus->stream ? (size_t)pieces : (size_t)arrlen(corpus->lines) - 1;
    double all = 0;
    ptrdiff_t piece = 0;
    for (size_t line = 0; line < lines; line++) {
        const size_t from = corpus->train[piece].from;
        const size_t end = corpus->stream ? from + 1 : corpus->lines[line + 1];
        double sum = 0;
        size_t targets = 0, last = from;
        for (; piece < pieces && corpus->train[piece].from < end; piece++) {
            sum += loss_of(score, &corpus->train[piece]);
            targets += (size_t)corpus->train[piece].length;
            last = corpus->train[piece].from + (size_t)corpus->train[piece].length;
        }
        put_line(score, line + 1, sum, targets, from, last + 1);
        all += sum;
    }
    return all;
}

void score_text(Pretrained *model, const char *path, bool json)
{
    Text text = text_read(path, model->tokenizer.lower);
    Corpus corpus = corpus_new(&text, &model->tokenizer);
    tokenizer_learn_spacing(&model->tokenizer, text_span(&text));
    text_free(&text);
    corpus_cut(&corpus, model->gpt.config.context, 0, 0);
    Score score = {model, &corpus, batch_room_new(model->gpt.rows), json};
    if (!json)
        printf("     loss  perplexity   tokens\n");
    const double all = put_lines(&score), loss = all / (double)corpus.train_targets;
    if (json) {
        putchar('{');
        put_loss_json(corpus.train_targets, loss);
    } else {
        put_columns(corpus.train_targets, loss);
        printf("in all\n");
    }
    batch_room_free(&score.room);
    corpus_free(&corpus);
}
