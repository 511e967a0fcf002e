/* show.c: an answerer, as sample has, of a model that gets the weights before each answer. */
#include "show.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "programs/answer/answer_print.h"

struct Show {
    Pretrained model; /* the weights are its own, the rest is the trainer's */
    TrainingText text;
    Answerer answerer;
};

/* As sample answers: drawn at temperature 1; of pairs, the most probable targets. */
static AnswerRules rules_of(const Settings *s, TokenizerKind kind)
{
    return (AnswerRules){.count = s->show,
                         .words = answer_length(kind),
                         .beam =
                             s->objective == OBJECTIVE_PAIRS ? max_int(BEAM_OF_PAIRS, s->show) : 0,
                         .sampling = {.temperature = 1, .top_p = 1},
                         .seed = s->seed};
}

Show *show_new(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    Show *show = memory_new(1, sizeof *show, "the generator");
    show->model = (Pretrained){.directory = t->directory,
                               .config = {.causal_source = s->causal_source},
                               .gpt = gpt_new_reader(&t->plan.shape, t->plan.shape.context),
                               .tokenizer = t->tokenizer};
    show->answerer = answerer_new(&show->model, &show->text, rules_of(s, t->tokenizer.kind));
    return show;
}

void show_free(Show *show)
{
    answerer_free(&show->answerer);
    gpt_free(&show->model.gpt);
    free(show);
}

/* The text of a continuation: with the prompt, but of pairs only the target. */
static char *text_of(const Answerer *a, const Answer *answer, const Continuation *c)
{
    return a->pairs ? tokenizer_decode(&a->model->tokenizer, c->tokens, c->count)
                    : answer_written(a, answer, c);
}

/* Each step draws as if it were a prompt of its own. */
char **show_continuations(Show *show, Trainer *t)
{
    Answerer *a = &show->answerer;
    const char *prompt = t->plan.settings.prompt ? t->plan.settings.prompt : "";
    char **lines = NULL;
    memcpy(show->model.gpt.weight_block, trainer_evaluated_weights(t), t->gpt.size * sizeof(Real));
    a->asked = (uint32_t)t->progress.step;
    Answer answer = answer_begin(a, "--prompt", prompt, strlen(prompt));
    answer_continue(a, &answer, NULL, NULL);
    for (int i = 0; i < answer.count; i++) {
        const Continuation *c = &answer.continuations[i];
        char *text = text_of(a, &answer, c), *tail = answer_tail(a, c);
        shown_write(&t->shown, t->progress.step, answer.prompt, text, c->ended, c->log_probability);
        arrput(lines, format_text("%s%s", text, tail));
        free(text);
        free(tail);
    }
    answer_free(&answer);
    return lines;
}
