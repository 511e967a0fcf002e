/* fuzz_words.c: the words of a vocabulary, one a 0 byte; then they are shown. */
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "harness.h"
#include "showing.h"

enum { MOST = 24 };

static bool is_utf8(const char *word)
{
    utf8proc_int32_t c;
    utf8proc_ssize_t size;
    for (const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)word; *at; at += size)
        if ((size = utf8proc_iterate(at, -1, &c)) < 0)
            return false;
    return true;
}

/* A vocabulary as a file may hold it: any words, [bos] and [eos] among them. */
static Vocabulary read_words(const char *bytes, size_t size, Marks marks, bool characters)
{
    Vocabulary words = vocabulary_new(characters);
    words.marks = marks;
    vocabulary_add(&words, "<s>", 0, true);
    vocabulary_add(&words, "", 0, true);
    words.bos = 0;
    words.eos = 1;
    for (const char *at = bytes; at < bytes + size && words.count < MOST; at += strlen(at) + 1)
        if (is_utf8(at))
            vocabulary_add(&words, at, 0, false);
    return words;
}

typedef struct {
    const char *bytes; /* with a 0 behind them */
    size_t size;
} Call;

static void show_words(void *context)
{
    const Call *call = context;
    const int first = *call->bytes;
    Pretrained model = {.directory = call->bytes + 1,
                        .vocabulary = read_words(call->bytes + 1, call->size - 1,
                                                 (Marks)((unsigned)first % 3), first & 4)};
    model.gpt = gpt_new(&(GptConfig){.context = 16,
                                     .layers = 1,
                                     .heads = 1,
                                     .head_size = 2,
                                     .width = 2,
                                     .hidden = 2,
                                     .vocabulary = model.vocabulary.count},
                        16);
    gpt_init(&model.gpt, 1);
    TrainingText training_text = {.spelling = spelling_of(&model.vocabulary, NULL, 0)};
    show_all(&model, &training_text, call->bytes + 1, strlen(call->bytes + 1));
    training_text_free(&training_text);
    gpt_free(&model.gpt);
    vocabulary_free(&model.vocabulary);
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
