/* test_pretrained.c: model directories, ours and others', opened or refused in one line; and
 * prompts. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "formats/huggingface/config.h"
#include "formats/json.h"
#include "data/nearest.h"
#include "formats/huggingface/pretrained.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"
#include "tests/helpers/close.h"
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
    Pretrained model = {.lower = kind.lower, .stream = kind.stream};
    model.vocabulary = vocabulary_of(
        "a test", TEXT, strlen(TEXT),
        (VocabularyRules){.characters = kind.characters, .stream = kind.stream, .min_count = 1});
    kind.shape.vocabulary = model.vocabulary.count;
    model.gpt = gpt_new(&kind.shape, kind.shape.context);
    gpt_init(&model.gpt, 5);
    cJSON *json = cJSON_CreateObject();
    config_put_model(json, &kind.shape, 0.1, &model.vocabulary);
    put_pulga(json, &kind.shape);
    assert_true(json_write(enter(folder), "config.json", json));
    cJSON_Delete(json);
    assert_true(tokenizer_write(enter(folder), &model.vocabulary, kind.lower, kind.shape.context));
    assert_true(write_weights(folder, &model.gpt, model.gpt.weight_block));
    return model;
}

static void free_model(Pretrained *model) /* its windows are the test's own */
{
    gpt_free(&model->gpt);
    vocabulary_free(&model->vocabulary);
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
    assert_int_equal(a->lower, b->lower);
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->gpt.tensor_count, b->gpt.tensor_count);
    assert_int_equal(a->gpt.rows, a->gpt.config.context);
    assert_memory_equal(a->gpt.weight_block, b->gpt.weight_block, b->gpt.size * sizeof(Real));
    const GptConfig x = a->gpt.config, y = b->gpt.config;
    assert_int_equal(x.patterns != NULL, y.patterns != NULL);
    if (x.patterns)
        assert_memory_equal(x.patterns, y.patterns, sizeof PATTERNS);
    assert_memory_equal(&x, &y, offsetof(GptConfig, no_qkv_bias) + sizeof(bool));

    const Vocabulary *v = &a->vocabulary, *w = &b->vocabulary;
    assert_int_equal(v->count, w->count);
    for (int id = 0; id < w->count; id++) {
        assert_string_equal(v->words[id].key, w->words[id].key);
        assert_int_equal(vocabulary_id(v, w->words[id].key, strlen(w->words[id].key)), id);
    }
    assert_true(v->bos == w->bos && v->eos == w->eos && v->unk == w->unk);
    assert_int_equal(v->characters, w->characters);
    assert_int_equal(arrlen(v->special), arrlen(w->special));
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
    const char *said; /* in the one line; NULL where it must open */
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
    {T, "\"el\":2", "\"e\xFF\":2", "no UTF-8"},
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

/* ---- A vocabulary from elsewhere ---- */

static char *foreign(const char *splitter, const char *front)
{
    return format_text(
        "{\"added_tokens\":[{\"id\":4,\"content\":\"<s>\"" ADDED ",{\"id\":1,\"content\":"
        "\"<unk>\"" ADDED ",{\"id\":0,\"content\":\"<pad>\"" ADDED "],\"normalizer\":null,"
        "\"pre_tokenizer\":%s,\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[%s"
        "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"special_tokens\":{\"<s>\":{\"id\":\"<s>\","
        "\"ids\":[4],\"tokens\":[\"<s>\"]}}},\"model\":{\"type\":\"WordLevel\",\"vocab\":{"
        "\"perro\":3,\"<unk>\":1,\"el\":2,\"<pad>\":0},\"unk_token\":\"<unk>\"}}",
        splitter, front);
}

static void assert_foreign(const Tokenizer *t, bool lines, Marks marks)
{
    const Vocabulary *v = &t->vocabulary;
    static const char *const words[] = {"<pad>", "<unk>", "el", "perro", "<s>"};
    assert_int_equal(v->count, 5);
    for (int id = 0; id < 5; id++)
        assert_string_equal(v->words[id].key, words[id]);
    assert_int_equal(v->bos, lines ? 4 : -1);
    assert_int_equal(v->eos, lines ? 4 : -1);
    assert_int_equal(v->unk, 1);
    assert_int_equal(arrlen(v->special), 3);
    assert_true(v->marks == marks && !v->characters && !t->lower && t->stream == !lines);
}

