/* gradients_of_model.c: the gradients of the whole model, with every option, against central
 * differences, in double. */

#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

typedef struct {
    Gpt gpt;
    const Case *of;
} Checked;

static double loss(void *context)
{
    Checked *checked = context;
    return case_learn(&checked->gpt, checked->of);
}

/* The bias of queries, keys and values, head by head. A key's bias adds the same to all scores of a
 * query, so its gradient is truly 0, unless each key is turned by another angle; so is that of a
 * query's bias if the query sees only itself. */
static void check_qkv_bias(Checked *checked, const Tensor *tensor, const Real *gradients, int layer)
{
    const GptConfig *config = &checked->gpt.config;
    const int H = config->heads, K = config->key_heads, D = config->head_size;
    const bool turned = config->positions == POSITIONS_ROTARY;
    for (int h = 0; h < H + 2 * K; h++) {
        const size_t at = tensor->offset + (size_t)(h * D);
        const Pattern pattern = pattern_at(config->patterns, layer * H + h % H);
        const bool alone = pattern.kind == PATTERN_WINDOW && pattern.size == 1;
        const bool is_query = h < H, is_key = !is_query && h < H + K;
        assert_gradient(tensor->name, checked->gpt.weight_block + at, gradients + at, (size_t)D,
                        loss, checked, is_query ? alone : is_key && !turned);
    }
}

static void check_case(const Case *c)
{
    Checked checked = {case_model(c), c};
    Gpt *gpt = &checked.gpt;
    AUTOFREE Real *gradients = memory_new(gpt->size, sizeof *gradients, "a test");
    case_learn(gpt, c);
    memcpy(gradients, gpt->gradient_block, gpt->size * sizeof *gradients);

    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        int layer = 0;
        const char *bias = strstr(tensor->name, ".attn.c_attn.bias");
        if (!tensor->trained) {
            for (size_t j = 0; j < tensor_size(tensor); j++)
                assert_true(gradients[tensor->offset + j] == 0);
            continue;
        }
        if (bias) {
            sscanf(tensor->name, "h.%d.", &layer);
            check_qkv_bias(&checked, tensor, gradients, layer);
            continue;
        }
        const size_t count = tensor_size(tensor);
        assert_gradient(tensor->name, gpt->weight_block + tensor->offset,
                        gradients + tensor->offset, count, loss, &checked, false);
    }
    gpt_free(gpt);
}

TEST(gradients_agree_with_central_differences)
{
    for (int i = 0; i < CASE_COUNT; i++) {
        print_message("%s\n", CASES[i].name);
        check_case(&CASES[i]);
    }
}

/* A step in parts has the same dropout masks and the same sum of gradients. */
TEST(a_step_in_parts_gives_the_gradients_of_the_whole)
{
    const Case *c = &CASES[7]; /* with dropout, which depends on the row */
    Gpt whole = case_model(c), parts = case_model(c);
    const double once = case_learn(&whole, c);

    double sum = 0;
    for (int s = 0; s < CASE_BATCH.sequences; s++) {
        const int from = CASE_BATCH.start[s], rows = CASE_BATCH.start[s + 1] - from;
        const int start[] = {0, rows};
        const Batch part = {.rows = rows,
                            .sequences = 1,
                            .start = start,
                            .tokens = CASE_BATCH.tokens + from,
                            .targets = CASE_BATCH.targets + from,
                            .counted = rows,
                            .first_row = (uint32_t)from};
        sum += gpt_forward_backward(&parts, &part, (Real)(1.0 / CASE_BATCH.rows),
                                    (Dropout){c->dropout, 9, 4});
    }
    assert_close_one("loss in parts", sum / CASE_BATCH.rows, once, 1e-12);
    assert_close("gradient in parts", parts.gradient_block, (double *)whole.gradient_block,
                 whole.size, 1e-12);
    gpt_free(&whole);
    gpt_free(&parts);
}

/* The head works on pieces of the rows; the size of the pieces must not matter. */
TEST(the_size_of_the_heads_pieces_does_not_matter)
{
    const Case *c = &CASES[0];
    Gpt whole = case_model(c), pieces = case_model(c);
    const double once = case_learn(&whole, c);
    pieces.work.piece = 5;
    assert_close_one("loss in pieces", case_learn(&pieces, c), once, 1e-13);
    assert_close("gradient in pieces", pieces.gradient_block, (double *)whole.gradient_block,
                 whole.size, 1e-13);
    gpt_free(&whole);
    gpt_free(&pieces);
}

/* The loss of CASE_BATCH and its gradients, part by part: in part k only each PARTS-th row counts,
 * from row k on. Without `learn`, only the loss, without dropout. */
static double sum_of_parts(Gpt *gpt, double dropout, bool learn)
{
    enum { PARTS = 5, MOST_ROWS = 20 };
    double sum = 0;
    for (int k = 0; k < PARTS; k++) {
        int targets[MOST_ROWS];
        Batch part = CASE_BATCH;
        part.targets = targets;
        part.counted = 0;
        for (int i = 0; i < part.rows; i++) {
            targets[i] = i % PARTS == k ? CASE_BATCH.targets[i] : -1;
            part.counted += targets[i] >= 0;
        }
        sum += learn ? gpt_forward_backward(gpt, &part, (Real)(1.0 / part.rows),
                                            (Dropout){dropout, 9, 4})
                     : gpt_evaluate(gpt, &part);
    }
    return sum / CASE_BATCH.rows;
}

/* The head leaves out the rows that do not count. Each row counts in one part, so the sums are
 * those of the whole, in which all count; if a row's gradient came to another row they would
 * differ. */
TEST(most_rows_need_not_count)
{
    for (int i = 0; i < CASE_COUNT; i++) {
        const Case *c = &CASES[i];
        if (c->kind != CASE_ALL_COUNT)
            continue;
        Gpt whole = case_model(c), parts = case_model(c);
        parts.work.piece = 2; /* a part has three rows that count, or two */
        assert_close_one(c->name, sum_of_parts(&parts, c->dropout, true), case_learn(&whole, c),
                         1e-12);
        assert_close(c->name, parts.gradient_block, (double *)whole.gradient_block, whole.size,
                     1e-12);
        const double once = gpt_evaluate(&whole, &CASE_BATCH) / CASE_BATCH.rows;
        assert_close_one(c->name, sum_of_parts(&parts, 0, false), once, 1e-12);
        gpt_free(&whole);
        gpt_free(&parts);
    }
}

/* The losses of the predictions, added in their order, are the sum to the last bit; and the head's
 * pieces change none of them. */
TEST(predictions_add_up_to_the_loss)
{
    enum { MOST_ROWS = 20 };
    for (int i = 0; i < CASE_COUNT; i++) {
        const Case *c = &CASES[i];
        FREED_BY(gpt_free) Gpt gpt = case_model(c);
        Prediction each[MOST_ROWS], again[MOST_ROWS];
        double sum = 0;
        const double evaluated = gpt_evaluate(&gpt, &CASE_BATCH);
        assert_true(gpt_evaluate_each(&gpt, &CASE_BATCH, each) == evaluated);
        gpt.work.piece = 2;
        gpt_evaluate_each(&gpt, &CASE_BATCH, again);
        for (int k = 0; k < CASE_BATCH.counted; k++) {
            sum += each[k].loss;
            assert_close_one("loss", again[k].loss, each[k].loss, 1e-12);
            assert_int_equal(again[k].rank, each[k].rank);
            assert_int_equal(again[k].target, each[k].target);
        }
        assert_true(sum == evaluated);
    }
}
