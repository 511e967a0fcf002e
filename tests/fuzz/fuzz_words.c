/* fuzz_words.c: a vocabulary of words that end in a 0 byte, and everything that displays them. */

#include "base/utf8.h"
#include "tests/helpers/cases.h"
#include "harness.h"
#include "showing.h"

enum { MOST = 24 };

/* A vocabulary as a file may hold it: any words, [bos] and [eos] among them. */
static Tokenizer read_words(const char *bytes, size_t size, Punctuation punctuation,
                            bool characters)
{
    Tokenizer t = tokenizer_new();
    Vocabulary *words = &t.vocabulary;
    t.kind = characters ? TOKENIZER_CHAR : TOKENIZER_WORD;
    t.punctuation = punctuation;
    t.bos = vocabulary_add(words, "<s>", 3, true);
    t.eos = vocabulary_add(words, "", 0, true);
    for (const char *at = bytes; at < bytes + size && words->count < MOST; at += strlen(at) + 1)
        if (utf8_is_valid(at, strlen(at)))
            vocabulary_add(words, at, strlen(at), false);
    return t;
}

typedef struct {
    const char *bytes; /* ended by a 0 */
    size_t size;
} Call;

static void show_words(void *context)
{
    const Call *call = context;
    const int first = *call->bytes;
    Pretrained model = {.directory = {-1, (char *)call->bytes + 1},
                        .tokenizer = read_words(call->bytes + 1, call->size - 1,
                                                (Punctuation)((unsigned)first % 3), first & 4)};
    model.gpt =
        gpt_new(&(GptConfig){SIZES(16, 1, 1, 2, 2, 2, model.tokenizer.vocabulary.count)}, 16);
    gpt_init(&model.gpt, 1);
    TrainingText training_text = {.there = false};
    show_all(&model, &training_text, call->bytes + 1, strlen(call->bytes + 1));
    training_text_free(&training_text);
    gpt_free(&model.gpt);
    tokenizer_free(&model.tokenizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!size)
        return 0;
    char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    copy[size] = 0;
    returns(show_words, &(Call){copy, size});
    free(copy);
    return 0;
}
