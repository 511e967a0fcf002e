/* score.c: the text is cut as for training, and each piece is read by itself; the pieces of a line
 * that is longer than the context are added up. */
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/display.h"
#include "data/corpus/batches.h"
#include "screen.h"

/* Of a part of the text. The loss is sum / targets, the perplexity e to that. */
typedef struct {
    double sum;     /* of −ln p */
    size_t targets; /* that count */
} Loss;

/* The end of a line of JSON. A perplexity that no double can hold is null. */
static void put_loss_json(Loss loss)
{
    const double mean = loss.sum / (double)loss.targets;
    printf("\"tokens\":%zu,\"loss\":%.9g,\"perplexity\":", loss.targets, mean);
    if (isfinite(exp(mean)))
        printf("%.9g}\n", exp(mean));
    else
        printf("null}\n");
}

/* The first three columns of a line, and the space after them:
 *
 *     loss  perplexity   tokens  text
 * 0.366582      1.4428        6  el perro come un hueso
 *
 * A very large perplexity is printed as 1.234e+09: it must not fill the screen with digits. */
static void put_loss(Loss loss)
{
    const double mean = loss.sum / (double)loss.targets;
    printf(exp(mean) < 1e5 ? "%9.6f  %10.4f  %7zu  " : "%9.6f  %10.4g  %7zu  ", mean, exp(mean),
           loss.targets);
}

/* A line of the text, decoded from its tokens because the text itself has been let go, and cut to
 * the width of the screen; or as JSON:
 *
 *     {"line":1,"text":"el perro come un hueso","tokens":6,"loss":0.367,"perplexity":1.44}
 */
static void put_line(const Tokenizer *tokenizer, size_t number, Loss loss, const int *tokens,
                     int count, bool json)
{
    char *text = tokenizer_decode(tokenizer, tokens, count);
    if (json) {
        printf("{\"line\":%zu,\"text\":", number);
        put_json(stdout, text);
        putchar(',');
        put_loss_json(loss);
    } else {
        char *shown = display_text(text);
        put_loss(loss);
        const int room = screen_width() > 60 ? screen_width() - 33 : 28;
        put_cut(stdout, shown, room);
        putchar('\n');
        free(shown);
    }
    free(text);
}

void score_text(Pretrained *model, const char *path, bool json)
{
    Text text = text_read(path, model->tokenizer.lower);
    Corpus corpus = corpus_new(&text, &model->tokenizer);
    tokenizer_learn_spacing(&model->tokenizer, text_span(&text));
    text_free(&text);
    corpus_cut(&corpus, model->gpt.config.context, 0, 0);
    BatchRoom room = batch_room_new(model->gpt.rows);
    if (!json)
        printf("     loss  perplexity   tokens  text\n");

    /* A line of the text is several pieces if it is longer than the context; of a stream, each piece
     * counts as a line. */
    Loss all = {0}, line = {0};
    size_t number = 0, line_from = 0;
    for (ptrdiff_t p = 0; p < arrlen(corpus.train); p++) {
        const Piece piece = corpus.train[p];
        const size_t end = piece.from + (size_t)piece.length + 1; /* of its tokens */
        const Batch batch = batch_fill(&room, &corpus, &piece, 1, 0);
        const double loss = gpt_evaluate(&model->gpt, &batch);
        pretrained_check(model, loss);
        if (!line.targets)
            line_from = piece.from;
        line = (Loss){line.sum + loss, line.targets + (size_t)batch.counted};
        if (!corpus.stream && end < corpus.lines[number + 1])
            continue; /* the line goes on */
        put_line(&model->tokenizer, ++number, line, corpus.tokens + line_from,
                 (int)(end - line_from), json);
        all = (Loss){all.sum + line.sum, all.targets + line.targets};
        line = (Loss){0};
    }
    if (json) {
        putchar('{');
        put_loss_json(all);
    } else {
        put_loss(all);
        printf("in all\n");
    }
    batch_room_free(&room);
    corpus_free(&corpus);
}
