/* state.c: the progress is kept as words in the metadata of a safetensors file, whose checksum
 * covers them and the numbers:
 *
 *     {"__metadata__": {"step": "9", "epoch": "8", "next": "9", "best_loss": "2.0321846895383482",
 *                       ..., "log_size": "512", "identity": "21de9fd719d50c5c", ...},
 *      "last.transformer.wte.weight": {...}, ..., "adam_m.transformer.wte.weight": {...}, ...}
 */
#include "state.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "formats/huggingface/weights.h"
#include "formats/run/log.h"

/* ---- Writing ---- */

/* A number as a word that strtod() reads back to the same bits; a whole one has no point. */
static void put(cJSON *metadata, const char *name, double number)
{
    char word[32];
    snprintf(word, sizeof word, "%.17g", number);
    cJSON_AddStringToObject(metadata, name, word);
}

/* The tensors have Transformers' names after "last.", "adam_m.", "adam_v.", "average." or
 * "best.". */
bool state_write(const Directory *directory, const Gpt *gpt, const Optimizer *optimizer, Real *best,
                 const Progress *p, size_t log_size, uint64_t identity)
{
    NamedTensor *list = memory_new(5 * (size_t)gpt->tensor_count, sizeof *list, "a file's table");
    int count = weights_list(list, gpt, gpt->weight_block, "last.");
    count += weights_list(list + count, gpt, optimizer->m, "adam_m.");
    count += weights_list(list + count, gpt, optimizer->v, "adam_v.");
    if (optimizer->average)
        count += weights_list(list + count, gpt, optimizer->average, "average.");
    if (p->best_step != p->step) /* else the best weights are the last or averaged ones */
        count += weights_list(list + count, gpt, best, "best.");
    cJSON *metadata = cJSON_CreateObject();
    put(metadata, "step", (double)p->step);
    put(metadata, "epoch", (double)p->epoch);
    put(metadata, "next", (double)p->next);
    put(metadata, "best_loss", p->best_loss);
    put(metadata, "best_step", (double)p->best_step);
    put(metadata, "worse", p->worse);
    put(metadata, "loss", p->loss);
    put(metadata, "gradient_norm", p->gradient_norm);
    put(metadata, "evaluated", p->evaluated);
    put(metadata, "log_size", (double)log_size);
    cJSON_AddStringToObject(metadata, "identity", checksum_hex(identity).text);
    const bool good = safetensors_write(directory, STATE_FILE, list, count, metadata);
    free(list);
    return good;
}

uint64_t state_checksum(const Gpt *gpt, const Optimizer *optimizer)
{
    Real *const blocks[] = {gpt->weight_block, optimizer->m, optimizer->v, optimizer->average};
    uint64_t checksums[4] = {0};
    for (int i = 0; i < 4; i++)
        if (blocks[i])
            checksums[i] = weights_checksum(gpt, blocks[i]);
    return checksum_of(checksums, sizeof checksums);
}

/* ---- Reading ---- */

/* The file has the right checksum, or none: a word that is missing or makes no sense was written by
 * another program. */
static const char *word_of(const SafeTensors *file, const char *name)
{
    const char *word = safetensors_metadata(file, name);
    if (!word)
        die("%s is damaged: its %s is missing", file->path, name);
    return word;
}

/* A number of the progress; none of them is negative, and best_loss may be infinite. */
static double number_of(const SafeTensors *file, const char *name)
{
    const char *word = word_of(file, name);
    char *end;
    const double number = strtod(word, &end);
    if (end == word || *end || !(number >= 0))
        die("%s is damaged: its %s is '%.60s'", file->path, name, word);
    return number;
}

/* A count: a whole number that its type can hold. */
static int64_t count_of(const SafeTensors *file, const char *name, double max)
{
    const double number = number_of(file, name);
    if (number > max || number != (double)(int64_t)number)
        die("%s is damaged: its %s is %g", file->path, name, number);
    return (int64_t)number;
}

/* If the best weights are those of this step, both blocks are read from the same tensors. */
Progress state_read(const Directory *directory, Gpt *gpt, Optimizer *optimizer, Real *best,
                    size_t *log_size, uint64_t identity)
{
    SafeTensors file = safetensors_open(directory, STATE_FILE);
    if (strcmp(word_of(&file, "identity"), checksum_hex(identity).text) != 0)
        die("%s belongs to another run than %s/config.json", file.path, directory->path);
    const Progress progress = {.step = count_of(&file, "step", INT_MAX),
                               .epoch = count_of(&file, "epoch", INT_MAX),
                               .next = (size_t)count_of(&file, "next", 0x1p53),
                               .best_loss = number_of(&file, "best_loss"),
                               .best_step = count_of(&file, "best_step", INT_MAX),
                               .worse = (int)count_of(&file, "worse", INT_MAX),
                               .loss = number_of(&file, "loss"),
                               .gradient_norm = number_of(&file, "gradient_norm"),
                               .evaluated = count_of(&file, "evaluated", 1)};
    *log_size = (size_t)count_of(&file, "log_size", 0x1p53);
    weights_read(&file, gpt, gpt->weight_block, "last.");
    weights_read(&file, gpt, optimizer->m, "adam_m.");
    weights_read(&file, gpt, optimizer->v, "adam_v.");
    if (optimizer->average)
        weights_read(&file, gpt, optimizer->average, "average.");
    weights_read(&file, gpt, best,
                 progress.best_step != progress.step ? "best."
                 : optimizer->average                ? "average."
                                                     : "last.");
    safetensors_close(&file);
    return progress;
}
