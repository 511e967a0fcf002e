/* tokens.c: the lists of tokens, of their types and scores, or of merges; and every key for which
 * llama.cpp has another value in mind. */
#include "tokens.h"

#include <stb/stb_ds.h>
#include <utf8proc.h>

#include "base/base.h"
#include "base/utf8.h"

/* Lists what is replaced, by asking text/text.c what becomes of each code point, then
 * builds the tree.
 *
 * A node of the tree is a unit u of the array, at index i; b is i ^ the number in u's bits 10 to
 * 30. The node after byte c is at b ^ c, and has c in its lowest 8 bits: any other number there
 * means that no such node exists. If the bytes so far are one of the texts that are replaced, u has
 * bit 8, and the unit at b says where its replacement begins. The root is at 0. */
typedef struct {
    char *from, *to;
} Replacement;

enum { LAST_CODE_POINT = 0x1FFFF }; /* beyond are only Chinese characters and private use */

/* ---- What is replaced ---- */

/* Which code points the tokens have. All others are unknown: a replacement with one is no use. */
static bool *known_characters(const Tokenizer *t)
{
    bool *known = memory_new(0x110000, sizeof *known, "the table of characters");
    for (int id = 0; id < tokenizer_size(t); id++) {
        const char *at = tokenizer_word(t, id), *end = at + strlen(at);
        while (at < end) {
            const int32_t c = utf8_next(&at, end);
            if (c >= 0)
                known[c] = true;
        }
    }
    return known;
}

/* Adds a few bytes of UTF-8 to the list if something else becomes of them: white space is one space
 * if words end there, and a mark that is a word of its own has a space on either side. What becomes
 * nothing, or has a letter that no token has, is left out. */
static void add(Replacement **list, const Tokenizer *t, const bool *known, const char *from,
                size_t size)
{
    AUTOFREE char *clean = NULL;
    size_t clean_size = 0;
    free(text_clean("", from, size, t->form, &clean, &clean_size));
    bool of_use = clean && clean_size; /* a byte order mark becomes nothing, but only in front */
    AUTOFREE char *to = memory_take(3 * clean_size + 1);
    char *end = to;
    for (const char *at = clean; of_use && at < clean + clean_size;) {
        const char *letter = at;
        const int32_t c = utf8_next(&at, clean + clean_size);
        const bool words = t->kind == TOKENIZER_WORD, space = words && is_space(c);
        const bool alone = words && t->punctuation == PUNCTUATION_ALONE && is_punctuation(c);
        of_use = known[c] || space || alone;
        if (space || alone)
            *end++ = ' ';
        while (!space && letter < at)
            *end++ = *letter++;
        if (alone)
            *end++ = ' ';
    }
    *end = 0;
    if (of_use && (strlen(to) != size || memcmp(to, from, size))) {
        const Replacement entry = {format_text("%.*s", (int)size, from), format_text("%s", to)};
        arrput(*list, entry);
    }
}

/* A code point, and the same taken apart into a letter and its accents (NFD), unless it is Korean:
 * its 11,172 syllables are nearly always written in one piece. */
static void add_code_point(Replacement **list, const Tokenizer *t, const bool *known, int32_t c)
{
    utf8proc_int32_t parts[8];
    char bytes[4 * 8];
    add(list, t, known, bytes, utf8_put(bytes, c));
    const utf8proc_ssize_t count = utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, NULL);
    if (count < 2 || count > 8 || (c >= 0xAC00 && c < 0xD7A4))
        return;
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += utf8_put(bytes + size, parts[i]);
    add(list, t, known, bytes, size);
}

static int by_from(const void *a, const void *b)
{
    return strcmp(((const Replacement *)a)->from, ((const Replacement *)b)->from);
}

/* The list, sorted, an stb_ds array; NULL if it is empty. Some texts are in it twice: the letter Å
 * and the sign for ångström are taken apart into the same. Surrogates (U+D800 on) are not
 * characters. */
static Replacement *replacements_of(const Tokenizer *t)
{
    Replacement *list = NULL;
    AUTOFREE bool *known = known_characters(t);
    for (int32_t c = 1; c <= LAST_CODE_POINT; c++)
        if (c < 0xD800 || c > 0xDFFF)
            add_code_point(&list, t, known, c);
    if (t->kind == TOKENIZER_CHAR)
        add(&list, t, known, "\r\n", 2);
    if (list)
        qsort(list, (size_t)arrlen(list), sizeof *list, by_from);
    return list;
}

