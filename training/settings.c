/* settings.c: see settings.h. */
#include "settings.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define AT(member) offsetof(Settings, member)
#define GROUP(title)                          \
    {                                         \
        .name = (title), .offset = (size_t)-1 \
    }
#define SUITS " [suits the text]"

const Field SETTINGS[] = {
    GROUP("The text:"),
    {"tokens", CHOICE, AT(tokens), "word", 0, 0, "word|char",
     "words and punctuation marks, or characters", THE_RUN},
    {"sequence", CHOICE, AT(sequence), NULL, 0, 0, "lines|stream",
     "each line a sentence (words' default), or one long stream (characters')", THE_RUN},
    {"lower", FLAG, AT(lower), NULL, 0, 1, NULL, "read all in lower case", THE_RUN},
    {"min-count", WHOLE, AT(min_count), "1", 1, INT_MAX, "N", "words seen less often become [unk]",
     THE_RUN},
    {"max-words", WHOLE, AT(max_words), "0", 0, INT_MAX, "N",
     "keep so many words, the most frequent; 0: all", THE_RUN},
    {"val", NUMBER, AT(val), NULL, 0, 0.9, "SHARE",
     "share of the text held out for validation" SUITS, THE_RUN},

    GROUP("The model:"),
    {"layers", WHOLE, AT(layers), NULL, 1, 1000, "L", "blocks" SUITS, THE_RUN},
    {"heads", WHOLE, AT(heads), NULL, 1, 1000, "H", "attention heads of a block" SUITS, THE_RUN},
    {"width", WHOLE, AT(width), NULL, 1, 1 << 16, "C", "width of the model" SUITS, THE_RUN},
    {"head-size", WHOLE, AT(head_size), NULL, 1, 1 << 16, "D", "width of a head [C/H]", THE_RUN},
    {"hidden", WHOLE, AT(hidden), NULL, 1, 1 << 18, "F", "width of the feed-forward layer [4C]",
     THE_RUN},
    {"context", WHOLE, AT(context), NULL, 1, 1 << 20, "T",
     "tokens that the model sees at most" SUITS, THE_RUN},
    {"window", WINDOWS, AT(window), NULL, 0, 0, "W,W,…",
     "tokens back, itself included, that each head sees, 0 for all; the list runs over the heads "
     "of the first layer, then of the next, and repeats",
     THE_RUN},
    {"positions", CHOICE, AT(positions), "sinusoidal", 0, 0, "sinusoidal|learned",
     "how a token's place is told", THE_RUN},
    {"norm", CHOICE, AT(norm), "pre", 0, 0, "pre|post",
     "layer norm before each branch (GPT-2) or after each sum (the 2017 paper)", THE_RUN},
    {"activation", CHOICE, AT(activation), "relu", 0, 0, "relu|gelu", "of the feed-forward layer",
     THE_RUN},
    {"tied", FLAG, AT(untied), NULL, 0, 0, NULL, "the head shares the embedding's table [yes]",
     THE_RUN},
    {"untied", FLAG, AT(untied), NULL, 0, 1, NULL, "the head has a table of its own", THE_RUN},
    {"no-qkv-bias", FLAG, AT(no_qkv_bias), NULL, 0, 1, NULL,
     "queries, keys and values without a bias", THE_RUN},
    {"dropout", NUMBER, AT(dropout), NULL, 0, 0.99, "P",
     "share of activations dropped [0 where nothing is held out; else 0.2 for words, 0 or 0.1 for "
     "characters]",
     THE_RUN},

    GROUP("Training:"),
    {"epochs", WHOLE, AT(epochs), NULL, 1, INT_MAX, "N", "passes over the text" SUITS, MAY_CHANGE},
    {"steps", WHOLE, AT(steps), NULL, 0, INT_MAX, "N",
     "steps of the run, instead of epochs; 0 writes the model as it starts", MAY_CHANGE},
    {"batch", WHOLE, AT(batch), NULL, 1, INT_MAX, "N", "sequences in each step" SUITS, THE_RUN},
    {"accumulate", WHOLE, AT(accumulate), "1", 1, 1 << 16, "K",
     "compute each step in K parts: the same step in less memory", THE_RUN},
    {"schedule", CHOICE, AT(schedule), "noam", 0, 0, "noam|cosine|constant",
     "how the learning rate runs", THE_RUN},
    {"lr", NUMBER, AT(lr), "0.001", 0, 1e9, "RATE", "highest rate of cosine and constant", THE_RUN},
    {"lr-factor", NUMBER, AT(lr_factor), NULL, 0, 1e9, "X", "factor of noam's rate" SUITS, THE_RUN},
    {"min-lr", NUMBER, AT(min_lr), "0", 0, 1e9, "RATE", "cosine's rate at the end", THE_RUN},
    {"warmup", WHOLE, AT(warmup), NULL, 0, INT_MAX, "N",
     "steps in which the rate grows [a tenth of the run, at most 4000]", THE_RUN},
    {"cooldown", NUMBER, AT(cooldown), "0.2", 0, 1, "SHARE",
     "last part of the run, in which the rate falls to 0; not for cosine", THE_RUN},
    {"decay", NUMBER, AT(decay), "0.01", 0, 1e9, "X", "AdamW's decay of all matrices", THE_RUN},
    {"clip", NUMBER, AT(clip), "1", 0, 1e9, "NORM", "longest gradient; 0: any", THE_RUN},
    {"patience", WHOLE, AT(patience), "0", 0, INT_MAX, "N",
     "stop after N evaluations without a better one; 0: never", MAY_CHANGE},
    {"eval-every", WHOLE, AT(eval_every), NULL, 1, INT_MAX, "N", "steps between evaluations" SUITS,
     THE_RUN},
    {"precision", CHOICE, AT(precision), "f32", 0, 0, "f32|bf16",
     "of the matrix products' operands; bf16 is faster where the processor knows it", THE_RUN},
    {"seed", WHOLE, AT(seed), "1", 0, INT_MAX, "N", "of all random numbers", THE_RUN},

    GROUP("This call:"),
    {"stop-after", WHOLE, AT(stop_after), "0", 0, INT_MAX, "N",
     "stop early, after step N of the same run; 0: do not", THIS_CALL},
    {"log-every", WHOLE, AT(log_every), NULL, 1, INT_MAX, "N",
     "steps between lines of the log" SUITS, MAY_CHANGE},
    {"checkpoint-every", WHOLE, AT(checkpoint_every), "0", 0, INT_MAX, "N",
     "steps between saves; 0: about once a minute", MAY_CHANGE},
    {"keep", WHOLE, AT(keep), "0", 0, 1000, "N",
     "of these saves the last N stay, as RUN/checkpoint-STEP, each a run to sample or resume",
     MAY_CHANGE},
    {"threads", WHOLE, AT(threads), NULL, 1, 1024, "N", "processors to use [all]", THIS_CALL},
    {"out", WORDS, AT(out), NULL, 0, 0, "DIR", "where the run goes [runs/NAME-OF-THE-TEXT]",
     THIS_CALL},
    {"overwrite", FLAG, AT(overwrite), NULL, 0, 1, NULL, "replace the run that --out names",
     THIS_CALL},
    {"resume", WORDS, AT(resume), NULL, 0, 0, "RUN", "go on with a run that was stopped",
     THIS_CALL},
    {"text", WORDS, AT(text), NULL, 0, 0, "FILE",
     "the text of a resumed run that holds no copy of it", THIS_CALL},
    {"from", WORDS, AT(from), NULL, 0, 0, "DIR",
     "go on from another model, with its sizes and its words: a run, or a GPT-2 that Transformers "
     "saved",
     THIS_CALL},
    {.name = NULL},
};

