/* texts.c: a text is encoded as soon as it is read, since of a source the target is searched for
 * then. */
#include "texts.h"

#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "base/utf8.h"
#include "programs/answer/answer_print.h"
#include "programs/terminal/options.h"

/* The special tokens that every text of a tokenizer gets, for messages. */
static const char *framing(const Tokenizer *t)
{
    if (t->stream)
        return "";
    return objective_answers(t->objective)    ? _(" with [bos] and [sep]")
           : t->objective == OBJECTIVE_MASKED ? _(" with [bos] and [eos]")
                                              : _(" with [bos]");
}

/* The tokens of a text, which messages call `name`. Dies if there are only special ones, or more
 * than the model reads at once. */
static Encoding encode(const Pretrained *model, const char *name, const char *text)
{
    const Tokenizer *t = &model->tokenizer;
    const int context = model->gpt.config.context;
    const Encoding encoding = prompt_encode(t, name, text, strlen(text));
    if (encoding.wrong)
        die("%s", encoding.wrong);
    if (encoding.count == (t->stream ? 0 : t->objective == OBJECTIVE_MASKED ? 2 : 1))
        die("%s is empty: there is nothing to attend to", name);
    if (encoding.count > context)
        die("%s has %d tokens%s, but %s reads at most %d: shorten it, or train a model with "
            "--context %d",
            name, encoding.count, framing(t), model->directory.path, context, encoding.count);
    return encoding;
}

/* Appends to a source the most probable target, as sample finds it, and prints it. Returns the
 * whole pair, which the caller frees. A target that is too long for the context is cut. */
static char *add_target(Texts *texts, Encoding *e, const char *name, const char *text)
{
    Pretrained *model = texts->model;
    const Tokenizer *t = &model->tokenizer;
    const TrainingText no_text = {.there = false};
    const int context = model->gpt.config.context, source = e->count;
    if (source == context)
        die("%s has %d tokens%s, and %s reads at most %d: there is no room for a target; shorten "
            "it, or train a model with a larger --context",
            name, source, framing(t), model->directory.path, context);
    const AnswerRules rules = {.count = 1, .words = context, .beam = BEAM_OF_PAIRS};
    Answerer answerer = answerer_new(model, &no_text, rules);
    Answer answer = answer_begin(&answerer, name, text, strlen(text));
    answer_continue(&answerer, &answer, NULL, NULL);
    const Continuation *best = answer.continuations;
    for (int i = 0; i < best->count - best->ended && e->count < context; i++, e->count++)
        arrput(e->ids, best->tokens[i]);
    AUTOFREE char *target = tokenizer_decode(t, e->ids + source, e->count - source);
    AUTOFREE char *shown = display_text(target);
    fprintf(texts->remarks,
            best->ended ? _("the target is the model's own: %s\n")
                        : _("the target is the model's own, cut at the end of the context: %s\n"),
            shown);
    answer_free(&answer);
    answerer_free(&answerer);
    return tokenizer_decode(t, e->ids, e->count);
}

/* Adds a text, which messages call `name`. A text that is only a source becomes a pair, with the
 * model's own target. */
static void add_text(Texts *texts, const char *name, const char *text)
{
    Encoding encoding = encode(texts->model, name, text);
    print_lowered(texts->remarks, &encoding, "");
    const bool is_source = encoding.ids[encoding.count - 1] == texts->model->tokenizer.sep;
    char *whole = is_source ? add_target(texts, &encoding, name, text) : format_text("%s", text);
    arrput(texts->list, whole);
    if (arrlen(texts->list) == 1)
        texts->first = encoding;
    else
        encoding_free(&encoding);
}

/* Adds each line of standard input that is not blank. */
static void add_lines(Texts *texts, const char *input)
{
    Span rest = {input, input + strlen(input)}, line;
    for (int number = 1; split_line(&rest.begin, rest.end, &line); number++) {
        if (is_blank(line))
            continue;
        line.end -= line.end[-1] == '\r';
        AUTOFREE char *name = format_text(_("standard input:%d"), number);
        AUTOFREE char *text = format_text("%.*s", (int)(line.end - line.begin), line.begin);
        add_text(texts, name, text);
    }
}

Texts texts_read(Pretrained *model, char *const *words, bool by_lines, FILE *remarks)
{
    Texts texts = {.model = model, .remarks = remarks};
    const bool piped = !strcmp(words[0], "-") && !words[1];
    AUTOFREE char *text = piped ? file_read("-", true).bytes : words_together(words);
    size_t size = strlen(text);
    for (const char *end = "\n\r"; piped && *end; end++) /* that of its last line goes */
        if (size && text[size - 1] == *end)
            text[--size] = 0;
    if (by_lines && piped && !model->tokenizer.stream && !is_blank((Span){text, text + size}))
        add_lines(&texts, text);
    else
        add_text(&texts, piped ? _("standard input") : _("the text"), text);
    return texts;
}

void texts_free(Texts *texts)
{
    encoding_free(&texts->first);
    names_free(texts->list);
}

Heads texts_heads(const Texts *texts, Range layers, Range heads)
{
    Pretrained *model = texts->model;
    const GptConfig *config = &model->gpt.config;
    const Objective objective = pretrained_objective(model);
    const Encoding *first = &texts->first;
    const Sequence sequence = objective_sequence(&objective, first->ids, first->count);
    Heads all = heads_read(&model->gpt, &model->tokenizer, &sequence, layers, heads);
    const size_t T = (size_t)first->count;
    const size_t rows = (size_t)config->layers * (size_t)config->heads * T;
    double sum = 0; /* not finite if one of the weights is not */
    for (size_t i = 0; i < rows * T; i++)
        sum += (double)all.maps[i];
    pretrained_check(model, sum);
    all.run = model->directory.path;
    all.text = texts->list[0];
    return all;
}