/* ---- The tree ---- */

enum { BLOCK = 256, IS_END = 1 << 8, SHIFT = 10 };
static const uint32_t FREE = 1u << 31; /* no byte: a step never ends here */

typedef struct {
    const Replacement *list;
    uint32_t *units; /* the next three are stb_ds arrays */
    bool *taken;     /* which units are in use */
    bool *base;      /* which numbers b some node has: two must not share one */
    char *texts;     /* the replacements, a 0 after each */
} Tree;

static void grow(Tree *tree, size_t index)
{
    while ((size_t)arrlen(tree->units) <= index)
        for (int i = 0; i < BLOCK; i++) {
            arrput(tree->units, FREE);
            arrput(tree->taken, false);
            arrput(tree->base, false);
        }
}

/* Whether the nodes after these bytes can be put around b. */
static bool fits(const Tree *tree, uint32_t b, const unsigned char *bytes, int count)
{
    if (tree->base[b])
        return false;
    for (int i = 0; i < count; i++)
        if (tree->taken[b ^ bytes[i]])
            return false;
    return true;
}

/* The first b around which they can be put. It and its nodes share a block. */
static uint32_t find_base(Tree *tree, const unsigned char *bytes, int count)
{
    for (uint32_t at = 1;; at++) {
        grow(tree, at);
        if (!tree->taken[at] && fits(tree, at ^ bytes[0], bytes, count))
            return at ^ bytes[0];
    }
}

/* The different bytes with which the texts from `first` to before `end` go on after `depth`, sorted
 * as these are; 0: one ends there. Those that go on with bytes[i] are from[i] to before
 * from[i + 1]. Returns how many bytes there are. */
static int bytes_after(const Tree *tree, size_t first, size_t end, size_t depth,
                       unsigned char bytes[256], size_t from[257])
{
    int count = 0;
    for (size_t i = first; i < end; i++) {
        const unsigned char byte = (unsigned char)tree->list[i].from[depth];
        if (count && bytes[count - 1] == byte)
            continue;
        bytes[count] = byte;
        from[count++] = i;
    }
    from[count] = end;
    return count;
}

/* Puts the nodes below a node, which stands for the first `depth` bytes of the texts from `first`
 * to before `end`. */
static void put_below(Tree *tree, uint32_t node, size_t first, size_t end, size_t depth)
{
    unsigned char bytes[256] = {0};
    size_t from[257];
    const int count = bytes_after(tree, first, end, depth, bytes, from);
    const uint32_t base = find_base(tree, bytes, count);
    tree->base[base] = true;
    tree->units[node] |= (node ^ base) << SHIFT;
    for (int i = 0; i < count; i++) {
        tree->taken[base ^ bytes[i]] = true;
        tree->units[base ^ bytes[i]] = bytes[i];
    }
    for (int i = 0; i < count; i++)
        if (bytes[i]) {
            put_below(tree, base ^ bytes[i], from[i], from[i + 1], depth + 1);
        } else { /* a text ends here, or the same one twice */
            const char *to = tree->list[first].to;
            tree->units[node] |= IS_END;
            tree->units[base] = FREE | (uint32_t)arrlen(tree->texts);
            memcpy(arraddnptr(tree->texts, strlen(to) + 1), to, strlen(to) + 1);
        }
}

/* The size of the array in bytes, the array, the replacements. */
char *charsmap_new(const Tokenizer *tokenizer)
{
    Replacement *list = replacements_of(tokenizer);
    Tree tree = {.list = list};
    char *all = NULL;
    if (!list)
        return NULL;
    grow(&tree, 0);
    tree.units[0] = 0;
    tree.taken[0] = true;
    put_below(&tree, 0, 0, (size_t)arrlen(list), 0);
    const uint32_t size = (uint32_t)((size_t)arrlen(tree.units) * sizeof *tree.units);
    memcpy(arraddnptr(all, sizeof size), &size, sizeof size);
    memcpy(arraddnptr(all, size), tree.units, size);
    memcpy(arraddnptr(all, arrlen(tree.texts)), tree.texts, (size_t)arrlen(tree.texts));
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        free(list[i].from);
        free(list[i].to);
    }
    arrfree(list);
    arrfree(tree.units);
    arrfree(tree.taken);
    arrfree(tree.base);
    arrfree(tree.texts);
    return all;
}