static void *member(const Field *field, void *into)
{
    return (char *)into + field->offset;
}

static bool is_group(const Field *field)
{
    return field->offset == (size_t)-1;
}

void fields_preset(const Field *fields, void *into)
{
    for (const Field *field = fields; field->name; field++)
        if (!is_group(field) && field->preset)
            free(field_set(field, into, field->preset));
}

void field_copy(const Field *field, void *into, const void *from)
{
    static const size_t sizes[] = {[WHOLE] = sizeof(int),
                                   [NUMBER] = sizeof(double),
                                   [CHOICE] = sizeof(int),
                                   [FLAG] = sizeof(bool)};
    memcpy(member(field, into), (const char *)from + field->offset, sizes[field->kind]);
}

void fields_free(const Field *fields, void *into)
{
    for (const Field *field = fields; field->name; field++)
        if (!is_group(field) && (field->kind == WORDS || field->kind == WINDOWS))
            free(*(char **)member(field, into));
}

int field_index(const Field *fields, const char *name)
{
    for (int i = 0; fields[i].name; i++)
        if (!is_group(&fields[i]) && !strcmp(fields[i].name, name))
            return i;
    return -1;
}

bool is_decided(const Decided *decided, const char *name)
{
    return decided->field[field_index(SETTINGS, name)];
}

int window_list(const char *text, int *numbers, int most)
{
    int count = 0;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        const long number = strtol(at, &end, 10);
        if (end == at || errno || number < 0 || number > INT_MAX || *at < '0' || *at > '9' ||
            (*end && *end != ',') || count == most)
            return -1;
        if (numbers)
            numbers[count] = (int)number;
        count++;
        at = end;
        if (!*at)
            return count;
    }
}

