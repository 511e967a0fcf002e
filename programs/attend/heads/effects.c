/* effects.c: a head is taken out of the model's weights, which are copied back afterwards. The
 * random tokens of a sequence are all different, so that each has one place where it came first. */
#include "effects.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers/random.h"
#include "model/ablation.h"
#include "text/corpus/batches.h"

/* Sequences of random tokens, and the most different tokens in one. */
enum { SEQUENCES = 8, MOST_HALF = 25 };

/* ---- The loss ---- */

/* Whether a hidden token is a gap of the text itself, which is not predicted. */
static bool hides_gap(const Batch *batch, const Objective *objective)
{
    bool gap = false;
    for (int i = 0; i < batch->rows && objective->kind == OBJECTIVE_MASKED; i++)
        gap |= batch->targets[i] == objective->mask;
    return gap;
}

double effects_loss(Gpt *gpt, const Objective *objective, const int *ids, int length, int *count)
{
    const Piece piece = {0, (uint64_t)(length - objective_ahead(objective))};
    const Part part = {.count = 1, .list = &piece, .sample = true};
    const Corpus corpus = {.stream = true,
                           .objective = *objective,
                           .store = store_in_memory(),
                           .ids = {ids, sizeof *ids, (size_t)length},
                           .vocabulary = gpt->config.vocabulary,
                           .context = gpt->config.context};
    BatchRoom room = batch_room_new((int)piece.length);
    BatchPlace place = {0};
    double sum = 0;
    *count = 0;
    for (Batch batch; batch_next(&batch, &room, &corpus, &part, &place);)
        if (!hides_gap(&batch, objective)) {
            sum += gpt_evaluate(gpt, &batch);
            *count += batch.counted;
        }
    batch_room_free(&room);
    return sum;
}

static void read_rises(Effects *effects, Gpt *gpt, const Objective *objective, const int *ids,
                       int length)
{
    const int H = effects->heads;
    const size_t size = gpt->size * sizeof *gpt->weight_block;
    Real *kept = memory_new(gpt->size, sizeof *kept, "the weights");
    memcpy(kept, gpt->weight_block, size);
    for (int i = 0, count; i < effects->layers * (H + 1); i++) {
        ablate(gpt, i / (H + 1), i % (H + 1));
        const double without = effects_loss(gpt, objective, ids, length, &count) / count;
        effects->rise[i] = without - effects->loss;
        memcpy(gpt->weight_block, kept, size);
    }
    free(kept);
}

/* ---- Copying ---- */

/* The ids of all tokens that stand for text; the caller frees them. */
static int *text_tokens(const Tokenizer *tokenizer, int *count)
{
    const int V = tokenizer_size(tokenizer);
    int *ids = memory_new((size_t)V, sizeof *ids, "the vocabulary");
    *count = 0;
    for (int id = 0; id < V; id++)
        if (tokenizer_is_text(tokenizer, id))
            ids[(*count)++] = id;
    return ids;
}

/* Brings `half` random ones of these ids to their front. */
static void shuffle(int *ids, int count, int half, uint32_t number)
{
    for (int i = 0; i < half; i++) {
        const Random4 counter = {{(uint32_t)i, number, 0, 0}};
        const int j = i + (int)(random_bits(1, RANDOM_REPEAT, counter) % (uint64_t)(count - i));
        const int id = ids[i];
        ids[i] = ids[j];
        ids[j] = id;
    }
}

/* Adds the means of a map (T, T) whose last 2·half tokens are random ones, twice. */
static void add_scores(double *before, double *induction, const Real *map, int T, int half)
{
    const int from = T - half; /* the second time */
    for (int i = 1; i < T; i++)
        *before += (double)ROW(map, i, T)[i - 1] / (T - 1) / SEQUENCES;
    for (int i = from; i < T; i++)
        *induction += (double)ROW(map, i, T)[i - half + 1] / half / SEQUENCES;
}

static void read_copying(Effects *effects, Gpt *gpt, const Tokenizer *tokenizer)
{
    const int heads = effects->layers * effects->heads;
    const bool begun = !tokenizer->stream && tokenizer->bos >= 0;
    int count, *ids = text_tokens(tokenizer, &count);
    const int half = min_int(min_int(MOST_HALF, count), (gpt->config.context - begun) / 2);
    const int T = begun + 2 * half;
    int *tokens = memory_new((size_t)T + 1, sizeof *tokens, "the tokens");
    Real *maps = memory_new((size_t)heads * (size_t)T * (size_t)T + 1, sizeof *maps,
                            "the attention of all heads");
    tokens[0] = tokenizer->bos;
    effects->twice = half > 1 ? half : 0;
    for (uint32_t s = 0; s < SEQUENCES && effects->twice; s++) {
        shuffle(ids, count, half, s);
        for (int i = 0; i < 2 * half; i++)
            tokens[begun + i] = ids[i % half];
        const Batch batch = {
            .rows = T, .sequences = 1, .start = (const int[]){0, T}, .tokens = tokens};
        gpt_forward(gpt, &batch, maps, (Dropout){0});
        for (int h = 0; h < heads; h++)
            add_scores(&effects->before[h], &effects->induction[h],
                       maps + (size_t)h * (size_t)T * (size_t)T, T, half);
    }
    free(tokens);
    free(maps);
    free(ids);
}

Effects effects_read(Gpt *gpt, const Tokenizer *tokenizer, const Objective *objective,
                     const int *ids, int length)
{
    Effects effects = {.layers = gpt->config.layers, .heads = gpt->config.heads};
    const size_t L = (size_t)effects.layers, H = (size_t)effects.heads;
    effects.rise = memory_new(L * (H + 1), sizeof *effects.rise, "the heads");
    effects.before = memory_new(L * H, sizeof *effects.before, "the heads");
    effects.induction = memory_new(L * H, sizeof *effects.induction, "the heads");
    const double sum = effects_loss(gpt, objective, ids, length, &effects.count);
    if (effects.count) {
        effects.loss = sum / effects.count;
        read_rises(&effects, gpt, objective, ids, length);
    }
    if (objective->kind == OBJECTIVE_NEXT)
        read_copying(&effects, gpt, tokenizer);
    return effects;
}

void effects_free(Effects *effects)
{
    free(effects->rise);
    free(effects->before);
    free(effects->induction);
}
