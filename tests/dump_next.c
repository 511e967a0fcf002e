/* dump_next.c: what a run's model says of the next word after some words, for the tests of the
 * programs: a line "word probability" for each token. Usage: dump_next RUN WORD... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../data/run.h"
#include "../model/layers/logits.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 64;
    Settings settings = {0};
    run_read_settings(argv[1], &settings);
    char *path = run_text_path(argv[1]);
    Text text = text_read(path, settings.lower);
    const bool stream = settings.sequence == SEQUENCE_STREAM;
    Vocabulary words = vocabulary_of(path, text.clean, text.size, (VocabularyRules){
        settings.tokens == TOKENS_CHAR, stream, settings.min_count, settings.max_words});
    Corpus corpus = corpus_of(path, text.clean, text.size, &words, stream);
    Given given;
    memset(&given, 1, sizeof given);
    Plan plan;
    char *wrong = plan_make(&plan, &settings, &given, &corpus, words.count);
    if (wrong)
        die("%s", wrong);

    Gpt gpt = gpt_new(plan.shape, plan.shape.context);
    run_read_model(argv[1], &gpt);
    int tokens[64] = {words.bos}, positions[64], start[2] = {0, 0}, N = words.bos >= 0;
    for (int i = 2; i < argc; i++)
        tokens[N++] = vocabulary_id(&words, argv[i], strlen(argv[i]));
    for (int i = 0; i < N; i++)
        positions[i] = i;
    start[1] = N;
    const Batch batch = {N, 1, start, tokens, tokens, positions, 0};
    gpt_forward(&gpt, &batch, NULL, (Noise){0});

    const int C = plan.shape.width, V = words.count;
    Real *logits = memory_new((size_t)V, sizeof *logits, "a test");
    logits_forward(logits, gpt.weights.head, ROW(gpt.keep.normed, N - 1, C), 1, C, V);
    double sum = 0;
    for (int v = 0; v < V; v++)
        sum += exp((double)logits[v]);
    for (int v = 0; v < V; v++)
        printf("%s %.6f\n", words.words[v].key, exp((double)logits[v]) / sum);

    free(logits);
    gpt_free(&gpt);
    plan_free(&plan);
    corpus_free(&corpus);
    vocabulary_free(&words);
    text_free(&text);
    free(path);
    fields_free(SETTINGS, &settings);
    return 0;
}
