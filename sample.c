/* sample.c: what a trained model says: the next word with its probabilities, and continuations. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display.h"
#include "program/answer.h"
#include "program/ask.h"
#include "program/options.h"
#include "program/process.h"
#include "program/score.h"
#include "base/threads.h"

typedef struct {
    int count, words, table, top_k, beam, seed, threads;
    double temperature, top_p;
    bool greedy, json;
    char *score, *text;
} Choice;

#define AT(member) offsetof(Choice, member)
#define GROUP(title)                          \
    {                                         \
        .name = (title), .offset = (size_t)-1 \
    }

static const Field CHOICES[] = {
    GROUP("Continuations:"),
    {"count", WHOLE, AT(count), NULL, 0, 100000, "N", "how many [3; 1 with --greedy]", THIS_CALL},
    {"words", WHOLE, AT(words), NULL, 1, 1 << 20, "N",
     "tokens of each at most [50; 300 characters]", THIS_CALL},
    {"temperature", NUMBER, AT(temperature), "1", 0, 1000, "T",
     "below 1 bolder, above 1 wilder; 0 is --greedy", THIS_CALL},
    {"top-k", WHOLE, AT(top_k), "0", 0, 1 << 30, "K", "draw from the K most probable; 0: all",
     THIS_CALL},
    {"top-p", NUMBER, AT(top_p), "1", 0, 1, "P",
     "draw from the most probable ones that together reach P", THIS_CALL},
    {"greedy", FLAG, AT(greedy), NULL, 0, 1, NULL, "always the most probable token", THIS_CALL},
    {"beam", WHOLE, AT(beam), "0", 0, 1000, "K",
     "search the most probable continuations, keeping the K best at each token. One that comes to "
     "[eos] is complete and competes on with the probability it has; lengths are not evened out, "
     "so short ones are favoured as the model favours them",
     THIS_CALL},
    {"seed", WHOLE, AT(seed), "1", 0, 2147483647, "N",
     "the same seed draws the same words, on any number of threads", THIS_CALL},

    GROUP("Besides:"),
    {"table", WHOLE, AT(table), "10", 0, 1 << 30, "ROWS",
     "rows of the table of next words; unless asked for, none that says 0.000", THIS_CALL},
    {"text", WORDS, AT(text), NULL, 0, 0, "FILE",
     "the text it was trained on, where the run keeps no copy, to count in", THIS_CALL},
    {"score", WORDS, AT(score), NULL, 0, 0, "FILE",
     "instead, loss and perplexity of a text, line by line and in all", THIS_CALL},
    {"json", FLAG, AT(json), NULL, 0, 1, NULL, "for programs: an object a prompt, one a line",
     THIS_CALL},
    {"threads", WHOLE, AT(threads), NULL, 1, 1024, "N", "threads at most", THIS_CALL},
    {.name = NULL},
};

static const Program PROGRAM = {
    .fields = CHOICES,
    .arguments = "RUN [PROMPT...]",
    .summary = "Goes on from PROMPT with the model in the directory RUN. Without one it asks for "
               "prompts, line after line; in a pipe each line is a prompt.",
    .notes = "Beside each probability stands how often the text that the model was trained on goes "
             "on so, counted, where that text is there. What is no word, as [bos], may have a "
             "probability but is never said. \"\" is an empty prompt.\n",
};

static bool was_chosen(const Decided *decided, const char *name)
{
    return decided->field[field_index(CHOICES, name)];
}

/* What is asked for and would say nothing is refused; the names end with NULL. */
static void refuse(const Decided *decided, const char *why, const char *const *names)
{
    for (; *names; names++)
        if (was_chosen(decided, *names))
            usage_error("%s: --%s says nothing then", why, *names);
}

