/* pretrained.c: model directories, ours and those of others, are opened, or refused in one line. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "formats/huggingface/config.h"
#include "formats/json.h"
#include "formats/huggingface/pretrained.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"
#include "tests/helpers/close.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/patterns.h"
#include "tests/helpers/scratch.h"

/* ---- A model directory, and edits of it ---- */

static const char TEXT[] = "el perro come un hueso\n¿qué come el perro?\n";

typedef struct {
    GptConfig shape;
    bool characters, stream, lower;
} Kind;

static const int WINDOWS[] = {1, 0, 2, 7};
static const Pattern PATTERNS[] = {W(1), W(0), W(2), W(7)};
static const Kind PLAIN = {
    .shape = {.context = 8, .layers = 2, .heads = 2, .head_size = 3, .width = 6, .hidden = 24}};

static void put_pulga(cJSON *json, const GptConfig *shape)
{
    cJSON *pulga = cJSON_AddObjectToObject(json, "pulga");
    cJSON_AddStringToObject(pulga, "positions",
                            shape->learned_positions ? "learned" : "sinusoidal");
    cJSON_AddStringToObject(pulga, "norm", shape->post_norm ? "post" : "pre");
    cJSON_AddNumberToObject(pulga, "head-size", shape->head_size);
    cJSON_AddBoolToObject(pulga, "no-qkv-bias", shape->no_qkv_bias);
    cJSON_AddItemToObject(pulga, "window",
                          shape->patterns ? cJSON_CreateIntArray(WINDOWS, 4) : cJSON_CreateNull());
}

static Directory entered; /* the folder that a test is at work in */

static const Directory *enter(const char *folder)
{
    if (entered.path)
        directory_close(&entered);
    entered = directory_open(folder);
    return &entered;
}

static bool write_weights(const char *folder, const Gpt *gpt, Real *block)
{
    NamedTensor *list = calloc((size_t)gpt->tensor_count, sizeof *list);
    cJSON *metadata = cJSON_CreateObject();
    const bool good = safetensors_write(enter(folder), "model.safetensors", list,
                                        weights_list(list, gpt, block, ""), metadata);
    cJSON_Delete(metadata);
    free(list);
    return good;
}

/* Writes a model of this kind into a folder; returns it as it was written. */
static Pretrained write_model(const char *folder, Kind kind)
{
    Pretrained model = {.tokenizer = literal_tokenizer(
                            TEXT, kind.characters ? TOKENIZER_CHAR : TOKENIZER_WORD, kind.stream)};
    model.tokenizer.lower = kind.lower;
    kind.shape.vocabulary = model.tokenizer.vocabulary.count;
    model.gpt = gpt_new(&kind.shape, kind.shape.context);
    gpt_init(&model.gpt, 5);
    cJSON *json = cJSON_CreateObject();
    config_put_model(json, &kind.shape, 0.1, &model.tokenizer);
    put_pulga(json, &kind.shape);
    assert_true(json_write(enter(folder), "config.json", json));
    cJSON_Delete(json);
    assert_true(tokenizer_json_write(enter(folder), &model.tokenizer, kind.shape.context));
    assert_true(write_weights(folder, &model.gpt, model.gpt.weight_block));
    return model;
}

static void free_model(Pretrained *model) /* its windows are the test's own */
{
    gpt_free(&model->gpt);
    tokenizer_free(&model->tokenizer);
}

