/* Model directories, ours and those of others, are opened as they were written, or refused in one
 * line. */
#include <cjson/cJSON.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/files/file.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/test.h"

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
    EACH_GPT_FIELD (f)
        assert_true(field_equal(&f->field, &x, &y));

    const Tokenizer *t = &a->tokenizer, *u = &b->tokenizer;
    assert_true(t->kind == u->kind && t->form == u->form && t->stream == u->stream);
    assert_true(t->bos == u->bos && t->eos == u->eos && t->unk == u->unk);
    assert_int_equal(arrlen(t->merges), arrlen(u->merges));
    assert_int_equal(tokenizer_checksum(t, 0), tokenizer_checksum(u, 0));
    for (int id = 0; id < u->vocabulary.count; id++) {
        const char *word = vocabulary_word(&u->vocabulary, id);
        assert_int_equal(vocabulary_find(&t->vocabulary, word, strlen(word)), id);
        assert_int_equal(vocabulary_is_special(&t->vocabulary, id),
                         vocabulary_is_special(&u->vocabulary, id));
    }
}

TEST(a_model_is_read_as_it_was_written)
{
    for (int i = 0; i < 8; i++) {
        Kind kind = PLAIN;
        GptConfig *shape = &kind.shape;
        shape->norm = i % 2;
        shape->positions = i % 3 == 0;
        shape->activation = i / 2 % 2;
        shape->untied = i / 4;
        shape->no_qkv_bias = i == 4;
        shape->patterns = i == 2 || i == 3 ? PATTERNS : NULL;
        shape->head_size = i == 6 ? 5 : shape->head_size;
        shape->hidden = i == 7 ? 10 : shape->hidden;
        kind.tokens = (TokenizerKind)(i % 3);
        kind.stream = i % 4 == 2;
        kind.lower = i == 5;
        MODEL(folder, written, kind);
        FREED_BY(pretrained_close) Pretrained read = pretrained_open(folder);
        assert_same_model(&read, &written);
    }
}

static Kind llama(void)
{
    Kind kind = PLAIN;
    GptConfig *shape = &kind.shape;
    shape->positions = POSITIONS_ROTARY;
    shape->activation = ACTIVATION_SILU;
    shape->rms = shape->gated = shape->no_other_bias = true;
    shape->key_heads = 1;
    shape->head_size = 4;
    shape->theta = 1e6 / 3;
    return kind;
}

/* With patterns a llama is a model of ours alone, whose config.json has the other names. */
TEST(a_llama_with_patterns_is_read_as_it_was_written)
{
    Kind kind = llama();
    kind.shape.patterns = PATTERNS;
    kind.shape.norm_epsilon = 1e-3;
    MODEL(folder, written, kind);
    FREED_BY(pretrained_close) Pretrained read = pretrained_open(folder);
    assert_same_model(&read, &written);
    const Edit edits[] = {{"config.json", "\"key-heads\":1", "\"key-heads\":8", "key-heads is 8"},
                          {"config.json", "\"head-size\":4", "\"head-size\":3", "head-size is 3"}};
    assert_edits(edits, COUNT_OF(edits), kind);
}

/* A run that was made before there were llama's choices. */
TEST(a_run_without_the_later_choices_is_read)
{
    static const char *const names[] = {"key-heads", "theta", "rms", "gated", "no-other-bias"};
    for (int own = 0; own < 2; own++) {
        Kind kind = PLAIN;
        kind.shape.patterns = own ? PATTERNS : NULL;
        Edit edits[COUNT_OF(names)];
        char field[COUNT_OF(names)][32];
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            snprintf(field[i], sizeof field[i], "\"%s\":", names[i]);
            edits[i] = (Edit){"config.json", field[i], "\"x\":", NULL};
        }
        assert_edits(edits, COUNT_OF(names), kind);
    }
}

