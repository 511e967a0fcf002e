/* fuzz_text.c: options in the first line ("tokens=char val=0.5"), a text behind it: read, planned
 * and cut into the batches of three epochs and of an evaluation. */
#include <stb/stb_ds.h>

#include "programs/terminal/options.h"
#include "programs/train/plan/floor.h"
#include "programs/train/plan/plan.h"
#include "tests/helpers/tiny.h"
#include "text/corpus/batches.h"
#include "text/tokenizer.h"
#include "harness.h"

typedef struct {
    const char *text; /* with a 0 behind it */
    size_t size;
    Settings settings;
    Decided decided;
} Call;

static void read_options(Call *call)
{
    const size_t length = strcspn(call->text, "\n");
    char *line = strndup(call->text, length), *rest;
    fields_preset(SETTINGS, &call->settings);
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = 0;
        tiny_set(&call->settings, &call->decided, word, value ? value : "");
    }
    free(line);
    const size_t behind = call->text[length] ? length + 1 : length;
    call->text += behind;
    call->size -= behind;
}

/* What is clean can be read again. */
static void check_clean(const char *clean, size_t size)
{
    char *again;
    size_t size_again;
    char *wrong = text_clean("clean", clean, size, false, &again, &size_again);
    if (wrong)
        found("a clean text is not clean: %s", wrong);
    free(again);
}

static void check_batch(const Batch *batch, const Corpus *corpus, int V)
{
    int counted = 0; /* others are only read: see text/corpus/corpus.h */
    for (int i = 0; i < batch->rows; i++) {
        if (batch->tokens[i] < 0 || batch->tokens[i] >= V || batch->targets[i] < -1 ||
            batch->targets[i] >= V)
            found("row %d: token %d, target %d", i, batch->tokens[i], batch->targets[i]);
        counted += batch->targets[i] >= 0;
    }
    if (counted != batch->counted || !counted)
        found("%d rows count, not %d", counted, batch->counted);
    for (int s = 0; s < batch->sequences; s++) {
        const int length = batch->start[s + 1] - batch->start[s];
        const int prefix = batch->prefix ? batch->prefix[s] : 0;
        if (length > corpus->context || prefix < 0 || prefix > length)
            found("a sequence of %d tokens, a prefix of %d", length, prefix);
    }
}

/* Each target of what is evaluated comes once. */
static void evaluate(const Corpus *corpus, const Plan *plan, int V)
{
    const Part *part = &corpus->evaluated;
    BatchRoom room = batch_room_new(plan->rows);
    BatchPlace place = {0};
    size_t targets = 0;
    for (Batch batch; batch_next(&batch, &room, corpus, part, &place);) {
        check_batch(&batch, corpus, V);
        targets += (size_t)batch.counted;
    }
    if (targets != part->targets)
        found("%zu targets are evaluated, not %zu", targets, part->targets);
    batch_room_free(&room);
}

/* As trainer.c takes them. */
static void read_epochs(const Corpus *corpus, const Plan *plan, int V)
{
    const Settings *s = &plan->settings;
    Reader reader = reader_new(corpus, (uint32_t)s->val_seed);
    BatchRoom room = batch_room_new(plan->rows);
    for (int epoch = 0; epoch < 3; epoch++) {
        size_t rows = 0;
        do {
            int count;
            const Piece *pieces = reader_take(&reader, s->batch, &count);
            for (int part = 0; part < s->accumulate && part < count; part++) {
                const int parts = s->accumulate < count ? s->accumulate : count;
                const int from = (int)((int64_t)count * part / parts);
                const int end = (int)((int64_t)count * (part + 1) / parts);
                const Batch batch = batch_fill_hiding(&room, corpus, pieces + from, end - from,
                                                      (HideDraw){.row = (uint32_t)rows});
                check_batch(&batch, corpus, V);
                rows += (size_t)batch.rows;
            }
        } while (reader.next < reader.count);
        if (rows != corpus->train.rows)
            found("%zu rows in epoch %d, not %zu", rows, epoch, corpus->train.rows);
    }
    batch_room_free(&room);
    reader_free(&reader);
}

static void check_decoding(Tokenizer *tokenizer, const Corpus *corpus, const Text *text)
{
    tokenizer_learn_spacing(tokenizer, text_span(text));
    const int count = (int)corpus->ids.count;
    int *ids = malloc((size_t)count * sizeof *ids);
    ids_read(&corpus->ids, 0, (size_t)count, ids);
    char *decoded = tokenizer_decode(tokenizer, ids, count);
    free(ids);
    if (corpus->stream && tokenizer->kind == TOKENIZER_BPE && strcmp(decoded, text->clean))
        found("subwords give back: %s", decoded);
    free(decoded);
}

static void train_on(void *context)
{
    Call *call = context;
    read_options(call);
    Settings *s = &call->settings;
    char *copy = memcpy(memory_take(call->size + 1), call->text, call->size + 1);
    Text text = text_from("the text", (Bytes){copy, call->size}, s->lower);
    check_clean(text.clean, text.size);
    char *not_pairs = text_check_pairs(&text);
    plan_text(s, &call->decided, &(TextLook){.size = text.size, .pairs = !not_pairs});
    free(not_pairs);
    plan_vocabulary(s, text.size);
    const bool stream = s->sequence == SEQUENCE_STREAM;
    Tokenizer tokenizer = tokenizer_train(&text, (TokenizerRules){.kind = s->tokens,
                                                                  .objective = s->objective,
                                                                  .lower = s->lower,
                                                                  .stream = stream,
                                                                  .min_count = s->min_count,
                                                                  .max_words = s->max_words,
                                                                  .vocabulary = s->vocabulary});
    Corpus corpus = corpus_new(&text, &tokenizer);
    check_decoding(&tokenizer, &corpus, &text);
    corpus.objective.causal_source = s->causal_source;
    corpus.objective.share = s->mask;
    plan_model(s, &call->decided, &corpus);
    corpus_check_pairs(&corpus, s->shape.context, text.name);
    corpus_cut(&corpus, s->shape.context, s->val, (uint32_t)s->seed);
    Plan plan = plan_training(s, &call->decided, &corpus, tokenizer.vocabulary.count);
    int seen;
    if (!stream &&
        !(floor_of(&corpus, plan.shape.patterns, s->shape.layers, s->shape.heads, &seen) >= 0))
        found("no floor");
    memory_check(plan.bytes, "the model");
    read_epochs(&corpus, &plan, tokenizer.vocabulary.count);
    evaluate(&corpus, &plan, tokenizer.vocabulary.count);
    plan_free(&plan);
    corpus_free(&corpus);
    tokenizer_free(&tokenizer);
    text_free(&text);
    fields_free(SETTINGS, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = 0;
    Call call = {.text = text, .size = size};
    returns(train_on, &call);
    free(text);
    return 0;
}
