/* trained.c: the run is in a folder of its own. */
#include "trained.h"

#include "close.h"
#include "scratch.h"
#include "tiny.h"

Trained trained_open(const char *text, const char *const *options)
{
    Trained t = {.folder = scratch_new()};
    char *path = scratch_write(t.folder, "text.txt", text, strlen(text));
    char *run = format_text("%s/run", t.folder);
    tiny_run(run, path, options);
    t.model = pretrained_open(run);
    t.text = training_text_open(&t.model, NULL);
    free(path);
    free(run);
    return t;
}

void trained_close(Trained *t)
{
    training_text_free(&t->text);
    pretrained_close(&t->model);
    scratch_remove(t->folder);
}

Answer answer_begun(Answerer *answerer, const char *prompt)
{
    Answer answer = answer_begin(answerer, "the prompt", prompt, strlen(prompt));
    assert_null(answer.encoding.wrong);
    return answer;
}

Answer answer_to(Answerer *answerer, const char *prompt)
{
    Answer answer = answer_begun(answerer, prompt);
    answer_continue(answerer, &answer, NULL, NULL);
    return answer;
}