/* A file of a folder with the first `from` as `to`, and all white space outside of it gone. */
static void edit(const char *folder, const char *name, const char *from, const char *to)
{
    cJSON *json = json_read(enter(folder), name);
    char *text = cJSON_PrintUnformatted(json), *at = strstr(text, from);
    if (!at)
        fail_msg("%s has no %s: %s", name, from, text);
    char *edited = format_text("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(scratch_write(folder, name, edited, strlen(edited)));
    free(edited);
    cJSON_free(text);
    cJSON_Delete(json);
}

static void open_it(void *directory)
{
    Pretrained model = pretrained_open(directory);
    pretrained_close(&model);
}

static void assert_opens(const char *folder, const char *what)
{
    const Ending ending = run_apart(open_it, (void *)folder);
    if (ending.signal || ending.status || ending.lines)
        fail_msg("%s: signal %d, status %d: %s", what, ending.signal, ending.status, ending.said);
}

static void assert_refused(const char *folder, const char *what, const char *part)
{
    const Ending ending = run_apart(open_it, (void *)folder);
    if (!has_died(&ending) || !strstr(ending.said, folder) || !strstr(ending.said, part))
        fail_msg("%s: wanted '%s'; signal %d, status %d, %d lines: %s", what, part, ending.signal,
                 ending.status, ending.lines, ending.said);
}

/* ---- What we write ---- */

static void assert_same_model(const Pretrained *a, const Pretrained *b)
{
    assert_int_equal(a->gpt.tensor_count, b->gpt.tensor_count);
    assert_int_equal(a->gpt.rows, a->gpt.config.context);
    assert_memory_equal(a->gpt.weight_block, b->gpt.weight_block, b->gpt.size * sizeof(Real));
    const GptConfig x = a->gpt.config, y = b->gpt.config;
    assert_int_equal(x.patterns != NULL, y.patterns != NULL);
    if (x.patterns)
        assert_memory_equal(x.patterns, y.patterns, sizeof PATTERNS);
    assert_memory_equal(&x, &y, offsetof(GptConfig, no_qkv_bias) + sizeof(bool));

    const Tokenizer *t = &a->tokenizer, *u = &b->tokenizer;
    assert_true(t->kind == u->kind && t->lower == u->lower && t->stream == u->stream);
    assert_true(t->bos == u->bos && t->eos == u->eos && t->unk == u->unk);
    assert_int_equal(t->vocabulary.count, u->vocabulary.count);
    for (int id = 0; id < u->vocabulary.count; id++) {
        const char *word = vocabulary_word(&u->vocabulary, id);
        assert_int_equal(vocabulary_find(&t->vocabulary, word, strlen(word)), id);
        assert_int_equal(vocabulary_is_special(&t->vocabulary, id),
                         vocabulary_is_special(&u->vocabulary, id));
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    Kind kinds[8];
    for (int i = 0; i < 8; i++) {
        kinds[i] = PLAIN;
        kinds[i].shape.post_norm = i % 2;
        kinds[i].shape.learned_positions = i % 3 == 0;
        kinds[i].shape.gelu = i / 2 % 2;
        kinds[i].shape.untied = i / 4;
        kinds[i].shape.no_qkv_bias = i == 4;
        kinds[i].characters = i % 3 == 1;
        kinds[i].stream = i % 4 == 2;
        kinds[i].lower = i == 5;
    }
    kinds[2].shape.patterns = kinds[3].shape.patterns = PATTERNS;
    kinds[6].shape.head_size = 5;
    kinds[7].shape.hidden = 10;
    for (int i = 0; i < 8; i++) {
        char *folder = scratch_new();
        Pretrained written = write_model(folder, kinds[i]), read = pretrained_open(folder);
        assert_same_model(&read, &written);
        pretrained_close(&read);
        free_model(&written);
        scratch_remove(folder);
    }
}

/* ---- Edited files ---- */

typedef struct {
    const char *file, *from, *to;
    const char *said; /* in the one line; NULL if it must open */
} Edit;

static void assert_edits(const Edit *edits, size_t count, Kind kind)
{
    for (size_t i = 0; i < count; i++) {
        char *folder = scratch_new();
        Pretrained model = write_model(folder, kind);
        edit(folder, edits[i].file, edits[i].from, edits[i].to);
        char *what = format_text("'%s' for '%s'", edits[i].to, edits[i].from);
        if (edits[i].said)
            assert_refused(folder, what, edits[i].said);
        else
            assert_opens(folder, what);
        free(what);
        free_model(&model);
        scratch_remove(folder);
    }
}
#define EDITS(edits, kind) assert_edits(edits, sizeof(edits) / sizeof *(edits), kind)

static const char C[] = "config.json", T[] = "tokenizer.json", U[] = "tokenizer_config.json";

static const Edit OF_ANY_CONFIG[] = {
    {C, "\"gpt2\"", "\"llama\"", "model_type is \"llama\""},
    {C, "\"gpt2\"", "2", "model_type is 2"},
    {C, "\"model_type\"", "\"x\"", "model_type is missing"},
    {C, "\"n_embd\":6", "\"n_embd\":0", "n_embd is 0"},
    {C, "\"n_embd\":6", "\"n_embd\":-6", "n_embd is -6"},
    {C, "\"n_embd\":6", "\"n_embd\":6.5", "n_embd is 6.5"},
    {C, "\"n_embd\":6", "\"n_embd\":\"6\"", "n_embd is \"6\""},
    {C, "\"n_embd\":6", "\"n_embd\":null", "n_embd is null"},
    {C, "\"n_embd\":6", "\"n_embd\":[6]", "n_embd is [6]"},
    {C, "\"n_embd\":6", "\"n_embd\":1e999", "n_embd"},
    {C, "\"n_embd\":6", "\"n_embd\":1000000000", "n_embd is 1000000000"},
    {C, "\"n_embd\"", "\"x\"", "n_embd is missing"},
    {C, "\"n_embd\":6", "\"n_embd\":65536", "numbers"}, /* the file bounds what is taken */
    {C, "\"n_layer\":2", "\"n_layer\":1000", "numbers"},
    {C, "\"n_layer\":2", "\"n_layer\":3", "has no tensor"},
    {C, "\"n_positions\":8", "\"n_positions\":1048576", "numbers"},
    {C, "\"n_positions\":8", "\"n_positions\":9", "shape"},
    {C, "\"vocab_size\":10", "\"vocab_size\":500000000", "numbers"},
    {C, "\"vocab_size\":10", "\"vocab_size\":1e300", "vocab_size"},
    {C, "\"vocab_size\":10", "\"vocab_size\":11", "no word for the id 10"},
    {C, "\"vocab_size\":10", "\"vocab_size\":9", "'?' has the id 9"},
    {C, "\"n_head\":2", "\"n_head\":4", "n_head is 4; supported is a number that divides"},
    {C, "\"n_head\":2", "\"n_head\":3", NULL},
    {C, "\"n_inner\":24", "\"n_inner\":null", NULL},
    {C, "\"n_inner\"", "\"x\"", NULL},
    {C, "\"n_inner\":24", "\"n_inner\":12", "shape"},
    {C, "\"relu\"", "\"gelu_new\"", NULL},
    {C, "\"relu\"", "\"gelu_pytorch_tanh\"", NULL},
    {C, "\"relu\"", "\"gelu\"", "activation_function is \"gelu\""},
    {C, "\"relu\"", "7", "activation_function is 7"},
    {C, "\"activation_function\"", "\"x\"", NULL},
    {C, "1e-05", "1e-06", "layer_norm_epsilon"},
    {C, "1e-05", "\"1e-05\"", "layer_norm_epsilon"},
    {C, "\"scale_attn_weights\":true", "\"scale_attn_weights\":false", "scale_attn_weights"},
    {C, "\"scale_attn_weights\":true", "\"scale_attn_weights\":1", "scale_attn_weights is 1"},
    {C, "\"scale_attn_weights\":true", "\"scale_attn_weights\":null", "scale_attn_weights"},
    {C, "{", "{\"scale_attn_by_inverse_layer_idx\":true,", "scale_attn_by_inverse_layer_idx"},
    {C, "{", "{\"add_cross_attention\":true,", "add_cross_attention is true"},
    {C, "{", "{\"add_cross_attention\":null,", NULL},
    {C, "\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false", "lm_head.weight"},
    {C, "\"tie_word_embeddings\":true", "\"tie_word_embeddings\":null", "lm_head.weight"},
    {C, "\"tie_word_embeddings\"", "\"x\"", NULL},
    {C, "\"eos_token_id\":1", "\"eos_token_id\":50256", NULL},
    {C, "\"eos_token_id\":1", "\"eos_token_id\":[1]", NULL},
    {C, "\"pulga\":{", "\"other\":{", NULL},
    {C, "\"pulga\":{", "\"pulga\":3,\"x\":{", NULL}, /* not ours then, and no harm */
    {C, "\"sinusoidal\"", "\"spiral\"", "positions"},
    {C, "\"positions\"", "\"x\"", "positions"},
};

static const Edit OF_OLD_CONFIG[] = {
    {C, "\"gelu\"", "\"relu\"", NULL},
    {C, "\"gelu\"", "\"gelu_new\"", "afn is \"gelu_new\""},
    {C, "\"gelu\"", "\"gelu_pytorch_tanh\"", "afn is \"gelu_pytorch_tanh\""},
    {C, "\"afn\"", "\"x\"", NULL},
    {C, "\"n_inner\":24", "\"n_inner\":99", NULL}, /* it has no such field */
};

static const Edit OF_OWN_CONFIG[] = {
    {C, "\"pulga\":{", "\"x\":{", "pulga is missing"},
    {C, "[1,0,2,7]", "[1]", NULL},
    {C, "[1,0,2,7]", "null", NULL},
    {C, "[1,0,2,7]", "[1,2,3,4,5]", "at most one number for each head"},
    {C, "[1,0,2,7]", "[-1]", "window"},
    {C, "[1,0,2,7]", "\"1\"", "window"},
    {C, "\"pre\"", "\"post\"", "has no tensor"},
    {C, "\"head-size\":3", "\"head-size\":65536", "numbers"},
    {C, "\"head-size\":3", "\"head-size\":0", "head-size"},
};

static void test_configs(void **state)
{
    (void)state;
    EDITS(OF_ANY_CONFIG, PLAIN);

    Kind old = PLAIN, own = PLAIN;
    old.shape.post_norm = old.shape.gelu = true;
    EDITS(OF_OLD_CONFIG, old);
    own.shape.patterns = PATTERNS;
    EDITS(OF_OWN_CONFIG, own);
}

#define ADDED                                                                        \
    ",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false," \
    "\"special\":true}"
static const Edit OF_TOKENIZER[] = {
    {T, "\"WordLevel\"", "\"BPE\"", "is a BPE tokenizer"},
    {T, "\"WordLevel\"", "3", "nameless"},
    {T, "\"vocab\":{", "\"x\":{", "vocab is missing"},
    {T, "\"vocab\":{", "\"vocab\":[],\"x\":{", "vocab is []"},
    {T, "\"el\":2", "\"el\":3", "two words have the id"},
    {T, "\"el\":2", "\"el\":10", "'el' has the id 10"},
    {T, "\"el\":2", "\"el\":-1", "no id for 'el'"},
    {T, "\"el\":2", "\"el\":1.5", "no id for 'el'"},
    {T, "\"el\":2", "\"el\":\"2\"", "no id for 'el'"},
    {T, "\"el\":2", "\"el\":1e99", "no id for 'el'"},
    {T, "\"el\":2", "\"perro\":2", "two ids for"},
    {T, "\"el\":2,", "", "no word for the id 2"},
    {T, "\"el\":2,", "\"el\":2,\"el\":2,", NULL}, /* which changes nothing */
    {T, "\"el\":2", "\"e\xFF\":2", "is not UTF-8"},
    {T, "\"el\":2", "\"e\\\\u0000\":2", NULL}, /* a backslash and u0000 */
    {T, "\"content\":\"[bos]\"", "\"content\":\"<s>\"", "two words have the id"},
    {T, "\"content\":\"[bos]\"", "\"content\":7", "added token"},
    {T, "\"special\":true", "\"special\":false", "special"},
    {T, "\"normalized\":false", "\"normalized\":true", "normalized"},
    {T, "\"?\":9", "\"x\":10", "'x' has the id 10"},
    {T, "\"added_tokens\":[", "\"added_tokens\":[{\"id\":10,\"content\":\"<x>\"" ADDED ",",
     "'<x>' has the id 10"},
    {T, "{\"type\":\"NFC\"}", "null", NULL},
    {T, "{\"type\":\"NFC\"}", "{\"type\":\"Lowercase\"}", NULL},
    {T, "{\"type\":\"NFC\"}", "{\"type\":\"NFKC\"}", "normalizer is {\"type\":\"NFKC\"}"},
    {T, "{\"type\":\"NFC\"}",
     "{\"type\":\"Sequence\",\"normalizers\":"
     "[{\"type\":\"Lowercase\"},{\"type\":\"StripAccents\"}]}",
     "StripAccents"},
    {T, "{\"type\":\"NFC\"}", "{\"type\":\"Sequence\"}", "normalizer"},
    {T, "{\"type\":\"NFC\"}", "\"NFC\"", "normalizer"},
    {T, "\"Isolated\"", "\"Removed\"", "pre_tokenizer is"},
    {T, "\"pre_tokenizer\":{", "\"pre_tokenizer\":null,\"x\":{", "pre_tokenizer is null"},
    {T, "\"pre_tokenizer\":{", "\"pre_tokenizer\":{\"type\":\"ByteLevel\"},\"x\":{", "ByteLevel"},
    {T, "\"pre_tokenizer\":{", "\"pre_tokenizer\":{\"type\":\"Whitespace\"},\"x\":{", NULL},
    {T, "\"pre_tokenizer\":{", "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"x\":{", NULL},
    {T, "\"post_processor\":{", "\"post_processor\":null,\"x\":{", NULL},
    {T, "\"TemplateProcessing\"", "\"BertProcessing\"", "post_processor"},
    {T, "\"single\":[", "\"single\":[{\"SpecialToken\":{\"id\":\"[bos]\"}},", "post_processor"},
    {T, "\"single\":[", "\"single\":[],\"x\":[", "post_processor"},
    {T, "\"single\":[", "\"single\":[{\"Sequence\":{\"id\":\"B\"}}],\"x\":[", "post_processor"},
    {T, "\"single\":[", "\"single\":[{\"Sequence\":{\"id\":\"A\"}}],\"x\":[", NULL},
    {T, "\"tokens\":[\"[bos]\"]", "\"tokens\":[\"[cls]\"]", "'[cls]'"},
    {T, "\"tokens\":[\"[bos]\"]", "\"tokens\":[]", "post_processor"},
    {T, "\"unk_token\"", "\"x\"", NULL},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":{\"content\":\"[eos]\"}", NULL},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":\"[bos]\"", NULL},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":\"<e>\"", "eos_token names '<e>'"},
    {U, "\"eos_token\":\"[eos]\"", "\"eos_token\":3", NULL}, /* then config.json says it */
    {U, "{", "{\"add_bos_token\":false,", "add_bos_token"},
    {U, "{", "{\"add_bos_token\":true,", NULL},
};

