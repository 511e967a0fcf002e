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
#include "program/shell.h"

typedef struct {
    int count, words, table, top_k, beam, seed, threads;
    double temperature, top_p;
    bool greedy, json;
    char *score, *text;
} Choice;

typedef DECIDED_OF(Choice) Decided;

#define FIELD_STRUCT Choice
#define GROUP(title)                          \
    {                                         \
        .name = (title), .offset = FIELD_NONE \
    }

static const Field CHOICES[] = {
    GROUP("Continuations:"),
    {"count", WHOLE_FIELD(count), NULL, "N", 0, 100000, "how many [3; 1 with --greedy]", LIFE_CALL},
    {"words", WHOLE_FIELD(words), NULL, "N", 1, 1 << 20,
     "tokens in each, at most [50; 300 characters]", LIFE_CALL},
    {"temperature", NUMBER_FIELD(temperature), "1", "T", 0, 1000,
     "below 1: safer and more repetitive; above 1: more varied; 0 = --greedy", LIFE_CALL},
    {"top-k", WHOLE_FIELD(top_k), "0", "K", 0, 1 << 30,
     "draw from the K most probable tokens; 0 = all", LIFE_CALL},
    {"top-p", NUMBER_FIELD(top_p), "1", "P", 0, 1,
     "draw from the most probable tokens that together reach P", LIFE_CALL},
    {"greedy", FLAG_FIELD(greedy), NULL, NULL, 0, 0, "always take the most probable token",
     LIFE_CALL},
    {"beam", WHOLE_FIELD(beam), "0", "K", 0, 1000,
     "search for the most probable continuations and keep the K best at each token; those that "
     "reached [eos] stay in the race. Lengths are not evened out, so short ones are favoured as "
     "the model favours them; 0 = off",
     LIFE_CALL},
    {"seed", WHOLE_FIELD(seed), "1", "N", 0, 2147483647,
     "the same seed draws the same words, with any number of threads", LIFE_CALL},

    GROUP("Other options:"),
    {"table", WHOLE_FIELD(table), "10", "ROWS", 0, 1 << 30,
     "rows of the table of next tokens; if not given, rows that would show 0.000 are left out",
     LIFE_CALL},
    {"text", WORDS_FIELD(text), NULL, "FILE", 0, 0,
     "the text to count in, if the run holds no copy of the one it was trained on", LIFE_CALL},
    {"score", WORDS_FIELD(score), NULL, "FILE", 0, 0,
     "instead: loss and perplexity of a text, of each line and of all", LIFE_CALL},
    {"json", FLAG_FIELD(json), NULL, NULL, 0, 0, "print one JSON object per prompt, one a line",
     LIFE_CALL},
    {"threads", WHOLE_FIELD(threads), NULL, "N", 1, 1024, "processors to use [all]", LIFE_CALL},
    {.name = NULL},
};

static const Program PROGRAM = {
    .fields = CHOICES,
    .arguments = "RUN [PROMPT...]",
    .summary = "Continues PROMPT with the model in the directory RUN. Without a prompt it asks for "
               "prompts; in a pipe each line is a prompt.",
    .notes = "Beside each probability stands how often the training text continues in that way, if "
             "the text is at hand. [bos] and other special tokens may have a probability but are "
             "never written. \"\" is an empty prompt.\n\n"
             "Examples:\n"
             "  sample runs/perro un gato            continue a prompt\n"
             "  sample runs/perro                    ask for prompts\n"
             "  sample runs/perro un --greedy        the most probable words only\n"
             "  sample runs/perro --json <lines.txt  answer each line of a file\n",
};

#define AT(member) offsetof(Choice, member)

/* Refuses options that would have no effect; FIELD_NONE ends the list. */
static void refuse(const Decided *decided, const char *why, const size_t *offsets)
{
    for (; *offsets != FIELD_NONE; offsets++)
        if (decided->at[*offsets])
            usage_error("%s: --%s says nothing then", why, field_at(CHOICES, *offsets)->name);
}

static void check_choice(const Choice *choice, const Decided *decided, bool prompted)
{
    if (choice->score && prompted)
        usage_error("--score takes its text from a file: a prompt says nothing then");
    if (choice->score)
        refuse(decided, "--score writes nothing and draws nothing",
               (const size_t[]){AT(count), AT(words), AT(temperature), AT(top_k), AT(top_p),
                                AT(greedy), AT(beam), AT(seed), AT(table), AT(text), FIELD_NONE});
    if (choice->greedy)
        refuse(decided, "--greedy takes the most probable token",
               (const size_t[]){AT(temperature), AT(top_k), AT(top_p), AT(beam), FIELD_NONE});
    if (choice->beam)
        refuse(decided, "--beam searches and does not draw",
               (const size_t[]){AT(temperature), AT(top_k), AT(top_p), FIELD_NONE});
    if (choice->beam && choice->count > choice->beam)
        usage_error("--beam %d keeps no more than that: --count %d is too many", choice->beam,
                    choice->count);
}

static AnswerRules rules_of(const Choice *choice, const Decided *decided, const Pretrained *model)
{
    const bool greedy = choice->greedy || choice->temperature == 0;
    const int V = model->tokenizer.vocabulary.count;
    if ((int64_t)choice->beam * V > INT_MAX)
        usage_error("--beam %d is too wide for a model of %d tokens", choice->beam, V);
    return (AnswerRules){
        .table = choice->table,
        .all_rows = DECIDED(decided, table),
        .count = DECIDED(decided, count) ? choice->count
                 : greedy                ? 1
                                         : 3,
        .words = DECIDED(decided, words)                   ? choice->words
                 : model->tokenizer.kind == TOKENIZER_CHAR ? 300
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
    Decided decided = {{0}};
    char **words = options_and_words(PROGRAM, argc, argv, &choice, decided.at);
    if (!words[0])
        usage_error("give a RUN to sample from; --help tells all");
    check_choice(&choice, &decided, words[1]);
    process_start_threads(choice.threads);

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
