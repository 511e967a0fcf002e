/* score.c: the text is cut as for training, and each piece is read by itself; the pieces of a line
 * that is longer than the context are added up. */
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/display.h"
#include "base/numbers/elementary.h"
#include "each.h"
#include "row.h"
#include "terminal/screen.h"
#include "text/corpus/batches.h"
#include "text/corpus/bytes.h"

/* translators: the head of a table; keep the widths */
static const char HEAD[] = N_("     loss  perplexity   tokens  text\n");

/* The score of a part of the text. The loss is sum / targets, the perplexity e to that. */
typedef struct {
    double sum;          /* of −ln p */
    size_t targets;      /* that count */
    double bytes;        /* of all of the text: those that they stand for; NAN: see bytes.h */
    const char *no_bits; /* why there are no bits per byte, if bytes is NAN */
} Loss;

/* A number of JSON, or null if it is not finite. */
static void put_json_number(const char *name, double number)
{
    if (isfinite(number))
        printf(",\"%s\":%.9g", name, number);
    else
        printf(",\"%s\":null", name);
}

/* {"line":1,"text":"el perro come un hueso","tokens":6,"loss":0.366…,"perplexity":1.44…}
 * {"tokens":48,"loss":0.412…,"perplexity":1.51…,"bytes":212,"bits_per_byte":0.134…} */
static void put_loss_json(Loss loss, size_t number, const char *text)
{
    const double mean = loss.sum / (double)loss.targets;
    putchar('{');
    if (text) {
        printf("\"line\":%zu,\"text\":", number);
        put_json(stdout, text);
        putchar(',');
    }
    printf("\"tokens\":%zu,\"loss\":%.9g", loss.targets, mean);
    put_json_number("perplexity", elementary_exp(mean));
    if (!text) {
        put_json_number("bytes", loss.bytes);
        put_json_number("bits_per_byte", bits_per_byte(loss.sum, loss.bytes));
    }
    printf("}\n");
}

/* 0.1347 bits per byte, of 212 bytes that these tokens stand for */
static void put_bits(Loss loss)
{
    if (isnan(loss.bytes))
        printf("%s\n", translated(loss.no_bits));
    else
        printf(_("%.4f bits per byte, of %s that these tokens stand for\n"),
               bits_per_byte(loss.sum, loss.bytes),
               plural((size_t)(loss.bytes + 0.5), "byte", "bytes").text);
}

/* Prints the loss of a line of the text, or of all of it: then text is NULL.
 *
 *     loss  perplexity   tokens  text
 * 0.366718      1.4430        6  el perro come un hueso
 * 0.412301      1.5103       48  in all
 * 0.1347 bits per byte, of 212 bytes that these tokens stand for
 *
 * A very large perplexity is printed as 1.234e+09, so that it does not fill the screen with
 * digits. */
static void put_loss(Loss loss, const char *text)
{
    const double mean = loss.sum / (double)loss.targets, perplexity = elementary_exp(mean);
    char *shown = display_text(text ? text : _("in all"));
    printf(perplexity < 1e5 ? "%9.6f  %10.4f  %7zu  " : "%9.6f  %10.4g  %7zu  ", mean, perplexity,
           loss.targets);
    put_cut(stdout, shown, max_int(screen_width() - 33, 28));
    putchar('\n');
    free(shown);
    if (!text)
        put_bits(loss);
}

/* The tokens [from, end) of a corpus as text: the text itself has been freed. The caller frees. */
static char *text_of(const Pretrained *model, const Corpus *corpus, size_t from, size_t end)
{
    int *ids = memory_take((end - from) * sizeof *ids);
    ids_read(&corpus->ids, from, end - from, ids);
    char *text = tokenizer_decode(&model->tokenizer, ids, (int)(end - from));
    free(ids);
    return text;
}

/* What a text is scored with. */
typedef struct {
    Pretrained *model;
    bool json;
    Each *each; /* prints a row for each token; or NULL: a line for each line of the text */
    Corpus corpus;
    BatchRoom room;
} Scoring;

