/* A model is written with the names, axes and keys that llama.cpp reads; numbers of 16 and 8 bits
 * are the nearest ones; what its gpt2 is not is refused in one line, with the option that would
 * have made it possible. A reader of its own reads the files back, by the description of the format
 * and not by our writer. make parity runs such files in llama.cpp itself. */

#include "base/files/file.h"
#include "formats/huggingface/weights.h"
#include "programs/export/gguf.h"
#include "tests/helpers/model_directory.h"

/* ---- The reader ---- */

typedef struct {
    const char *name;
    size_t name_size;
    uint32_t type;  /* of a value, or of a tensor's numbers */
    uint32_t item;  /* the type of an array's values */
    uint64_t count; /* of an array's values, of a tensor's axes; of a text, its bytes */
    uint64_t axes[2];
    const char *at; /* the value (of an array, the first one), or the numbers */
} GgufPart;

typedef struct {
    char *bytes;
    size_t size;
    uint64_t key_count, tensor_count;
    GgufPart keys[64], tensors[64];
} GgufFile;

enum { ARRAY = 9, STRING = 8 };

/* Reads `size` bytes at *at, which moves past them. */
static const char *take(const GgufFile *file, const char **at, size_t size)
{
    const char *here = *at;
    assert_true(size <= (size_t)(file->bytes + file->size - here));
    *at += size;
    return here;
}

static uint32_t take_32(const GgufFile *file, const char **at)
{
    uint32_t value;
    memcpy(&value, take(file, at, sizeof value), sizeof value);
    return value;
}

static uint64_t take_64(const GgufFile *file, const char **at)
{
    uint64_t value;
    memcpy(&value, take(file, at, sizeof value), sizeof value);
    return value;
}

static GgufPart take_name(const GgufFile *file, const char **at)
{
    GgufPart part = {.name_size = take_64(file, at)};
    part.name = take(file, at, part.name_size);
    return part;
}

static void skip_value(const GgufFile *file, const char **at, uint32_t type)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    assert_true(type < sizeof sizes / sizeof *sizes && type != ARRAY);
    if (type == STRING)
        take(file, at, take_64(file, at));
    else
        take(file, at, sizes[type]);
}

static GgufPart take_key(const GgufFile *file, const char **at)
{
    GgufPart key = take_name(file, at);
    key.type = take_32(file, at);
    key.count = 1;
    if (key.type == ARRAY) {
        key.item = take_32(file, at);
        key.count = take_64(file, at);
    }
    key.at = *at;
    for (uint64_t i = 0; i < key.count; i++)
        skip_value(file, at, key.type == ARRAY ? key.item : key.type);
    return key;
}

static size_t bytes_of(const GgufPart *tensor)
{
    const size_t count = tensor->axes[0] * tensor->axes[1];
    assert_true(tensor->type == 0 || tensor->type == 1 || tensor->type == 8);
    return tensor->type == 0 ? 4 * count : tensor->type == 1 ? 2 * count : count / 32 * 34;
}

/* Until all are read, the tensors' places are offsets. */
static void take_tensors(GgufFile *file, const char **at)
{
    uint64_t offsets[64], end = 0;
    for (uint64_t i = 0; i < file->tensor_count; i++) {
        GgufPart tensor = take_name(file, at);
        tensor.count = take_32(file, at);
        assert_in_range(tensor.count, 1, 2);
        tensor.axes[1] = 1;
        for (uint64_t axis = 0; axis < tensor.count; axis++)
            tensor.axes[axis] = take_64(file, at);
        tensor.type = take_32(file, at);
        offsets[i] = take_64(file, at);
        assert_int_equal(offsets[i], (end + 31) / 32 * 32);
        end = offsets[i] + bytes_of(&tensor);
        file->tensors[i] = tensor;
    }
    const size_t data = ((size_t)(*at - file->bytes) + 31) / 32 * 32;
    assert_int_equal(file->size, (data + end + 31) / 32 * 32);
    for (uint64_t i = 0; i < file->tensor_count; i++)
        file->tensors[i].at = file->bytes + data + offsets[i];
}

/* Fails unless the file is whole: every tensor begins at a multiple of 32 bytes and behind the one
 * before it, and lies within the file. */
