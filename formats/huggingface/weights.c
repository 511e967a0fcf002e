/* weights.c: the model's own list of tensors (model/tensors.h) says what a file holds and where
 * each tensor is in the block. This file adds the names that files use, and finds the files. For
 * wte and lm_head:
 *
 *     ours           transformer.wte.weight           lm_head.weight
 *     in a state     adam_m.transformer.wte.weight    adam_m.lm_head.weight
 *     OpenAI-GPT     transformer.tokens_embed.weight  lm_head.weight
 *     an old file    wte.weight                       lm_head.weight
 *     a llama        model.embed_tokens.weight        lm_head.weight */
#include "weights.h"

#include <cjson/cJSON.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "formats/json.h"
#include "text/words/vocabulary.h"

/* How a file names its tensors. */
typedef struct {
    bool llama;         /* by LLAMA_NAMES; else as the model does, and then: */
    const char *prefix; /* begins all names                                  */
    const char *inner;  /* follows in all but the head's                     */
    bool zeros; /* a llama's: attention's output has a bias, of zeros, where q, k and v do */
} Names;

/* A tensor of the model that lies at `at`, in a file of GPT-2's kind. OpenAI-GPT (post-norm) files
 * use other names for the embeddings. */
static NamedTensor as_gpt2(const Gpt *gpt, const Tensor *tensor, Real *at, const Names *names)
{
    const bool outside = !strcmp(tensor->name, "lm_head.weight");
    const char *own = tensor->name;
    if (gpt->config.norm == NORM_POST)
        own = !strcmp(own, "wte.weight")   ? "tokens_embed.weight"
              : !strcmp(own, "wpe.weight") ? "positions_embed.weight"
                                           : own;
    NamedTensor entry = {
        .rows = tensor_is_vector(tensor) ? 0 : tensor->rows, .cols = tensor->cols, .at = at};
    snprintf(entry.name, sizeof entry.name, "%s%s%s", names->prefix, outside ? "" : names->inner,
             own);
    return entry;
}

/* What a llama's file calls our tensors, those of a block without its "h.N." or "model.layers.N.".
 * A matrix of ours may be several there. */
typedef enum { ALL, QUERIES, KEYS, VALUES, GATES, OTHERS } Part;
static const struct {
    const char *ours, *theirs;
    Part part;
} LLAMA_NAMES[] = {{"wte.weight", "model.embed_tokens.weight", ALL},
                   {"ln_f.weight", "model.norm.weight", ALL},
                   {"lm_head.weight", "lm_head.weight", ALL},
                   {"ln_1.weight", "input_layernorm.weight", ALL},
                   {"attn.c_attn.weight", "self_attn.q_proj.weight", QUERIES},
                   {"attn.c_attn.weight", "self_attn.k_proj.weight", KEYS},
                   {"attn.c_attn.weight", "self_attn.v_proj.weight", VALUES},
                   {"attn.c_attn.bias", "self_attn.q_proj.bias", QUERIES},
                   {"attn.c_attn.bias", "self_attn.k_proj.bias", KEYS},
                   {"attn.c_attn.bias", "self_attn.v_proj.bias", VALUES},
                   {"attn.c_proj.weight", "self_attn.o_proj.weight", ALL},
                   {"attn.c_proj.bias", "self_attn.o_proj.bias", ALL},
                   {"ln_2.weight", "post_attention_layernorm.weight", ALL},
                   {"mlp.c_fc.weight", "mlp.gate_proj.weight", GATES},
                   {"mlp.c_fc.weight", "mlp.up_proj.weight", OTHERS},
                   {"mlp.c_proj.weight", "mlp.down_proj.weight", ALL}};
enum { LLAMA_COUNT = sizeof LLAMA_NAMES / sizeof *LLAMA_NAMES };

