/* gguf.c: the keys are put together in memory as the file has them; the numbers are converted row
 * by row while they are written, so that no second copy of the model is needed. */
#include "gguf.h"

#include <stb/stb_ds.h>

#include "tokens.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's numbers are little-endian");

enum { ALIGNMENT = 32 }; /* what readers assume if the file does not say it */

/* ---- Keys ---- */

static void append(char **to, const void *bytes, size_t size)
{
    if (size) /* of no bytes there may be no address */
        memcpy(arraddnptr(*to, size), bytes, size);
}

static void append_32(char **to, uint32_t value)
{
    append(to, &value, sizeof value);
}

static void append_64(char **to, uint64_t value)
{
    append(to, &value, sizeof value);
}

static void append_text(char **to, const char *text)
{
    append_64(to, strlen(text));
    append(to, text, strlen(text));
}

/* A key and the type of its value. */
static void begin_key(Gguf *gguf, const char *key, GgufValue type)
{
    gguf->key_count++;
    append_text(&gguf->keys, key);
    append_32(&gguf->keys, type);
}

void gguf_put_whole(Gguf *gguf, const char *key, uint32_t value)
{
    begin_key(gguf, key, GGUF_UINT32);
    append_32(&gguf->keys, value);
}

void gguf_put_flag(Gguf *gguf, const char *key, bool value)
{
    begin_key(gguf, key, GGUF_BOOL);
    arrput(gguf->keys, value);
}

void gguf_put_text(Gguf *gguf, const char *key, const char *value)
{
    begin_key(gguf, key, GGUF_STRING);
    append_text(&gguf->keys, value);
}

void gguf_put_array(Gguf *gguf, const char *key, GgufValue type, const void *values, size_t count)
{
    begin_key(gguf, key, GGUF_ARRAY);
    append_32(&gguf->keys, type);
    append_64(&gguf->keys, count);
    if (type != GGUF_STRING)
        append(&gguf->keys, values, count * (type == GGUF_UINT8 ? 1 : sizeof(uint32_t)));
    for (size_t i = 0; i < count && type == GGUF_STRING; i++)
        append_text(&gguf->keys, ((char *const *)values)[i]);
}

void gguf_free(Gguf *gguf)
{
    arrfree(gguf->keys);
    arrfree(gguf->tensors);
}

/* ---- Numbers ---- */

/* A half's fraction has 10 bits, so between 2^e and 2^(e+1) its numbers are 2^(e-10) apart; below
 * 2^-14 they are 2^-24 apart. The number is rounded to a multiple of that, by a mode that prefers
 * even ones. */
uint16_t gguf_half(float number)
{
    const uint16_t sign = signbit(number) ? 0x8000 : 0;
    const float size = fabsf(number);
    if (!(size < 65520)) /* nearer to 2^16 than to the largest half; or NaN */
        return (uint16_t)(sign | (isnan(number) ? 0x7E00 : 0x7C00));
    int exponent;
    frexpf(size, &exponent); /* size < 2^exponent */
    const int step = size < 0x1p-14f ? -24 : exponent - 11;
    const long steps = lrintf(ldexpf(size, -step));
    /* 1024 to 2048 steps; the bit of 1024 is not stored but added to the exponent, as is a 2048 */
    return (uint16_t)(sign | (((step + 24) << 10) + steps));
}

/* 32 numbers x as a scale d = max|x| / 127, and the nearest whole numbers to x/d. */
static void put_block(FILE *out, const float *x)
{
    float most = 0;
    for (int i = 0; i < GGUF_Q8_0_BLOCK; i++)
        most = fmaxf(most, fabsf(x[i]));
    const float d = most / 127, per = d > 0 ? 1 / d : 0;
    const uint16_t scale = gguf_half(d);
    int8_t whole[GGUF_Q8_0_BLOCK];
    for (int i = 0; i < GGUF_Q8_0_BLOCK; i++)
        whole[i] = (int8_t)roundf(x[i] * per);
    fwrite(&scale, sizeof scale, 1, out);
    fwrite(whole, 1, sizeof whole, out);
}

static void put_row(FILE *out, GgufType type, const float *row, int cols)
{
    switch (type) {
    case GGUF_F32: fwrite(row, sizeof *row, (size_t)cols, out); break;
    case GGUF_F16:
        for (int c = 0; c < cols; c++) {
            const uint16_t half = gguf_half(row[c]);
            fwrite(&half, sizeof half, 1, out);
        }
        break;
    case GGUF_Q8_0:
        for (int c = 0; c < cols; c += GGUF_Q8_0_BLOCK)
            put_block(out, row + c);
    }
}

