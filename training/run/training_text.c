/* training_text.c: only what the record of a run says decides which text its model was trained on.
 * A text.txt in the directory of someone else's model may be anything, and is not looked at. */
#include "training_text.h"

#include "run.h"

TrainingText training_text_open(Pretrained *model, const char *text_path)
{
    TrainingText training_text = {.there = false};
    Tokenizer *tokenizer = &model->tokenizer;
    Text text;
    if (!text_path && !model->config.text)
        return training_text;
    if (!run_read_text(&model->directory, &model->config, text_path, tokenizer->lower, &text))
        return training_text;
    training_text.there = true;
    training_text.corpus = corpus_new(&text, tokenizer);
    tokenizer_learn_spacing(tokenizer, text_span(&text));
    text_free(&text);
    return training_text;
}

void training_text_free(TrainingText *text)
{
    corpus_free(&text->corpus);
}
