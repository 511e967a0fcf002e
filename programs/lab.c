/* lab.c: training in a web page. A worker of the page calls these functions, in lab/worker.js;
 * between two calls it may do anything else, so pause and single steps need no threads. What is
 * printed, and what ends the program, is as in train. */
#include <errno.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/numbers/elementary.h"
#include "formats/json.h"
#include "programs/attend/heads_file.h"
#include "programs/attend/texts.h"
#include "programs/terminal/options.h"
#include "programs/train/plan/floor.h"
#include "programs/train/report.h"
#include "programs/train/session.h"

#define EXPORT(name) __attribute__((export_name(#name), used)) name

/* What the page shows of the run. What is not known is NAN. */
typedef struct {
    double step, loss, evaluated, rate, floor, counting, uniform, frequencies, steps;
} Shown;

typedef struct {
    Session session;
    Shown row;
    double idle;                 /* clock: since when nothing is computed */
    volatile sig_atomic_t asked; /* nobody sends signals here */
} Lab;

/* The options of train. */
static const Program PROGRAM = {
    .fields = SETTINGS, .alias = "window", .alias_offset = offsetof(Settings, attend)};

/* Memory for the caller to put strings into. */
char *EXPORT(lab_room)(size_t bytes)
{
    return memory_take(bytes);
}

/* Opens a run, which the words of train's command line describe, each with a 0 after it and one
 * more after the last; they stay in use. Prints what train would. */
Lab *EXPORT(lab_open)(char *words)
{
    char **arguments = NULL; /* stb_ds array */
    for (; *words; words += strlen(words) + 1)
        arrput(arguments, words);
    const int count = (int)arrlen(arguments);
    arrput(arguments, NULL);
    Lab *lab = memory_new(1, sizeof *lab, "the run");
    Session *session = &lab->session;
    Trainer *t = &session->trainer;
    program_invocation_short_name = (char *)"train"; /* what messages begin with */
    setvbuf(stdout, NULL, _IOLBF, 0);
    json_prepare();
    session->screen = screen_open();
    session->asked = &lab->asked;
    t->texts = options_read(&PROGRAM, count, arguments, &t->plan.settings, t->decided.at);
    settings_check(&t->plan.settings, &t->decided, t->texts[0]);
    trainer_open(t);
    announce(t, &session->screen);
    const int vocabulary = tokenizer_size(&t->tokenizer);
    lab->row.uniform = elementary_log(vocabulary);
    lab->row.frequencies = floor_unigram(&t->corpus, vocabulary);
    session->last = (LogEntry){.loss = NAN, .evaluated = NAN, .rate = NAN};
    AUTOFREE char *command = command_line(arguments);
    if (!session_begin(session, command))
        exit(1);
    lab->idle = clock_seconds();
    return lab;
}

/* Takes a step; false if there was none left. The time before it, in which the run was only looked
 * at, does not count as training. */
bool EXPORT(lab_step)(Lab *lab)
{
    lab->session.begun += clock_seconds() - lab->idle;
    const bool taken = session_step(&lab->session);
    lab->idle = clock_seconds();
    return taken;
}

/* Saves, and prints how it ended. */
bool EXPORT(lab_end)(Lab *lab)
{
    return session_end(&lab->session, NULL, NULL);
}

/* Saves where the run is. */
bool EXPORT(lab_save)(Lab *lab)
{
    return session_save(&lab->session, "");
}

/* The last line of the log, as far as the page shows it. */
const Shown *EXPORT(lab_row)(Lab *lab)
{
    const Session *session = &lab->session;
    const LogEntry *last = &session->last;
    Shown *row = &lab->row;
    row->step = (double)session->trainer.progress.step;
    row->loss = last->loss;
    row->evaluated = last->evaluated;
    row->rate = last->rate;
    row->floor = trainer_has_floor(&session->trainer) ? session->trainer.floor : NAN;
    row->counting = session->trainer.counting.loss;
    row->steps = session->trainer.plan.settings.steps;
    return row;
}

/* The weights that are evaluated, and how many numbers they are. */
const Real *EXPORT(lab_weights)(Lab *lab)
{
    return trainer_evaluated_weights(&lab->session.trainer);
}

size_t EXPORT(lab_size)(const Lab *lab)
{
    return lab->session.trainer.gpt.size;
}

/* Cuts words off the end of a text while it has more tokens than the model reads at once. */
static void cut_to_context(const Pretrained *model, char *text)
{
    char *end;
    bool fits = false;
    while (!fits && (end = strrchr(text, ' '))) {
        Encoding encoding = prompt_encode(&model->tokenizer, "the text", text, strlen(text));
        fits = encoding.wrong || encoding.count <= model->gpt.config.context;
        encoding_free(&encoding);
        if (!fits)
            *end = 0;
    }
}

/* Writes page.html: what attend writes of the run as it was last saved. */
bool EXPORT(lab_page)(Lab *lab, char *text)
{
    Pretrained model = pretrained_open(lab->session.trainer.directory.path);
    cut_to_context(&model, text);
    TrainingText training_text = training_text_open(&model, NULL);
    Texts texts = texts_read(&model, (char *[]){text, NULL}, true, stdout);
    const GptConfig *config = &model.gpt.config;
    Heads heads = texts_heads(&texts, (Range){0, config->layers}, (Range){0, config->heads});
    const PageSource source = {
        .model = &model, .training_text = &training_text, .texts = texts.list, .live = true};
    const bool good = heads_file_write("page.html", &heads, &source);
    heads_free(&heads);
    texts_free(&texts);
    training_text_free(&training_text);
    pretrained_close(&model);
    return good;
}