/* What a llama's file has as matrices of their own, each transposed, lies side by side in ours. */
TEST(a_llama_is_written_under_its_own_names)
{
    for (int i = 0; i < 4; i++) {
        Kind kind = llama();
        kind.shape.no_qkv_bias = i % 2;
        kind.shape.untied = i / 2;
        MODEL(folder, model, kind);
        FREED_BY(pretrained_close) Pretrained read = pretrained_open(folder);
        assert_same_model(&read, &model);

        FREED_BY(safetensors_close)
        SafeTensors file = safetensors_open(enter(folder), "model.safetensors");
        const BlockWeights *p = &model.gpt.weights.block[1];
        const struct {
            const char *name;
            int rows, cols;
            const Linear *ours;
            int from;
        } parts[] = {{"self_attn.q_proj", 8, 6, &p->attention.qkv, 0},
                     {"self_attn.k_proj", 4, 6, &p->attention.qkv, 8},
                     {"self_attn.v_proj", 4, 6, &p->attention.qkv, 12},
                     {"self_attn.o_proj", 6, 8, &p->attention.out, 0},
                     {"mlp.gate_proj", 24, 6, &p->feedforward.widen, 0},
                     {"mlp.up_proj", 24, 6, &p->feedforward.widen, 24},
                     {"mlp.down_proj", 6, 24, &p->feedforward.narrow, 0}};
        for (size_t n = 0; n < COUNT_OF(parts); n++) {
            Real numbers[24 * 24];
            NamedTensor tensor = {.rows = parts[n].rows, .cols = parts[n].cols, .at = numbers};
            snprintf(tensor.name, sizeof tensor.name, "model.layers.1.%s.weight", parts[n].name);
            safetensors_read(&file, &tensor);
            for (int r = 0; r < tensor.rows; r++)
                for (int c = 0; c < tensor.cols; c++)
                    assert_true(
                        numbers[r * tensor.cols + c] ==
                        ROW(parts[n].ours->weight, c, parts[n].ours->out)[parts[n].from + r]);
            snprintf(tensor.name, sizeof tensor.name, "model.layers.1.%s.bias", parts[n].name);
            assert_int_equal(safetensors_has(&file, tensor.name), n < 4 && !kind.shape.no_qkv_bias);
        }
        assert_true(safetensors_has(&file, "model.layers.0.post_attention_layernorm.weight"));
        assert_int_equal(safetensors_has(&file, "lm_head.weight"), kind.shape.untied);
    }
}

/* The checksum of all that follows the header of model.safetensors, whose first 8 bytes are the
 * header's length. */
static uint64_t checksum_of_file(const char *folder)
{
    AUTOFREE Bytes file = file_read_in(enter(folder), "model.safetensors", false);
    uint64_t begin;
    memcpy(&begin, file.bytes, sizeof begin);
    begin += sizeof begin;
    return checksum_of(file.bytes + begin, file.size - begin);
}

TEST(a_models_checksum_is_of_the_numbers_in_its_file)
{
    for (int i = 0; i < 4; i++) {
        Kind kind = PLAIN;
        kind.shape.norm = i % 2;
        kind.shape.untied = i / 2;
        MODEL(folder, model, kind);
        Real *block = model.gpt.weight_block;
        const uint64_t before = weights_checksum(&model.gpt, block);
        assert_int_equal(before, checksum_of_file(folder));
        for (int t = 0; t < model.gpt.tensor_count; t++) { /* each tensor is in it */
            Real *number = block + model.gpt.tensors[t].offset;
            const Real was = *number;
            *number = -was - 1;
            assert_int_not_equal(weights_checksum(&model.gpt, block), before);
            *number = was;
        }
        block[model.gpt.tensors[0].offset] += 1;
        assert_true(weights_write(enter(folder), &model.gpt, block, 0));
        assert_int_equal(weights_checksum(&model.gpt, block), checksum_of_file(folder));
    }
}

/* ---- Damaged and absent files ---- */

