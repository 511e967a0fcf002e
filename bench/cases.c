/* cases.c: a step as training/trainer.c takes it, on tokens that are made up. */
#include "cases.h"

#include "model/optimizer/schedule.h"

Case case_of(const char *name, int layers, int heads, int width, int vocabulary, int context,
             int sequences)
{
    return (Case){.name = name,
                  .sequences = sequences,
                  .config = {.context = context,
                             .layers = layers,
                             .heads = heads,
                             .width = width,
                             .head_size = width / heads,
                             .hidden = 4 * width,
                             .vocabulary = vocabulary,
                             .positions = POSITIONS_LEARNED,
                             .activation = ACTIVATION_GELU}};
}

/* Tokens that look random, the same every time. */
static void fill(Training *s)
{
    const int T = s->it.config.context;
    for (int i = 0; i < s->batch.rows; i++) {
        const uint32_t drawn = ((uint32_t)i * 2654435761u) >> 7;
        s->tokens[i] = (int)(drawn % (uint32_t)s->it.config.vocabulary);
        s->positions[i] = i % T;
    }
    for (int i = 0; i < s->batch.rows; i++)
        s->targets[i] = s->tokens[(i + 1) % s->batch.rows];
    for (int i = 0; i <= s->it.sequences; i++)
        s->start[i] = i * T;
    for (int i = 0; i < s->it.sequences; i++)
        s->prefix[i] = T;
}

/* Every sequence has the length of the context, and all targets count. */
Training training_new(const Case *it)
{
    const int rows = it->sequences * it->config.context;
    Training s = {.it = *it, .gpt = gpt_new(&it->config, rows)};
    s.optimizer = optimizer_new(&s.gpt, OPTIMIZER_ADAMW, false);
    gpt_init(&s.gpt, 1);
    s.tokens = memory_new((size_t)rows, sizeof *s.tokens, "a step's tokens");
    s.targets = memory_new((size_t)rows, sizeof *s.targets, "a step's tokens");
    s.positions = memory_new((size_t)rows, sizeof *s.positions, "a step's tokens");
    s.start = memory_new((size_t)it->sequences + 1, sizeof *s.start, "a step's sequences");
    s.prefix = memory_new((size_t)it->sequences, sizeof *s.prefix, "a step's sequences");
    s.batch = (Batch){.rows = rows,
                      .counted = rows,
                      .sequences = it->sequences,
                      .start = s.start,
                      .tokens = s.tokens,
                      .targets = s.targets,
                      .positions = s.positions,
                      .prefix = it->prefix ? s.prefix : NULL};
    fill(&s);
    return s;
}

/* The norm is computed and clipped at 1, as a run does by default. */
void training_step(Training *s)
{
    s->step++;
    const Dropout dropout = {.rate = s->it.dropout, .seed = 1, .step = (uint32_t)s->step};
    gpt_forward_backward(&s->gpt, &s->batch, (Real)1 / (Real)s->batch.rows, dropout);
    const double norm = optimizer_gradient_norm(&s->optimizer, &s->gpt);
    optimizer_step(&s->optimizer, &s->gpt, norm > 1 ? 1 / norm : 1, 1e-4, 0.01, s->step);
}

double case_flops(const Case *it)
{
    const GptConfig *config = &it->config;
    const double C = config->width, T = config->context, F = config->hidden;
    const double HD = (double)config->heads * config->head_size;
    const double tokens = T * it->sequences;
    const double weights =
        config->layers * (C * 3 * HD + HD * C + 2 * C * F) + C * config->vocabulary;
    const double pairs = it->sequences * T * (T + 1) / 2; /* of a query and a key it attends to */
    return 6 * weights * tokens + config->layers * pairs * 12 * HD;
}
