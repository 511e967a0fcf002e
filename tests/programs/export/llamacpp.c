/* A model is written with the names, axes and keys that llama.cpp reads; what its gpt2 is not is
 * refused in one line, with the option that would have made it possible. make parity runs such
 * files in llama.cpp itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/huggingface/weights.h"
#include "programs/export/gguf.h"
#include "tests/helpers/close.h"
#include "tests/helpers/gguf_file.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/scratch.h"

static Kind gelu(TokenizerKind tokens, bool stream)
{
    Kind kind = PLAIN;
    kind.shape.activation = ACTIVATION_GELU;
    kind.tokens = tokens;
    kind.stream = stream;
    return kind;
}

/* The model of a folder, written as its a.gguf and read back. */
static GgufFile exported(const char *folder, GgufType type)
{
    Pretrained model = pretrained_open(folder);
    char *path = format_text("%s/a.gguf", folder);
    llamacpp_check(&model, type);
    const size_t size = llamacpp_write(&model, type, path);
    const GgufFile file = gguf_file_read(path);
    assert_int_equal(file.size, size);
    free(path);
    pretrained_close(&model);
    return file;
}

static uint32_t whole(const GgufFile *file, const char *key)
{
    return gguf_file_whole(gguf_file_key(file, key), 0);
}

static bool flag(const GgufFile *file, const char *key)
{
    return *gguf_file_key(file, key)->at;
}

/* Fails unless a key has this text. */
static void assert_text(const GgufFile *file, const char *key, const char *wanted)
{
    size_t size;
    const char *text = gguf_file_text(gguf_file_key(file, key), 0, &size);
    char *copy = format_text("%.*s", (int)size, text);
    assert_string_equal(copy, wanted);
    free(copy);
}

/* Fails unless token number i has this text. */
static void assert_token(const GgufFile *file, size_t i, const char *wanted)
{
    size_t size;
    const char *text = gguf_file_text(gguf_file_key(file, "tokenizer.ggml.tokens"), i, &size);
    char *copy = format_text("%.*s", (int)size, text);
    assert_string_equal(copy, wanted);
    free(copy);
}

/* ---- Tensors ---- */

/* Fails unless a tensor is this matrix of ours, [in, out], with its axes exchanged. */
static void assert_turned(const GgufFile *file, const char *name, const Real *at, size_t in,
                          size_t out)
{
    const GgufPart *tensor = gguf_file_tensor(file, name);
    assert_true(tensor->axes[0] == in && tensor->axes[1] == out);
    for (size_t i = 0; i < in; i++)
        for (size_t o = 0; o < out; o++)
            assert_true(gguf_file_number(tensor, o * in + i) == (float)at[i * out + o]);
}

UNIT_TEST(every_tensor_has_its_name_and_its_axes)
{
    char *folder = scratch_new();
    Pretrained model = write_model(folder, gelu(TOKENIZER_WORD, false));
    GgufFile file = exported(folder, GGUF_F32);
    const GptWeights *weights = &model.gpt.weights;
    assert_turned(&file, "blk.1.attn_qkv.weight", weights->block[1].attention.qkv.weight, 6, 18);
    assert_turned(&file, "blk.0.attn_output.weight", weights->block[0].attention.out.weight, 6, 6);
    assert_turned(&file, "blk.0.ffn_up.weight", weights->block[0].feedforward.widen.weight, 6, 24);
    assert_turned(&file, "blk.1.ffn_down.weight", weights->block[1].feedforward.narrow.weight, 24,
                  6);
    const size_t V = (size_t)model.gpt.config.vocabulary;
    const GgufPart *tokens = gguf_file_tensor(&file, "token_embd.weight");
    assert_true(tokens->axes[0] == 6 && tokens->axes[1] == V);
    assert_memory_equal(tokens->at, weights->embedding.wte, V * 6 * sizeof(float));
    assert_int_equal(gguf_file_tensor(&file, "blk.1.attn_qkv.bias")->axes[0], 18);
    assert_int_equal(gguf_file_tensor(&file, "output_norm.bias")->count, 1);
    /* tied: no head; 12 tensors in each block */
    assert_int_equal(file.tensor_count, 2 * 12 + 2 + 2);
    gguf_file_free(&file);
    free_model(&model);
    scratch_remove(folder);
}

