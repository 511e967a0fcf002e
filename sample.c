/* sample.c: prints which tokens a trained model expects after a prompt, and continues the prompt.
 * Prompts come from the command line, from a person at a terminal, or from a pipe. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display.h"
#include "program/answer_print.h"
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

static const Field CHOICES[] = {
    FIELD_HEADING("Continuations:"),
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

    FIELD_HEADING("Other options:"),
    {"table", WHOLE_FIELD(table), "10", "ROWS", 0, 1 << 30,
     "rows of the table of next tokens; if not given, rows that would show 0.000 are left out",
     LIFE_CALL},
    {"text", TEXT_FIELD(text), NULL, "FILE", 0, 0,
     "the text to count in, if the run holds no copy of the one it was trained on", LIFE_CALL},
    {"score", TEXT_FIELD(score), NULL, "FILE", 0, 0,
     "instead: loss and perplexity of a text, of each line and of all", LIFE_CALL},
    {"json", FLAG_FIELD(json), NULL, NULL, 0, 0,
     "print one JSON object per prompt, each on a line (JSON Lines)", LIFE_CALL},
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
            usage_error("%s, so --%s would have no effect", why, field_at(CHOICES, *offsets)->name);
}

static void check_choice(const Choice *choice, const Decided *decided, bool prompted)
{
    if (choice->score && prompted)
        usage_error("--score reads a text from a file, so a prompt would have no effect");
    if (choice->score)
        refuse(decided, "--score writes no continuations",
               (const size_t[]){AT(count), AT(words), AT(temperature), AT(top_k), AT(top_p),
                                AT(greedy), AT(beam), AT(seed), AT(table), AT(text), FIELD_NONE});
    if (choice->greedy)
        refuse(decided, "--greedy always takes the most probable token",
               (const size_t[]){AT(temperature), AT(top_k), AT(top_p), AT(beam), FIELD_NONE});
    if (choice->beam)
        refuse(decided, "--beam searches instead of drawing",
               (const size_t[]){AT(temperature), AT(top_k), AT(top_p), FIELD_NONE});
    if (choice->beam && choice->count > choice->beam)
        usage_error("--beam %d finds no more than that, so --count %d is too many", choice->beam,
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
        .seed = (uint32_t)choice->seed};
}

/* Prints the answer to a prompt; returns false if it has none. */
static bool print_answer(Answerer *answerer, AnswerPrinter *printer, bool json, Answer *answer)
{
    const bool good = !answer->encoding.wrong;
    if (json) {
        if (good)
            answer_continue(answerer, answer, NULL, NULL);
        answer_print_json(answerer, answer);
    } else if (good) {
        const bool terminal = printer->screen->terminal;
        answer_print_next(printer, answer);
        answer_continue(answerer, answer, terminal ? answer_print_growing : NULL, printer);
        screen_status(printer->screen, "");
        answer_print_continuations(printer, answer);
    } else {
        warn("%s", answer->encoding.wrong);
    }
    fflush(stdout);
    return good;
}

static void greet(const Pretrained *model)
{
    const Vocabulary *words = &model->tokenizer.vocabulary;
    const bool letters = model->tokenizer.kind == TOKENIZER_CHAR;
    size_t count = 0;
    for (int id = 0; id < words->count; id++)
        count += !vocabulary_is_special(words, id);
    printf("%s knows %s%s.\n", model->directory.path,
           plural(count, tokenizer_unit(model->tokenizer.kind)).text,
           letters ? "" : "; Tab completes them");
    printf("Type the beginning of a %s, or nothing. Ctrl-D leaves.\n",
           letters ? "text" : "sentence");
}

/* Whether a person asks for help, in a word that the model does not know. */
static bool asks_for_help(const char *line)
{
    static const char *const words[] = {"help", "quit", "exit", "?", ":q"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(line, words[i]))
            return true;
    return false;
}

static void converse(Answerer *answerer, AnswerPrinter *printer, bool json)
{
    const Tokenizer *t = &answerer->model->tokenizer;
    size_t size;
    greet(answerer->model);
    for (char *line; (line = ask_typed(t->kind == TOKENIZER_WORD ? &t->vocabulary : NULL, &size));
         free(line)) {
        Answer answer = answer_begin(answerer, "the prompt", line, size);
        if (answer.encoding.wrong && asks_for_help(line))
            greet(answerer->model);
        else
            print_answer(answerer, printer, json, &answer);
        answer_free(&answer);
    }
}

/* Answers each line of a pipe, and prints it before its answer; returns whether all have one. */
static bool answer_lines(Answerer *answerer, AnswerPrinter *printer, bool json)
{
    bool good = true;
    size_t size, number = 0;
    for (char *line; (line = ask_piped(&size)); free(line)) {
        char *name = format_text("standard input:%zu", ++number), *shown = display_text(line);
        if (!json)
            printf("> %s\n", shown);
        fflush(stdout); /* the next line may go to standard error */
        Answer answer = answer_begin(answerer, name, line, size);
        good &= print_answer(answerer, printer, json, &answer);
        answer_free(&answer);
        free(shown);
        free(name);
    }
    return good;
}

static bool answer_words(Answerer *answerer, AnswerPrinter *printer, bool json, char **words)
{
    char *prompt = words_together(words);
    Answer answer = answer_begin(answerer, "the prompt", prompt, strlen(prompt));
    const bool good = print_answer(answerer, printer, json, &answer);
    answer_free(&answer);
    free(prompt);
    return good;
}

/* Answers what is asked; returns whether all prompts have an answer. */
static bool sample(Pretrained *model, const Choice *choice, const Decided *decided, char **prompt)
{
    const Screen screen = screen_open();
    TrainingText text = training_text_open(model, choice->text);
    Answerer answerer = answerer_new(model, &text, rules_of(choice, decided, model));
    AnswerPrinter printer = {.answerer = &answerer, .screen = &screen};
    bool good = true;
    if (*prompt)
        good = answer_words(&answerer, &printer, choice->json, prompt);
    else if (ask_person())
        converse(&answerer, &printer, choice->json);
    else
        good = answer_lines(&answerer, &printer, choice->json);
    answerer_free(&answerer);
    training_text_free(&text);
    return good;
}

int main(int argc, char **argv)
{
    process_prepare();
    Choice choice = {0};
    Decided decided = {{0}};
    char **words = options_and_words(PROGRAM, argc, argv, &choice, decided.at);
    if (!words[0])
        usage_error("give a RUN to sample from; see --help");
    check_choice(&choice, &decided, words[1]);
    process_start_threads(choice.threads);

    Pretrained model = pretrained_open(words[0]);
    bool good = true;
    if (choice.score)
        score_text(&model, choice.score, choice.json);
    else
        good = sample(&model, &choice, &decided, words + 1);
    pretrained_close(&model);
    free(words);
    fields_free(CHOICES, &choice);
    return good ? 0 : 1;
}