#define KEY(name) "tokenizer.ggml." name
#define BEGIN_OF_WORD "\xE2\x96\x81" /* U+2581 */

/* The types of tokens that are needed here. */
enum {
    TYPE_NORMAL = 1,
    TYPE_UNKNOWN = 2,
    TYPE_CONTROL = 3,
    TYPE_USER_DEFINED = 4,
    TYPE_UNUSED = 5
};

bool tokens_need_end(const Tokenizer *t)
{
    return t->kind != TOKENIZER_BPE && t->eos < 0;
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

static int32_t type_of(const Tokenizer *t, int id)
{
    static const int32_t types[] = {[WORD_PLAIN] = TYPE_NORMAL,
                                    [WORD_SPECIAL] = TYPE_CONTROL,
                                    [WORD_ADDED] = TYPE_USER_DEFINED,
                                    [WORD_CONTROL] = TYPE_CONTROL,
                                    [WORD_UNUSED] = TYPE_UNUSED};
    if (id == tokenizer_size(t)) /* the end that is added */
        return TYPE_CONTROL;
    return id == t->unk ? TYPE_UNKNOWN : types[t->vocabulary.kinds[id]];
}

static void put_list(Gguf *gguf, const Tokenizer *t)
{
    const int V = tokenizer_size(t);
    const size_t count = (size_t)V + tokens_need_end(t);
    AUTOFREE char **texts = memory_new(count, sizeof *texts, "the tokens");
    AUTOFREE int32_t *types = memory_new(count, sizeof *types, "the tokens");
    AUTOFREE float *scores = memory_new(count, sizeof *scores, "the tokens");
    for (int id = 0; id < (int)count; id++) {
        texts[id] = text_of(t, id);
        types[id] = type_of(t, id);
        scores[id] = -1;
    }
    gguf_put_array(gguf, KEY("tokens"), GGUF_STRING, texts, count);
    gguf_put_array(gguf, KEY("token_type"), GGUF_INT32, types, count);
    if (t->kind != TOKENIZER_BPE)
        gguf_put_array(gguf, KEY("scores"), GGUF_FLOAT32, scores, count);
    for (size_t id = 0; id < count; id++)
        free(texts[id]);
}

/* Each as its two parts, with a space between. */
static void put_merges(Gguf *gguf, const Tokenizer *t)
{
    char **merges = NULL; /* stb_ds array */
    for (ptrdiff_t i = 0; i < arrlen(t->merges); i++)
        arrput(merges, format_text("%s %s", vocabulary_word(&t->vocabulary, t->merges[i].left),
                                   vocabulary_word(&t->vocabulary, t->merges[i].right)));
    gguf_put_array(gguf, KEY("merges"), GGUF_STRING, merges, (size_t)arrlen(merges));
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

/* What is said in a conversation, in the language Jinja: as the model's own files have it, or [bos]
 * and one message after the other, without names or marks, so that the model continues the last
 * one; of pairs, each message is a source. llama.cpp puts no second [bos] before it. */
static void put_template(Gguf *gguf, const Tokenizer *t)
{
    if (t->template) {
        gguf_put_text(gguf, "tokenizer.chat_template", t->template);
        return;
    }
    AUTOFREE char *template = format_text(
        "%s{%% for message in messages %%}{{ message['content'] }}%s{%% endfor %%}",
        t->bos >= 0 ? "{{ bos_token }}" : "", t->sep >= 0 ? tokenizer_word(t, t->sep) : "");
    gguf_put_text(gguf, "tokenizer.chat_template", template);
}

void tokens_put(Gguf *gguf, const Tokenizer *t)
{
    static const char *const patterns[] = {[PATTERN_GPT2] = "gpt-2",
                                           [PATTERN_DIGITS] = "smollm",
                                           [PATTERN_QWEN] = "qwen2",
                                           [PATTERN_LLAMA] = "llama-bpe"};
    const bool words = t->kind == TOKENIZER_WORD;
    gguf_put_text(gguf, KEY("model"), t->kind == TOKENIZER_BPE ? "gpt2" : "t5");
    gguf_put_text(gguf, KEY("pre"), t->kind == TOKENIZER_BPE ? patterns[t->pattern] : "default");
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
        gguf_put_array(gguf, KEY("precompiled_charsmap"), GGUF_UINT8, map, (size_t)arrlen(map));
    arrfree(map);
}
