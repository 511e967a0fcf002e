/* tokens.c: the lists of tokens, of their types and scores, or of merges; and every key for which
 * llama.cpp has another value in mind. */
#include "tokens.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "charsmap.h"

#define KEY(name) "tokenizer.ggml." name
#define BEGIN_OF_WORD "\xE2\x96\x81" /* U+2581 */

/* The types of tokens that are needed here. */
typedef enum { TYPE_NORMAL = 1, TYPE_UNKNOWN = 2, TYPE_CONTROL = 3 } TokenType;

bool tokens_need_end(const Tokenizer *t)
{
    return t->kind != TOKENIZER_BPE && t->eos < 0;
}

/* Tokens of the file. */
static int count_of(const Tokenizer *t)
{
    return tokenizer_size(t) + tokens_need_end(t);
}

/* The caller frees it. */
static char *text_of(const Tokenizer *t, int id)
{
    if (id == tokenizer_size(t))
        return format_text("[end]");
    const char *word = vocabulary_word(&t->vocabulary, id);
    const bool is_plain = t->kind == TOKENIZER_BPE || vocabulary_is_special(&t->vocabulary, id);
    if (!is_plain && t->kind == TOKENIZER_WORD)
        return format_text(BEGIN_OF_WORD "%s", word);
    return format_text("%s", !is_plain && !strcmp(word, " ") ? BEGIN_OF_WORD : word);
}

static TokenType type_of(const Tokenizer *t, int id)
{
    if (id == t->unk)
        return TYPE_UNKNOWN;
    return id == tokenizer_size(t) || vocabulary_is_special(&t->vocabulary, id) ? TYPE_CONTROL
                                                                                : TYPE_NORMAL;
}

static void put_list(Gguf *gguf, const Tokenizer *t)
{
    const size_t count = (size_t)count_of(t);
    char **texts = memory_new(count, sizeof *texts, "the tokens");
    int32_t *types = memory_new(count, sizeof *types, "the tokens");
    float *scores = memory_new(count, sizeof *scores, "the tokens");
    for (int id = 0; id < (int)count; id++) {
        texts[id] = text_of(t, id);
        types[id] = (int32_t)type_of(t, id);
        scores[id] = -1;
    }
    gguf_put_texts(gguf, KEY("tokens"), texts, count);
    gguf_put_wholes(gguf, KEY("token_type"), types, count);
    if (t->kind != TOKENIZER_BPE)
        gguf_put_numbers(gguf, KEY("scores"), scores, count);
    for (size_t id = 0; id < count; id++)
        free(texts[id]);
    free(texts);
    free(types);
    free(scores);
}

/* Each as its two parts, with a space between. */
static void put_merges(Gguf *gguf, const Tokenizer *t)
{
    char **merges = NULL; /* stb_ds array */
    for (ptrdiff_t i = 0; i < arrlen(t->merges); i++)
        arrput(merges, format_text("%s %s", vocabulary_word(&t->vocabulary, t->merges[i].left),
                                   vocabulary_word(&t->vocabulary, t->merges[i].right)));
    gguf_put_texts(gguf, KEY("merges"), merges, (size_t)arrlen(merges));
    names_free(merges);
}

/* Ids that are not named have values that mean other tokens here. */
static void put_special(Gguf *gguf, const Tokenizer *t)
{
    const int end = t->eos >= 0                ? t->eos
                    : t->kind == TOKENIZER_BPE ? bpe_byte_id(&t->vocabulary, 0xFF)
                                               : tokenizer_size(t);
    const int begin = t->bos >= 0 ? t->bos : end;
    gguf_put_whole(gguf, KEY("bos_token_id"), (uint32_t)begin);
    gguf_put_whole(gguf, KEY("eos_token_id"), (uint32_t)end);
    gguf_put_whole(gguf, KEY("padding_token_id"), (uint32_t)end);
    if (t->kind != TOKENIZER_BPE)
        gguf_put_whole(gguf, KEY("unknown_token_id"), (uint32_t)(t->unk >= 0 ? t->unk : begin));
    gguf_put_flag(gguf, KEY("add_bos_token"), t->bos >= 0);
    gguf_put_flag(gguf, KEY("add_eos_token"), false);
}

/* What is said in a conversation, in the language Jinja: [bos] and one message after the other,
 * without names or marks, so that the model continues the last one; of pairs, each message is a
 * source. llama.cpp puts no second [bos] before it. */
static void put_template(Gguf *gguf, const Tokenizer *t)
{
    char *template = format_text("%s{%% for message in messages %%}{{ message['content'] }}%s"
                                 "{%% endfor %%}",
                                 t->bos >= 0 ? "{{ bos_token }}" : "",
                                 t->sep >= 0 ? tokenizer_word(t, t->sep) : "");
    gguf_put_text(gguf, "tokenizer.chat_template", template);
    free(template);
}

void tokens_put(Gguf *gguf, const Tokenizer *t)
{
    const bool words = t->kind == TOKENIZER_WORD;
    gguf_put_text(gguf, KEY("model"), t->kind == TOKENIZER_BPE ? "gpt2" : "t5");
    gguf_put_text(gguf, KEY("pre"), t->kind == TOKENIZER_BPE ? "gpt-2" : "default");
    put_list(gguf, t);
    put_special(gguf, t);
    put_template(gguf, t);
    gguf_put_flag(gguf, KEY("add_space_prefix"), words);
    if (t->kind == TOKENIZER_BPE) {
        put_merges(gguf, t);
        return;
    }
    gguf_put_flag(gguf, KEY("remove_extra_whitespaces"), words);
    char *map = charsmap_new(t);
    if (map)
        gguf_put_bytes(gguf, KEY("precompiled_charsmap"), map, (size_t)arrlen(map));
    arrfree(map);
}
