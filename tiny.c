/* tiny.c: all of training on one page. Nine sentences become words, words become batches, and a
 * small GPT learns them. ./train data/perro.txt chooses these numbers itself; its model is the same
 * to the last bit. `make tiny && ./tiny && ./sample runs/tiny el` */
#include <inttypes.h>

#include "formats/huggingface/config.h"
#include "formats/huggingface/weights.h"
#include "model/gpt.h"
#include "model/optimizer.h"
#include "text/corpus/batches.h"
#include "text/corpus/corpus.h"
#include "text/text.h"
#include "text/tokenizer.h"

enum { CONTEXT = 8, WIDTH = 64, STEPS = 300, CLIP = 1, SEED = 1 };
static const double DECAY = 0.01, EPSILON = 1e-9;

int main(void)
{
    /* 1  a text; its words, each with a number; and pieces, here one for each sentence: [bos] el
     *    perro come is read, and el perro come [eos] is predicted */
    Text text = text_read("data/perro.txt", TEXT_COMPOSED);
    Tokenizer tokenizer = tokenizer_train(&text, (TokenizerRules){.min_count = 1});
    Corpus corpus = corpus_new(&text, &tokenizer);
    corpus_cut(&corpus, CONTEXT, 0, SEED); /* 0: nothing is held out */
    Reader reader = reader_new(&corpus, SEED);
    BatchRoom room = batch_room_new((int)corpus.train.rows);

    /* 2  the model, and what changes it */
    const GptConfig config = {.context = CONTEXT,
                              .layers = 2,
                              .heads = 4,
                              .key_heads = 4,
                              .head_size = 16,
                              .norm_epsilon = 1e-5,
                              .width = WIDTH,
                              .hidden = 256,
                              .vocabulary = tokenizer_size(&tokenizer)};
    Gpt gpt = gpt_new(&config, room.rows);
    gpt_init(&gpt, SEED);
    Optimizer optimizer = optimizer_new(&gpt, OPTIMIZER_ADAMW, false);
    const Schedule schedule = {.kind = SCHEDULE_NOAM,
                               .factor = 0.3,
                               .width = WIDTH,
                               .warmup = 30,
                               .cooldown = 0.2,
                               .horizon = STEPS};

    /* 3  300 times: forward, backward, update; every step reads all nine sentences */
    for (int step = 1; step <= STEPS; step++) {
        int count;
        const Piece *pieces = reader_take(&reader, (int)corpus.train.count, &count);
        const Batch batch = batch_fill(&room, &corpus, pieces, count);
        const double targets = batch.counted; /* rows that predict something */
        const double sum = gpt_forward_backward(&gpt, &batch, (Real)(1 / targets), (Dropout){0});
        const double norm = optimizer_gradient_norm(&optimizer, &gpt);
        optimizer_step(&optimizer, &gpt, norm > CLIP ? CLIP / norm : 1,
                       schedule_rate(&schedule, step), DECAY, EPSILON, step);
        if (step % 15 == 0)
            printf("step %3d  loss %8.6f\n", step, sum / targets);
    }

    /* 4  a directory that ./sample, ./attend and Transformers open */
    printf("model %016" PRIx64 "\n", weights_checksum(&gpt, gpt.weight_block));
    const bool saved = pretrained_save("runs/tiny", &gpt, &tokenizer);
    optimizer_free(&optimizer);
    gpt_free(&gpt);
    batch_room_free(&room);
    reader_free(&reader);
    corpus_free(&corpus);
    tokenizer_free(&tokenizer);
    text_free(&text);
    return !saved;
}
