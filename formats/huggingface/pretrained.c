/* pretrained.c: opens a model's files one after the other; what config.json describes is checked
 * against the weights' file before memory is taken for it. */
#include "pretrained.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/nearest.h"
#include "data/text.h"
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

/* Before memory is taken for what config.json describes: the weights must be in the file. */
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

/* Two files of two runs make no model. Either file may have none of ours. */
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
    const Tokenizer tokenizer = tokenizer_read(directory, shape.vocabulary, model.config.eos);
    /* A run that is overwritten loses its model, then gets its new config.json and tokenizer, and at
     * last its new model: if config.json is still the same, all that was read belongs to it. */
    if (!config_is_unchanged(&model.config, directory))
        die("%s/config.json was replaced while the model was read; try again", path);
    model.vocabulary = tokenizer.vocabulary;
    model.lower = tokenizer.lower;
    model.stream = tokenizer.stream;
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
    vocabulary_free(&model->vocabulary);
    config_free(&model->config);
    directory_close(&model->directory);
}

void pretrained_check(const Pretrained *model, double number)
{
    if (!isfinite(number))
        die("%s/model.safetensors: its weights are so large that the model computes %g: it cannot "
            "be "
            "used",
            model->directory.path, number);
}

char *pretrained_tokens(const Pretrained *model, const char *name, const char *bytes, size_t size,
                        int **tokens, int *count)
{
    const Vocabulary *words = &model->vocabulary;
    char *clean;
    size_t clean_size;
    char *wrong = vocabulary_check_text(words, name, bytes, size);
    if (!wrong)
        wrong = text_clean(name, bytes, size, model->lower, &clean, &clean_size);
    if (wrong) {
        text_sanitize(wrong);
        return wrong;
    }
    int *read = memory_new(clean_size + 1, sizeof *read, "a prompt");
    *count = 0;
    if (!model->stream)
        read[(*count)++] = words->bos;
    const char *token, *at = clean, *end = clean + clean_size;
    while (!wrong && (token = vocabulary_next(words, &at, end))) {
        const int id = vocabulary_id(words, token, (size_t)(at - token));
        if (id >= 0)
            read[(*count)++] = id;
        else
            wrong = unknown_word(words, name, token, (size_t)(at - token));
    }
    if (wrong)
        free(read);
    else
        *tokens = read;
    free(clean);
    return wrong;
}
