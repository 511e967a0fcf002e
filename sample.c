/* sample.c: prints which tokens a trained model expects after a prompt or in its gaps, and
 * continues the prompt or fills them. Prompts come from the command line, from a person at a
 * terminal, or from a pipe. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display.h"
#include "base/utf8.h"
#include "program/answer/growing.h"
#include "program/ask.h"
#include "program/options.h"
#include "program/process.h"
#include "program/score.h"
#include "program/shell.h"

/* The options. */
typedef struct {
    AnswerRules rules;
    int threads;
    bool greedy, json;
    char *score, *text; /* paths, or NULL */
} Choice;

typedef DECIDED_OF(Choice) Decided;

#define FIELD_STRUCT Choice

enum { BEAM_MOST = 1000 };

/* In the order of --help. Some defaults depend on other options and on the model:
 * rules_of() chooses them. */
static const Field CHOICES[] = {
    FIELD_HEADING("Continuations:"),
    {"count", WHOLE_FIELD(rules.count), NULL, "N", 0, 100000,
     N_("how many [3; 1 with --greedy]; of pairs, hopeless ones are left out unless N is given"),
     LIFE_CALL},
    {"words", WHOLE_FIELD(rules.words), NULL, "N", 1, 1 << 20,
     N_("tokens in each, at most [50; 100 subwords, 300 characters]"), LIFE_CALL},
    {"temperature", NUMBER_FIELD(rules.sampling.temperature), "1", "T", 0, 1000,
     N_("below 1: safer and more repetitive; above 1: more varied; 0 = --greedy"), LIFE_CALL},
    {"top-k", WHOLE_FIELD(rules.sampling.top_k), "0", "K", 0, 1 << 30,
     N_("draw from the K most probable tokens; 0 = all"), LIFE_CALL},
    {"top-p", NUMBER_FIELD(rules.sampling.top_p), "1", "P", 0, 1,
     N_("draw from the most probable tokens that together reach P"), LIFE_CALL},
    {"repetition-penalty", NUMBER_FIELD(rules.penalty), "1", "R", 0.01, 100,
     N_("above 1: tokens that the text has already become less probable (logits are divided by R "
        "if "
        "positive, else multiplied); below 1: more"),
     LIFE_CALL},
    {"greedy", FLAG_FIELD(greedy), NULL, NULL, 0, 0, N_("always take the most probable token"),
     LIFE_CALL},
    {"beam", WHOLE_FIELD(rules.beam), NULL, "K", 0, BEAM_MOST,
     N_("search for the most probable continuations and keep the K best at each token; finished "
        "ones "
        "still compete, and as longer ones are less probable, short ones are favoured; 0 = off [5 "
        "for "
        "pairs, unless they are drawn; else 0]"),
     LIFE_CALL},
    {"seed", WHOLE_FIELD(rules.seed), "1", "N", 0, 2147483647,
     N_("the same seed draws the same words, with any number of threads"), LIFE_CALL},

    {"stop", TEXT_FIELD(rules.stop), NULL, N_("TEXT"), 0, 0,
     N_("end a continuation where it would write TEXT, which is left out"), LIFE_CALL},

    FIELD_HEADING("Other options:"),
    {"table", WHOLE_FIELD(rules.table), NULL, N_("ROWS"), 0, 1 << 30,
     N_("rows of the table of next tokens [10, without those that would show 0.000; for pairs 0]"),
     LIFE_CALL},
    {"text", TEXT_FIELD(text), NULL, N_("FILE"), 0, 0,
     N_("the text to count in, if the run holds no copy of the one it was trained on"), LIFE_CALL},
    {"score", TEXT_FIELD(score), NULL, N_("FILE"), 0, 0,
     N_("print the loss and perplexity of each line of FILE and of all, and of all the bits per "
        "byte; "
        "no continuations"),
     LIFE_CALL},
    {"json", FLAG_FIELD(json), NULL, NULL, 0, 0,
     N_("print one JSON object per prompt, each on a line (JSON Lines)"), LIFE_CALL},
    {"threads", WHOLE_FIELD(threads), NULL, "N", 1, 1024, N_("processors to use [all]"), LIFE_CALL},
    {.name = NULL},
};

static const Program PROGRAM = {
    .fields = CHOICES,
    .arguments = N_("RUN [PROMPT...]"),
    .summary =
        N_("Continues PROMPT with the model in the directory RUN. Without a prompt it asks for "
           "prompts; in a pipe each line is a prompt."),
    .notes = N_(
        "To a model of pairs PROMPT is a source; a tab and the beginning of its target may follow. "
        "The most probable targets are printed. To a model of masked tokens "
        "PROMPT is a line with [mask] for each token that is missing. What may stand there is "
        "printed, and the line filled: first the gap of which the model is surest, then, after "
        "reading again, the next.\n\n"
        "Beside each probability stands how often the training text continues in that way, if "
        "the text is at hand. If the model's tokens are subwords, the table shows whole words: "
        "how the text may go on up to the next space or mark, whatever tokens that takes. "
        "[bos] and other special tokens may have a probability but are "
        "never written. \"\" is an empty prompt.\n\n"
        "Examples:\n"
        "  sample runs/perro un gato            continue a prompt\n"
        "  sample runs/perro                    ask for prompts\n"
        "  sample runs/perro un --greedy        the most probable words only\n"
        "  sample runs/perro --json <lines.txt  answer each line of a file\n"
        "  sample runs/pairs $'el gato\\tthe'    a tab, and how the target begins\n"),
};