static void test_tokenizers(void **state)
{
    (void)state;
    EDITS(OF_TOKENIZER, PLAIN);
}

/* ---- Damaged and absent files ---- */

static void remove_file(const char *folder, const char *name)
{
    char *path = format_text("%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
    free(path);
}

static void test_absent(void **state)
{
    (void)state;
    static const char *const names[] = {"config.json", "tokenizer.json", "model.safetensors"};
    for (size_t i = 0; i < 3; i++) {
        char *folder = scratch_new();
        Pretrained model = write_model(folder, PLAIN);
        remove_file(folder, names[i]);
        assert_refused(folder, "absent", names[i]);
        if (i == 2) { /* what may be there instead */
            free(scratch_write(folder, "pytorch_model.bin", "", 0));
            assert_refused(folder, "pytorch", "safe_serialization");
            free(scratch_write(folder, "model.safetensors.index.json", "{}", 2));
            assert_refused(folder, "shards", "max_shard_size");
        }
        free_model(&model);
        scratch_remove(folder);
    }
    char *folder = scratch_new(), *absent = format_text("%s/absent", folder);
    assert_refused(absent, "no folder", "does not exist");
    assert_refused(folder, "an empty folder", "is not a model directory");
    free(absent);
    scratch_remove(folder);
}

static void test_damaged_json(void **state)
{
    (void)state;
    char *deep = malloc(200001), *folder = scratch_new();
    Pretrained model = write_model(folder, PLAIN);
    memset(deep, '[', 200000);
    deep[200000] = 0;
    const char *const bad[] = {"", "{", "[]", "null", "3", "{\"a\":1}}", "{} {}", deep, "\xFF"};
    static const char *const names[] = {"config.json", "tokenizer_config.json", "tokenizer.json"};
    for (size_t n = 0; n < 3; n++) {
        char *path = format_text("%s/%s", folder, names[n]);
        Bytes kept = file_read(path, true);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            free(scratch_write(folder, names[n], bad[i], strlen(bad[i])));
            if (n != 1 || i < 2 || i > 4) /* one that says nothing says nothing wrong */
                assert_refused(folder, bad[i], n ? "tokenizer" : "config.json");
        }
        free(scratch_write(folder, names[n], kept.bytes, kept.size));
        free(kept.bytes);
        free(path);
    }
    assert_opens(folder, "as it was");
    free_model(&model);
    free(deep);
    scratch_remove(folder);
}

