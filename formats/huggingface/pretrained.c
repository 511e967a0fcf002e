/* pretrained.c: see pretrained.h. */
#include "pretrained.h"

#include <math.h>
#include <stdlib.h>

#include "config.h"
#include "data/nearest.h"
#include "training/run/run.h"
#include "data/text.h"
#include "tokenizer_json.h"
#include "weights.h"

/* Dies with the remedy where the weights are kept in a way that is not read. */
static void check_files(const char *directory)
{
    if (!file_exists(directory))
        die("there is no %s; name a directory that train or Transformers has written", directory);
    if (file_is_in(directory, "model.safetensors"))
        return;
    if (file_is_in(directory, "model.safetensors.index.json"))
        die("%s holds its weights in several files; save them in one: "
            "model.save_pretrained(DIR, max_shard_size=\"100GB\")",
            directory);
    if (file_is_in(directory, "pytorch_model.bin"))
        die("%s holds its weights as pytorch_model.bin; save them as model.safetensors: "
            "model.save_pretrained(DIR, safe_serialization=True)",
            directory);
    die("%s is no model: it has no model.safetensors", directory);
}

/* Before memory is taken by what config.json says: the weights it speaks of must be there. */
static void check_size(const char *directory, GptConfig shape, size_t file_size)
{
    int count;
    size_t numbers, wanted = 0;
    Tensor *tensors = gpt_tensors(&shape, &count, &numbers);
    for (int i = 0; i < count; i++)
        wanted += tensor_size(&tensors[i]);
    free(tensors);
    if (wanted > file_size / sizeof(float))
        die("%s: config.json speaks of %zu numbers, more than the %zu bytes of model.safetensors "
            "can hold",
            directory, wanted, file_size);
}

static void check_numbers(const char *directory, const Gpt *gpt)
{
    char *wrong = weights_wrong(gpt, gpt->weight_block);
    if (wrong)
        die("%s/model.safetensors: %s: the model is of no use", directory, wrong);
}

Pretrained pretrained_open(const char *directory)
{
    check_files(directory);
    const Config config = config_read(directory);
    char *path = format_text("%s/model.safetensors", directory);
    SafeTensors file = safetensors_open(path);
    if (safetensors_metadata(&file, "xxh3_64")) /* else others have saved it anew */
        run_check_seals(directory);
    check_size(directory, config.shape, file.file.size);
    const Tokenizer tokenizer = tokenizer_read(directory, config.shape.vocabulary, config.eos);
    Pretrained model = {.directory = directory,
                        .vocabulary = tokenizer.vocabulary,
                        .lower = tokenizer.lower,
                        .stream = tokenizer.stream};
    model.gpt = gpt_new(&config.shape, config.shape.context);
    free((Pattern *)config.shape.patterns);
    weights_read(&file, &model.gpt, model.gpt.weight_block, "");
    safetensors_close(&file);
    free(path);
    check_numbers(directory, &model.gpt);
    return model;
}

void pretrained_close(Pretrained *model)
{
    gpt_free(&model->gpt);
    vocabulary_free(&model->vocabulary);
}

void pretrained_check(const Pretrained *model, double number)
{
    if (!isfinite(number))
        die("%s/model.safetensors: its weights are so large that the model computes %g: it is of "
            "no use",
            model->directory, number);
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
