/* tensors.c: lays out a block of weights. One function walks all tensors in order, notes each one's
 * name, size and offset, and sets its pointer in a GptWeights. */
#include "tensors.h"

#include <assert.h>

typedef struct {
    Tensor *list;
    int count;
    size_t used; /* numbers laid out so far */
    Real *block; /* what the pointers point into; NULL: they are NULL */
    Rounding rounding;
} Layout;

/* Adds a tensor of layer `layer`, or of none if it is -1. */
static Tensor *lay(Layout *layout, Real **place, int layer, const char *name, TensorKind kind,
                   int rows, int cols)
{
    Tensor *tensor = &layout->list[layout->count++];
    const Rounding rounding = kind == TENSOR_MATRIX ? layout->rounding : ROUNDING_NONE;
    Arena arena = {.used = layout->used};
    *tensor = (Tensor){.kind = kind,
                       .rows = rows,
                       .cols = cols,
                       .offset = layout->used,
                       .trained = true,
                       .rounding = rounding};
    *place = layout->block ? layout->block + layout->used : NULL;
    /* counts only: it aligns the next tensor */
    arena_take(&arena, (size_t)rows, (size_t)rounded_width(rounding, cols));
    layout->used = arena.used;
    if (layer < 0)
        snprintf(tensor->name, sizeof tensor->name, "%s", name);
    else
        snprintf(tensor->name, sizeof tensor->name, "h.%d.%s", layer, name);
    return tensor;
}

static Tensor *lay_matrix(Layout *layout, Real **place, int layer, const char *name, int rows,
                          int cols, double deviation)
{
    Tensor *tensor = lay(layout, place, layer, name, TENSOR_MATRIX, rows, cols);
    tensor->deviation = deviation;
    return tensor;
}

static void lay_norm(Layout *layout, LayerNormWeights *p, int layer, const char *gain,
                     const char *bias, const GptConfig *config)
{
    const int C = config->width;
    p->width = C, p->rms = config->rms, p->epsilon = (Real)config->norm_epsilon;
    lay(layout, &p->gain, layer, gain, TENSOR_GAIN, 1, C);
    lay(layout, &p->bias, layer, bias, TENSOR_BIAS, 1, C)->trained =
        !config->rms && !config->no_other_bias;
}

/* A matrix (in, out) of `parts` parts side by side, and its bias, which is returned. */
static Tensor *lay_linear(Layout *layout, Linear *p, int layer, const char *name, int in, int out,
                          int parts, double deviation)
{
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    p->in = in, p->out = out, p->rounding = layout->rounding;
    lay_matrix(layout, &p->weight, layer, weight, in, out, deviation)->parts = parts;
    return lay(layout, &p->bias, layer, bias, TENSOR_BIAS, 1, out);
}

static void lay_block(Layout *layout, BlockWeights *p, int l, const GptConfig *config)
{
    const int C = config->width, F = config->hidden, HD = config->heads * config->head_size;
    const int KD = config->key_heads * config->head_size, halves = config->gated ? 2 : 1;
    const bool biases = !config->no_other_bias;
    /* The two projections back into the residual stream start smaller: its variance would grow
     * with each of its 2L sums. */
    const double start = 0.02, back = start / sqrt(2.0 * config->layers);

    lay_norm(layout, &p->norm1, l, "ln_1.weight", "ln_1.bias", config);
    /* the parts are as wide as the keys: H/K of queries, one of keys and one of values */
    lay_linear(layout, &p->attention.qkv, l, "attn.c_attn", C, HD + 2 * KD, HD / KD + 2, start)
        ->trained = !config->no_qkv_bias;
    lay_linear(layout, &p->attention.out, l, "attn.c_proj", HD, C, 1, back)->trained = biases;
    lay_norm(layout, &p->norm2, l, "ln_2.weight", "ln_2.bias", config);
    lay_linear(layout, &p->feedforward.widen, l, "mlp.c_fc", C, halves * F, halves, start)
        ->trained = biases;
    lay_linear(layout, &p->feedforward.narrow, l, "mlp.c_proj", F, C, 1, back)->trained = biases;
}

static void lay_weights(Layout *layout, GptWeights *p, const GptConfig *config)
{
    const int T = config->context, C = config->width, V = config->vocabulary;
    /* Fixed positions have a size of about 1/√C, and the tokens' table, wte, starts with the same;
     * see embedding.h. */
    const bool fixed = config->positions == POSITIONS_SINUSOIDAL;
    const double start = fixed ? 1 / sqrt(C) : 0.02;

    p->embedding.rounding = p->head.rounding = layout->rounding;
    lay_matrix(layout, &p->embedding.wte, -1, "wte.weight", V, C, start);
    if (config->positions != POSITIONS_ROTARY) {
        Tensor *positions =
            lay(layout, &p->embedding.wpe, -1, "wpe.weight", TENSOR_SINUSOIDS, T, C);
        positions->trained = !fixed;
        if (!fixed) /* a matrix, but never rounded */
            positions->kind = TENSOR_MATRIX, positions->deviation = start;
    }
    for (int l = 0; l < config->layers; l++)
        lay_block(layout, &p->block[l], l, config);
    if (config->norm == NORM_PRE)
        lay_norm(layout, &p->norm, -1, "ln_f.weight", "ln_f.bias", config);
    p->head.width = C, p->head.vocabulary = V;
    if (config->untied)
        lay_matrix(layout, &p->head.weight, -1, "lm_head.weight", V, C, 0.02);
}

/* Lists all tensors of p, whose array of blocks is made here. */
static Layout layout_of(GptWeights *p, const GptConfig *config, Rounding rounding, Real *block)
{
    enum { IN_BLOCK = 12, OUTSIDE = 5 };
    const size_t most = (size_t)config->layers * IN_BLOCK + OUTSIDE;
    Layout layout = {.list = memory_new(most, sizeof(Tensor), "the list of tensors"),
                     .block = block,
                     .rounding = rounding};
    *p = (GptWeights){.block = memory_new((size_t)config->layers, sizeof *p->block, "the layers")};
    lay_weights(&layout, p, config);
    assert((size_t)layout.count <= most);
    return layout;
}

Tensor *gpt_tensors(const GptConfig *config, Rounding rounding, int *count, size_t *size)
{
    GptWeights p;
    const Layout layout = layout_of(&p, config, rounding, NULL);
    free(p.block);
    *count = layout.count;
    *size = layout.used;
    return layout.list;
}

GptWeights gpt_weights(const GptConfig *config, Rounding rounding, Real *block)
{
    GptWeights p;
    const Layout layout = layout_of(&p, config, rounding, block);
    if (!config->untied)
        p.head.weight = p.embedding.wte;
    free(layout.list);
    return p;
}

bool tensor_is_vector(const Tensor *tensor)
{
    return tensor->kind == TENSOR_BIAS || tensor->kind == TENSOR_GAIN;
}

size_t tensor_size(const Tensor *tensor)
{
    return (size_t)tensor->rows * (size_t)tensor->cols;
}

size_t gpt_parameters(const Tensor *tensors, int count)
{
    size_t parameters = 0;
    for (int i = 0; i < count; i++)
        if (tensors[i].trained)
            parameters += tensor_size(&tensors[i]);
    return parameters;
}
