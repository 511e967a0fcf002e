/* next_probabilities.c: what a run's model says of the next word after some words, for the tests of
 * the programs: a line "word probability" for each token. Usage: next_probabilities RUN WORDS */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/huggingface/config.h"
#include "model/layers/linear.h"
#include "text/encoder.h"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    Pretrained model = pretrained_open(argv[1]);
    Encoding encoding = prompt_encode(&model.tokenizer, "the words", argv[2], strlen(argv[2]));
    if (encoding.wrong)
        die("%s", encoding.wrong);
    const int *tokens = encoding.ids;
    int N = encoding.count;
    const int start[2] = {0, N};
    const Batch batch = {.rows = N, .sequences = 1, .start = start, .tokens = tokens};
    gpt_forward(&model.gpt, &batch, NULL, (Dropout){0});

    const int C = model.gpt.config.width, V = model.gpt.config.vocabulary;
    Real *logits = memory_new((size_t)V, sizeof *logits, "a test");
    logits_forward(logits, model.gpt.weights.head, ROW(gpt_head_input(&model.gpt), N - 1, C), 1);
    double sum = 0;
    for (int v = 0; v < V; v++)
        sum += exp((double)logits[v]);
    for (int v = 0; v < V; v++)
        printf("%s %.6f\n", vocabulary_word(&model.tokenizer.vocabulary, v),
               exp((double)logits[v]) / sum);

    free(logits);
    encoding_free(&encoding);
    pretrained_close(&model);
    return 0;
}