/* ---- The options ---- */

#define AT(member) offsetof(Choice, member)

/* Refuses options that would have no effect: those of these offsets, which FIELD_NONE ends. */
static void refuse(const Decided *decided, const char *why, const size_t *offsets)
{
    for (; *offsets != FIELD_NONE; offsets++)
        if (decided->at[*offsets])
            usage_error("%s, so --%s would have no effect", translated(why),
                        field_at(CHOICES, *offsets)->name);
}

/* Ends in a usage error if the options contradict each other. prompted: a prompt was given. */
static void check_choice(const Choice *choice, const Decided *decided, bool prompted)
{
    if (choice->score && prompted)
        usage_error("--score reads a text from a file, so a prompt would have no effect");
    if (choice->rules.stop && !utf8_is_valid(choice->rules.stop, strlen(choice->rules.stop)))
        usage_error("--stop is not UTF-8, so no text has it");
    if (choice->score)
        refuse(decided, N_("--score writes no continuations"),
               (const size_t[]){AT(rules.count), AT(rules.words), AT(rules.sampling.temperature),
                                AT(rules.sampling.top_k), AT(rules.sampling.top_p), AT(greedy),
                                AT(rules.beam), AT(rules.seed), AT(rules.penalty), AT(rules.stop),
                                AT(rules.table), AT(text), FIELD_NONE});
    if (choice->greedy)
        refuse(decided, N_("--greedy always takes the most probable token"),
               (const size_t[]){AT(rules.sampling.temperature), AT(rules.sampling.top_k),
                                AT(rules.sampling.top_p), AT(rules.beam), FIELD_NONE});
    if (choice->rules.beam)
        refuse(decided, N_("--beam searches instead of drawing"),
               (const size_t[]){AT(rules.sampling.temperature), AT(rules.sampling.top_k),
                                AT(rules.sampling.top_p), FIELD_NONE});
    if (choice->rules.beam && choice->rules.count > choice->rules.beam)
        usage_error("--beam %d finds at most so many continuations, so --count %d is too many",
                    choice->rules.beam, choice->rules.count);
}

/* Targets of pairs are searched for, unless an option is about drawing. */
static void choose_beam(AnswerRules *rules, const Decided *decided)
{
    if (DECIDED(decided, rules.beam) || DECIDED(decided, greedy) ||
        DECIDED(decided, rules.sampling.temperature) || DECIDED(decided, rules.sampling.top_k) ||
        DECIDED(decided, rules.sampling.top_p))
        return;
    if (rules->count > BEAM_MOST)
        usage_error("--count %d is more than the %d that a search can find; --temperature 1 draws "
                    "so many",
                    rules->count, BEAM_MOST);
    rules->beam = max_int(BEAM_OF_PAIRS, rules->count);
}

/* The rules for a model: what was not given is chosen. */
static AnswerRules rules_of(const Choice *choice, const Decided *decided, const Tokenizer *t)
{
    static const int words[] = {
        [TOKENIZER_WORD] = 50, [TOKENIZER_CHAR] = 300, [TOKENIZER_BPE] = 100};
    const bool pairs = t->objective == OBJECTIVE_PAIRS;
    AnswerRules rules = choice->rules;
    if (choice->greedy)
        rules.sampling.temperature = 0;
    if (!DECIDED(decided, rules.count))
        rules.count = rules.sampling.temperature == 0 ? 1 : 3; /* at 0, all would be equal */
    if (!DECIDED(decided, rules.words))
        rules.words = words[t->kind]; /* about as long */
    rules.all_rows = DECIDED(decided, rules.table);
    rules.words_of_subwords = !choice->json;
    if (!DECIDED(decided, rules.table)) /* few people want it for pairs */
        rules.table = pairs && !choice->json ? 0 : 10;
    if (!DECIDED(decided, rules.count) && pairs)
        rules.least = ROW_LEAST;
    if (pairs)
        choose_beam(&rules, decided);
    if (t->objective == OBJECTIVE_MASKED)
        refuse(decided, N_("the model puts one token into each gap"),
               (const size_t[]){AT(rules.beam), AT(rules.words), AT(rules.penalty), AT(rules.stop),
                                FIELD_NONE});
    if ((int64_t)rules.beam * tokenizer_size(t) > INT_MAX)
        usage_error("--beam %d is too wide for a model of %d tokens", rules.beam,
                    tokenizer_size(t));
    return rules;
}

/* ---- Answers ---- */