static void remove_file(const char *folder, const char *name)
{
    AUTOFREE char *path = format_text("%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

TEST(a_missing_file_is_named)
{
    static const char *const names[] = {"config.json", "tokenizer.json", "model.safetensors"};
    for (size_t i = 0; i < 3; i++) {
        MODEL(folder, model, PLAIN);
        remove_file(folder, names[i]);
        assert_refused(folder, "absent", names[i]);
        if (i == 2) { /* what may be there instead */
            free(scratch_write(folder, "pytorch_model.bin", "", 0));
            assert_refused(folder, "pytorch", "save_pretrained");
        }
    }
    SCRATCH(folder);
    AUTOFREE char *absent = format_text("%s/absent", folder);
    assert_refused(absent, "no folder", "does not exist");
    assert_refused(folder, "an empty folder", "is not a model directory");
}

TEST(json_that_is_damaged_is_refused)
{
    AUTOFREE char *deep = malloc(200001);
    MODEL(folder, model, PLAIN);
    memset(deep, '[', 200000);
    deep[200000] = 0;
    const char *const bad[] = {"", "{", "[]", "null", "3", "{\"a\":1}}", "{} {}", deep, "\xFF"};
    static const char *const names[] = {"config.json", "tokenizer_config.json", "tokenizer.json"};
    for (size_t n = 0; n < 3; n++) {
        AUTOFREE Bytes kept = file_read_in(enter(folder), names[n], true);
        for (size_t i = 0; i < COUNT_OF(bad); i++) {
            free(scratch_write(folder, names[n], bad[i], strlen(bad[i])));
            if (n != 1 || i < 2 || i > 4) /* one that says nothing says nothing wrong */
                assert_refused(folder, bad[i], n ? "tokenizer" : "config.json");
        }
        free(scratch_write(folder, names[n], kept.bytes, kept.size));
    }
    assert_opens(folder, "as it was");
}

TEST(weights_that_are_not_finite_are_refused)
{
    static const struct {
        double value;
        const char *said;
    } bad[] = {{NAN, "nan"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}};
    for (size_t i = 0; i < 3; i++) {
        MODEL(folder, model, PLAIN);
        model.gpt.weights.block[1].attention.qkv.weight[7] = (Real)bad[i].value;
        assert_true(weights_write(enter(folder), &model.gpt, model.gpt.weight_block, 0));
        assert_refused(folder, "not finite", "number 7 of transformer.h.1.attn.c_attn.weight is");
        assert_refused(folder, "not finite", bad[i].said);
    }
}

/* Writes the weights, whose names lack their first `letters` letters, and one more tensor. */
static void write_more(const char *folder, const Gpt *gpt, size_t letters, NamedTensor more)
{
    NamedTensor list[40] = {0};
    int count = weights_list(list, gpt, gpt->weight_block, "");
    for (int i = 0; i < count; i++)
        memmove(list[i].name, list[i].name + letters, sizeof list[i].name - letters);
    list[count++] = more;
    assert_true(
        safetensors_write(enter(folder), "model.safetensors", list, count, cJSON_CreateObject()));
}

/* Old files: names without "transformer.", and masks beside the weights. */
TEST(old_names_of_tensors_are_read)
{
    for (int post = 0; post < 2; post++) {
        Kind kind = PLAIN;
        kind.shape.norm = post;
        MODEL(folder, model, kind);
        Real mask[4] = {1, 0, 1, 1};
        write_more(folder, &model.gpt, strlen("transformer."),
                   (NamedTensor){"h.0.attn.bias", 2, 2, mask, 0});
        FREED_BY(pretrained_close) Pretrained read = pretrained_open(folder);
        assert_same_model(&read, &model);
    }
}

/* ---- Several files ---- */

static const char INDEX[] = "model.safetensors.index.json";

/* Writes a model's weights as Transformers does in several files, with the index of them. */
static void write_shards(const char *folder, const Gpt *gpt)
{
    NamedTensor list[40] = {0};
    const int count = weights_list(list, gpt, gpt->weight_block, ""), half = count / 2;
    cJSON *index = cJSON_CreateObject(), *map = cJSON_AddObjectToObject(index, "weight_map");
    for (int i = 0; i < count; i++)
        cJSON_AddStringToObject(map, list[i].name, i < half ? "first" : "second");
    assert_true(safetensors_write(enter(folder), "first", list, half, cJSON_CreateObject()));
    assert_true(safetensors_write(enter(folder), "second", list + half, count - half,
                                  cJSON_CreateObject()));
    assert_true(json_write(enter(folder), INDEX, index));
    remove_file(folder, "model.safetensors");
}

TEST(weights_in_several_files_are_read)
{
    MODEL(folder, model, PLAIN);
    write_shards(folder, &model.gpt);
    FREED_BY(pretrained_close) Pretrained read = pretrained_open(folder);
    assert_same_model(&read, &model);
}

TEST(an_index_that_is_wrong_is_refused)
{
    static const struct {
        const char *from, *to, *said;
    } edits[] = {
        {"weight_map", "map", "weight_map"},
        {"\"first\"", "\"../first\"", "../first"},
        {"\"first\"", "\"/etc/passwd\"", "/etc/passwd"},
        {"\"first\"", "\"..\"", "the name of a file"},
        {"\"first\"", "\"\"", "the name of a file"},
        {"\"first\"", "1", "the name of a file"},
        {"\"first\"", "\"third\"", "has no third"},
        {"\"first\"", "\"config.json\"", "config.json is damaged"},
        {"transformer.wte.weight", "transformer.wte", "transformer.wte is not in first"},
        {"{\"transformer", "1}{\"transformer", INDEX},
    };
    for (size_t i = 0; i < COUNT_OF(edits); i++) {
        MODEL(folder, model, PLAIN);
        write_shards(folder, &model.gpt);
        assert_opens(folder, "as it was");
        edit(folder, INDEX, edits[i].from, edits[i].to);
        assert_refused(folder, edits[i].to, edits[i].said);
    }
    MODEL(folder, model, PLAIN);
    write_shards(folder, &model.gpt);
    remove_file(folder, "second");
    assert_refused(folder, "a file that is missing", "has no second");
    free(scratch_write(folder, INDEX, "{\"weight_map\":{}}", 17));
    assert_refused(folder, "an empty map", "weight_map");
}

/* ---- More than the weights, or less ---- */

TEST(a_tensor_without_a_place_is_refused)
{
    Real numbers[4] = {0};
    const NamedTensor more[] = {{"transformer.h.2.ln_1.weight", 2, 2, numbers, 0},
                                {"score.weight", 2, 2, numbers, 0},
                                {"wte", 2, 2, numbers, 0},
                                {"multiple_choice_head.summary.bias", 2, 2, numbers, 0}};
    MODEL(folder, model, PLAIN);
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        write_more(folder, &model.gpt, 0, more[i]);
        assert_refused(folder, more[i].name, more[i].name);
    }
    write_more(folder, &model.gpt, 0,
               (NamedTensor){"transformer.h.0.attn.masked_bias", 0, 1, numbers, 0});
    assert_opens(folder, "a mask");
}

/* Some programs store a tied head as well. */
TEST(a_tied_head_must_be_the_table)
{
    MODEL(folder, model, PLAIN);
    const int V = model.gpt.config.vocabulary, C = model.gpt.config.width;
    AUTOFREE Real *copy = malloc((size_t)V * (size_t)C * sizeof *copy);
    memcpy(copy, model.gpt.weights.embedding.wte, (size_t)V * (size_t)C * sizeof *copy);
    const NamedTensor head = {"lm_head.weight", V, C, copy, 0};
    write_more(folder, &model.gpt, 0, head);
    assert_opens(folder, "the same");
    copy[V * C - 1] += 1;
    write_more(folder, &model.gpt, 0, head);
    assert_refused(folder, "another", "lm_head.weight differs");
    edit(folder, "config.json", "\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false");
    assert_opens(folder, "untied");
}

/* The end of a line is named by tokenizer_config.json or, if that names none, by config.json; an id
 * beyond the vocabulary, as GPT-2's own default often is, names nothing. */
TEST(an_end_beyond_the_vocabulary_is_none)
{
    MODEL(folder, model, PLAIN);
    edit(folder, "tokenizer_config.json", "\"eos_token\"", "\"x\"");
    assert_opens(folder, "config.json names it");
    edit(folder, "config.json", "\"eos_token_id\":1", "\"eos_token_id\":50256");
    assert_refused(folder, "beyond the vocabulary", "names the token that ends a line");
    edit(folder, "config.json", "\"eos_token_id\":50256", "\"eos_token_id\":-1");
    assert_refused(folder, "below 0", "names the token that ends a line");
}

TEST(files_of_two_runs_are_refused)
{
    MODEL(folder, model, PLAIN);
    NamedTensor list[40];
    const int count = weights_list(list, &model.gpt, model.gpt.weight_block, "");
    cJSON *metadata = cJSON_CreateObject();
    cJSON_AddStringToObject(metadata, "identity", "this one");
    assert_true(safetensors_write(enter(folder), "model.safetensors", list, count, metadata));
    assert_opens(folder, "a config.json without an identity");
    edit(folder, "config.json", "\"pulga\":{", "\"pulga\":{\"identity\":\"this one\",");
    assert_opens(folder, "the same run");
    edit(folder, "config.json", "this one", "another");
    assert_refused(folder, "two runs", "belongs to another run");
}