static GgufFile gguf_file_read(const char *path)
{
    const Bytes bytes = file_read(path, false);
    GgufFile file = {.bytes = bytes.bytes, .size = bytes.size};
    const char *at = file.bytes;
    assert_memory_equal(take(&file, &at, 4), "GGUF", 4);
    assert_int_equal(take_32(&file, &at), 3);
    file.tensor_count = take_64(&file, &at);
    file.key_count = take_64(&file, &at);
    assert_true(file.tensor_count <= 64 && file.key_count <= 64);
    for (uint64_t i = 0; i < file.key_count; i++)
        file.keys[i] = take_key(&file, &at);
    take_tensors(&file, &at);
    return file;
}

static void gguf_file_free(GgufFile *file)
{
    free(file->bytes);
}

static const GgufPart *find(const GgufPart *parts, uint64_t count, const char *name)
{
    for (uint64_t i = 0; i < count; i++)
        if (parts[i].name_size == strlen(name) && !memcmp(parts[i].name, name, strlen(name)))
            return &parts[i];
    print_error("no %s\n", name);
    fail();
    return NULL;
}

/* Fail if there is none of that name. */
static const GgufPart *gguf_file_key(const GgufFile *file, const char *name)
{
    return find(file->keys, file->key_count, name);
}

static const GgufPart *gguf_file_tensor(const GgufFile *file, const char *name)
{
    return find(file->tensors, file->tensor_count, name);
}

/* A value of 32 bits, of a key or number i of an array; a float, likewise. */
static uint32_t gguf_file_whole(const GgufPart *part, size_t i)
{
    uint32_t value;
    memcpy(&value, part->at + i * sizeof value, sizeof value);
    return value;
}

static float gguf_file_number(const GgufPart *part, size_t i)
{
    float value;
    memcpy(&value, part->at + i * sizeof value, sizeof value);
    return value;
}

/* Text number i of an array of texts; the caller frees it. */
static char *gguf_file_text(const GgufPart *part, size_t i)
{
    const char *at = part->at;
    uint64_t length;
    for (;; at += length) {
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        if (!i--)
            break;
    }
    return format_text("%.*s", (int)length, at);
}

/* ---- A model ---- */

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

/* Fails unless a key, or text number i of one, is this. */
static void assert_item(const GgufFile *file, const char *key, size_t i, const char *wanted)
{
    AUTOFREE char *text = gguf_file_text(gguf_file_key(file, key), i);
    assert_string_equal(text, wanted);
}

static void assert_text(const GgufFile *file, const char *key, const char *wanted)
{
    assert_item(file, key, 0, wanted);
}

