/* attend.c: runs a trained model over a text and shows which tokens each of its heads attends to:
 * as tables on the terminal, or written into a file of one of several kinds. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "answer/answer_print.h"
#include "attending/heads_file.h"
#include "attending/tables.h"
#include "base/display.h"
#include "base/files/file.h"
#include "formats/huggingface/pretrained.h"
#include "terminal/options.h"
#include "terminal/process.h"
#include "terminal/screen.h"
#include "terminal/shell.h"
#include "text/prompt.h"

/* The options. */
typedef struct {
    char *output;    /* a path, or NULL */
    int layer, head; /* from 1; 0: all */
    bool positions;
    bool live, only_maps; /* whether a page carries the model; neither: if that is small */
} AttendOptions;

#define FIELD_STRUCT AttendOptions

/* In the order of --help. */
static const Field OPTIONS[] = {
    {"output", TEXT_FIELD(output), NULL, N_("FILE"), 0, 0,
     N_("write a file instead of tables; its ending chooses the format: .html (a page that needs "
        "no "
        "other file), .svg (a figure), .npy (an array of layers, heads, T, T), .csv (a line for "
        "each weight), .json; -.json and the like write to standard output, - is -.csv"),
     LIFE_CALL},
    {"layer", WHOLE_FIELD(layer), NULL, "L", 1, 1000, N_("only this layer, from 1 [all]"),
     LIFE_CALL},
    {"head", WHOLE_FIELD(head), NULL, "H", 1, 1000,
     N_("only this head of each layer, from 1 [all]"), LIFE_CALL},
    {"positions", FLAG_FIELD(positions), NULL, NULL, 0, 0,
     N_("instead of heads, the cosine of every pair of position vectors: a table by distance, or a "
        "file of any kind but .html; without TEXT"),
     LIFE_CALL},
    {"live", FLAG_FIELD(live), NULL, NULL, 0, 0,
     N_("let the page carry the model, so that it reads any text [models up to 8 MB]"), LIFE_CALL},
    {"static", FLAG_FIELD(only_maps), NULL, NULL, 0, 0,
     N_("let the page show only TEXT, without the model [larger models]"), LIFE_CALL},
    {.name = NULL}};

static const Program PROGRAM = {
    .fields = OPTIONS,
    .letter = 'o',
    .letter_offset = offsetof(AttendOptions, output),
    .arguments = N_("RUN TEXT..."),
    .summary =
        N_("Shows which words each head of the model in the directory RUN attends to while it "
           "reads TEXT (or - for standard input): as tables, or in a file."),
    .notes =
        N_("Rows are the words that attend, columns the words that they attend to; each row sums "
           "to 100%. Layers, heads and words are counted from 1, in .csv and .json too; in .npy "
           "from 0. For each head the means over all rows are printed: entropy in bits (0: one "
           "word gets all; 1: two words get half each; 2: four get a quarter each), the distance "
           "in words, and the attention to the word itself, to the previous one, to the next one "
           "if the model sees ahead, and to [bos], which marks the beginning of a line.\n\n"
           "If the model was trained on pairs, TEXT is a source, or a source, a tab and a target; "
           "without a target the model's own is read. If it was trained on masked tokens, TEXT is "
           "a whole line, in which [mask] may stand for a word.\n\n"
           "Examples:\n"
           "  attend runs/perro un gato come               print tables\n"
           "  attend runs/perro un gato come -o page.html  write a page for a browser\n"
           "  attend runs/perro - --layer 1 <sentence.txt  read a file, show a layer\n"
           "  attend runs/perro --positions -o p.svg       draw the position vectors\n"
           "  attend runs/traducciones el gato duerme      translate, and show how\n"),
};

/* The layers or heads to show: the one with this number, counted from 1, or all of them if the
 * option was not given (0). A usage error if the model has fewer: `run`, its directory, has
 * `all`. */
static Range choose(const char *name, int number, int count, const char *run, Digits all)
{
    if (number > count)
        usage_error("--%s %d: %s has only %s", name, number, run, all.text);
    return number ? (Range){number - 1, number} : (Range){0, count};
}

/* ---- The text ---- */

/* Standard input without the end of its last line; the caller frees it. */
static char *read_standard_input(void)
{
    Bytes text = file_read("-", true);
    if (text.size && text.bytes[text.size - 1] == '\n')
        text.bytes[--text.size] = 0;
    if (text.size && text.bytes[text.size - 1] == '\r')
        text.bytes[--text.size] = 0;
    return text.bytes;
}