/* Completes an answer that was begun and prints it, or why there is none; returns whether there is
 * one. For a person the table is printed first, since the continuations may take a while; on a
 * terminal these are shown as they grow. A program gets all of it in one line of JSON. */
static bool print_answer(AnswerPrinter *printer, Answer *answer)
{
    Answerer *answerer = printer->answerer;
    const bool good = !answer->encoding.wrong;
    if (printer->json) {
        if (good)
            answer_continue(answerer, answer, NULL, NULL);
        answer_print_json(answerer, answer);
    } else if (good) {
        answer_print_tables(printer, answer);
        growing_print(printer, answer);
    } else {
        warn("%s", answer->encoding.wrong);
    }
    fflush(stdout);
    return good;
}

/* Answers one prompt; returns whether it has an answer. Messages call it `name`. */
static bool answer_prompt(AnswerPrinter *printer, const char *name, const char *prompt, size_t size)
{
    Answer answer = answer_begin(printer->answerer, name, prompt, size);
    const bool good = print_answer(printer, &answer);
    answer_free(&answer);
    return good;
}

/* ---- Prompts, from three places ---- */

/* From the command line: its words are one prompt. */
static bool answer_words(AnswerPrinter *printer, char **words)
{
    char *prompt = words_together(words);
    const bool good = answer_prompt(printer, _("the prompt"), prompt, strlen(prompt));
    free(prompt);
    return good;
}

/* From a pipe: each line is a prompt, printed before its answer. Returns whether all have one. */
static bool answer_lines(AnswerPrinter *printer)
{
    bool good = true;
    size_t size, number = 0;
    for (char *line; (line = ask_piped(&size)); free(line)) {
        char *name = format_text(_("standard input:%zu"), ++number), *shown = display_text(line);
        if (!printer->json)
            printf("> %s\n", shown);
        fflush(stdout); /* the next line may go to standard error */
        good &= answer_prompt(printer, name, line, size);
        free(shown);
        free(name);
    }
    return good;
}

/* runs/perro knows 13 words; Tab completes them.
 * Type the beginning of a text, or nothing. Ctrl-D leaves. */
static void greet(const Pretrained *model)
{
    const Tokenizer *t = &model->tokenizer;
    size_t count = 0;
    for (int id = 0; id < tokenizer_size(t); id++)
        count += tokenizer_is_text(t, id);
    printf(tokenizer_has_words(t) ? _("%s knows %s; Tab completes them.\n") : _("%s knows %s.\n"),
           model->directory.path,
           plural(count, tokenizer_unit(t->kind), tokenizer_units(t->kind)).text);
    switch (t->objective) {
    case OBJECTIVE_NEXT: printf(_("Type the beginning of a text, or nothing.")); break;
    case OBJECTIVE_PAIRS: printf(_("Type a source; its target is printed.")); break;
    case OBJECTIVE_MASKED:
        printf(_("Type a text with [mask] for each %s that is missing."),
               translated(tokenizer_unit(t->kind)));
        break;
    }
    printf(_(" Ctrl-D leaves.\n"));
}

/* Whether a person asks for help or wants to leave. Called only for lines that the model cannot
 * read: if the model knows the word "help", that is a prompt like any other. */
static bool asks_for_help(const char *line)
{
    static const char *const words[] = {"help", "quit", "exit", "?", ":q"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(line, words[i]))
            return true;
    return false;
}

/* From a person, until Ctrl-D. */
static void converse(AnswerPrinter *printer)
{
    const Pretrained *model = printer->answerer->model;
    size_t size;
    greet(model);
    for (char *line; (line = ask_typed(&model->tokenizer, &size)); free(line)) {
        Answer answer = answer_begin(printer->answerer, _("the prompt"), line, size);
        if (answer.encoding.wrong && asks_for_help(line))
            greet(model);
        else
            print_answer(printer, &answer);
        answer_free(&answer);
    }
}

/* Answers the prompts of the command line, of a person or of a pipe; returns whether all of them
 * have an answer. The training text is read only to count in it. */
static bool sample(Pretrained *model, const Choice *choice, const Decided *decided, char **prompt)
{
    const Screen screen = screen_open();
    TrainingText text = training_text_open(model, choice->text);
    Answerer answerer = answerer_new(model, &text, rules_of(choice, decided, &model->tokenizer));
    AnswerPrinter printer = {.answerer = &answerer, .screen = &screen, .json = choice->json};
    bool good = true;
    if (*prompt)
        good = answer_words(&printer, prompt);
    else if (ask_person())
        converse(&printer);
    else
        good = answer_lines(&printer);
    answerer_free(&answerer);
    training_text_free(&text);
    return good;
}

/* The words of the command line are RUN and those of a prompt. The status is 1 if some prompt has
 * no answer. */
int main(int argc, char **argv)
{
    process_prepare();
    Choice choice = {0};
    Decided decided = {{0}};
    char **words = options_read(&PROGRAM, argc, argv, &choice, decided.at);
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
