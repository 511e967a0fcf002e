/* source.c: see source.h. */
#include "training_text.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "run.h"

TrainingText training_text_open(Pretrained *model, const char *text_path)
{
    char *own = text_path ? NULL : run_text_name(&model->directory);
    const char *path = text_path ? text_path : own;
    TrainingText training_text = {.there = false};
    if (!path)
        return training_text;
    Tokenizer *tokenizer = &model->tokenizer;
    Text text = own ? run_read_text(&model->directory, tokenizer->lower)
                    : text_read(text_path, tokenizer->lower);
    record_check_text(&model->config, model->directory.path, path, &text);
    training_text.there = true;
    training_text.corpus = corpus_new(&text, tokenizer);
    tokenizer_learn_spacing(tokenizer, text_span(&text));
    text_free(&text);
    free(own);
    return training_text;
}

void training_text_free(TrainingText *text)
{
    corpus_free(&text->corpus);
}

/* The place of the next occurrence from `from` on, or -1. */
static ptrdiff_t find(const Corpus *corpus, ptrdiff_t from, const int *tokens, int count)
{
    const ptrdiff_t last = arrlen(corpus->tokens) - count;
    for (ptrdiff_t at = from; at <= last; at++)
        if (!memcmp(corpus->tokens + at, tokens, sizeof *tokens * (size_t)count))
            return at;
    return -1;
}

size_t training_text_count_next(const TrainingText *source, size_t *next, int V, const int *tokens,
                                int count)
{
    const Corpus *corpus = &source->corpus;
    size_t sum = 0;
    memset(next, 0, sizeof *next * (size_t)V);
    for (ptrdiff_t at = 0; (at = find(corpus, at, tokens, count)) >= 0; at++)
        if (at + count < arrlen(corpus->tokens)) {
            next[corpus->tokens[at + count]]++;
            sum++;
        }
    return sum;
}

bool training_text_holds(const TrainingText *source, const int *tokens, int count)
{
    return find(&source->corpus, 0, tokens, count) >= 0;
}
