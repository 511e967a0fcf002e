/* training_text.c: only what the record of a run says decides which text its model was trained on. A
 * text.txt in the directory of someone else's model may be anything, and is not looked at. */
#include "training_text.h"

#include <stdlib.h>

#include "run.h"

TrainingText training_text_open(Pretrained *model, const char *text_path)
{
    char *own = text_path || !model->config.text ? NULL : run_text_name(&model->directory);
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
