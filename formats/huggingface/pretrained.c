/* pretrained.c: opens a model's files one after the other: config.json, the weights, the
 * tokenizer. The sizes in config.json are checked against those of the files of the weights before
 * memory is taken for the model. Nothing is locked: the run may be in training. */
#include "pretrained.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/ablation.h"
#include "tokenizer_json.h"
#include "weights.h"

/* Opens the model's directory; dies if it is none. */
static Directory open_directory(const char *path)
{
    if (access(path, F_OK) && errno == ENOENT)
        die("%s does not exist; name a model directory, written by train or by Transformers", path);
    const Directory directory = directory_open(path);
    weights_file(&directory); /* dies if there are none */
    return directory;
}

/* Dies if the files are too small for all the weights that config.json describes, of two bytes or
 * more each. They are counted without taking memory for them. */
static void check_size(const SafeTensors *files, GptConfig shape)
{
    int count;
    size_t numbers, wanted = 0;
    Tensor *tensors = gpt_tensors(&shape, &count, &numbers);
    for (int i = 0; i < count; i++)
        wanted += tensor_size(&tensors[i]);
    free(tensors);
    if (wanted > files->size / 2)
        die("%s: config.json describes %zu numbers, more than its %zu bytes can hold", files->path,
            wanted, files->size);
}

/* Dies if both files name a run, and not the same one. Files of Transformers name none. */
static void check_identity(const Config *config, const SafeTensors *file)
{
    const char *identity = safetensors_metadata(file, "identity");
    if (identity && config->identity && strcmp(identity, config->identity) != 0)
        die("%s belongs to another run than the config.json beside it", file->path);
}

Pretrained pretrained_open(const char *path)
{
    Pretrained model = {.directory = open_directory(path)};
    const Directory *directory = &model.directory;
    model.config = config_read(directory);
    const GptConfig shape = model.config.shape;
    SafeTensors files = weights_open(directory);
    check_identity(&model.config, &files);
    check_size(&files, shape);
    model.tokenizer =
        tokenizer_json_read(directory, shape.vocabulary, model.config.eos, model.config.objective);
    /* A run that is overwritten loses its model, then gets its new config.json and tokenizer, and
     * at last its new model: if config.json is still the same, all that was read belongs to it. */
    if (!config_is_unchanged(&model.config, directory))
        die("%s/config.json was replaced while the model was read; try again", path);
    model.gpt = gpt_new_reader(&shape, shape.context);
    weights_read_model(&files, &model.gpt);
    safetensors_close(&files);
    return model;
}

void pretrained_close(Pretrained *model)
{
    gpt_free(&model->gpt);
    tokenizer_free(&model->tokenizer);
    config_free(&model->config);
    directory_close(&model->directory);
}

/* Takes out the head or layer that a list begins with. Returns what follows its name, or NULL if
 * the model has none of that name. */
static const char *take_out_first(Gpt *gpt, const char *list)
{
    const int H = gpt->config.heads;
    for (int i = 0; i < gpt->config.layers * (H + 1); i++) {
        const int layer = i / (H + 1), head = i % (H + 1);
        char name[40];
        snprintf(name, sizeof name, head < H ? "L%dH%d" : "L%d", layer + 1, head + 1);
        const char *end = list + strlen(name);
        if (!strncmp(list, name, strlen(name)) && (!*end || *end == ',')) {
            ablate(gpt, layer, head);
            return end;
        }
    }
    return NULL;
}

void pretrained_without(Pretrained *model, const char *list)
{
    const GptConfig *config = &model->gpt.config;
    for (const char *rest = list, *end; rest; rest = *end ? end + 1 : NULL) {
        end = take_out_first(&model->gpt, rest);
        if (!end)
            usage_error("--without %s: give heads (L1H1 to L%dH%d in %s) or layers (L1 to L%d), "
                        "with commas between them",
                        list, config->layers, config->heads, model->directory.path, config->layers);
    }
}

bool pretrained_save(const char *path, const Gpt *gpt, const Tokenizer *tokenizer)
{
    directory_make(path);
    Directory directory = directory_open(path);
    const bool good = config_write(&directory, &gpt->config, tokenizer) &&
                      tokenizer_json_write(&directory, tokenizer, gpt->config.context) &&
                      weights_write(&directory, gpt, gpt->weight_block, 0);
    directory_close(&directory);
    return good;
}

Objective pretrained_objective(const Pretrained *model)
{
    Objective objective = tokenizer_objective(&model->tokenizer);
    objective.causal_source = model->config.causal_source;
    return objective;
}

void pretrained_check(const Pretrained *model, double number)
{
    if (!isfinite(number))
        die("%s/%s: its weights are so large that the model computes %g: it cannot be used",
            model->directory.path, weights_file(&model->directory), number);
}