/* Bytes of a file changed at random: it opens, or is refused in one line. */
static void test_random_damage(void **state)
{
    (void)state;
    static const char *const names[] = {"config.json", "tokenizer_config.json", "tokenizer.json"};
    static const char pieces[] = "{}[]\",:0123456789eE+-.\\u FaN\n";
    char *folder = scratch_new();
    Kind kind = PLAIN;
    kind.shape.patterns = PATTERNS;
    Pretrained model = write_model(folder, kind);
    unsigned random = 1;
    int refused = 0;
    for (int i = 0; i < 300; i++) {
        const char *name = names[i % 3];
        char *path = format_text("%s/%s", folder, name);
        Bytes kept = file_read(path, true), file = file_read(path, true);
        for (int changes = 1 + i % 4; changes > 0; changes--) {
            random = random * 1103515245u + 12345;
            const size_t where = (random >> 8) % file.size;
            random = random * 1103515245u + 12345;
            file.bytes[where] = pieces[(random >> 16) % (sizeof pieces - 1)];
        }
        free(scratch_write(folder, name, file.bytes, file.size));
        const Ending ending = run_apart(open_it, folder);
        refused += has_died(&ending);
        if (!has_died(&ending) && (ending.signal || ending.status || ending.lines))
            fail_msg("%s: signal %d, status %d, %d lines: %s", file.bytes, ending.signal,
                     ending.status, ending.lines, ending.said);
        free(scratch_write(folder, name, kept.bytes, kept.size));
        free(kept.bytes), free(file.bytes), free(path);
    }
    assert_in_range(refused, 100, 299);
    free_model(&model);
    scratch_remove(folder);
}