/* A context of 8 has 256 positions: those of the model, then more. */
UNIT_TEST(positions_go_on_to_a_multiple_of_256)
{
    for (int learned = 0; learned < 2; learned++) {
        char *folder = scratch_new();
        Kind kind = gelu(TOKENIZER_WORD, false);
        kind.shape.positions = learned;
        Pretrained model = write_model(folder, kind);
        GgufFile file = exported(folder, GGUF_F16);
        assert_int_equal(whole(&file, "gpt2.context_length"), 256);
        const GgufPart *wpe = gguf_file_tensor(&file, "position_embd.weight");
        assert_true(wpe->type == 0 && wpe->axes[0] == 6 && wpe->axes[1] == 256);
        const GgufPart *half = gguf_file_tensor(&file, "blk.0.ffn_up.weight");
        const float first_weight = (float)*model.gpt.weights.block[0].feedforward.widen.weight;
        assert_int_equal(half->type, 1);
        assert_int_equal(gguf_file_whole(half, 0) & 0xFFFF, gguf_half(first_weight));
        const Real *own = model.gpt.weights.embedding.wpe;
        assert_memory_equal(wpe->at, own, 8 * 6 * sizeof(float));
        for (size_t p = 8; p < 256; p++) {
            const double first = learned ? (double)own[7 * 6] : sin((double)p) / sqrt(6);
            assert_close_one("a position", (double)gguf_file_number(wpe, p * 6), first, 1e-6);
        }
        gguf_file_free(&file);
        free_model(&model);
        scratch_remove(folder);
    }
    assert_int_equal(llamacpp_context(256), 256);
    assert_int_equal(llamacpp_context(257), 512);
    assert_int_equal(llamacpp_context(1024), 1024);
}

/* ---- Tokens ---- */

UNIT_TEST(words_are_marked_where_they_begin)
{
    char *folder = scratch_new();
    Pretrained model = write_model(folder, gelu(TOKENIZER_WORD, false));
    GgufFile file = exported(folder, GGUF_F32);
    const Tokenizer *t = &model.tokenizer;
    assert_text(&file, "tokenizer.ggml.model", "t5");
    assert_text(&file, "tokenizer.chat_template",
                "{{ bos_token }}{% for message in messages %}{{ message['content'] }}{% endfor %}");
    assert_token(&file, (size_t)t->bos, "[bos]");
    assert_token(&file, (size_t)tokenizer_find(t, "perro"), "▁perro");
    assert_token(&file, (size_t)tokenizer_find(t, "¿"), "▁¿");
    assert_int_equal(gguf_file_key(&file, "tokenizer.ggml.tokens")->item, 8);
    assert_int_equal(gguf_file_key(&file, "tokenizer.ggml.scores")->item, 6);
    assert_int_equal(gguf_file_key(&file, "tokenizer.ggml.precompiled_charsmap")->item, 0);
    const GgufPart *epsilon = gguf_file_key(&file, "gpt2.attention.layer_norm_epsilon");
    assert_true(epsilon->type == 6 && gguf_file_number(epsilon, 0) == 1e-5f);
    const GgufPart *types = gguf_file_key(&file, "tokenizer.ggml.token_type");
    assert_int_equal(types->item, 5);
    assert_int_equal(gguf_file_whole(types, (size_t)t->bos), 3);
    assert_int_equal(gguf_file_whole(types, (size_t)tokenizer_find(t, "perro")), 1);
    assert_int_equal(whole(&file, "tokenizer.ggml.bos_token_id"), t->bos);
    assert_int_equal(whole(&file, "tokenizer.ggml.eos_token_id"), t->eos);
    assert_true(flag(&file, "tokenizer.ggml.add_bos_token"));
    assert_false(flag(&file, "tokenizer.ggml.add_eos_token"));
    assert_true(flag(&file, "tokenizer.ggml.add_space_prefix"));
    assert_true(flag(&file, "tokenizer.ggml.remove_extra_whitespaces"));
    gguf_file_free(&file);
    free_model(&model);
    scratch_remove(folder);
}

/* A stream of characters gets a token that ends a text, and never comes: for any input of the head,
 * whose numbers n sum to 0 before gain and bias, its logit is the same and low, and those of the
 * others are the model's, even if bias/gain sums to 0. */
