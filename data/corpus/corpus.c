/* corpus.c: the text is encoded line by line, then cut into pieces; the lines held out are the
 * first of a random order. */
#include "corpus.h"

#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "order.h"

/* ---- From text to tokens ---- */

/* Dies because there is a word that the tokenizer does not know, as can happen if it was trained on
 * another text. */
static _Noreturn void refuse(const Text *text, const Tokenizer *tokenizer, Span unknown)
{
    die("%s", tokenizer_unknown(tokenizer, text_place(text, text->clean, unknown.begin), unknown));
}

static void put_stream(Corpus *corpus, const Text *text, const Tokenizer *tokenizer)
{
    Span unknown;
    if (!tokenizer_encode(tokenizer, text_span(text), &corpus->tokens, &unknown))
        refuse(text, tokenizer, unknown);
    if (arrlen(corpus->tokens) < 2)
        die("%s is a stream of one token: there is nothing to predict; use --sequence lines",
            text->name);
    corpus->longest = arrlenu(corpus->tokens) - 1;
}

static void put_lines(Corpus *corpus, const Text *text, const Tokenizer *tokenizer)
{
    Span unknown;
    if (!tokenizer_encode_lines(tokenizer, text_span(text), &corpus->tokens, &corpus->lines,
                                &unknown))
        refuse(text, tokenizer, unknown);
    arrput(corpus->lines, arrlenu(corpus->tokens));
    for (ptrdiff_t i = 0; i + 1 < arrlen(corpus->lines); i++) {
        const size_t inputs = corpus->lines[i + 1] - corpus->lines[i] - 1;
        corpus->longest = inputs > corpus->longest ? inputs : corpus->longest;
    }
}

/* Every line is counted with its end, even if the last one lacks it: [eos] stands for it. */
static void measure_lines(Corpus *corpus, Span text)
{
    Span line;
    if (corpus->stream)
        arrput(corpus->line_bytes, (size_t)(text.end - text.begin));
    else
        while (split_line(&text.begin, text.end, &line))
            if (!is_blank(line))
                arrput(corpus->line_bytes, (size_t)(line.end - line.begin) + 1);
}

Corpus corpus_new(const Text *text, const Tokenizer *tokenizer)
{
    Corpus corpus = {.stream = tokenizer->stream};
    if (is_blank(text_span(text)))
        die("%s has only white space", text->name);
    tokenizer_check_text(tokenizer, text);
    if (corpus.stream)
        put_stream(&corpus, text, tokenizer);
    else
        put_lines(&corpus, text, tokenizer);
    if (tokenizer_has_words(tokenizer))
        measure_lines(&corpus, text_span(text));
    return corpus;
}

void corpus_free(Corpus *corpus)
{
    arrfree(corpus->tokens);
    arrfree(corpus->lines);
    arrfree(corpus->line_bytes);
    arrfree(corpus->train);
    arrfree(corpus->held_out);
}

/* ---- From tokens to pieces ---- */

size_t corpus_targets(const Corpus *corpus, const Piece *pieces, size_t count)
{
    size_t targets = 0;
    for (size_t p = 0; p < count; p++)
        for (int i = 0; i < pieces[p].length; i++)
            targets +=
                objective_row(corpus->objective, corpus->tokens + pieces[p].from, i).target >= 0;
    return targets;
}

/* Appends the tokens [begin, end) in pieces. The last token of a piece is the first of the next
 * one: it is read there, and predicted here. */
static void put_pieces(Piece **pieces, size_t begin, size_t end, int context)
{
    for (size_t from = begin; from + 1 < end; from += (size_t)context) {
        const size_t left = end - 1 - from;
        const Piece piece = {from, left < (size_t)context ? (int)left : context};
        arrput(*pieces, piece);
    }
}

/* Every line goes to one of the two sides whole. One line at least is trained on. */
static void cut_lines(Corpus *corpus, double share, uint32_t seed)
{
    const size_t count = (size_t)arrlen(corpus->lines) - 1;
    size_t held_out = (size_t)(share * (double)count + 0.5);
    held_out = held_out >= count ? count - 1 : held_out;
    bool *is_held_out = memory_new(count, sizeof *is_held_out, "the held-out lines");
    OrderKey *keys = memory_new(count, sizeof *keys, "the held-out lines");
    random_order(keys, count, seed, RANDOM_SPLIT, 0);
    for (size_t i = 0; i < held_out; i++)
        is_held_out[keys[i].place] = true;

    for (size_t i = 0; i < count; i++) {
        const size_t begin = corpus->lines[i], end = corpus->lines[i + 1];
        corpus->lines_cut += end - begin - 1 > (size_t)corpus->context;
        put_pieces(is_held_out[i] ? &corpus->held_out : &corpus->train, begin, end,
                   corpus->context);
    }
    free(keys);
    free(is_held_out);
}

/* The first part is trained on and the tail is held out. No piece spans both, so the tail's first
 * token is never predicted. A part of fewer than two tokens would have no target: then all is
 * trained on. */
static void cut_stream(Corpus *corpus, double share)
{
    const size_t count = (size_t)arrlen(corpus->tokens);
    const size_t tail = (size_t)(share * (double)count + 0.5);
    corpus->train_end = tail >= 2 && count - tail >= 2 ? count - tail : count;
    put_pieces(&corpus->train, 0, corpus->train_end, corpus->context);
    put_pieces(&corpus->held_out, corpus->train_end, count, corpus->context);
}

void corpus_cut(Corpus *corpus, int context, double held_out, uint32_t seed)
{
    corpus->context = context;
    if (corpus->stream)
        cut_stream(corpus, held_out);
    else
        cut_lines(corpus, held_out, seed);
    corpus->train_targets = corpus_targets(corpus, corpus->train, arrlenu(corpus->train));
    corpus->held_out_targets = corpus_targets(corpus, corpus->held_out, arrlenu(corpus->held_out));
}
