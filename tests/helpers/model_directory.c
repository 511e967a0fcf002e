/* model_directory.c: the files are written by the functions that write a run's, and edited as
 * text. */
#include "model_directory.h"

#include <cjson/cJSON.h>

#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "literal.h"
#include "patterns.h"
#include "scratch.h"

static const char TEXT[] = "el perro come un hueso\n¿qué come el perro?\n";

const Pattern PATTERNS[4] = {W(1), W(0), W(2), W(7)};
const Kind PLAIN = {.shape = {.context = 8,
                              .layers = 2,
                              .heads = 2,
                              .key_heads = 2,
                              .head_size = 3,
                              .width = 6,
                              .hidden = 24,
                              .norm_epsilon = 1e-5,
                              .theta = 1e4}};

static Directory entered; /* the folder that a test is at work in */

const Directory *enter(const char *folder)
{
    if (entered.path)
        directory_close(&entered);
    entered = directory_open(folder);
    return &entered;
}

Pretrained write_model(const char *folder, Kind kind)
{
    Pretrained model = {.tokenizer = literal_tokenizer(TEXT, kind.tokens, kind.stream)};
    if (kind.lower)
        model.tokenizer.form = TEXT_LOWER;
    kind.shape.vocabulary = model.tokenizer.vocabulary.count;
    model.gpt = gpt_new(&kind.shape, kind.shape.context);
    gpt_init(&model.gpt, 5);
    assert_true(pretrained_save(folder, &model.gpt, &model.tokenizer));
    return model;
}

void free_model(Pretrained *model)
{
    gpt_free(&model->gpt);
    tokenizer_free(&model->tokenizer);
}

void edit(const char *folder, const char *name, const char *from, const char *to)
{
    cJSON *json = json_read(enter(folder), name);
    char *text = cJSON_PrintUnformatted(json), *at = strstr(text, from);
    if (!at)
        fail_msg("%s has no %s: %s", name, from, text);
    char *edited = format_text("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(scratch_write(folder, name, edited, strlen(edited)));
    free(edited);
    cJSON_free(text);
    cJSON_Delete(json);
}

static void open_it(void *directory)
{
    Pretrained model = pretrained_open(directory);
    pretrained_close(&model);
}

void assert_opens(const char *folder, const char *what)
{
    const ChildEnd ending = run_apart(open_it, (void *)folder);
    if (ending.signal || ending.status || ending.lines)
        fail_msg("%s: signal %d, status %d: %s", what, ending.signal, ending.status, ending.said);
}

void assert_refused(const char *folder, const char *what, const char *part)
{
    const ChildEnd ending = run_apart(open_it, (void *)folder);
    if (!has_died(&ending) || !strstr(ending.said, folder) || !strstr(ending.said, part))
        fail_msg("%s: wanted '%s'; signal %d, status %d, %d lines: %s", what, part, ending.signal,
                 ending.status, ending.lines, ending.said);
}

void assert_edits(const Edit *edits, size_t count, Kind kind)
{
    for (size_t i = 0; i < count; i++) {
        MODEL(folder, model, kind);
        edit(folder, edits[i].file, edits[i].from, edits[i].to);
        char *what = format_text("'%s' for '%s'", edits[i].to, edits[i].from);
        if (edits[i].said)
            assert_refused(folder, what, edits[i].said);
        else
            assert_opens(folder, what);
        free(what);
    }
}