static void check_choice(const Choice *choice, const Decided *decided, bool prompted)
{
    if (choice->score && prompted)
        usage_error("--score takes its text from a file: a prompt says nothing then");
    if (choice->score)
        refuse(decided, "--score writes nothing and draws nothing",
               (const char *[]){"count", "words", "temperature", "top-k", "top-p", "greedy", "beam",
                                "seed", "table", "text", NULL});
    if (choice->greedy)
        refuse(decided, "--greedy takes the most probable token",
               (const char *[]){"temperature", "top-k", "top-p", "beam", NULL});
    if (choice->beam)
        refuse(decided, "--beam searches and does not draw",
               (const char *[]){"temperature", "top-k", "top-p", NULL});
    if (choice->beam && choice->count > choice->beam)
        usage_error("--beam %d keeps no more than that: --count %d is too many", choice->beam,
                    choice->count);
}

static AnswerRules rules_of(const Choice *choice, const Decided *decided, const Pretrained *model)
{
    const bool greedy = choice->greedy || choice->temperature == 0;
    const int V = model->vocabulary.count;
    if ((int64_t)choice->beam * V > INT_MAX)
        usage_error("--beam %d is too wide for a model of %d tokens", choice->beam, V);
    return (AnswerRules){
        .table = choice->table,
        .all_rows = was_chosen(decided, "table"),
        .count = was_chosen(decided, "count") ? choice->count
                 : greedy                     ? 1
                                              : 3,
        .words = was_chosen(decided, "words")   ? choice->words
                 : model->vocabulary.characters ? 300
                                                : 50,
        .beam = choice->beam,
        .sampling = {greedy ? 0 : choice->temperature, choice->top_p, choice->top_k},
        .seed = (uint32_t)choice->seed,
        .json = choice->json};
}

/* Answers what is asked; returns whether all of it could be. */
static bool answer_one(Answerer *answerer, const char *name, const char *prompt, size_t size)
{
    char *wrong = answer(answerer, name, prompt, size);
    if (wrong && !answerer->rules.json)
        warn("%s", wrong);
    free(wrong);
    return !wrong;
}

/* In a pipe, what is answered stands before the answer. */
static void put_asked(const char *line)
{
    char *shown = display_text(line);
    printf("> %s\n", shown);
    fflush(stdout);
    free(shown);
}

static bool answer_all(Answerer *answerer)
{
    const bool person = ask_person();
    bool good = true;
    size_t size, number = 0;
    for (char *line; (line = ask_line(person, &size)); free(line)) {
        char *name =
            person ? format_text("the prompt") : format_text("standard input:%zu", ++number);
        if (!person && !answerer->rules.json)
            put_asked(line);
        good &= answer_one(answerer, name, line, size) || person;
        free(name);
    }
    return good;
}

static bool converse(Pretrained *model, const Choice *choice, const Decided *decided, char **words)
{
    TrainingText source = training_text_open(model, choice->text);
    Answerer answerer = answerer_new(model, &source, rules_of(choice, decided, model));
    bool good;
    if (*words) {
        char *prompt = words_together(words);
        good = answer_one(&answerer, "the prompt", prompt, strlen(prompt));
        free(prompt);
    } else {
        good = answer_all(&answerer);
    }
    answerer_free(&answerer);
    training_text_free(&source);
    return good;
}

int main(int argc, char **argv)
{
    process_prepare();
    Choice choice = {0};
    Decided decided = {0};
    char **words = options_and_words(PROGRAM, argc, argv, &choice, &decided);
    if (!words[0])
        usage_error("give a RUN to sample from; --help tells all");
    check_choice(&choice, &decided, words[1]);
    if (choice.threads)
        thread_set_limit(choice.threads);

    Pretrained model = pretrained_open(words[0]);
    bool good = true;
    if (choice.score)
        score_text(&model, choice.score, choice.json);
    else
        good = converse(&model, &choice, &decided, words + 1);
    pretrained_close(&model);
    free(words);
    fields_free(CHOICES, &choice);
    return good ? 0 : 1;
}