/* Read, written as ours are, and read again: the same. */
static void test_foreign(void **state)
{
    (void)state;
    static const char *const splitters[] = {"{\"type\":\"WhitespaceSplit\"}",
                                            "{\"type\":\"Whitespace\"}"};
    for (int i = 0; i < 4; i++) {
        char *folder = scratch_new();
        const Marks marks = i % 2 ? MARKS_IN_RUNS : MARKS_IN_WORDS;
        char *json = foreign(splitters[i % 2], i / 2 ? "{\"SpecialToken\":{\"id\":\"<s>\"}}," : "");
        free(scratch_write(folder, "tokenizer.json", json, strlen(json)));
        Tokenizer first = tokenizer_read(enter(folder), 5, 4);
        assert_foreign(&first, i / 2, marks);
        assert_true(tokenizer_write(enter(folder), &first.vocabulary, first.lower, 8));
        Tokenizer again = tokenizer_read(enter(folder), 5, -1);
        assert_foreign(&again, i / 2, marks);
        vocabulary_free(&first.vocabulary);
        vocabulary_free(&again.vocabulary);
        free(json);
        scratch_remove(folder);
    }
}

static void read_without_end(void *folder)
{
    tokenizer_read(enter(folder), 5, -1);
}

static void test_no_end(void **state)
{
    (void)state;
    char *folder = scratch_new();
    char *json = foreign("{\"type\":\"Whitespace\"}", "{\"SpecialToken\":{\"id\":\"<s>\"}},");
    free(scratch_write(folder, "tokenizer.json", json, strlen(json)));
    assert_dies(read_without_end, folder, folder, "eos_token");
    free(json);
    scratch_remove(folder);
}

static void test_many_words(void **state)
{
    (void)state;
    enum { MANY = 120000 };
    char *folder = scratch_new(), word[16];
    Vocabulary v = vocabulary_new(false);
    for (int i = 0; i < MANY; i++) {
        snprintf(word, sizeof word, "w%d", i);
        assert_true(vocabulary_add(&v, word, 0, false));
    }
    assert_true(tokenizer_write(enter(folder), &v, false, 8));
    Tokenizer read = tokenizer_read(enter(folder), MANY, -1);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(vocabulary_id(&read.vocabulary, v.words[i].key, strlen(v.words[i].key)),
                         i);
    vocabulary_free(&v);
    vocabulary_free(&read.vocabulary);
    scratch_remove(folder);
}

/* ---- Prompts ---- */

static void assert_prompt(const Pretrained *model, const char *text, const char *wanted)
{
    char got[512] = "", *put = got;
    int *tokens, count;
    char *wrong = pretrained_tokens(model, "here", text, strlen(text), &tokens, &count);
    if (wrong)
        fail_msg("'%s': %s", text, wrong);
    for (int i = 0; i < count; i++)
        put += sprintf(put, "%s%d", i ? " " : "", tokens[i]);
    assert_string_equal(got, wanted);
    free(tokens);
}

static void assert_wrong(const Pretrained *model, const char *text, size_t size, const char *said)
{
    int *tokens, count;
    char *wrong = pretrained_tokens(model, "here", text, size, &tokens, &count);
    assert_non_null(wrong);
    assert_string_equal(wrong, said);
    free(wrong);
}

