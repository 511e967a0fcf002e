/* state.c: see state.h. */
#include "state.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "formats/huggingface/weights.h"

/* ---- Writing ---- */

/* What a state says beside its numbers, and in which order its checksum covers it. */
enum {
    STEP,
    EPOCH,
    NEXT,
    BEST_LOSS,
    BEST_STEP,
    WORSE,
    LOSS,
    NORM,
    EVALUATED,
    LOG_SIZE,
    LOG_SUM,
    LOG_LINES,
    RUN,
    WORD_COUNT
};
static const char *const NAMES[WORD_COUNT] = {
    [STEP] = "step",           [EPOCH] = "epoch",         [NEXT] = "next",
    [BEST_LOSS] = "best_loss", [BEST_STEP] = "best_step", [WORSE] = "worse",
    [LOSS] = "loss",           [NORM] = "gradient_norm",  [EVALUATED] = "evaluated",
    [LOG_SIZE] = "log_size",   [LOG_SUM] = "log_xxh3_64", [LOG_LINES] = "log_lines",
    [RUN] = "run_xxh3_64",
};
static const char CHECKSUM[] = "progress_xxh3_64";

static void checksum_of_words(char text[17], const char *const *words)
{
    uint64_t checksum = 0;
    for (int i = 0; i < WORD_COUNT; i++)
        checksum = checksum_continue(checksum, words[i], strlen(words[i]) + 1);
    checksum_hex(text, checksum);
}

static cJSON *metadata_of(const Progress *p, const Log *log, uint64_t identity)
{
    char log_sum[17], run[17], sum[17];
    checksum_hex(log_sum, log->safe.checksum);
    checksum_hex(run, identity);
    char *words[WORD_COUNT] = {
        [STEP] = format_text("%" PRId64, p->step),
        [EPOCH] = format_text("%" PRId64, p->epoch),
        [NEXT] = format_text("%zu", p->next),
        [BEST_LOSS] = format_text("%.17g", p->best_loss),
        [BEST_STEP] = format_text("%" PRId64, p->best_step),
        [WORSE] = format_text("%d", p->worse),
        [LOSS] = format_text("%.17g", fmax(0, p->loss)),
        [NORM] = format_text("%.17g", p->gradient_norm),
        [EVALUATED] = format_text("%d", p->evaluated),
        [LOG_SIZE] = format_text("%zu", log->safe.size),
        [LOG_SUM] = format_text("%s", log_sum),
        /* Lines that the log could not take are kept here: none is ever missing. */
        [LOG_LINES] = format_text("%.*s", (int)arrlen(log->lines), log->lines ? log->lines : ""),
        [RUN] = format_text("%s", run),
    };
    cJSON *metadata = cJSON_CreateObject();
    checksum_of_words(sum, (const char *const *)words);
    for (int i = 0; i < WORD_COUNT; i++) {
        cJSON_AddStringToObject(metadata, NAMES[i], words[i]);
        free(words[i]);
    }
    cJSON_AddStringToObject(metadata, CHECKSUM, sum);
    return metadata;
}

bool state_write(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
                 const Progress *p, const Log *log, uint64_t identity)
{
    NamedTensor *list = memory_new(4 * (size_t)gpt->tensor_count, sizeof *list, "a file's table");
    int count = weights_list(list, gpt, gpt->weight_block, "last.");
    count += weights_list(list + count, gpt, adam->m, "adam_m.");
    count += weights_list(list + count, gpt, adam->v, "adam_v.");
    if (p->best_step != p->step) /* else the best weights are the last ones */
        count += weights_list(list + count, gpt, best, "best.");
    cJSON *metadata = metadata_of(p, log, identity);
    const bool good = safetensors_write(directory, "state.safetensors", list, count, metadata);
    cJSON_Delete(metadata);
    free(list);
    return good;
}

/* ---- Reading ---- */

/* A number of the state's metadata; dies where it is none. */
static double number_of(const SafeTensors *file, int word)
{
    const char *text = safetensors_metadata(file, NAMES[word]);
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end || isnan(number) || number < 0)
        die("%s is damaged: it does not say its %s", file->path, NAMES[word]);
    return number;
}

/* A count among them: whole, and small enough for the type it goes into. */
static int64_t count_of(const SafeTensors *file, int word, double most)
{
    const double number = number_of(file, word);
    if (number > most || number != (double)(int64_t)number)
        die("%s is damaged: its %s cannot be %g", file->path, NAMES[word], number);
    return (int64_t)number;
}

static void check_words(const SafeTensors *file, const char *directory, uint64_t identity)
{
    const char *words[WORD_COUNT], *written = safetensors_metadata(file, CHECKSUM);
    char checksum[17];
    for (int i = 0; i < WORD_COUNT; i++)
        if (!(words[i] = safetensors_metadata(file, NAMES[i])))
            die("%s is damaged: it does not say its %s", file->path, NAMES[i]);
    checksum_of_words(checksum, words);
    if (!written || strcmp(written, checksum))
        die("%s is damaged: its progress does not match its checksum", file->path);
    checksum_hex(checksum, identity);
    if (strcmp(words[RUN], checksum))
        die("%s is of another run than %s/config.json", file->path, directory);
}

Progress state_read(const char *directory, Gpt *gpt, Adam *adam, Real *best, Log *log,
                    uint64_t identity)
{
    char *path = format_text("%s/state.safetensors", directory);
    SafeTensors file = safetensors_open(path);
    check_words(&file, directory, identity);
    const Progress progress = {.step = count_of(&file, STEP, INT_MAX),
                               .epoch = count_of(&file, EPOCH, INT_MAX),
                               .next = (size_t)count_of(&file, NEXT, 0x1p53),
                               .best_loss = number_of(&file, BEST_LOSS),
                               .best_step = count_of(&file, BEST_STEP, INT_MAX),
                               .worse = (int)count_of(&file, WORSE, INT_MAX),
                               .loss = number_of(&file, LOSS),
                               .gradient_norm = number_of(&file, NORM),
                               .evaluated = count_of(&file, EVALUATED, 1)};
    log->safe = (LogMark){
        .size = (size_t)count_of(&file, LOG_SIZE, 0x1p53),
        .checksum = strtoull(safetensors_metadata(&file, NAMES[LOG_SUM]), NULL, 16),
    };
    const char *lines = safetensors_metadata(&file, NAMES[LOG_LINES]);
    if (*lines)
        memcpy(arraddnptr(log->lines, strlen(lines)), lines, strlen(lines));
    weights_read(&file, gpt, gpt->weight_block, "last.");
    weights_read(&file, gpt, adam->m, "adam_m.");
    weights_read(&file, gpt, adam->v, "adam_v.");
    weights_read(&file, gpt, best, progress.best_step != progress.step ? "best." : "last.");
    safetensors_close(&file);
    free(path);
    return progress;
}