/* The columns of a matrix (or of a vector) of ours that a part is. */
static void columns_of(const Tensor *tensor, const GptConfig *c, Part part, int *from, int *count)
{
    const int queries = c->heads * c->head_size, keys = c->key_heads * c->head_size;
    const int starts[] = {0, 0, queries, queries + keys, 0, c->hidden};
    const int counts[] = {tensor->cols, queries, keys, keys, c->hidden, c->hidden};
    *from = starts[part], *count = counts[part];
}

/* Lists what a tensor of the model is in a llama's file: nothing, or up to three. */
static int list_as_llama(NamedTensor *list, const Gpt *gpt, const Tensor *tensor, Real *at,
                         const Names *names)
{
    const bool inside = !strncmp(tensor->name, "h.", 2); /* of block number `layer` */
    char *dot = NULL;
    const long layer = inside ? strtol(tensor->name + 2, &dot, 10) : 0;
    const char *name = inside ? dot + 1 : tensor->name;
    int count = 0, from, cols;
    if (!tensor->trained && !(names->zeros && !strcmp(name, "attn.c_proj.bias")))
        return 0;
    for (int n = 0; n < LLAMA_COUNT; n++) {
        if (strcmp(name, LLAMA_NAMES[n].ours) != 0)
            continue;
        columns_of(tensor, &gpt->config, LLAMA_NAMES[n].part, &from, &cols);
        NamedTensor *entry = &list[count++];
        *entry = (NamedTensor){
            .rows = tensor_is_vector(tensor) ? 0 : tensor->rows, .cols = cols, .at = at + from};
        if (tensor->parts) /* a linear layer of a block */
            entry->rows = cols, entry->cols = tensor->rows, entry->step = tensor->cols;
        if (!inside)
            snprintf(entry->name, sizeof entry->name, "%s", LLAMA_NAMES[n].theirs);
        else
            snprintf(entry->name, sizeof entry->name, "model.layers.%ld.%s", layer,
                     LLAMA_NAMES[n].theirs);
    }
    return count;
}

/* Lists what tensor number i of the model is in a file, each with its place in the block; returns
 * how many there are. */
static int list_tensor(NamedTensor *list, const Gpt *gpt, int i, Real *block, const Names *names)
{
    const Tensor *tensor = &gpt->tensors[i];
    Real *at = block + tensor->offset;
    if (names->llama)
        return list_as_llama(list, gpt, tensor, at, names);
    *list = as_gpt2(gpt, tensor, at, names);
    return 1;
}

/* Room for the tensors of any file, which the caller frees. */
static NamedTensor *list_new(const Gpt *gpt)
{
    return memory_new(3 * (size_t)gpt->tensor_count, sizeof(NamedTensor), "a file's table");
}

static int list_all(NamedTensor *list, const Gpt *gpt, Real *block, const Names *names)
{
    int count = 0;
    for (int i = 0; i < gpt->tensor_count; i++)
        count += list_tensor(list + count, gpt, i, block, names);
    return count;
}

int weights_list(NamedTensor *list, const Gpt *gpt, Real *block, const char *prefix)
{
    return list_all(list, gpt, block, &(Names){.prefix = prefix, .inner = "transformer."});
}

/* The names in a model's own file: of these files, or (NULL) of one that we write. An old GPT-2's
 * file is one that has the shorter name of its first tensor; only a llama's that is not a qwen2's
 * has a bias of attention's output where q, k and v have them. */
static Names names_of(const Gpt *gpt, const SafeTensors *files)
{
    const char *first = gpt->config.norm == NORM_POST ? "tokens_embed.weight" : "wte.weight";
    const char *bias = "model.layers.0.self_attn.o_proj.bias";
    return (Names){.llama = gpt_config_family(&gpt->config) == FAMILY_LLAMA,
                   .prefix = "",
                   .inner = files && safetensors_has(files, first) ? "" : "transformer.",
                   .zeros = !gpt->config.no_qkv_bias && (!files || safetensors_has(files, bias))};
}

/* The tensors of a model's own file that we write: an array that the caller frees. */
static NamedTensor *list_file(const Gpt *gpt, Real *block, int *count)
{
    NamedTensor *list = list_new(gpt);
    const Names names = names_of(gpt, NULL);
    *count = list_all(list, gpt, block, &names);
    return list;
}