static void test_bad_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *said;
    } bad[] = {{NAN, "nan"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}};
    for (size_t i = 0; i < 3; i++) {
        char *folder = scratch_new();
        Pretrained model = write_model(folder, PLAIN);
        model.gpt.weights.block[1].attention.qkv.weight[7] = (Real)bad[i].value;
        assert_true(write_weights(folder, &model.gpt, model.gpt.weight_block));
        assert_refused(folder, "not finite", "number 7 of h.1.attn.c_attn.weight is");
        assert_refused(folder, "not finite", bad[i].said);
        free_model(&model);
        scratch_remove(folder);
    }
}

/* Old files: names without "transformer.", and masks beside the weights. */
static void write_old_weights(const char *folder, const Gpt *gpt)
{
    NamedTensor list[40] = {0};
    int count = weights_list(list, gpt, gpt->weight_block, "");
    for (int i = 0; i < count; i++)
        memmove(list[i].name, list[i].name + strlen("transformer."),
                strlen(list[i].name + strlen("transformer.")) + 1);
    Real mask[4] = {1, 0, 1, 1};
    list[count++] = (NamedTensor){"h.0.attn.bias", 2, 2, mask};
    cJSON *metadata = cJSON_CreateObject();
    assert_true(safetensors_write(enter(folder), "model.safetensors", list, count, metadata));
    cJSON_Delete(metadata);
}