/* ---- Tensors ---- */

static int rows_of(const GgufTensor *t)
{
    return t->rows ? t->rows : 1;
}

/* The bytes of a tensor's numbers, without those that fill up to the next one. */
static size_t bytes_of(const GgufTensor *t)
{
    const size_t count = (size_t)rows_of(t) * (size_t)t->cols;
    return t->type == GGUF_F32   ? count * sizeof(float)
           : t->type == GGUF_F16 ? count * sizeof(uint16_t)
                                 : count / GGUF_Q8_0_BLOCK * (GGUF_Q8_0_BLOCK + sizeof(uint16_t));
}

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Where a row of the file, or a number of a vector, is in memory. */
static int place_of(const GgufTensor *t, int row)
{
    const int d = t->head ? row % t->head : 0;
    return row - d + d / 2 + d % 2 * t->head / 2;
}

static Real number_of(const GgufTensor *t, int row, int col)
{
    return !t->rows  ? t->at[t->head ? place_of(t, col) : col]
           : t->step ? ROW(t->at, col, t->step)[t->head ? place_of(t, row) : row]
                     : ROW(t->at, row, t->cols)[col];
}

void gguf_add(Gguf *gguf, GgufTensor t)
{
    const Real most = (Real)(t.type == GGUF_F16 ? 65504.0 : 65504.0 * 127);
    for (int r = 0; r < rows_of(&t) && t.type != GGUF_F32; r++)
        for (int c = 0; c < t.cols; c++)
            if (fabs((double)number_of(&t, r, c)) > (double)most)
                die("%s has the number %g, too large for this type; use --type f32", t.name,
                    (double)number_of(&t, r, c));
    arrput(gguf->tensors, t);
}

/* All before the numbers, without what fills up to them. The caller frees: an stb_ds array. */
static char *header_of(const Gguf *gguf)
{
    char *header = NULL;
    uint64_t offset = 0;
    append(&header, GGUF_BEGIN, strlen(GGUF_BEGIN));
    append_32(&header, 3);
    append_64(&header, (uint64_t)arrlen(gguf->tensors));
    append_64(&header, gguf->key_count);
    append(&header, gguf->keys, (size_t)arrlen(gguf->keys));
    for (ptrdiff_t i = 0; i < arrlen(gguf->tensors); i++) {
        const GgufTensor *t = &gguf->tensors[i];
        append_text(&header, t->name);
        append_32(&header, t->rows ? 2 : 1);
        append_64(&header, (uint64_t)t->cols);
        if (t->rows)
            append_64(&header, (uint64_t)t->rows);
        append_32(&header, t->type);
        append_64(&header, offset);
        offset += aligned(bytes_of(t));
    }
    return header;
}

/* Zeros after `size` bytes, up to the next multiple of the alignment, which is returned. */
static size_t fill(FILE *out, size_t size)
{
    static const char zeros[ALIGNMENT];
    fwrite(zeros, 1, aligned(size) - size, out);
    return aligned(size);
}

size_t gguf_write(const Gguf *gguf, FILE *out)
{
    char *header = header_of(gguf);
    fwrite(header, 1, (size_t)arrlen(header), out);
    size_t size = fill(out, (size_t)arrlen(header));
    arrfree(header);
    for (ptrdiff_t i = 0; i < arrlen(gguf->tensors); i++) {
        const GgufTensor *t = &gguf->tensors[i];
        AUTOFREE float *row = memory_new((size_t)t->cols, sizeof *row, "a row of a tensor");
        for (int r = 0; r < rows_of(t); r++) {
            for (int c = 0; c < t->cols; c++) /* floats even in the double build */
                row[c] = (float)number_of(t, r, c);
            put_row(out, t->type, row, t->cols);
        }
        size += fill(out, bytes_of(t));
    }
    return size;
}

/* ---- A model ---- */

/* The tensors of gpt2 or llama under llama.cpp's names. Its matrices have a row for each output,
 * ours (and GPT-2's) one for each input. It computes as model/gpt.c does, with gelu in its tanh
 * form; of a gpt2 every bias must be there. A llama's rotary positions turn pairs of neighbours
 * there, so the rows of queries and keys are put in another order. */

/* A file while it is put together. */
typedef struct {
    const Gpt *gpt;
    const Tokenizer *tokenizer;
    GgufType type; /* of the matrices */
    Gguf gguf;
    Real *positions, *tokens, *head; /* tables with rows that the model does not have; or NULL */
    Real *bias;                      /* of the last layer norm, if the head has such a row */
} Export;