/* ---- The files ---- */

static const char MODEL[] = "model.safetensors", INDEX[] = "model.safetensors.index.json";

bool weights_write(const Directory *directory, const Gpt *gpt, Real *block, uint64_t identity)
{
    int count;
    NamedTensor *list = list_file(gpt, block, &count);
    cJSON *metadata = cJSON_CreateObject();
    if (identity)
        cJSON_AddStringToObject(metadata, "identity", checksum_hex(identity).text);
    const bool good = safetensors_write(directory, MODEL, list, count, metadata);
    free(list);
    return good;
}

/* The files of a model that is kept in several, and which of them has which tensor:
 *
 *     {"metadata": {"total_size": 497759232},
 *      "weight_map": {"transformer.wte.weight": "model-00001-of-00005.safetensors", ...}}
 *
 * Lists each file once, in the order of the map: an stb_ds array. */
static const char **files_of(const char *path, const cJSON *map)
{
    const char **files = NULL;
    Vocabulary listed = vocabulary_new();
    const cJSON *entry;
    cJSON_ArrayForEach(entry, map)
    {
        const char *name = cJSON_GetStringValue(entry);
        if (!name || !*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
            json_refuse(path, entry->string, entry, "the name of a file in the same directory");
        if (vocabulary_add(&listed, name, strlen(name), false) >= 0)
            arrput(files, name);
    }
    vocabulary_free(&listed);
    return files;
}

static SafeTensors open_several(const Directory *directory)
{
    cJSON *json = json_read(directory, INDEX);
    char *path = path_in(directory, INDEX);
    const cJSON *map = json_get(json, "weight_map"), *entry;
    if (!cJSON_IsObject(map) || !map->child)
        json_refuse(path, "weight_map", map, "an object of tensors and their files");
    const char **names = files_of(path, map);
    SafeTensors files = safetensors_open_all(directory, INDEX, names, (int)arrlen(names));
    cJSON_ArrayForEach(entry, map)
    {
        if (!safetensors_has(&files, entry->string))
            die("%s: %.100s is not in %.100s", path, entry->string, entry->valuestring);
    }
    arrfree(names);
    free(path);
    cJSON_Delete(json);
    return files;
}

const char *weights_file(const Directory *directory)
{
    if (directory_has(directory, MODEL))
        return MODEL;
    if (directory_has(directory, INDEX))
        return INDEX;
    if (directory_has(directory, "pytorch_model.bin") ||
        directory_has(directory, "pytorch_model.bin.index.json"))
        die("%s holds its weights as pytorch_model.bin, which can contain programs; save them as "
            "model.safetensors: AutoModelForCausalLM.from_pretrained(DIR).save_pretrained(DIR)",
            directory->path);
    die("%s is not a model directory: it has no %s", directory->path, MODEL);
}

SafeTensors weights_open(const Directory *directory)
{
    return weights_file(directory) == MODEL ? safetensors_open(directory, MODEL)
                                            : open_several(directory);
}

/* ---- The numbers ---- */

void weights_read(const SafeTensors *file, const Gpt *gpt, Real *block, const char *prefix)
{
    NamedTensor *list = list_new(gpt);
    const int count = weights_list(list, gpt, block, prefix);
    for (int i = 0; i < count; i++)
        safetensors_read(file, &list[i]);
    free(list);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), last = strlen(end);
    return size >= last && !strcmp(text + size - last, end);
}

/* All numbers of a tensor, whatever the model makes of them. The caller frees. */
static Real *numbers_of(const SafeTensors *files, const NamedTensor *tensor)
{
    NamedTensor whole = *tensor;
    whole.step = 0;
    whole.at = memory_new(safetensors_bytes(tensor), 1, tensor->name);
    safetensors_read(files, &whole);
    return whole.at;
}