Pattern *patterns_of(const char *text, int layers, int heads, int *count)
{
    const int all = layers * heads;
    *count = 0;
    if (!text)
        return NULL;
    int *window = memory_new((size_t)all, sizeof *window, "the windows");
    *count = window_list(text, window, all);
    if (*count < 0) {
        free(window);
        return NULL;
    }
    Pattern *patterns = memory_new((size_t)all, sizeof *patterns, "the attention patterns");
    for (int i = 0; i < all; i++)
        patterns[i] = pattern_window(window[i % *count]);
    free(window);
    return patterns;
}

static char *set_whole(const Field *field, int *into, const char *text)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || (double)number < field->least ||
        (double)number > field->most)
        return format_text("--%s wants a whole number from %.0f to %.0f, not '%s'", field->name,
                           field->least, field->most, text);
    *into = (int)number;
    return NULL;
}

/* A number as config.json will give it back: cJSON may write one digit less than it takes to tell
 * it from its neighbour, and a resumed run must compute with the very number. */
static double as_kept(double number)
{
    cJSON *json = cJSON_CreateNumber(number);
    char *text = cJSON_PrintUnformatted(json);
    if (!text)
        die("no memory for a number");
    const double kept = strtod(text, NULL);
    cJSON_free(text);
    cJSON_Delete(json);
    return kept;
}

static char *set_number(const Field *field, double *into, const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end || !(number >= field->least && number <= field->most))
        return format_text("--%s wants a number from %g to %g, not '%s'", field->name, field->least,
                           field->most, text);
    *into = as_kept(number);
    return NULL;
}

static char *set_choice(const Field *field, int *into, const char *text)
{
    int index = 0;
    for (const char *choice = field->choices;; index++) {
        const size_t length = strcspn(choice, "|");
        if (length == strlen(text) && !memcmp(choice, text, length))
            return *into = index, NULL;
        if (!choice[length])
            return format_text("--%s is one of %s, not '%s'", field->name, field->choices, text);
        choice += length + 1;
    }
}

char *field_set(const Field *field, void *into, const char *text)
{
    switch (field->kind) {
    case WHOLE: return set_whole(field, member(field, into), text);
    case NUMBER: return set_number(field, member(field, into), text);
    case CHOICE: return set_choice(field, member(field, into), text);
    case FLAG: *(bool *)member(field, into) = field->most != 0; return NULL;
    case WINDOWS:
        if (window_list(text, NULL, INT_MAX) < 0)
            return format_text(
                "--%s wants whole numbers with commas between them, such as 1,2,3,4, "
                "not '%s'",
                field->name, text);
        break;
    case WORDS:
        if (!*text)
            return format_text("--%s wants a name, not an empty one", field->name);
        break;
    }
    char **words = member(field, into);
    free(*words);
    *words = format_text("%s", text);
    return NULL;
}

/* ---- JSON ---- */

cJSON *field_to_json(const Field *field, const void *from)
{
    const void *at = (const char *)from + field->offset;
    switch (field->kind) {
    case WHOLE: return cJSON_CreateNumber(*(const int *)at);
    case NUMBER: return cJSON_CreateNumber(*(const double *)at);
    case FLAG: return cJSON_CreateBool(*(const bool *)at == (field->most != 0));
    case CHOICE: {
        const char *choice = field->choices;
        for (int skip = *(const int *)at; skip > 0; skip--)
            choice += strcspn(choice, "|") + 1;
        char *name = strndup(choice, strcspn(choice, "|"));
        cJSON *json = cJSON_CreateString(name);
        free(name);
        return json;
    }
    case WORDS:
    case WINDOWS: break;
    }
    const char *text = *(char *const *)at;
    if (!text)
        return cJSON_CreateNull();
    if (field->kind == WORDS)
        return cJSON_CreateString(text);
    char *list = format_text("[%s]", text);
    cJSON *json = cJSON_Parse(list);
    free(list);
    return json;
}

char *field_from_json(const Field *field, void *into, const cJSON *value)
{
    char text[64];
    if (field->kind == FLAG && cJSON_IsBool(value)) {
        *(bool *)member(field, into) = cJSON_IsTrue(value) == (field->most != 0);
        return NULL;
    }
    if ((field->kind == WHOLE || field->kind == NUMBER) && cJSON_IsNumber(value)) {
        snprintf(text, sizeof text, "%.17g", value->valuedouble);
        return field_set(field, into, text);
    }
    if ((field->kind == CHOICE || field->kind == WORDS) && cJSON_IsString(value))
        return field_set(field, into, value->valuestring);
    if ((field->kind == WORDS || field->kind == WINDOWS) && cJSON_IsNull(value))
        return NULL;
    if (field->kind == WINDOWS && cJSON_IsArray(value)) {
        char *list = cJSON_PrintUnformatted(value);
        list[strlen(list) - 1] = 0; /* without the brackets */
        char *wrong = field_set(field, into, list + 1);
        free(list);
        return wrong;
    }
    return format_text("\"%s\" is missing or not of its kind", field->name);
}