int llamacpp_context(int context)
{
    return (context + LLAMACPP_CONTEXT - 1) / LLAMACPP_CONTEXT * LLAMACPP_CONTEXT;
}

/* ---- What it cannot be ---- */

static void check_gpt2(const char *name, const GptConfig *shape)
{
    const GptField *beyond = gpt_config_beyond(shape, NORM_PRE);
    if (beyond || shape->activation != ACTIVATION_GELU)
        die("%s has --%s %s, which llama.cpp does not support: train it with --shape llama, or "
            "with "
            "--activation gelu and no other choice of the kind",
            name, beyond ? beyond->field.name : "activation",
            beyond ? field_text(&beyond->field, shape) : GPT_ACTIVATIONS[shape->activation]);
    if (shape->heads * shape->head_size != shape->width)
        die("%s has %d heads of %d, which llama.cpp's gpt2 needs to be %d together, its width: "
            "train it without --head-size",
            name, shape->heads, shape->head_size, shape->width);
}

static void check_tokenizer(const char *name, const Tokenizer *t, bool is_llama)
{
    if (is_llama && tokens_need_end(t))
        die("%s reads a stream of words or characters, which never ends, and llama.cpp's llama "
            "needs "
            "an end: train it with --sequence lines or --tokens bpe",
            name);
    if (t->kind == TOKENIZER_BPE && t->form == TEXT_LOWER)
        die("%s reads subwords in lower case, which llama.cpp cannot: train it without --lower",
            name);
    if (t->kind == TOKENIZER_WORD && t->punctuation == PUNCTUATION_IN_RUNS)
        die("%s reads several punctuation marks as one word, which llama.cpp cannot; a model of "
            "./train can be exported",
            name);
    if (t->kind == TOKENIZER_CHAR && tokenizer_find(t, "\xE2\x96\x81") >= 0)
        die("%s has the character U+2581, which llama.cpp takes for a space: train it on a text "
            "without it",
            name);
}

void llamacpp_check(const Pretrained *model, GgufType type)
{
    const char *name = model->directory.path;
    const GptConfig *shape = &model->gpt.config;
    if (model->config.objective == OBJECTIVE_MASKED)
        die("%s fills gaps, and llama.cpp only continues a text: train it with "
            "--objective next",
            name);
    if (model->config.objective == OBJECTIVE_PAIRS && !model->config.causal_source)
        die("%s reads a source in both directions, and llama.cpp only forwards: train it "
            "with --causal-source",
            name);
    const bool is_llama = gpt_config_family(shape) == FAMILY_LLAMA;
    if (!is_llama)
        check_gpt2(name, shape);
    if (shape->patterns)
        die("%s has attention patterns, and llama.cpp attends to all tokens: train it without "
            "--attend and --window",
            name);
    check_tokenizer(name, &model->tokenizer, is_llama);
    if (type == GGUF_Q8_0 && (shape->width % GGUF_Q8_0_BLOCK || shape->hidden % GGUF_Q8_0_BLOCK ||
                              shape->heads * shape->head_size % GGUF_Q8_0_BLOCK))
        die("--type q8_0 stores %d numbers of a row together, but %s has the width %d and the "
            "hidden width %d: use --type f16, or train it with --width and --hidden that are "
            "multiples of %d",
            GGUF_Q8_0_BLOCK, name, shape->width, shape->hidden, GGUF_Q8_0_BLOCK);
}

/* ---- Tensors ---- */

/* Adds a tensor as NAME.WHAT or, of block number l, as blk.l.NAME.WHAT; l is −1 outside of them. */
static void add(Export *e, int l, const char *name, const char *what, GgufTensor tensor)
{
    const int size = l < 0 ? 0 : snprintf(tensor.name, sizeof tensor.name, "blk.%d.", l);
    snprintf(tensor.name + size, sizeof tensor.name - (size_t)size, "%s.%s", name, what);
    gguf_add(&e->gguf, tensor);
}

static bool is_llama(const Export *e)
{
    return gpt_config_family(&e->gpt->config) == FAMILY_LLAMA;
}

static void add_norm(Export *e, int l, const char *name, const LayerNormWeights *p)
{
    add(e, l, name, "weight", (GgufTensor){.cols = p->width, .at = p->gain});
    if (!is_llama(e))
        add(e, l, name, "bias", (GgufTensor){.cols = p->width, .at = p->bias});
}

