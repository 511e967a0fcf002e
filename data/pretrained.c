/* pretrained.c: see pretrained.h. */
#include "pretrained.h"

#include <stdlib.h>
#include <string.h>

#include "run.h"

Pretrained pretrained_open(const char *directory)
{
    Settings settings = {0};
    run_read_settings(directory, &settings);
    Pretrained model = {.directory = directory, .lower = settings.lower,
                        .stream = settings.sequence == SEQUENCE_STREAM};
    char *path = run_text_path(directory);
    if (!path)
        die("%s holds no copy of its text", directory);
    Text text = text_read(path, settings.lower);
    model.vocabulary = vocabulary_of(path, text.clean, text.size, (VocabularyRules){
        settings.tokens == TOKENS_CHAR, model.stream, settings.min_count, settings.max_words});
    Corpus corpus = corpus_of(path, text.clean, text.size, &model.vocabulary, model.stream);
    Given given;
    memset(&given, 1, sizeof given);
    Plan plan;
    char *wrong = plan_make(&plan, &settings, &given, &corpus, model.vocabulary.count);
    if (wrong)
        die("%s", wrong);
    model.gpt = gpt_new(plan.shape, plan.shape.context);
    run_read_model(directory, &model.gpt);
    corpus_free(&corpus);
    text_free(&text);
    free(path);
    fields_free(SETTINGS, &settings);
    return model;
}

void pretrained_close(Pretrained *model)
{
    free((int *)model->gpt.shape.window); /* made for this shape alone */
    gpt_free(&model->gpt);
    vocabulary_free(&model->vocabulary);
}

char *pretrained_tokens(const Pretrained *model, const char *name, const char *bytes, size_t size,
                        int **tokens, int *count)
{
    const Vocabulary *words = &model->vocabulary;
    char *clean;
    size_t clean_size;
    char *wrong = text_clean(name, bytes, size, model->lower, &clean, &clean_size);
    if (wrong)
        return wrong;
    *tokens = memory_new(clean_size + 1, sizeof **tokens, "a prompt");
    *count = 0;
    if (!model->stream)
        (*tokens)[(*count)++] = words->bos;
    const char *token, *at = clean, *end = clean + clean_size;
    while (!wrong && (token = token_next(&at, end, words->characters))) {
        const int id = vocabulary_id(words, token, (size_t)(at - token));
        if (id >= 0)
            (*tokens)[(*count)++] = id;
        else
            wrong = saying("%s: '%.*s' is not known to %s", name, (int)(at - token), token,
                           model->directory);
    }
    if (wrong)
        free(*tokens);
    free(clean);
    return wrong;
}
