/* model_directory.c: the files are written by the functions that write a run's, and edited as
 * text. */
#include "model_directory.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "literal.h"
#include "patterns.h"
#include "scratch.h"

static const char TEXT[] = "el perro come un hueso\n¿qué come el perro?\n";

const Pattern PATTERNS[4] = {W(1), W(0), W(2), W(7)};
const Kind PLAIN = {
    .shape = {.context = 8, .layers = 2, .heads = 2, .head_size = 3, .width = 6, .hidden = 24}};

static void put_pulga(cJSON *json, const GptConfig *shape)
{
    cJSON *pulga = cJSON_AddObjectToObject(json, "pulga");
    cJSON_AddStringToObject(pulga, "positions",
                            shape->learned_positions ? "learned" : "sinusoidal");
    cJSON_AddStringToObject(pulga, "norm", shape->post_norm ? "post" : "pre");
    cJSON_AddNumberToObject(pulga, "head-size", shape->head_size);
    cJSON_AddBoolToObject(pulga, "no-qkv-bias", shape->no_qkv_bias);
    cJSON_AddItemToObject(pulga, "attend",
                          shape->patterns ? cJSON_CreateString("1,0,2,7") : cJSON_CreateNull());
}

static Directory entered; /* the folder that a test is at work in */

const Directory *enter(const char *folder)
{
    if (entered.path)
        directory_close(&entered);
    entered = directory_open(folder);
    return &entered;
}

bool write_weights(const char *folder, const Gpt *gpt, Real *block)
{
    NamedTensor *list = calloc((size_t)gpt->tensor_count, sizeof *list);
    const bool good = safetensors_write(enter(folder), "model.safetensors", list,
                                        weights_list(list, gpt, block, ""), cJSON_CreateObject());
    free(list);
    return good;
}

Pretrained write_model(const char *folder, Kind kind)
{
    Pretrained model = {.tokenizer = literal_tokenizer(TEXT, kind.tokens, kind.stream)};
    if (kind.lower)
        model.tokenizer.form = TEXT_LOWER;
    kind.shape.vocabulary = model.tokenizer.vocabulary.count;
    model.gpt = gpt_new(&kind.shape, kind.shape.context);
    gpt_init(&model.gpt, 5);
    cJSON *json = cJSON_CreateObject();
    config_put_model(json, &kind.shape, 0.1, &model.tokenizer, false);
    put_pulga(json, &kind.shape);
    assert_true(json_write(enter(folder), "config.json", json));
    cJSON_Delete(json);
    assert_true(tokenizer_json_write(enter(folder), &model.tokenizer, kind.shape.context));
    assert_true(write_weights(folder, &model.gpt, model.gpt.weight_block));
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
    const Ending ending = run_apart(open_it, (void *)folder);
    if (ending.signal || ending.status || ending.lines)
        fail_msg("%s: signal %d, status %d: %s", what, ending.signal, ending.status, ending.said);
}

void assert_refused(const char *folder, const char *what, const char *part)
{
    const Ending ending = run_apart(open_it, (void *)folder);
    if (!has_died(&ending) || !strstr(ending.said, folder) || !strstr(ending.said, part))
        fail_msg("%s: wanted '%s'; signal %d, status %d, %d lines: %s", what, part, ending.signal,
                 ending.status, ending.lines, ending.said);
}

void assert_edits(const Edit *edits, size_t count, Kind kind)
{
    for (size_t i = 0; i < count; i++) {
        char *folder = scratch_new();
        Pretrained model = write_model(folder, kind);
        edit(folder, edits[i].file, edits[i].from, edits[i].to);
        char *what = format_text("'%s' for '%s'", edits[i].to, edits[i].from);
        if (edits[i].said)
            assert_refused(folder, what, edits[i].said);
        else
            assert_opens(folder, what);
        free(what);
        free_model(&model);
        scratch_remove(folder);
    }
}
