/* take_over.c: copies settings from a run or a model, field by field, after checking that the call
 * does not ask for something else. A run's settings are in its config.json; a model's follow from
 * its sizes and its tokenizer, so a GPT-2 that Transformers saved also works. */
#include "take_over.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "formats/run/log.h"
#include "programs/train/saving/run.h"
#include "programs/train/team/team.h"

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
    AUTOFREE Pattern *asked = settings_patterns(settings->attend, shape->layers, shape->heads);
    free(settings->attend);
    settings->attend = asked ? patterns_list(asked, all) : NULL;
    AUTOFREE char *own = shape->patterns ? patterns_list(shape->patterns, all) : NULL;
    TAKE(attend, own);
}

/* Structs are shared as they are in memory, since all members are the same program; what
 * they point to follows. */
void share_text(char **text)
{
    size_t size = team_leads() && *text ? strlen(*text) + 1 : 0;
    team_share(&size, sizeof size);
    if (!team_leads())
        *text = size ? memory_take(size) : NULL;
    team_share(*text, size);
}

void share_settings(Settings *settings)
{
    if (!team_leads())
        fields_free(SETTINGS, settings);
    team_share(settings, sizeof *settings);
    EACH_FIELD (field, SETTINGS)
        if (field->kind == FIELD_TEXT)
            share_text((char **)((char *)settings + field->offset));
}

/* ---- The ids ---- */

/* Sends the leader's store through memory, in blocks. A member has the leader's struct so far, and
 * writes the bytes to a store of its own, which is a file too if the leader's is. */
static void share_store(Store *store)
{
    enum { BLOCK = 1 << 26 };
    const size_t size = store->size;
    if (!team_leads())
        *store = store->file < 0 ? store_in_memory() : store_in_temporary_file(TOKENS_FILE);
    const char *bytes = team_leads() ? store_view(store) : NULL;
    AUTOFREE char *room = memory_take(size < BLOCK ? size : BLOCK);
    for (size_t at = 0; at < size; at += BLOCK) {
        const size_t block = size - at < BLOCK ? size - at : BLOCK;
        if (bytes)
            memcpy(room, bytes + at, block);
        team_share(room, block);
        if (!bytes)
            store_put(store, room, block);
    }
}

/* The address that has so far the leader's: NULL, or as far from the beginning of the store. */
static const void *moved(const void *address, const char *from, const char *to)
{
    return address ? to + ((uintptr_t)address - (uintptr_t)from) : NULL;
}

void share_corpus(Corpus *c)
{
    team_share(c, sizeof *c);
    const char *from = c->store.at;
    share_store(&c->store);
    if (team_leads())
        return;
    const char *to = store_view(&c->store);
    c->ids.at = moved(c->ids.at, from, to);
    c->train.list = moved(c->train.list, from, to);
    c->aside.list = moved(c->aside.list, from, to);
    c->held_out.list = moved(c->held_out.list, from, to);
    c->evaluated = (Part){0};
}
