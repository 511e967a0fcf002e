/* llamacpp.c: the tensors of gpt2 under llama.cpp's names. Its matrices have a row for each output,
 * ours (and GPT-2's) one for each input. It computes as model/gpt.c does, with gelu in its tanh
 * form; every bias must be there. */
#include "llamacpp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "tokens.h"

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

static void check_shape(const char *name, const GptConfig *shape)
{
    if (shape->activation != ACTIVATION_GELU)
        die("%s uses relu, and llama.cpp's gpt2 has only gelu: train it with --activation gelu",
            name);
    const GptField *beyond = gpt_config_beyond(shape, NORM_PRE);
    if (beyond)
        die("%s has --%s %s, which llama.cpp's gpt2 does not support: train it with --%s %s", name,
            beyond->field.name, field_text(&beyond->field, shape), beyond->field.name,
            field_text(&beyond->field, &(const GptConfig){.norm = NORM_PRE}));
    if (shape->patterns)
        die("%s has attention patterns, and llama.cpp's gpt2 attends to all tokens: train it "
            "without --attend and --window",
            name);
    if (shape->heads * shape->head_size != shape->width)
        die("%s has %d heads of %d, which llama.cpp's gpt2 needs to be %d together, its width: "
            "train it without --head-size",
            name, shape->heads, shape->head_size, shape->width);
}

static void check_objective(const char *name, const Pretrained *model)
{
    if (model->config.objective == OBJECTIVE_MASKED)
        die("%s fills gaps, and llama.cpp's gpt2 only continues a text: train it with "
            "--objective next",
            name);
    if (model->config.objective == OBJECTIVE_PAIRS && !model->config.causal_source)
        die("%s reads a source in both directions, and llama.cpp's gpt2 only forwards: train it "
            "with --causal-source",
            name);
}

static void check_tokenizer(const char *name, const Tokenizer *t)
{
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
    check_objective(name, model);
    check_shape(name, shape);
    check_tokenizer(name, &model->tokenizer);
    if (type == GGUF_Q8_0 && (shape->width % GGUF_Q8_0_BLOCK || shape->hidden % GGUF_Q8_0_BLOCK))
        die("--type q8_0 stores %d numbers of a row together, but %s has the width %d and the "
            "hidden width %d: use --type f16, or train it with --width and --hidden that are "
            "multiples of %d",
            GGUF_Q8_0_BLOCK, name, shape->width, shape->hidden, GGUF_Q8_0_BLOCK);
}

/* ---- Tensors ---- */

static void add_matrix(Export *e, const char *name, int rows, int cols, const Real *at)
{
    GgufTensor tensor = {.rows = rows, .cols = cols, .type = e->type, .at = at};
    snprintf(tensor.name, sizeof tensor.name, "%s.weight", name);
    gguf_add(&e->gguf, tensor);
}

static void add_vector(Export *e, const char *name, const char *what, int size, const Real *at)
{
    GgufTensor tensor = {.cols = size, .type = GGUF_F32, .at = at};
    snprintf(tensor.name, sizeof tensor.name, "%s.%s", name, what);
    gguf_add(&e->gguf, tensor);
}

static void add_norm(Export *e, const char *name, const LayerNormWeights *p)
{
    add_vector(e, name, "weight", p->width, p->gain);
    add_vector(e, name, "bias", p->width, p->bias);
}

/* A linear layer of block l: weight [in, out], bias [out]. */
static void add_linear(Export *e, int l, const char *name, const Linear *p)
{
    GgufTensor weight = {
        .rows = p->out, .cols = p->in, .type = e->type, .transposed = true, .at = p->weight};
    char of_block[32];
    snprintf(of_block, sizeof of_block, "blk.%d.%s", l, name);
    snprintf(weight.name, sizeof weight.name, "%s.weight", of_block);
    gguf_add(&e->gguf, weight);
    add_vector(e, of_block, "bias", p->out, p->bias);
}

static void add_block(Export *e, int l)
{
    const BlockWeights *p = &e->gpt->weights.block[l];
    char name[32];
    snprintf(name, sizeof name, "blk.%d.attn_norm", l);
    add_norm(e, name, &p->norm1);
    add_linear(e, l, "attn_qkv", &p->attention.qkv);
    add_linear(e, l, "attn_output", &p->attention.out);
    snprintf(name, sizeof name, "blk.%d.ffn_norm", l);
    add_norm(e, name, &p->norm2);
    add_linear(e, l, "ffn_up", &p->feedforward.widen);
    add_linear(e, l, "ffn_down", &p->feedforward.narrow);
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
    GgufTensor tensor = {.name = "position_embd.weight",
                         .rows = rows,
                         .cols = C,
                         .type = GGUF_F32,
                         .at = e->positions};
    gguf_add(&e->gguf, tensor);
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
    add_matrix(e, "token_embd", V + more, C, tokens);
    if (head != tokens)
        add_matrix(e, "output", V + more, C, head);
}

/* ---- The file ---- */

static void put_keys(Export *e, const char *run)
{
    const GptConfig *shape = &e->gpt->config;
    Gguf *gguf = &e->gguf;
    const char *slash = strrchr(run, '/');
    gguf_put_text(gguf, "general.architecture", "gpt2");
    gguf_put_text(gguf, "general.name", slash && slash[1] ? slash + 1 : run);
    gguf_put_whole(gguf, "general.file_type",
                   e->type == GGUF_F32   ? 0
                   : e->type == GGUF_F16 ? 1
                                         : 7);
    if (e->type == GGUF_Q8_0)
        gguf_put_whole(gguf, "general.quantization_version", 2);
    gguf_put_whole(gguf, "gpt2.context_length", (uint32_t)llamacpp_context(shape->context));
    gguf_put_whole(gguf, "gpt2.embedding_length", (uint32_t)shape->width);
    gguf_put_whole(gguf, "gpt2.block_count", (uint32_t)shape->layers);
    gguf_put_whole(gguf, "gpt2.feed_forward_length", (uint32_t)shape->hidden);
    gguf_put_whole(gguf, "gpt2.attention.head_count", (uint32_t)shape->heads);
    gguf_put_number(gguf, "gpt2.attention.layer_norm_epsilon", 1e-5f);
    tokens_put(gguf, e->tokenizer);
}

size_t llamacpp_write(const Pretrained *model, GgufType type, const char *path)
{
    Export e = {.gpt = &model->gpt, .tokenizer = &model->tokenizer, .type = type};
    put_keys(&e, model->directory.path);
    add_tokens(&e);
    add_positions(&e);
    for (int l = 0; l < model->gpt.config.layers; l++)
        add_block(&e, l);
    LayerNormWeights norm = model->gpt.weights.norm;
    if (e.bias)
        norm.bias = e.bias;
    add_norm(&e, "output_norm", &norm);
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
