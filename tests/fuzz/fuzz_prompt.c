/* fuzz_prompt.c: a byte that chooses a model, then a prompt. */

#include "harness.h"
#include "showing.h"

enum { MODELS = 6 };

typedef struct {
    const char *directory, *prompt; /* the prompt ends in a 0 */
    size_t size;
    Punctuation punctuation;
} Call;

static void ask(void *context)
{
    const Call *call = context;
    Pretrained model = pretrained_open(call->directory);
    TrainingText training_text = training_text_open(&model, NULL);
    model.tokenizer.punctuation = call->punctuation;
    show_all(&model, &training_text, call->prompt, call->size);
    training_text_free(&training_text);
    pretrained_close(&model);
}

/* One of each way to read a text; the last is a model from elsewhere. */
static void write_models(char **directories)
{
    static const char *const options[MODELS][5] = {{NULL},
                                                   {"lower", "", NULL},
                                                   {"tokens", "char", NULL},
                                                   {"tokens", "char", "sequence", "lines", NULL},
                                                   {"sequence", "stream", NULL},
                                                   {NULL}};
    for (int i = 0; i < MODELS; i++) {
        put_run(options[i]);
        char *run = format_text("%s/run", folder());
        directories[i] = format_text("%s/run-%d", folder(), i);
        if (rename(run, directories[i]))
            found("%s cannot be renamed", run);
        free(run);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char *directories[MODELS];
    if (!directories[0])
        write_models(directories);
    if (!size)
        return 0;
    char *prompt = malloc(size);
    memcpy(prompt, bytes + 1, size - 1);
    prompt[size - 1] = 0;
    const int i = bytes[0] % MODELS;
    returns(ask, &(Call){directories[i], prompt, size - 1,
                         i == MODELS - 1 ? PUNCTUATION_IN_WORDS : PUNCTUATION_ALONE});
    free(prompt);
    return 0;
}