static void test_old_names(void **state)
{
    (void)state;
    for (int post = 0; post < 2; post++) {
        char *folder = scratch_new();
        Kind kind = PLAIN;
        kind.shape.post_norm = post;
        Pretrained model = write_model(folder, kind);
        write_old_weights(folder, &model.gpt);
        Pretrained read = pretrained_open(folder);
        assert_same_model(&read, &model);
        pretrained_close(&read);
        free_model(&model);
        scratch_remove(folder);
    }
}

/* ---- Memory ---- */

/* Opens a model and computes the next token; ends with 3 if that has taken 400 MB. */
static void use_little(void *folder)
{
    Pretrained model = pretrained_open(folder);
    const Batch batch = {.rows = 1,
                         .sequences = 1,
                         .start = (const int[]){0, 1},
                         .tokens = (const int[]){0},
                         .targets = (const int[]){1},
                         .positions = (const int[]){0}};
    gpt_evaluate(&model.gpt, &batch, NULL);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    _exit(used.ru_maxrss > 400000 ? 3 : 0); /* kilobytes */
}

/* A small file that describes a long context in many layers: room for one sequence of the whole
 * context is asked for, and only what is touched of it is taken. */
static void test_little_memory(void **state)
{
    (void)state;
    char *folder = scratch_new();
    Kind deep = {.shape = {.context = 1 << 17,
                           .layers = 60,
                           .heads = 1,
                           .head_size = 1,
                           .width = 1,
                           .hidden = 4,
                           .learned_positions = true}};
    Pretrained model = write_model(folder, deep);
    const Ending ending = run_apart(use_little, folder);
    if (ending.signal || ending.status)
        fail_msg("signal %d, status %d: %s", ending.signal, ending.status, ending.said);
    free_model(&model);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_configs),
        cmocka_unit_test(test_tokenizers),    cmocka_unit_test(test_absent),
        cmocka_unit_test(test_damaged_json),  cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_bad_numbers),   cmocka_unit_test(test_old_names),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
