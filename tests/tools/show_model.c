/* show_model.c: what a model says of a text, for scripts/huggingface.py and others, as JSON: its
 * ids, the logits of each (N, V), and each layer's attention (L, H, N, N). Usage: show_model DIR
 * TEXT [ID...], with further ids after those of the text. */
#include <stb/stb_ds.h>

#include "formats/huggingface/config.h"
#include "model/layers/linear.h"
#include "text/encoder.h"

static void show(const char *name, const Real *numbers, size_t count)
{
    printf(",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%.9g", i ? "," : "", (double)numbers[i]);
    printf("]");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 64;
    Pretrained model = pretrained_open(argv[1]);
    const GptConfig *shape = &model.gpt.config;
    const int V = shape->vocabulary;
    Encoding encoding = prompt_encode(&model.tokenizer, "the text", argv[2], strlen(argv[2]));
    if (encoding.wrong)
        die("%s", encoding.wrong);
    for (int i = 3; i < argc; i++, encoding.count++)
        arrput(encoding.ids, atoi(argv[i]));
    const int *tokens = encoding.ids;
    int N = encoding.count;
    N = N < shape->context ? N : shape->context;
    const int start[2] = {0, N};
    const size_t rows = (size_t)N;
    const size_t seen = (size_t)shape->layers * (size_t)shape->heads * rows * rows;
    Real *logits = memory_new(rows * (size_t)V + 1, sizeof *logits, "a test");
    Real *attention = memory_new(seen + 1, sizeof *attention, "a test");
    const Batch batch = {.rows = N, .sequences = 1, .start = start, .tokens = tokens};
    gpt_forward(&model.gpt, &batch, attention, (Dropout){0});
    logits_forward(logits, model.gpt.weights.head, gpt_head_input(&model.gpt), N);

    printf("{\"ids\":[");
    for (int i = 0; i < N; i++)
        printf("%s%d", i ? "," : "", tokens[i]);
    printf("]");
    show("logits", logits, rows * (size_t)V);
    show("attention", attention, seen);
    printf("}\n");
    free(attention);
    free(logits);
    encoding_free(&encoding);
    pretrained_close(&model);
    return 0;
}
