/* attend.c: runs a trained model over a text and shows which tokens each of its heads attends to:
 * as tables on the terminal, or written into a file of one of several kinds. */
#include <stb/stb_ds.h>

#include "programs/attend/heads_file.h"
#include "programs/attend/tables.h"
#include "programs/attend/texts.h"
#include "programs/sample/score.h"
#include "programs/terminal/options.h"
#include "programs/terminal/process.h"
#include "programs/terminal/screen.h"

/* The options. */
typedef struct {
    char *output;    /* a path, or NULL */
    int layer, head; /* from 1; 0: all */
    bool heads, positions;
    char *because;        /* a word, or NULL */
    char *without;        /* heads and layers, or NULL */
    bool live, only_maps; /* whether a page carries the model; neither: if that is small */
    bool train;           /* whether a page carries the run, and trains it further */
} AttendOptions;

#define FIELD_STRUCT AttendOptions

/* In the order of --help. */
static const Field OPTIONS[] = {
    {"output", LIFE_CALL, TEXT_FIELD(output, N_("FILE")),
     N_("write a file instead of tables; its ending chooses the format: .html (a page that needs "
        "no other file), .svg (a figure), .npy (an array of layers, heads, T, T), .csv (a line for "
        "each weight), .json; -.json and the like write to standard output, - is -.csv")},
    {"layer", LIFE_CALL, WHOLE_FIELD(layer, NULL, "L", 1, 1000),
     N_("only this layer, from 1 [all]")},
    {"head", LIFE_CALL, WHOLE_FIELD(head, NULL, "H", 1, 1000),
     N_("only this head of each layer, from 1 [all]")},
    {"heads", LIFE_CALL, FLAG_FIELD(heads),
     N_("for each head and layer, how much the loss of TEXT rises without it, and for each head "
        "how far it attends to the previous token and copies: in random tokens written twice, its "
        "attention to what came after the same token the first time; a TEXT that is the name of a "
        "file stands for all its lines; also a .csv or .json")},
    {"because", LIFE_CALL, TEXT_FIELD(because, N_("WORD")),
     N_("instead of heads, from which lines of its text the model has WORD as the next word after "
        "TEXT: trains the run again without each line, and prints how its probability changes; of "
        "more than 20 lines, first without groups of them; also a .csv or .json")},
    {"without", LIFE_CALL, TEXT_FIELD(without, N_("LIST")),
     N_("read TEXT without some heads or layers, such as L2H3,L1: these add nothing; a page can "
        "switch them on again")},
    {"positions", LIFE_CALL, FLAG_FIELD(positions),
     N_("instead of heads, the cosine of every pair of position vectors: a table by distance, or a "
        "file of any kind but .html; without TEXT")},
    {"live", LIFE_CALL, FLAG_FIELD(live),
     N_("let the page carry the model, so that it reads any text [models up to 8 MB]")},
    {"static", LIFE_CALL, FLAG_FIELD(only_maps),
     N_("let the page show only TEXT, without the model [larger models]")},
    {"train", LIFE_CALL, FLAG_FIELD(train),
     N_("let the page carry the run and the trainer, which trains it further [runs up to 64 MB]")},
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
           "to 100%. Layers, heads and words are counted from 1, also in .csv and .json; in .npy "
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
           "  attend runs/perro el -o page.html --train    write one that trains it\n"
           "  attend runs/perro - --layer 1 <sentence.txt  read a file, show a layer\n"
           "  attend runs/perro --positions -o p.svg       draw the position vectors\n"
           "  attend runs/perro --heads el perro come      what each head does\n"
           "  attend runs/perro --heads data/perro.txt     the same for a whole file\n"
           "  attend runs/perro un gato --because come     which lines taught it that\n"
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

/* ---- The heads ---- */

/* Whether the output is a page that carries the model. */
static bool is_live(const AttendOptions *options, const Pretrained *model, FILE *remarks)
{
    enum { MB = 1 << 20, MOST = 128 * MB };
    const size_t size = data_weights_size(&model->gpt);
    if (!options->output || !heads_file_is_page(options->output) || options->only_maps)
        return false;
    if (options->live && size > MOST)
        die("--live: %s has %zu MB of weights, but a page can carry only %d: leave out --live",
            model->directory.path, size / MB, MOST / MB);
    if (!options->live && size > DATA_SMALL)
        fprintf(remarks,
                _("the page shows only this text, without the model, whose weights take %zu MB; "
                  "--live adds it\n"),
                size / MB);
    return options->live || size <= DATA_SMALL;
}

/* A large page goes by no mail. In letters, weights are a third larger. */
static void announce_checkpoints(const Pretrained *model, const int64_t *checkpoints, FILE *remarks)
{
    enum { MB = 1 << 20, MUCH = 4 * MB };
    const size_t count = arrlenu(checkpoints),
                 size = (count + 1) * data_weights_size(&model->gpt) / 3 * 4;
    if (count && size > MUCH)
        fprintf(remarks,
                _("the page carries %s of the run: about %zu MB; it is smaller if you first remove "
                  "some of %s/checkpoint-*\n"),
                plural(count, "earlier save", "earlier saves").text, size / MB,
                model->directory.path);
}

/* The heads while they read a TEXT, the words of the command line after RUN: prints a line for
 * each, then the tables, or only writes the file. Returns false if it could not be written. Remarks
 * go to standard error if standard output is the file. */
static bool show_heads(Pretrained *model, const AttendOptions *options, char **words)
{
    const GptConfig *config = &model->gpt.config;
    const char *run = model->directory.path;
    const Range layers = choose("layer", options->layer, config->layers, run,
                                plural((size_t)config->layers, "layer", "layers"));
    const Range chosen = choose("head", options->head, config->heads, run,
                                plural((size_t)config->heads, "head", "heads"));
    FILE *remarks = options->output && heads_file_is_output(options->output) ? stderr : stdout;
    PageSource source = {.model = model,
                         .live = options->train || is_live(options, model, remarks),
                         .trains = options->train};
    const size_t size = model->gpt.size * sizeof *model->gpt.weight_block;
    AUTOFREE Real *whole = NULL;
    if (options->without) {
        if (source.live) /* a page can switch on again what is off */
            whole = memcpy(memory_take(size), model->gpt.weight_block, size);
        pretrained_without(model, options->without);
    }
    source.without = options->without;
    TrainingText text = source.live ? training_text_open(model, NULL) : (TrainingText){0};
    source.training_text = &text;
    source.checkpoints = source.live && !source.trains ? data_checkpoints(model) : NULL;
    announce_checkpoints(model, source.checkpoints, remarks);
    Texts texts = texts_read(model, words, source.live, remarks);
    source.texts = texts.list;
    Heads heads = texts_heads(&texts, layers, chosen);
    if (whole)
        memcpy(model->gpt.weight_block, whole, size);
    bool good = true;
    if (options->output)
        good = heads_file_write(options->output, &heads, &source);
    else {
        const Screen screen = screen_open();
        tables_summarise(&heads);
        tables_show(&heads, &screen);
    }
    heads_free(&heads);
    texts_free(&texts);
    arrfree(source.checkpoints);
    training_text_free(&text);
    return good;
}

/* What each head and layer does for a TEXT, or for all lines of a file. */
static bool show_effects(Pretrained *model, const AttendOptions *options, char **words)
{
    const bool to_output = options->output && heads_file_is_output(options->output);
    const bool is_file = !words[1] && file_peek(words[0], &(char){0}, 1);
    bool good = true;
    if (options->without)
        pretrained_without(model, options->without);
    const Objective objective = pretrained_objective(model);
    Texts texts = {.model = model};
    Effects effects;
    if (is_file) {
        Corpus corpus = corpus_to_score(model, words[0]);
        effects = effects_of_corpus(&model->gpt, &model->tokenizer, &corpus);
        effects.file = words[0];
        corpus_free(&corpus);
    } else {
        texts = texts_read(model, words, false, to_output ? stderr : stdout);
        effects = effects_read(&model->gpt, &model->tokenizer, &objective, texts.first.ids,
                               texts.first.count);
        effects.text = texts.list[0];
    }
    pretrained_check(model, effects.loss);
    if (!effects.count)
        die("the model predicts no token of this text, so it has no loss: give a longer one");
    effects.run = model->directory.path;
    if (options->output)
        good = heads_file_write_effects(options->output, &effects);
    else
        tables_effects(&effects, &model->gpt.config, objective.kind);
    effects_free(&effects);
    texts_free(&texts);
    return good;
}

/* ---- The lines of the text ---- */

/* Which lines a prediction comes from. *signal receives the one that stopped it, or 0. */
static bool show_because(Pretrained *model, const AttendOptions *options, char **words, int *signal)
{
    const Screen screen = screen_open();
    FILE *remarks = options->output && heads_file_is_output(options->output) ? stderr : stdout;
    Texts texts = texts_read(model, words, false, remarks);
    Because because = because_read(model, texts.list[0], options->because, &screen, remarks);
    bool good = true;
    *signal = because.signal;
    if (options->output)
        good = heads_file_write_because(options->output, &because);
    else
        because_print(&because);
    because_free(&because);
    texts_free(&texts);
    return good;
}

/* ---- The positions ---- */

static bool show_positions(const Pretrained *model, const char *output)
{
    Positions positions = positions_read(&model->gpt, model->directory.path);
    bool good = true;
    if (output)
        good = heads_file_write_positions(output, &positions);
    else
        tables_positions(&positions);
    positions_free(&positions);
    return good;
}

/* Ends in a usage error if the options contradict each other, the words or the file's ending.
 * Called before the model is read, which may take long. */
static void check(const AttendOptions *options, char *const *words)
{
    if (options->positions && (!words[0] || words[1] || options->layer || options->head ||
                               options->heads || options->without))
        usage_error("--positions takes only a RUN: give no TEXT, no --layer, no --head, no --heads "
                    "and no --without");
    if (!options->positions && (!words[0] || !words[1]))
        usage_error("give a RUN and a TEXT to read; --help explains them");
    if (options->heads && (options->layer || options->head))
        usage_error("--heads prints all heads and layers: leave out --layer and --head");
    if (options->because && (options->positions || options->heads || options->layer ||
                             options->head || options->without))
        usage_error("--because trains the whole model again: leave out --positions, --heads, "
                    "--layer, --head and --without");
    if (options->live && options->only_maps)
        usage_error("--live and --static contradict each other: give one of them");
    if (options->train && (options->live || options->only_maps || options->layer || options->head ||
                           options->without))
        usage_error("--train carries the whole model: leave out --live, --static, --layer, --head "
                    "and --without");
    const char *of_page = options->live        ? "live"
                          : options->only_maps ? "static"
                          : options->train     ? "train"
                                               : NULL;
    if (of_page && (!options->output || !heads_file_is_page(options->output)))
        usage_error("--%s is for a page: name it with --output FILE.html", of_page);
    if (options->output)
        heads_file_check(options->output, options->because     ? SHOWS_BECAUSE
                                          : options->heads     ? SHOWS_EFFECTS
                                          : options->positions ? SHOWS_POSITIONS
                                                               : SHOWS_HEADS);
}

/* The words of the command line are RUN and those of the TEXT. The status is 1 if the file cannot
 * be written, 128 + the signal if one stopped it. */
int main(int argc, char **argv)
{
    process_prepare();
    AttendOptions options = {0};
    AUTOFREE char **words = options_read(&PROGRAM, argc, argv, &options, NULL);
    check(&options, words);
    process_start_threads(0);

    options_check_path(words[0], "runs");
    Pretrained model = pretrained_open(words[0]);
    warn_of_newer(&model, words[0]);
    bool good = true;
    int signal = 0;
    if (options.heads)
        good = show_effects(&model, &options, words + 1);
    else if (options.because)
        good = show_because(&model, &options, words + 1, &signal);
    else if (options.positions)
        good = show_positions(&model, options.output);
    else
        good = show_heads(&model, &options, words + 1);
    if (good && options.output && !heads_file_is_output(options.output)) {
        AUTOFREE char *path = command_line((char *[]){options.output, NULL});
        printf(_("wrote %s\n"), path);
    }
    pretrained_close(&model);
    fields_free(OPTIONS, &options);
    return !good ? 1 : signal ? 128 + signal : 0;
}