UNIT_TEST(a_stream_gets_a_token_that_ends_it)
{
    char *folder = scratch_new();
    Pretrained model = write_model(folder, gelu(TOKENIZER_CHAR, true));
    LayerNormWeights *norm = &model.gpt.weights.norm;
    for (int c = 0; c < 6; c++) {
        norm->gain[c] = (Real)(1 + 0.1 * c);
        norm->bias[c] = (Real)(c % 2 ? 0.3 : -0.3) * norm->gain[c];
    }
    assert_true(weights_write(enter(folder), &model.gpt, model.gpt.weight_block, 0));
    GgufFile file = exported(folder, GGUF_F32);
    const size_t V = (size_t)model.gpt.config.vocabulary;
    assert_int_equal(whole(&file, "tokenizer.ggml.eos_token_id"), V);
    assert_false(flag(&file, "tokenizer.ggml.add_bos_token"));
    assert_false(flag(&file, "tokenizer.ggml.remove_extra_whitespaces"));
    assert_token(&file, (size_t)tokenizer_find(&model.tokenizer, " "), "▁");
    assert_token(&file, V, "[end]");
    const GgufPart *head = gguf_file_tensor(&file, "output.weight");
    const GgufPart *tokens = gguf_file_tensor(&file, "token_embd.weight");
    assert_true(head->axes[1] == V + 1 && tokens->axes[1] == V + 1);
    const double n[2][6] = {{1, -1, 1, -1, 1, -1}, {2, 0.5, -0.5, -1, -1, 0}};
    const GgufPart *bias = gguf_file_tensor(&file, "output_norm.bias");
    for (size_t i = 0; i < 2 * (V + 1); i++) {
        const size_t v = i / 2;
        double logit = 0, own = 0;
        for (size_t c = 0; c < 6; c++) {
            const double x = n[i % 2][c] * (double)norm->gain[c];
            assert_true(gguf_file_number(tokens, V * 6 + c) == 0);
            logit +=
                (double)gguf_file_number(head, v * 6 + c) * (x + (double)gguf_file_number(bias, c));
            own += v < V ? (double)model.gpt.weights.head.weight[v * 6 + c] *
                               (x + (double)norm->bias[c])
                         : 0;
        }
        assert_close_one("a logit", logit, v < V ? own : -100, v < V ? 1e-6 : 1e-3);
    }
    gguf_file_free(&file);
    free_model(&model);
    scratch_remove(folder);
}

UNIT_TEST(subwords_have_merges_and_an_end)
{
    char *folder = scratch_new();
    Pretrained model = write_model(folder, gelu(TOKENIZER_BPE, true));
    GgufFile file = exported(folder, GGUF_F32);
    assert_text(&file, "tokenizer.ggml.model", "gpt2");
    assert_text(&file, "tokenizer.ggml.pre", "gpt-2");
    assert_text(&file, "tokenizer.chat_template",
                "{% for message in messages %}{{ message['content'] }}{% endfor %}");
    gguf_file_key(&file, "tokenizer.ggml.merges");
    /* the byte 0xFF, which no text has */
    assert_token(&file, whole(&file, "tokenizer.ggml.eos_token_id"), "ÿ");
    assert_int_equal(gguf_file_key(&file, "tokenizer.ggml.tokens")->count,
                     model.gpt.config.vocabulary);
    gguf_file_free(&file);
    free_model(&model);
    scratch_remove(folder);
}

/* ---- What is refused ---- */

typedef struct {
    const char *folder;
    GgufType type;
} Call;

static void open_and_check(void *context)
{
    const Call *call = context;
    Pretrained model = pretrained_open(call->folder);
    llamacpp_check(&model, call->type);
    pretrained_close(&model);
}

static void assert_cannot(Kind kind, GgufType type, const char *option)
{
    char *folder = scratch_new();
    Pretrained model = write_model(folder, kind);
    Call call = {folder, type};
    assert_dies(open_and_check, &call, folder, option);
    free_model(&model);
    scratch_remove(folder);
}

UNIT_TEST(what_it_is_not_is_refused_with_the_option)
{
    Kind kind = gelu(TOKENIZER_WORD, false);
    kind.shape.activation = ACTIVATION_RELU;
    assert_cannot(kind, GGUF_F32, "--activation gelu");
    kind = gelu(TOKENIZER_WORD, false);
    kind.shape.norm = NORM_POST;
    assert_cannot(kind, GGUF_F32, "--norm pre");
    kind = gelu(TOKENIZER_WORD, false);
    kind.shape.patterns = PATTERNS;
    assert_cannot(kind, GGUF_F32, "--attend");
    kind = gelu(TOKENIZER_WORD, false);
    kind.shape.head_size = 4;
    assert_cannot(kind, GGUF_F32, "--head-size");
    assert_cannot(gelu(TOKENIZER_WORD, false), GGUF_Q8_0, "--type f16");
    kind = gelu(TOKENIZER_BPE, false);
    kind.lower = true;
    assert_cannot(kind, GGUF_F32, "--lower");
}
