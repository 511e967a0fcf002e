/* library.c: the functions of library.h. A line that would end a program comes to take(), which
 * jumps back into the function that was called. A model is kept as one that learns: it alone keeps
 * what each of its layers computes. */
#include "library.h"

#include <setjmp.h>

#include "formats/huggingface/config.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "model/gpt.h"

struct PulgaModel {
    Gpt gpt;
    Tokenizer tokenizer;
    Objective objective;
    NamedTensor *tensors; /* (gpt.tensor_count) the weights */
};

/* ---- Messages ---- */

static _Thread_local char message[4096];
static _Thread_local jmp_buf entered; /* the function of library.h that this thread is in */

static void take(const char *line, int status)
{
    snprintf(message, sizeof message, "%s", line);
    if (status)
        longjmp(entered, 1);
}

__attribute__((constructor)) static void prepare(void)
{
    messages_redirect(take);
    json_prepare();
}

const char *pulga_message(void)
{
    return message;
}

/* ---- A model ---- */

static PulgaModel *open_model(const char *path)
{
    Pretrained read = pretrained_open(path);
    PulgaModel *model = memory_new(1, sizeof *model, "the model");
    model->gpt = gpt_new(&read.gpt.config, read.gpt.config.context);
    memcpy(model->gpt.weight_block, read.gpt.weight_block, sizeof(Real) * read.gpt.size);
    model->objective = pretrained_objective(&read);
    model->tokenizer = read.tokenizer;
    model->tensors =
        memory_new((size_t)model->gpt.tensor_count, sizeof *model->tensors, "the list of tensors");
    weights_list(model->tensors, &model->gpt, model->gpt.weight_block, "");
    read.tokenizer = tokenizer_new(); /* the other one is the model's now */
    pretrained_close(&read);
    return model;
}

PulgaModel *pulga_open(const char *path)
{
    return setjmp(entered) ? NULL : open_model(path);
}

void pulga_close(PulgaModel *model)
{
    gpt_free(&model->gpt);
    tokenizer_free(&model->tokenizer);
    free(model->tensors);
    free(model);
}

void pulga_sizes(const PulgaModel *model, int sizes[PULGA_SIZES])
{
    const GptConfig *c = &model->gpt.config;
    const int eos = model->tokenizer.stream ? -1 : model->tokenizer.eos;
    const int all[PULGA_SIZES] = {c->context, c->layers, c->heads,      c->key_heads, c->head_size,
                                  c->width,   c->hidden, c->vocabulary, eos};
    memcpy(sizes, all, sizeof all);
}

const char *pulga_token(const PulgaModel *model, int id)
{
    return tokenizer_word(&model->tokenizer, id);
}

bool pulga_tensor(const PulgaModel *model, int number, PulgaTensor *tensor)
{
    if (number >= model->gpt.tensor_count)
        return false;
    const NamedTensor *t = &model->tensors[number];
    *tensor =
        (PulgaTensor){.rows = t->rows,
                      .cols = t->cols,
                      .weights = t->at,
                      .gradients = model->gpt.gradient_block + model->gpt.tensors[number].offset};
    memcpy(tensor->name, t->name, sizeof tensor->name);
    return true;
}

/* ---- What it computes ---- */

/* Dies if one of these ids is none of the model's tokens; -1 may be one of `targets`. */
static void check_ids(const PulgaModel *model, const int *ids, int count, bool targets)
{
    const int V = model->gpt.config.vocabulary;
    for (int i = 0; i < count; i++)
        if (ids[i] >= V || ids[i] < -targets)
            die("%d is no token's id, a number from 0 to %d", ids[i], V - 1);
}

static void check_rows(const PulgaModel *model, int rows)
{
    const int T = model->gpt.config.context;
    if (rows < 1 || rows > T)
        die("a text of %d tokens: this model reads from 1 to %d", rows, T);
}

static void forward(PulgaModel *model, const int *ids, int count, const Real *patch,
                    const PulgaForward *out)
{
    Gpt *gpt = &model->gpt;
    const GptConfig *config = &gpt->config;
    const int C = config->width, HD = config->heads * config->head_size;
    check_rows(model, count);
    check_ids(model, ids, count, false);
    const Sequence sequence = objective_sequence(&model->objective, ids, count);
    const Batch batch = {.rows = count,
                         .sequences = 1,
                         .start = (const int[]){0, count},
                         .tokens = ids,
                         .prefix = &sequence.prefix};
    const size_t rows = (size_t)count;
    for (int l = 0; l < config->layers; l++)
        gpt->block[l].attention.patch = patch ? ROW(patch, (size_t)l * rows, HD) : NULL;
    gpt_forward(gpt, &batch, out->maps, (Dropout){0});
    for (int l = 0; l <= config->layers; l++)
        if (out->stream)
            memcpy(ROW(out->stream, (size_t)l * rows, C),
                   ROW(gpt->keep.stream, (size_t)l * (size_t)gpt->rows, C),
                   sizeof(Real) * rows * (size_t)C);
    for (int l = 0; l < config->layers; l++) {
        Attention *attention = &gpt->block[l].attention;
        attention->patch = NULL;
        const int columns = attention_columns(&attention->shape);
        if (out->qkv)
            memcpy(ROW(out->qkv, (size_t)l * rows, columns), attention->keep.qkv,
                   sizeof(Real) * rows * (size_t)columns);
        if (out->mixed)
            memcpy(ROW(out->mixed, (size_t)l * rows, HD), attention->keep.mixed,
                   sizeof(Real) * rows * (size_t)HD);
    }
    if (out->logits)
        logits_forward(out->logits, gpt->weights.head, gpt_head_input(gpt), count);
}

bool pulga_forward(PulgaModel *model, const int *ids, int count, const Real *patch,
                   const PulgaForward *out)
{
    if (setjmp(entered))
        return false;
    forward(model, ids, count, patch, out);
    return true;
}

static double gradients(PulgaModel *model, const int *ids, int count, const int *targets)
{
    Gpt *gpt = &model->gpt;
    const Objective *objective = &model->objective;
    const int rows = targets ? count : count - objective_ahead(objective);
    if (!targets && objective->kind == OBJECTIVE_MASKED)
        die("this model fills gaps: give the targets, the ids to predict in the place of [mask]");
    check_rows(model, max_int(rows, 1));
    check_ids(model, ids, count, false);
    const Sequence sequence = objective_sequence(objective, ids, rows);
    AUTOFREE int *own = memory_new((size_t)rows, sizeof *own, "the targets");
    Batch batch = {.rows = rows,
                   .sequences = 1,
                   .start = (const int[]){0, rows},
                   .tokens = ids,
                   .targets = own,
                   .prefix = &sequence.prefix};
    for (int i = 0; i < rows; i++) {
        own[i] = targets ? targets[i] : objective_target(objective, &sequence, i);
        batch.counted += own[i] >= 0;
    }
    check_ids(model, own, rows, true);
    if (!batch.counted)
        die("the model predicts no token of this text, so it has no loss: give a longer one");
    memset(gpt->gradient_block, 0, sizeof(Real) * gpt->size);
    return gpt_forward_backward(gpt, &batch, 1 / (Real)batch.counted, (Dropout){0}) / batch.counted;
}

bool pulga_gradients(PulgaModel *model, const int *ids, int count, const int *targets, double *loss)
{
    if (setjmp(entered))
        return false;
    *loss = gradients(model, ids, count, targets);
    return true;
}
