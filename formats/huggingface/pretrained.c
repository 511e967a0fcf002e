/* pretrained.c: opens a model's files one after the other: config.json, model.safetensors,
 * tokenizer.json and tokenizer_config.json. The sizes in config.json are checked against that of
 * the weights' file before memory is taken for the model. Nothing is locked: the run may be in
 * training. */
#include "pretrained.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tokenizer_json.h"
#include "weights.h"

/* Opens the model's directory; dies with the remedy if the weights are kept in a way that is not
 * read. */
static Directory open_directory(const char *path)
{
    if (access(path, F_OK) && errno == ENOENT)
        die("%s does not exist; name a model directory, written by train or by Transformers", path);
    const Directory directory = directory_open(path);
    if (directory_has(&directory, "model.safetensors"))
        return directory;
    if (directory_has(&directory, "model.safetensors.index.json"))
        die("%s holds its weights in several files; save them in one: "
            "model.save_pretrained(DIR, max_shard_size=\"100GB\")",
            path);
    if (directory_has(&directory, "pytorch_model.bin"))
        die("%s holds its weights as pytorch_model.bin; save them as model.safetensors: "
            "model.save_pretrained(DIR, safe_serialization=True)",
            path);
    die("%s is not a model directory: it has no model.safetensors", path);
}

/* Dies if the file is too small for all the weights that config.json describes. They are counted
 * without taking memory for them. */
static void check_size(const SafeTensors *file, GptConfig shape)
{
    int count;
    size_t numbers, wanted = 0;
    Tensor *tensors = gpt_tensors(&shape, &count, &numbers);
    for (int i = 0; i < count; i++)
        wanted += tensor_size(&tensors[i]);
    free(tensors);
    if (wanted > file->file.size / sizeof(float))
        die("%s: config.json describes %zu numbers, more than its %zu bytes can hold", file->path,
            wanted, file->file.size);
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
    SafeTensors file = safetensors_open(directory, "model.safetensors");
    check_identity(&model.config, &file);
    check_size(&file, shape);
    model.tokenizer = tokenizer_json_read(directory, shape.vocabulary, model.config.eos);
    /* A run that is overwritten loses its model, then gets its new config.json and tokenizer, and
     * at last its new model: if config.json is still the same, all that was read belongs to it. */
    if (!config_is_unchanged(&model.config, directory))
        die("%s/config.json was replaced while the model was read; try again", path);
    model.gpt = gpt_new(&shape, shape.context);
    weights_read(&file, &model.gpt, model.gpt.weight_block, "");
    const char *wrong = weights_wrong(&model.gpt, model.gpt.weight_block);
    if (wrong)
        die("%s: %s: the model cannot be used", file.path, wrong);
    safetensors_close(&file);
    return model;
}

void pretrained_close(Pretrained *model)
{
    gpt_free(&model->gpt);
    tokenizer_free(&model->tokenizer);
    config_free(&model->config);
    directory_close(&model->directory);
}

void pretrained_check(const Pretrained *model, double number)
{
    if (!isfinite(number))
        die("%s/model.safetensors: its weights are so large that the model computes %g: it cannot "
            "be used",
            model->directory.path, number);
}