/* The special tokens that every text of a tokenizer gets, for messages. */
static const char *framing(const Tokenizer *t)
{
    if (t->stream)
        return "";
    return t->objective == OBJECTIVE_PAIRS    ? _(" with [bos] and [sep]")
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
static char *add_target(Pretrained *model, Encoding *e, const char *name, const char *text)
{
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
    char *target = tokenizer_decode(t, e->ids + source, e->count - source);
    char *shown = display_text(target);
    printf(best->ended ? _("the target is the model's own: %s\n")
                       : _("the target is the model's own, cut at the end of the context: %s\n"),
           shown);
    free(shown);
    free(target);
    answer_free(&answer);
    answerer_free(&answerer);
    return tokenizer_decode(t, e->ids, e->count);
}

/* The tokens of a text, with the model's own target if it is only a source; the text then becomes
 * the pair. It is the caller's. */
static Encoding read_text(Pretrained *model, const char *name, char **text)
{
    Encoding encoding = encode(model, name, *text);
    print_lowered(&encoding, "");
    if (encoding.ids[encoding.count - 1] == model->tokenizer.sep) {
        char *pair = add_target(model, &encoding, name, *text);
        free(*text);
        *text = pair;
    }
    return encoding;
}

/* Appends each line of standard input that is not blank to `texts`, an stb_ds array. Returns the
 * tokens of the first one. */
static Encoding read_lines(Pretrained *model, const char *input, char ***texts)
{
    Span rest = {input, input + strlen(input)}, line;
    Encoding first = {0};
    for (int number = 1; split_line(&rest.begin, rest.end, &line); number++) {
        if (is_blank(line))
            continue;
        line.end -= line.end[-1] == '\r';
        char *name = format_text(_("standard input:%d"), number);
        char *text = format_text("%.*s", (int)(line.end - line.begin), line.begin);
        Encoding encoding = read_text(model, name, &text);
        if (arrlen(*texts))
            encoding_free(&encoding);
        else
            first = encoding;
        arrput(*texts, text);
        free(name);
    }
    return first;
}

/* ---- The heads ---- */

/* Runs the model over the tokens. Dies if an attention weight of any head, chosen or not, is not
 * finite, since the later layers are computed from it. */
static Heads read_heads(Pretrained *model, Range layers, Range chosen, const Encoding *encoding)
{
    const GptConfig *config = &model->gpt.config;
    const Objective objective = pretrained_objective(model);
    const Sequence sequence = objective_sequence(&objective, encoding->ids, encoding->count);
    Heads heads = heads_read(&model->gpt, &model->tokenizer, &sequence, layers, chosen);
    const size_t T = (size_t)encoding->count;
    const size_t rows = (size_t)config->layers * (size_t)config->heads * T;
    double sum = 0; /* not finite if one of the weights is not */
    for (size_t i = 0; i < rows * T; i++)
        sum += (double)heads.maps[i];
    pretrained_check(model, sum);
    return heads;
}

/* Prints the name of the file that was written. */
static void print_written(char *output)
{
    if (heads_file_is_output(output))
        return;
    char *path = command_line((char *[]){output, NULL});
    printf(_("wrote %s\n"), path);
    free(path);
}

/* Prints a line for each head, then the tables, or only writes the file. Returns false if it could
 * not be written. */
static bool show(const Heads *heads, char *output, const PageSource *source)
{
    const Screen screen = screen_open();
    if (!output) {
        tables_summarise(heads);
        tables_show(heads, &screen);
        return true;
    }
    const bool good = heads_file_write(output, heads, source);
    if (good)
        print_written(output);
    return good;
}

/* While a text is read, remarks go to standard error if standard output is the file. Returns the
 * descriptor that restore_output() needs, or -1. */
static int divert_remarks(const char *output)
{
    if (!output || !heads_file_is_output(output))
        return -1;
    const int kept = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void restore_output(int kept)
{
    if (kept < 0)
        return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

/* Whether the output is a page that carries the model. */
static bool is_live(const AttendOptions *options, const Pretrained *model)
{
    enum { MB = 1 << 20, MOST = 128 * MB };
    const size_t size = data_weights_size(&model->gpt);
    if (!options->output || !heads_file_is_page(options->output) || options->only_maps)
        return false;
    if (options->live && size > MOST)
        die("--live: %s has %zu MB of weights, but a page can carry only %d: leave out --live",
            model->directory.path, size / MB, MOST / MB);
    if (!options->live && size > DATA_SMALL)
        printf(_("the page shows only this text, without the model, whose weights take %zu MB; "
                 "--live adds it\n"),
               size / MB);
    return options->live || size <= DATA_SMALL;
}

/* A large page goes by no mail. In letters, weights are a third larger. */
static void announce_checkpoints(const Pretrained *model, const int64_t *checkpoints)
{
    enum { MB = 1 << 20, MUCH = 4 * MB };
    const size_t count = arrlenu(checkpoints),
                 size = (count + 1) * data_weights_size(&model->gpt) / 3 * 4;
    if (count && size > MUCH)
        printf(_("the page carries %s of the run: about %zu MB; it is smaller if you first remove "
                 "some of %s/checkpoint-*\n"),
               plural(count, "earlier save", "earlier saves").text, size / MB,
               model->directory.path);
}

/* The TEXT that the words of the command line after RUN make up, or that standard input is. Of a
 * page that reads any text, each line of standard input is one, unless the model reads across line
 * ends. */
static Encoding read_texts(Pretrained *model, bool live, char **words, char ***texts)
{
    const bool piped = !strcmp(words[0], "-") && !words[1];
    char *text = piped ? read_standard_input() : words_together(words);
    if (live && piped && !model->tokenizer.stream && !is_blank((Span){text, text + strlen(text)})) {
        const Encoding first = read_lines(model, text, texts);
        free(text);
        return first;
    }
    const Encoding encoding = read_text(model, piped ? _("standard input") : _("the text"), &text);
    arrput(*texts, text);
    return encoding;
}

/* The heads while they read a TEXT: the words of the command line after RUN. */
static bool show_heads(Pretrained *model, const AttendOptions *options, char **words)
{
    const GptConfig *config = &model->gpt.config;
    const char *run = model->directory.path;
    const Range layers = choose("layer", options->layer, config->layers, run,
                                plural((size_t)config->layers, "layer", "layers"));
    const Range chosen = choose("head", options->head, config->heads, run,
                                plural((size_t)config->heads, "head", "heads"));
    const int kept = divert_remarks(options->output);
    PageSource source = {.model = model, .live = is_live(options, model)};
    TrainingText text = source.live ? training_text_open(model, NULL) : (TrainingText){0};
    source.training_text = &text;
    source.checkpoints = source.live ? data_checkpoints(model) : NULL;
    announce_checkpoints(model, source.checkpoints);
    Encoding encoding = read_texts(model, source.live, words, &source.texts);
    Heads heads = read_heads(model, layers, chosen, &encoding);
    heads.run = run;
    assert(source.texts); /* one at least was read */
    heads.text = source.texts[0];
    restore_output(kept);
    const bool good = show(&heads, options->output, &source);
    heads_free(&heads);
    encoding_free(&encoding);
    for (ptrdiff_t i = 0; i < arrlen(source.texts); i++)
        free(source.texts[i]);
    arrfree(source.texts);
    arrfree(source.checkpoints);
    training_text_free(&text);
    return good;
}

/* ---- The positions ---- */

static bool show_positions(const Pretrained *model, char *output)
{
    Positions positions = positions_read(&model->gpt, model->directory.path);
    const bool good = !output || heads_file_write_positions(output, &positions);
    if (!output)
        tables_positions(&positions);
    else if (good)
        print_written(output);
    positions_free(&positions);
    return good;
}

/* The words of the command line are RUN and those of the TEXT. The status is 1 if the file cannot
 * be written. */
int main(int argc, char **argv)
{
    process_prepare();
    AttendOptions options = {0};
    char **words = options_read(&PROGRAM, argc, argv, &options, NULL);
    if (options.positions && (!words[0] || words[1] || options.layer || options.head))
        usage_error("--positions takes only a RUN: give no TEXT, no --layer and no --head");
    if (!options.positions && (!words[0] || !words[1]))
        usage_error("give a RUN and a TEXT to read; --help explains them");
    if (options.live && options.only_maps)
        usage_error("--live and --static contradict each other: give one of them");
    if ((options.live || options.only_maps) &&
        (!options.output || !heads_file_is_page(options.output)))
        usage_error("--%s is for a page: name it with --output FILE.html",
                    options.live ? "live" : "static");
    if (options.output) /* before the model is read: that may take long */
        heads_file_check(options.output, options.positions);
    process_start_threads(0);

    options_check_path(words[0], "runs");
    Pretrained model = pretrained_open(words[0]);
    const bool good = options.positions ? show_positions(&model, options.output)
                                        : show_heads(&model, &options, words + 1);
    pretrained_close(&model);
    free(words);
    fields_free(OPTIONS, &options);
    return good ? 0 : 1;
}
