/* take_over.c: copies settings from a run or a model, field by field, after checking that the call
 * does not ask for something else. */
#include "take_over.h"

#include <assert.h>
#include <stdlib.h>

#include "training/run/record.h"

/* All that config.json holds replaces what the call has, except the settings that may change and
 * were asked for. */
void take_over_run(Settings *settings, Decided *decided, const Config *config,
                   const Directory *directory)
{
    const Settings call = *settings;
    const Decided asked = *decided;
    EACH_FIELD (field, SETTINGS)
        if (asked.at[field->offset] && field->life == LIFE_RUN)
            usage_error("--%s cannot change in a resumed run; %s keeps its own", field->name,
                        call.resume);
    record_settings(config, directory, settings);
    EACH_FIELD (field, SETTINGS) {
        if (asked.at[field->offset] && field->life == LIFE_MAY_CHANGE)
            field_copy(field, settings, &call);
        if (field->life != LIFE_CALL)
            decided->at[field->offset] = true;
    }
    /* Steps follow from epochs or the other way round: what was not asked for follows. */
    if (DECIDED(&asked, epochs))
        DECIDED(decided, steps) = false;
    if (DECIDED(&asked, steps))
        DECIDED(decided, epochs) = false;
}

/* ---- A model to start from ---- */

/* The windows of a model, one number for each head, so that two ways of writing the same list are
 * equal. */
static IntList windows_of(const Pattern *patterns, const GptConfig *shape)
{
    IntList list = {0};
    if (patterns) {
        list.count = shape->layers * shape->heads;
        list.at = memory_take((size_t)list.count * sizeof *list.at);
    }
    for (int i = 0; i < list.count; i++) {
        list.at[i] = pattern_window_size(patterns[i]);
        assert(pattern_equal(patterns[i], pattern_window(list.at[i]))); /* --window expresses it */
    }
    return list;
}

/* The settings that describe the model; free their window. */
static Settings settings_of(const Pretrained *model)
{
    const GptConfig *shape = &model->gpt.config;
    return (Settings){.tokens = model->tokenizer.kind,
                      .sequence = model->tokenizer.stream ? SEQUENCE_STREAM : SEQUENCE_LINES,
                      .lower = model->tokenizer.lower,
                      .layers = shape->layers,
                      .heads = shape->heads,
                      .width = shape->width,
                      .head_size = shape->head_size,
                      .hidden = shape->hidden,
                      .context = shape->context,
                      .window = windows_of(shape->patterns, shape),
                      .positions =
                          shape->learned_positions ? POSITIONS_LEARNED : POSITIONS_SINUSOIDAL,
                      .norm = shape->post_norm ? NORM_POST : NORM_PRE,
                      .activation = shape->gelu ? ACTIVATION_GELU : ACTIVATION_RELU,
                      .untied = shape->untied,
                      .no_qkv_bias = shape->no_qkv_bias};
}

/* Ends in a usage error if the call asked for another value than the model's. */
static void check_equal(const Field *field, const Settings *asked, const Settings *own)
{
    if (field_equal(field, asked, own))
        return;
    if (field->kind == FIELD_FLAG)
        usage_error("--%s conflicts with the model in %s, which was made without it", field->name,
                    asked->from);
    const char *value = field_text(field, own);
    const char *asked_value = field_text(field, asked);
    usage_error("--%s %s conflicts with the model in %s, which has %s", field->name,
                *asked_value ? asked_value : "0", asked->from, *value ? value : "none");
}

void take_over_model(Settings *settings, Decided *decided, const Pretrained *model)
{
    static const size_t taken[] = {offsetof(Settings, tokens),     offsetof(Settings, sequence),
                                   offsetof(Settings, lower),      offsetof(Settings, layers),
                                   offsetof(Settings, heads),      offsetof(Settings, width),
                                   offsetof(Settings, head_size),  offsetof(Settings, hidden),
                                   offsetof(Settings, context),    offsetof(Settings, window),
                                   offsetof(Settings, positions),  offsetof(Settings, norm),
                                   offsetof(Settings, activation), offsetof(Settings, untied),
                                   offsetof(Settings, no_qkv_bias)};
    if (DECIDED(decided, min_count) || DECIDED(decided, max_words))
        usage_error("--%s is for a new vocabulary; the model in %s keeps its own",
                    DECIDED(decided, min_count) ? "min-count" : "max-words", settings->from);
    const GptConfig *shape = &model->gpt.config;
    Settings own = settings_of(model);
    /* For two heads "2" and "2,2" are the same windows: spelt out, they are equal. */
    Pattern *patterns = settings_patterns(&settings->window, shape->layers, shape->heads);
    free(settings->window.at);
    settings->window = windows_of(patterns, shape);
    free(patterns);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        const Field *field = field_at(SETTINGS, taken[i]);
        if (decided->at[taken[i]])
            check_equal(field, settings, &own);
        field_copy(field, settings, &own);
        decided->at[taken[i]] = true;
    }
    free(own.window.at);
}