/* Prints a line of the text, number `number`, with the tokens [from, end). */
static void put_line(const Scoring *s, Loss loss, size_t number, size_t from, size_t end)
{
    if (s->each) {
        each_end_line(s->each, number, from, end);
        return;
    }
    char *text = text_of(s->model, &s->corpus, from, end);
    if (s->json)
        put_loss_json(loss, number, text);
    else
        put_loss(loss, text);
    free(text);
}

/* Adds the loss of a piece. A piece whose tokens are hidden one by one takes several batches. */
static void add_piece(Loss *loss, Scoring *s, Piece piece)
{
    const Part part = {.count = 1, .list = &piece};
    BatchPlace place = {0};
    for (Batch batch; batch_next(&batch, &s->room, &s->corpus, &part, &place);) {
        const double sum =
            s->each ? each_evaluate(s->each, piece, &batch) : gpt_evaluate(&s->model->gpt, &batch);
        pretrained_check(s->model, sum);
        loss->sum += sum;
        loss->targets += (size_t)batch.counted;
    }
}

/* Scores all pieces, a line after the other; returns the sum. A line of the text is several pieces
 * if it is longer than the context; in a stream, each piece counts as a line. */
static Loss score_lines(Scoring *s)
{
    Loss all = {0}, line = {0};
    size_t number = 0, line_from = 0;
    for (size_t p = 0; p < s->corpus.train.count; p++) {
        const Piece piece = corpus_piece(&s->corpus, &s->corpus.train, p);
        if (!line.targets)
            line_from = piece.from;
        add_piece(&line, s, piece);
        if (!s->corpus.stream && !corpus_ends_line(&s->corpus, piece))
            continue; /* the line goes on */
        put_line(s, line, ++number, line_from,
                 piece.from + piece.length + (size_t)objective_ahead(&s->corpus.objective));
        all.sum += line.sum;
        all.targets += line.targets;
        line = (Loss){0};
    }
    return all;
}

static Corpus corpus_to_score(Pretrained *model, const char *path)
{
    Text text = text_read(path, model->tokenizer.form);
    Corpus corpus = corpus_new(&text, &model->tokenizer);
    corpus.objective = pretrained_objective(model);
    corpus_check_pairs(&corpus, model->gpt.config.context, text.name);
    tokenizer_learn_spacing(&model->tokenizer, text_span(&text));
    text_free(&text);
    corpus_cut(&corpus, model->gpt.config.context, 0, 0);
    return corpus;
}

/* The line for the whole text, in a table with its head: rows that a program reads are all of one
 * kind. */
static void put_all(const Scoring *s, Loss all)
{
    const Tokenizer *t = &s->model->tokenizer;
    all.bytes = corpus_bytes(&s->corpus, t, &s->corpus.train);
    all.no_bits =
        s->corpus.objective.kind == OBJECTIVE_MASKED
            ? N_("bits per byte are not comparable: each token was predicted from all the "
                 "others")
        : t->kind == TOKENIZER_WORD
            ? N_("bits per byte are not comparable: the model never spells a word")
            : N_("bits per byte are not comparable: the text has tokens that are [unk]");
    if (s->json)
        put_loss_json(all, 0, NULL);
    else
        put_loss(all, NULL);
}

void score_text(Pretrained *model, CountMixture *counts, const Choice *choice)
{
    const bool table = row_in_table(choice);
    Scoring s = {.model = model,
                 .json = choice->json,
                 .corpus = corpus_to_score(model, choice->score),
                 .room = batch_room_new(model->gpt.rows)};
    if (choice->each)
        s.each = each_begin(model, counts, &s.corpus, choice);
    else if (table)
        printf("%s", translated(HEAD));
    const Loss all = score_lines(&s);
    if (choice->each) {
        each_end(s.each);
        if (table)
            printf("\n%s", translated(HEAD));
    }
    if (table || !choice->each)
        put_all(&s, all);
    batch_room_free(&s.room);
    corpus_free(&s.corpus);
}
