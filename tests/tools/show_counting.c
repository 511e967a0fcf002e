/* show_counting.c: the lines of a run's text as ids, and what counting in those that it was trained
 * on reaches on those that are held out, for scripts/kneser_ney.py, as JSON:
 *
 *     {"vocabulary": V, "train": [LINE, ...], "held_out": [LINE, ...], "losses": [...]}
 *
 * A LINE is [first, id, ...], where ids[first] is the first to predict; a stream is one line for
 * each part. The losses are of the orders 0 to 8. Usage: show_counting RUN */
#include <cjson/cJSON.h>

#include "base/base.h"
#include "formats/json.h"
#include "formats/run/training_text.h"
#include "text/corpus/counting.h"

static double setting(const Pretrained *model, const char *name)
{
    return json_get(config_own(&model->config), name)->valuedouble;
}

/* Line number p of a part: all of a stream. */
static Piece line_of(const Corpus *c, const Part *part, size_t p)
{
    return c->stream ? (Piece){part->begin, part->rows} : corpus_piece(c, part, p);
}

/* Prints the lines of a part, and adds them to what is counted in. */
static void show_part(const Corpus *c, const Part *part, const char *name, uint8_t purpose,
                      Ngrams *all)
{
    int *tokens = memory_new((size_t)c->context + 1, sizeof *tokens, "a test");
    printf(",\n\"%s\":[", name);
    for (size_t p = 0; p < (c->stream && part->count ? 1 : part->count); p++) {
        const Sequence line = corpus_sequence(c, line_of(c, part, p), tokens);
        printf("%s[%d", p ? ",\n" : "", line.first + 1);
        for (int i = 0; i <= line.rows; i++) {
            printf(",%d", line.tokens[i]);
            all->tokens[all->count] = line.tokens[i];
            all->before[all->count] = i;
            all->purpose[all->count++] = i > line.first ? purpose : 0;
        }
        printf("]");
    }
    printf("]");
    free(tokens);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 64;
    Pretrained model = pretrained_open(argv[1]);
    TrainingText text = training_text_open(&model, NULL);
    Corpus *c = &text.corpus;
    corpus_cut(c, (int)c->longest, setting(&model, "val"), (uint32_t)setting(&model, "val-seed"));
    const size_t most = c->ids.count;
    Ngrams all = {.tokens = memory_new(most, sizeof *all.tokens, "a test"),
                  .before = memory_new(most, sizeof *all.before, "a test"),
                  .purpose = memory_new(most, sizeof *all.purpose, "a test"),
                  .vocabulary = c->vocabulary};
    double losses[KNESER_NEY_MOST + 1], trial[KNESER_NEY_MOST + 1];

    printf("{\"vocabulary\":%d", c->vocabulary);
    show_part(c, &c->train, "train", NGRAM_COUNTED, &all);
    show_part(c, &c->held_out, "held_out", NGRAM_PREDICTED, &all);
    kneser_ney_losses(&all, KNESER_NEY_MOST, losses, trial);
    for (int k = 0; k <= KNESER_NEY_MOST; k++)
        printf("%s%.17g", k ? "," : ",\n\"losses\":[", losses[k]);
    printf("]}\n");
    free(all.tokens);
    free(all.before);
    free(all.purpose);
    training_text_free(&text);
    pretrained_close(&model);
    return 0;
}
