/* source.c: see source.h. */
#include "training_text.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "run.h"

TrainingText training_text_open(const Pretrained *model, const char *text_path)
{
    const Vocabulary *words = &model->vocabulary;
    char *own = text_path ? NULL : run_text_name(&model->directory);
    const char *path = text_path ? text_path : own;
    TrainingText source = {0};
    if (!path) {
        source.spelling = spelling_of(words, NULL, 0);
        return source;
    }
    Text text =
        own ? run_read_text(&model->directory, model->lower) : text_read(text_path, model->lower);
    record_check_text(&model->config, model->directory.path, path, &text);
    source.there = true;
    source.corpus = corpus_of(path, text.clean, text.size, words, model->stream);
    source.spelling = spelling_of(words, text.clean, text.size);
    text_free(&text);
    free(own);
    return source;
}

void training_text_free(TrainingText *source)
{
    corpus_free(&source->corpus);
    spelling_free(&source->spelling);
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
