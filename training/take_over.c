/* inherit.c: see inherit.h. */
#include "take_over.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "training/run/run.h"

char *take_over_run(Settings *settings, Decided *decided)
{
    const Settings call = *settings;
    const Decided asked = *decided;
    for (int i = 0; SETTINGS[i].name; i++)
        if (asked.field[i] && SETTINGS[i].of_the_run == THE_RUN)
            return format_text("--%s cannot change while %s goes on; it keeps its own",
                               SETTINGS[i].name, call.resume);
    run_read_settings(call.resume, settings);
    for (int i = 0; SETTINGS[i].name; i++) {
        if (asked.field[i] && SETTINGS[i].of_the_run == MAY_CHANGE)
            field_copy(&SETTINGS[i], settings, &call);
        if (SETTINGS[i].of_the_run)
            decided->field[i] = true;
    }
    /* Unless one of them is asked for anew both stay; then the other one follows from it. */
    if (is_decided(&asked, "epochs"))
        decided->field[field_index(SETTINGS, "steps")] = false;
    if (is_decided(&asked, "steps"))
        decided->field[field_index(SETTINGS, "epochs")] = false;
    return NULL;
}

/* ---- A model to go on from ---- */

/* Windows as a list of one for each head, so that two ways of writing the same are equal. */
static char *window_text(const Pattern *patterns, int count)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? "," : "", pattern_window_size(patterns[i]));
    fclose(out);
    return text;
}

static void spell_windows_out(Settings *settings, const GptConfig *shape)
{
    int count;
    Pattern *patterns = patterns_of(settings->window, shape->layers, shape->heads, &count);
    if (!patterns)
        return;
    free(settings->window);
    settings->window = window_text(patterns, shape->layers * shape->heads);
    free(patterns);
}

static Settings settings_of(const Pretrained *model)
{
    const GptConfig *shape = &model->gpt.shape;
    return (Settings){
        .tokens = model->vocabulary.characters ? TOKENS_CHAR : TOKENS_WORD,
        .sequence = model->stream ? SEQUENCE_STREAM : SEQUENCE_LINES,
        .lower = model->lower,
        .layers = shape->layers,
        .heads = shape->heads,
        .width = shape->width,
        .head_size = shape->head_size,
        .hidden = shape->hidden,
        .context = shape->context,
        .window =
            shape->patterns ? window_text(shape->patterns, shape->layers * shape->heads) : NULL,
        .positions = shape->learned_positions ? POSITIONS_LEARNED : POSITIONS_SINUSOIDAL,
        .norm = shape->post_norm ? NORM_POST : NORM_PRE,
        .activation = shape->gelu ? ACTIVATION_GELU : ACTIVATION_RELU,
        .untied = shape->untied,
        .no_qkv_bias = shape->no_qkv_bias};
}

/* A value as one would type it; the caller frees. */
static char *typed(const cJSON *value)
{
    char *json = cJSON_PrintUnformatted(value);
    const bool wrapped = cJSON_IsString(value) || cJSON_IsArray(value);
    char *text = cJSON_IsNull(value)
                     ? format_text("none")
                     : format_text("%.*s", (int)strlen(json) - 2 * wrapped, json + wrapped);
    cJSON_free(json);
    return text;
}

/* NULL, or how a field that was given differs from the model's. */
static char *contradiction(const Field *field, const Settings *settings, const Settings *own)
{
    cJSON *asked = field_to_json(field, settings), *kept = field_to_json(field, own);
    char *wrong = NULL;
    if (!cJSON_Compare(asked, kept, true)) {
        char *other = typed(asked), *value = typed(kept);
        wrong = field->kind == FLAG
                    ? format_text("--%s cannot be: the model in %s is made without it", field->name,
                                  settings->from)
                    : format_text("--%s %s cannot be: the model in %s has %s", field->name, other,
                                  settings->from, value);
        free(other);
        free(value);
    }
    cJSON_Delete(asked);
    cJSON_Delete(kept);
    return wrong;
}

char *take_over_model(Settings *settings, Decided *decided, const Pretrained *model)
{
    static const char *const taken[] = {"tokens",     "sequence", "lower",     "layers",
                                        "heads",      "width",    "head-size", "hidden",
                                        "context",    "window",   "positions", "norm",
                                        "activation", "tied",     "untied",    "no-qkv-bias"};
    static const char *const of_words[] = {"min-count", "max-words"};
    for (size_t i = 0; i < sizeof of_words / sizeof *of_words; i++)
        if (is_decided(decided, of_words[i]))
            return format_text("--%s is for a new vocabulary; the model in %s keeps its own",
                               of_words[i], settings->from);
    Settings own = settings_of(model);
    spell_windows_out(settings, &model->gpt.shape);
    char *wrong = NULL;
    for (size_t i = 0; i < sizeof taken / sizeof *taken && !wrong; i++)
        if (is_decided(decided, taken[i]))
            wrong = contradiction(&SETTINGS[field_index(SETTINGS, taken[i])], settings, &own);
    for (size_t i = 0; i < sizeof taken / sizeof *taken && !wrong; i++) {
        const int field = field_index(SETTINGS, taken[i]);
        cJSON *value = field_to_json(&SETTINGS[field], &own);
        wrong = field_from_json(&SETTINGS[field], settings, value);
        decided->field[field] = true;
        cJSON_Delete(value);
    }
    free(own.window);
    return wrong;
}