/* `columns` columns of a linear layer, weight [in, out] and bias [out], from `from` on. head: see
 * GgufTensor. */
static void add_columns(Export *e, int l, const char *name, const Linear *p, int from, int columns,
                        int head, bool bias)
{
    add(e, l, name, "weight",
        (GgufTensor){.rows = columns,
                     .cols = p->in,
                     .type = e->type,
                     .step = p->out,
                     .head = head,
                     .at = p->weight + from});
    if (bias)
        add(e, l, name, "bias", (GgufTensor){.cols = columns, .head = head, .at = p->bias + from});
}

static void add_linear(Export *e, int l, const char *name, const Linear *p)
{
    add_columns(e, l, name, p, 0, p->out, 0, !is_llama(e));
}

/* What a llama has as matrices of their own lies side by side in ours. */
static void add_block_of_llama(Export *e, int l)
{
    const BlockWeights *p = &e->gpt->weights.block[l];
    const GptConfig *c = &e->gpt->config;
    const int D = c->head_size, HD = c->heads * D, KD = c->key_heads * D, F = c->hidden;
    const bool biases = !c->no_qkv_bias;
    add_columns(e, l, "attn_q", &p->attention.qkv, 0, HD, D, biases);
    add_columns(e, l, "attn_k", &p->attention.qkv, HD, KD, D, biases);
    add_columns(e, l, "attn_v", &p->attention.qkv, HD + KD, KD, 0, biases);
    add_columns(e, l, "ffn_gate", &p->feedforward.widen, 0, F, 0, false);
    add_columns(e, l, "ffn_up", &p->feedforward.widen, F, F, 0, false);
}

static void add_block(Export *e, int l)
{
    const BlockWeights *p = &e->gpt->weights.block[l];
    add_norm(e, l, "attn_norm", &p->norm1);
    add_linear(e, l, "attn_output", &p->attention.out);
    add_norm(e, l, "ffn_norm", &p->norm2);
    add_linear(e, l, "ffn_down", &p->feedforward.narrow);
    if (is_llama(e)) {
        add_block_of_llama(e, l);
        return;
    }
    add_linear(e, l, "attn_qkv", &p->attention.qkv);
    add_linear(e, l, "ffn_up", &p->feedforward.widen);
}

/* Copies the first rows of a table. */
static void copy_rows(Real *to, const Real *from, int rows, int cols)
{
    memcpy(to, from, (size_t)rows * (size_t)cols * sizeof *to);
}

/* A table with room for `more` rows after those of another one, which are 0. */
static Real *table_with(const Real *table, int rows, int more, int cols)
{
    Real *all = memory_new((size_t)(rows + more) * (size_t)cols, sizeof *all, "a longer table");
    copy_rows(all, table, rows, cols);
    return all;
}

/* The positions after the last one of the model: sinusoids go on; of learned ones the last is
 * repeated. They are as precise as possible, since they take little room. */
static void add_positions(Export *e)
{
    const GptConfig *shape = &e->gpt->config;
    const int T = shape->context, C = shape->width, rows = llamacpp_context(T);
    const Real *wpe = e->gpt->weights.embedding.wpe;
    e->positions = memory_new((size_t)rows * (size_t)C, sizeof(Real), "the positions");
    if (shape->positions == POSITIONS_SINUSOIDAL)
        embedding_sinusoids(e->positions, rows, C);
    copy_rows(e->positions, wpe, T, C);
    for (int p = T; p < rows && shape->positions == POSITIONS_LEARNED; p++)
        copy_rows(ROW(e->positions, p, C), ROW(wpe, T - 1, C), 1, C);
    add(e, -1, "position_embd", "weight",
        (GgufTensor){.rows = rows, .cols = C, .type = GGUF_F32, .at = e->positions});
}

/* The row of the head for a token that the model does not have, and should never write: its logit
 * is the same for every x, and low. The head reads x = gain∘n + bias, and the numbers of n sum to
 * 0; so k/gain, added to a row, adds k·S to its logit, where S = Σ(bias/gain). The bias grows or
 * shrinks by gain, which makes S large, and each row takes back what its logit grows by. */