static void assert_token(const GgufFile *file, size_t i, const char *wanted)
{
    assert_item(file, "tokenizer.ggml.tokens", i, wanted);
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

TEST(every_tensor_has_its_name_and_its_axes)
{
    MODEL(folder, model, gelu(TOKENIZER_WORD, false));
    FREED_BY(gguf_file_free) GgufFile file = exported(folder, GGUF_F32);
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
}

/* A llama's matrices, which lie side by side in ours. The rows of queries and keys alternate
 * between the two halves of a head. */
TEST(a_llama_has_matrices_of_its_own)
{
    Kind kind = gelu(TOKENIZER_WORD, false);
    kind.shape.positions = POSITIONS_ROTARY;
    kind.shape.activation = ACTIVATION_SILU;
    kind.shape.rms = kind.shape.gated = kind.shape.no_other_bias = true;
    kind.shape.key_heads = 1;
    kind.shape.head_size = 4;
    MODEL(folder, model, kind);
    FREED_BY(gguf_file_free) GgufFile file = exported(folder, GGUF_F32);
    assert_int_equal(whole(&file, "llama.attention.head_count_kv"), 1);
    assert_int_equal(whole(&file, "llama.attention.key_length"), 4);
    assert_int_equal(whole(&file, "llama.rope.dimension_count"), 4);
    const BlockWeights *p = &model.gpt.weights.block[1];
    const struct {
        const char *name;
        const Linear *ours;
        int row, column; /* of the file, of ours */
    } rows[] = {{"blk.1.attn_q.weight", &p->attention.qkv, 0, 0},
                {"blk.1.attn_q.weight", &p->attention.qkv, 1, 2},
                {"blk.1.attn_q.weight", &p->attention.qkv, 6, 5},
                {"blk.1.attn_k.weight", &p->attention.qkv, 1, 10},
                {"blk.1.attn_v.weight", &p->attention.qkv, 1, 13},
                {"blk.1.attn_q.bias", &p->attention.qkv, 7, 7},
                {"blk.1.attn_k.bias", &p->attention.qkv, 2, 9},
                {"blk.1.attn_output.weight", &p->attention.out, 3, 3},
                {"blk.1.ffn_gate.weight", &p->feedforward.widen, 5, 5},
                {"blk.1.ffn_up.weight", &p->feedforward.widen, 5, 29},
                {"blk.1.ffn_down.weight", &p->feedforward.narrow, 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const GgufPart *tensor = gguf_file_tensor(&file, rows[i].name);
        const Linear *ours = rows[i].ours;
        const size_t row = (size_t)rows[i].row, in = (size_t)ours->in;
        if (tensor->count == 1)
            assert_true(gguf_file_number(tensor, row) == (float)ours->bias[rows[i].column]);
        for (size_t c = 0; c < in && tensor->count == 2; c++)
            assert_true(gguf_file_number(tensor, row * in + c) ==
                        (float)ROW(ours->weight, c, ours->out)[rows[i].column]);
    }
    /* tied: no head; no positions; 2 norms, 7 matrices and 3 biases in each block */
    assert_int_equal(file.tensor_count, 2 * 12 + 2);
}

/* A context of 8 has 256 positions: those of the model, then more. */
TEST(positions_go_on_to_a_multiple_of_256)
{
    for (int learned = 0; learned < 2; learned++) {
        SCRATCH(folder);
        Kind kind = gelu(TOKENIZER_WORD, false);
        kind.shape.positions = learned;
        FREED_BY(free_model) Pretrained model = write_model(folder, kind);
        FREED_BY(gguf_file_free) GgufFile file = exported(folder, GGUF_F16);
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
    }
    assert_int_equal(llamacpp_context(256), 256);
    assert_int_equal(llamacpp_context(257), 512);
    assert_int_equal(llamacpp_context(1024), 1024);
}

/* ---- Tokens ---- */

TEST(words_are_marked_where_they_begin)
{
    MODEL(folder, model, gelu(TOKENIZER_WORD, false));
    FREED_BY(gguf_file_free) GgufFile file = exported(folder, GGUF_F32);
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
}

/* A stream of characters gets a token that ends a text, and never comes: for any input of the head,
 * whose numbers n sum to 0 before gain and bias, its logit is the same and low, and those of the
 * others are the model's, even if bias/gain sums to 0. */
TEST(a_stream_gets_a_token_that_ends_it)
{
    MODEL(folder, model, gelu(TOKENIZER_CHAR, true));
    LayerNormWeights *norm = &model.gpt.weights.norm;
    for (int c = 0; c < 6; c++) {
        norm->gain[c] = (Real)(1 + 0.1 * c);
        norm->bias[c] = (Real)(c % 2 ? 0.3 : -0.3) * norm->gain[c];
    }
    assert_true(weights_write(enter(folder), &model.gpt, model.gpt.weight_block, 0));
    FREED_BY(gguf_file_free) GgufFile file = exported(folder, GGUF_F32);
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
}

TEST(subwords_have_merges_and_an_end)
{
    MODEL(folder, model, gelu(TOKENIZER_BPE, true));
    FREED_BY(gguf_file_free) GgufFile file = exported(folder, GGUF_F32);
    assert_text(&file, "tokenizer.ggml.model", "gpt2");
    assert_text(&file, "tokenizer.ggml.pre", "gpt-2");
    assert_text(&file, "tokenizer.chat_template",
                "{% for message in messages %}{{ message['content'] }}{% endfor %}");
    gguf_file_key(&file, "tokenizer.ggml.merges");
    /* the byte 0xFF, which no text has */
    assert_token(&file, whole(&file, "tokenizer.ggml.eos_token_id"), "ÿ");
    assert_int_equal(gguf_file_key(&file, "tokenizer.ggml.tokens")->count,
                     model.gpt.config.vocabulary);
}

/* ---- 16 bits ---- */

/* By the definition of the format: (-1)^sign · 2^(exponent - 15) · 1.fraction. */
static double value_of(unsigned half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -size : size;
}

/* Between two neighbours the nearer one is taken; in the middle the even one. */
TEST(every_half_is_the_nearest)
{
    for (unsigned half = 0; half < 0x7C00; half++) {
        const float here = (float)value_of(half);
        assert_int_equal(gguf_half(here), half);
        assert_int_equal(gguf_half(-here), half | 0x8000);
        const float next = half + 1 < 0x7C00 ? (float)value_of(half + 1) : 65536;
        const float middle = (here + next) / 2;
        assert_int_equal(gguf_half(middle), half + half % 2);
        assert_int_equal(gguf_half(nextafterf(middle, 0)), half);
        assert_int_equal(gguf_half(nextafterf(middle, INFINITY)), half + 1);
    }
    assert_int_equal(gguf_half(1e30f), 0x7C00);
    assert_int_equal(gguf_half(-INFINITY), 0xFC00);
    assert_int_equal(gguf_half(NAN) & 0x7FFF, 0x7E00);
    assert_int_equal(gguf_half(1e-30f), 0);
}

/* ---- 8 bits ---- */

/* Writes the file and reads it back; frees both. */
static GgufFile written(Gguf *gguf, const char *folder)
{
    char *path = format_text("%s/a.gguf", folder);
    FileWriter writer;
    assert_true(file_begin_at(&writer, path));
    const size_t size = gguf_write(gguf, writer.stream);
    assert_true(file_commit(&writer));
    const GgufFile file = gguf_file_read(path);
    assert_int_equal(file.size, size);
    gguf_free(gguf);
    free(path);
    return file;
}

TEST(blocks_of_32_have_a_scale)
{
    SCRATCH(folder);
    Real rows[2 * 64] = {0}; /* the second block of the first row stays 0 */
    for (int i = 0; i < 32; i++)
        rows[i] = (Real)(i - 16) / 8; /* -2 ... 1.875 */
    for (int i = 64; i < 128; i++)
        rows[i] = (Real)(sin(i) / 1000);
    Gguf gguf = {0};
    gguf_add(&gguf,
             (GgufTensor){.name = "q", .rows = 2, .cols = 64, .type = GGUF_Q8_0, .at = rows});
    FREED_BY(gguf_file_free) GgufFile file = written(&gguf, folder);
    const GgufPart *q = gguf_file_tensor(&file, "q");
    assert_true(q->type == 8 && q->axes[0] == 64 && q->axes[1] == 2);
    for (int block = 0; block < 4; block++) {
        const char *at = q->at + 34 * (ptrdiff_t)block;
        uint16_t half;
        memcpy(&half, at, sizeof half);
        const double scale = value_of(half);
        for (int i = 0; i < 32; i++) /* half a step, and what rounding the scale adds */
            assert_true(fabs(scale * (signed char)at[2 + i] - (double)rows[32 * block + i]) <=
                        scale * (0.5 + 127.0 / 2048));
        assert_true(block != 1 || (!half && !at[2] && !at[33]));
    }
    assert_int_equal((signed char)q->at[2], -127);
    assert_int_equal((signed char)q->at[2 + 16], 0);
    assert_int_equal((signed char)q->at[2 + 31], 119); /* 1.875 / 2 · 127 = 119.06 */
}

static void add_large(GgufType type)
{
    Real row[32] = {1, -1e30f};
    Gguf gguf = {0};
    gguf_add(&gguf, (GgufTensor){.name = "w.weight", .cols = 32, .type = type, .at = row});
    gguf_free(&gguf);
}

TEST(a_number_that_does_not_fit_is_refused)
{
    ASSERT_DIES(add_large(GGUF_F16), "w.weight", "-1e+30", "--type f32");
    ASSERT_DIES(add_large(GGUF_Q8_0), "w.weight");
    add_large(GGUF_F32);
}

/* ---- What is refused ---- */

static void open_and_check(const char *folder, GgufType type)
{
    Pretrained model = pretrained_open(folder);
    llamacpp_check(&model, type);
    pretrained_close(&model);
}

TEST(what_it_is_not_is_refused_with_the_option)
{
    const Kind good = gelu(TOKENIZER_WORD, false);
    Kind kinds[] = {good, good, good, good, good, gelu(TOKENIZER_BPE, false)};
    static const char *const options[] = {"--activation relu", "--norm post", "--attend",
                                          "--head-size",       "--type f16",  "--lower"};
    kinds[0].shape.activation = ACTIVATION_RELU;
    kinds[1].shape.norm = NORM_POST;
    kinds[2].shape.patterns = PATTERNS;
    kinds[3].shape.head_size = 4;
    kinds[5].lower = true;
    for (int i = 0; i < 6; i++) {
        MODEL(folder, model, kinds[i]);
        ASSERT_DIES(open_and_check(folder, i == 4 ? GGUF_Q8_0 : GGUF_F32), folder, options[i]);
    }
}