/* A head that is stored although it is tied must be the same as the table of tokens. */
static void check_tied(const SafeTensors *files, const Gpt *gpt, const NamedTensor *table)
{
    NamedTensor stored = *table;
    snprintf(stored.name, sizeof stored.name, "lm_head.weight");
    if (gpt->config.untied || !safetensors_has(files, stored.name))
        return;
    Real *head = numbers_of(files, &stored), *tokens = numbers_of(files, table);
    if (memcmp(head, tokens, safetensors_bytes(table)) != 0)
        die("%s: lm_head.weight differs from the table of tokens, but config.json ties them; set "
            "tie_word_embeddings to false there",
            safetensors_file_of(files, stored.name));
    free(head);
    free(tokens);
}

static _Noreturn void die_of_number(const SafeTensors *files, const NamedTensor *tensor)
{
    const Real *numbers = numbers_of(files, tensor);
    const size_t last = safetensors_bytes(tensor) / sizeof *numbers - 1;
    size_t n = 0;
    while (n < last && isfinite(numbers[n]))
        n++;
    die("%s: number %zu of %s is %g: the model cannot be used",
        safetensors_file_of(files, tensor->name), n, tensor->name,
        isnan(numbers[n]) ? (double)NAN : (double)numbers[n]); /* without a sign */
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const NamedTensor *)a)->name, ((const NamedTensor *)b)->name);
}

/* Dies if there is a tensor that is not in the list. Old files also have masks and the like, which
 * follow from the model's sizes. */
static void check_others(const SafeTensors *files, const Gpt *gpt, NamedTensor *list, int count)
{
    const char *name;
    qsort(list, (size_t)count, sizeof *list, by_name);
    for (int i = 0; (name = safetensors_name(files, i)); i++) {
        NamedTensor wanted = {.rows = 0};
        snprintf(wanted.name, sizeof wanted.name, "%s", name);
        const bool tied = !gpt->config.untied && !strcmp(name, "lm_head.weight");
        if (!tied && !bsearch(&wanted, list, (size_t)count, sizeof wanted, by_name) &&
            !ends_with(name, ".attn.bias") && !ends_with(name, ".attn.masked_bias") &&
            !ends_with(name, ".rotary_emb.inv_freq"))
            die("%s has the tensor %.100s, which the model in config.json does not have",
                safetensors_file_of(files, name), name);
    }
}

void weights_read_model(const SafeTensors *files, const Gpt *gpt)
{
    NamedTensor *list = list_new(gpt), *next = list;
    const Names names = names_of(gpt, files);
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        const Real *origin = gpt->weight_block + tensor->offset;
        NamedTensor *end = next + list_tensor(next, gpt, i, gpt->weight_block, &names);
        if (i == 0)
            check_tied(files, gpt, next); /* the first is the table */
        for (; next < end; next++)
            if (!(tensor->rounding ? safetensors_read_rounded(files, next, tensor->rounding, origin)
                                   : safetensors_read(files, next)))
                die_of_number(files, next);
    }
    check_others(files, gpt, list, (int)(next - list));
    free(list);
}

uint64_t weights_checksum(const Gpt *gpt, Real *block)
{
    int count;
    NamedTensor *list = list_file(gpt, block, &count);
    Real *room = safetensors_room(list, count);
    Checksum *checksum = checksum_begin(0);
    for (int i = 0; i < count; i++)
        checksum_add(checksum, safetensors_numbers(&list[i], room), safetensors_bytes(&list[i]));
    free(room);
    free(list);
    return checksum_end(checksum);
}

char *weights_wrong(const Gpt *gpt, const Real *block)
{
    for (int i = gpt->tensor_count - 1; i >= 0; i--) {
        const Tensor *tensor = &gpt->tensors[i];
        const Real *at = block + tensor->offset;
        for (size_t n = 0; n < tensor_size(tensor); n++)
            if (!isfinite(at[n]))
                return format_text(_("number %zu of %s is %g"), n, tensor->name,
                                   isnan(at[n]) ? (double)NAN : (double)at[n]); /* without a sign */
    }
    return NULL;
}