static void add_silent_row(Real *head, Real *bias, const Real *gain, int V, int C)
{
    double sum = 0;
    for (int c = 0; c < C; c++)
        sum += (double)(bias[c] / gain[c]);
    const Real sign = sum < 0 ? -1 : 1;
    sum += (double)sign * C;
    for (int v = 0; v <= V; v++) {
        double wanted = v < V ? 0 : -100;
        for (int c = 0; c < C; c++)
            wanted -= (double)(sign * gain[c] * ROW(head, v, C)[c]);
        for (int c = 0; c < C; c++)
            ROW(head, v, C)[c] += (Real)(wanted / sum) / gain[c];
    }
    for (int c = 0; c < C; c++)
        bias[c] += sign * gain[c];
}

/* The embedding of the tokens, and the head unless it is the same. */
static void add_tokens(Export *e)
{
    const GptConfig *shape = &e->gpt->config;
    const GptWeights *weights = &e->gpt->weights;
    const int V = shape->vocabulary, C = shape->width, more = tokens_need_end(e->tokenizer);
    const Real *tokens = weights->embedding.wte, *head = weights->head.weight;
    if (more) {
        tokens = e->tokens = table_with(tokens, V, more, C);
        head = e->head = table_with(head, V, more, C);
        e->bias = table_with(weights->norm.bias, 1, 0, C);
        add_silent_row(e->head, e->bias, weights->norm.gain, V, C);
    }
    GgufTensor table = {.rows = V + more, .cols = C, .type = e->type, .at = tokens};
    add(e, -1, "token_embd", "weight", table);
    table.at = head;
    if (head != tokens)
        add(e, -1, "output", "weight", table);
}

/* ---- The file ---- */

/* A key of the architecture: gpt2.NAME or llama.NAME. */
static const char *key_of(const Export *e, char *room, size_t size, const char *name)
{
    snprintf(room, size, "%s.%s", is_llama(e) ? "llama" : "gpt2", name);
    return room;
}

static void put_size(Export *e, const char *name, int size)
{
    char key[64];
    gguf_put_whole(&e->gguf, key_of(e, key, sizeof key, name), (uint32_t)size);
}

static void put_number(Export *e, const char *name, double number)
{
    char key[64];
    begin_key(&e->gguf, key_of(e, key, sizeof key, name), GGUF_FLOAT32);
    append(&e->gguf.keys, &(const float){(float)number}, sizeof(float));
}

static void put_keys(Export *e, const char *run)
{
    const GptConfig *shape = &e->gpt->config;
    Gguf *gguf = &e->gguf;
    const char *slash = strrchr(run, '/');
    gguf_put_text(gguf, "general.architecture", is_llama(e) ? "llama" : "gpt2");
    gguf_put_text(gguf, "general.name", slash && slash[1] ? slash + 1 : run);
    gguf_put_whole(gguf, "general.file_type",
                   e->type == GGUF_F32   ? 0
                   : e->type == GGUF_F16 ? 1
                                         : 7);
    if (e->type == GGUF_Q8_0)
        gguf_put_whole(gguf, "general.quantization_version", 2);
    put_size(e, "context_length", llamacpp_context(shape->context));
    put_size(e, "embedding_length", shape->width);
    put_size(e, "block_count", shape->layers);
    put_size(e, "feed_forward_length", shape->hidden);
    put_size(e, "attention.head_count", shape->heads);
    if (is_llama(e)) {
        put_size(e, "attention.head_count_kv", shape->key_heads);
        put_size(e, "attention.key_length", shape->head_size);
        put_size(e, "attention.value_length", shape->head_size);
        put_size(e, "rope.dimension_count", shape->head_size);
        put_number(e, "rope.freq_base", shape->theta);
    }
    put_number(e, is_llama(e) ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon",
               shape->norm_epsilon);
    tokens_put(gguf, e->tokenizer);
}

size_t llamacpp_write(const Pretrained *model, GgufType type, const char *path)
{
    Export e = {.gpt = &model->gpt, .tokenizer = &model->tokenizer, .type = type};
    put_keys(&e, model->directory.path);
    add_tokens(&e);
    if (!is_llama(&e))
        add_positions(&e);
    for (int l = 0; l < model->gpt.config.layers; l++)
        add_block(&e, l);
    LayerNormWeights norm = model->gpt.weights.norm;
    if (e.bias)
        norm.bias = e.bias;
    add_norm(&e, -1, "output_norm", &norm);
    FileWriter writer;
    size_t size = 0;
    if (file_begin_at(&writer, path)) {
        size = gguf_write(&e.gguf, writer.stream);
        if (!file_commit(&writer))
            size = 0;
    }
    gguf_free(&e.gguf);
    free(e.positions);
    free(e.tokens);
    free(e.head);
    free(e.bias);
    return size;
}