static void test_prompts(void **state)
{
    (void)state;
    char *folder = scratch_new();
    Pretrained lines = write_model(folder, PLAIN);
    lines.lower = true;
    assert_prompt(&lines, "", "0");
    assert_prompt(&lines, " \n", "0");
    assert_prompt(&lines, "El PERRO\ncome", "0 2 3 4");
    assert_prompt(&lines, "¿que\xCC\x81?", "0 7 8 9");
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"el [bos]", "here: the text spells out [bos], which is the model's own; write it "
                     "otherwise"},
        {"el [EOS]", "here:1: the text spells out [eos], which is the model's own; write it "
                     "otherwise"},
        {"el pero", "here: the model does not know 'pero'; its nearest: perro, el, hueso"},
        {"el x\x1B[31m", "here: the model does not know 'x?'"},
        {"el x\xC2\x9B"
         "31m",
         "here: the model does not know 'x??31m'"},
        {"e\xFF", "here:1:2: byte 0xFF is not UTF-8; if the text is Latin-1, convert it: iconv "
                  "-f LATIN1 -t UTF-8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_wrong(&lines, wrong[i].text, strlen(wrong[i].text), wrong[i].said);
    assert_wrong(&lines, "el\0", 3, "here:1:3: byte 0x00: this is not a text");
    free_model(&lines);

    Kind kind = PLAIN;
    kind.stream = kind.characters = true;
    Pretrained stream = write_model(folder, kind);
    assert_prompt(&stream, "", "");
    assert_prompt(&stream, "el p\n", "0 1 2 3 12");
    assert_wrong(&stream, "elz", 3, "here: the model does not know 'z'");
    free_model(&stream);
    scratch_remove(folder);
}

/* Special tokens of any name, and a model that has one for what it does not know. */
static void test_foreign_prompts(void **state)
{
    (void)state;
    char *folder = scratch_new();
    char *json = foreign("{\"type\":\"WhitespaceSplit\"}", "{\"SpecialToken\":{\"id\":\"<s>\"}},");
    free(scratch_write(folder, "tokenizer.json", json, strlen(json)));
    Pretrained model = {.vocabulary = tokenizer_read(enter(folder), 5, 4).vocabulary};
    assert_prompt(&model, "el perro, gato", "4 2 1 1");
    assert_wrong(&model, "el<s>", 5,
                 "here: the text spells out <s>, which is the model's own; "
                 "write it otherwise");
    assert_wrong(&model, "<pad>", 5,
                 "here: the text spells out <pad>, which is the model's own; "
                 "write it otherwise");
    vocabulary_free(&model.vocabulary);
    free(json);
    scratch_remove(folder);
}

static void test_nearest(void **state)
{
    (void)state;
    static const char text[] = "gato gata pato niño nino ñandú perro a el ella";
    Vocabulary v = vocabulary_of("a test", text, strlen(text), (VocabularyRules){.min_count = 1});
    static const struct {
        const char *word, *said;
    } cases[] = {
        {"gatos", "'gatos'; its nearest: gato, gata, pato"},
        {"rato", "'rato'; its nearest: gato, pato, gata"}, /* 1, 1, 2 */
        {"niñ", "'niñ'; its nearest: niño, nino, ñandú"},  /* code points, not bytes */
        {"b", "'b'"},                                      /* nothing in common with any */
        {"eos", "'eos'; its nearest: el, ella, perro"},    /* never our own tokens */
        {"xxxxxxxxxxxx", "'xxxxxxxxxxxx'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *line = unknown_word(&v, "x", cases[i].word, strlen(cases[i].word));
        char *wanted = format_text("x: the model does not know %s", cases[i].said);
        assert_string_equal(line, wanted);
        free(wanted), free(line);
    }
    char *longest = memset(calloc(300001, 1), 'a', 300000);
    char *line = unknown_word(&v, "x", longest, 300000);
    assert_in_range(strlen(line), 100, 200); /* cut, and not compared with all */
    free(line), free(longest);
    vocabulary_free(&v);
}

/* ---- Memory that nobody uses ---- */

static void test_zeroed(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,      63, 64, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 4097,
                                   5000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int again = 0; again < 3; again++) { /* where something else was before */
            unsigned char *memory = memory_new(sizes[i], 1, "a test");
            assert_int_equal((uintptr_t)memory % 64, 0);
            for (size_t n = 0; n < sizes[i]; n++)
                if (memory[n])
                    fail_msg("byte %zu of %zu is %d", n, sizes[i], memory[n]);
            memset(memory, 0xA5, sizes[i]);
            free(memory);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_configs),
        cmocka_unit_test(test_tokenizers),      cmocka_unit_test(test_absent),
        cmocka_unit_test(test_damaged_json),    cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_bad_numbers),     cmocka_unit_test(test_old_names),
        cmocka_unit_test(test_foreign),         cmocka_unit_test(test_no_end),
        cmocka_unit_test(test_many_words),      cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_foreign_prompts), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
