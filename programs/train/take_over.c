/* take_over.c: copies settings from a run or a model, field by field, after checking that the call
 * does not ask for something else. A run's settings are in its config.json; a model's follow from
 * its sizes and its tokenizer, so a GPT-2 that Transformers saved also works. */
#include "take_over.h"

#include <stdlib.h>

#include "programs/train/saving/record.h"

/* All that config.json holds replaces what the call has, except the settings that may change and
 * were asked for. Afterwards everything is decided, so that plan.c chooses nothing. */
void take_over_run(Settings *settings, Decided *decided, const Config *config,
                   const Directory *directory)
{
    Settings call = {0};
    const Decided asked = *decided;
    EACH_FIELD (field, SETTINGS)
        field_copy(field, &call, settings);
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
    settings_check_prompt(settings, &asked);
    settings_check_values(settings, decided);
    fields_free(SETTINGS, &call);
}

/* ---- A model to start from ---- */

/* Takes over one setting, whose value `own` has. Ends in a usage error if the call asked for
 * another. */
static void take(Settings *settings, Decided *decided, const Field *field, const Settings *own)
{
    if (decided->at[field->offset] && !field_equal(field, settings, own)) {
        if (field->kind == FIELD_FLAG)
            usage_error("--%s conflicts with the model in %s, which was made without it",
                        field->name, settings->from);
        const char *asked = field_text(field, settings), *value = field_text(field, own);
        usage_error("--%s %s conflicts with the model in %s, which has %s", field->name,
                    *asked ? asked : "all", settings->from, *value ? value : "all");
    }
    field_copy(field, settings, own);
    decided->at[field->offset] = true;
}
/* TAKE(layers, 4): the setting --layers is 4, in the model. */
#define TAKE(member, value) \
    take(settings, decided, SETTING(member), &(const Settings){.member = (value)})

void take_over_model(Settings *settings, Decided *decided, const Pretrained *model)
{
    const GptConfig *shape = &model->gpt.config;
    static const size_t of_vocabulary[] = {offsetof(Settings, min_count),
                                           offsetof(Settings, max_words),
                                           offsetof(Settings, vocabulary)};
    for (size_t i = 0; i < sizeof of_vocabulary / sizeof *of_vocabulary; i++)
        if (decided->at[of_vocabulary[i]])
            usage_error("--%s is for a new vocabulary; the model in %s keeps its own",
                        field_at(SETTINGS, of_vocabulary[i])->name, settings->from);
    TAKE(objective, model->config.objective);
    TAKE(causal_source, model->config.causal_source);
    settings_check_objective(settings, decided);
    TAKE(tokens, model->tokenizer.kind);
    TAKE(sequence, model->tokenizer.stream ? SEQUENCE_STREAM : SEQUENCE_LINES);
    TAKE(lower, model->tokenizer.form == TEXT_LOWER);
    EACH_FIELD (field, SETTINGS)
        if (settings_is_of_shape(field))
            take(settings, decided, field, &(const Settings){.shape = *shape});
    /* For two heads "2" and "2,2" are the same patterns: with an entry for each head, equal. */
    const int all = shape->layers * shape->heads;
    Pattern *asked = settings_patterns(settings->attend, shape->layers, shape->heads);
    free(settings->attend);
    settings->attend = asked ? patterns_list(asked, all) : NULL;
    char *own = shape->patterns ? patterns_list(shape->patterns, all) : NULL;
    TAKE(attend, own);
    free(own);
    free(asked);
}
