/* show_bpe.c: what byte-level BPE makes of a text, for scripts/bpe.py. Usage:
 *
 *     show_bpe train SIZE MIN_COUNT TEXT    prints the merges, each as "left right id"
 *     show_bpe encode MERGES TEXT           writes the ids as 32-bit integers
 *     show_bpe words PATTERN TEXT           writes the sizes of the words likewise
 *     show_bpe ids DIRECTORY COUNT TEXT...  writes for each text how many ids it has, and the ids
 *     show_bpe copy DIRECTORY COUNT OUT     writes the tokenizer that it has read
 *
 * MERGES is a file like GPT-2's merges.txt; PATTERN is a number of text/subwords/bpe.h; the
 * tokenizer of DIRECTORY has COUNT tokens. The seconds go to standard error. */
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/json.h"
#include "text/encoder.h"
#include "text/subwords/bpe.h"

static Span span_of(Bytes text)
{
    return (Span){text.bytes, text.bytes + text.size};
}

static void train(int size, int min_count, const char *path)
{
    const Bytes text = file_read(path, false);
    Vocabulary v = vocabulary_new();
    const double begun = clock_seconds();
    WordCounts counts = word_counts_new();
    Span rest = span_of(text), word;
    while (byte_level_word(&rest.begin, rest.end, &word))
        word_counts_add(&counts, word.begin, (size_t)(word.end - word.begin), 1);
    const double counted = clock_seconds();
    BpeMerge *merges = bpe_train(&v, &counts, size, min_count);
    fprintf(stderr, "%.3f counting, %.3f merging\n", counted - begun, clock_seconds() - counted);
    for (ptrdiff_t i = 0; i < arrlen(merges); i++)
        printf("%s %s %d\n", vocabulary_word(&v, merges[i].left),
               vocabulary_word(&v, merges[i].right), merges[i].id);
    arrfree(merges);
    vocabulary_free(&v);
    free(text.bytes);
}

static int id_of(Vocabulary *v, const char *word, size_t size)
{
    const int known = vocabulary_find(v, word, size);
    return known >= 0 ? known : vocabulary_add(v, word, size, false);
}

static Bpe read_merges(const char *path, Vocabulary *v)
{
    const Bytes file = file_read(path, true);
    Span rest = span_of(file), line, left, right;
    BpeMerge *merges = NULL;
    int ids[256];
    *v = vocabulary_new();
    bpe_add_bytes(v, ids);
    while (split_line(&rest.begin, rest.end, &line)) {
        if (line.end - line.begin > 8 && !strncmp(line.begin, "#version", 8))
            continue;
        if (!split_word(&line.begin, line.end, PUNCTUATION_IN_WORDS, &left) ||
            !split_word(&line.begin, line.end, PUNCTUATION_IN_WORDS, &right))
            break;
        const size_t size = (size_t)(left.end - left.begin);
        char *both = format_text("%.*s%.*s", (int)size, left.begin, (int)(right.end - right.begin),
                                 right.begin);
        arrput(merges, ((BpeMerge){id_of(v, both, size), id_of(v, both + size, strlen(both + size)),
                                   id_of(v, both, strlen(both))}));
        free(both);
    }
    const Bpe bpe = bpe_new(v, merges, (int)arrlen(merges));
    arrfree(merges);
    free(file.bytes);
    return bpe;
}

static void encode(const char *merges, const char *path)
{
    Vocabulary v;
    Bpe bpe = read_merges(merges, &v);
    const Bytes text = file_read(path, false);
    int *ids = NULL;
    const double begun = clock_seconds();
    const Tokenizer t = {.kind = TOKENIZER_BPE, .bpe = bpe};
    Encoder *encoder = encoder_new(&t, text.size, -1);
    Span unknown;
    encoder_add(encoder, span_of(text), &ids, &unknown);
    fprintf(stderr, "%.3f encoding\n", clock_seconds() - begun);
    fwrite(ids, sizeof *ids, arrlenu(ids), stdout);
    encoder_free(encoder);
    arrfree(ids);
    free(text.bytes);
    bpe_free(&bpe);
    vocabulary_free(&v);
}

static Tokenizer read_tokenizer(const char *path, const char *count)
{
    Directory directory = directory_open(path);
    json_prepare();
    return tokenizer_json_read(&directory, atoi(count), -1, OBJECTIVE_NEXT);
}

static void show_ids(const Tokenizer *t, char **paths, int texts)
{
    double seconds = 0;
    for (int i = 0; i < texts; i++) {
        const Bytes text = file_read(paths[i], false);
        const double begun = clock_seconds();
        Encoding e = prompt_encode(t, paths[i], text.bytes, text.size);
        seconds += clock_seconds() - begun;
        if (e.wrong)
            die("%s", e.wrong);
        fwrite(&e.count, sizeof e.count, 1, stdout);
        fwrite(e.ids, sizeof *e.ids, (size_t)e.count, stdout);
        encoding_free(&e);
        free(text.bytes);
    }
    fprintf(stderr, "%.3f encoding\n", seconds);
}

static void copy(const Tokenizer *t, const char *path)
{
    Directory directory = directory_open(path);
    if (!tokenizer_json_write(&directory, t, 64))
        exit(1);
}

static void show_words(WordPattern pattern, const char *path)
{
    const Bytes text = file_read(path, false);
    Span rest = span_of(text), word;
    while (pattern_word(&rest.begin, rest.end, pattern, &word)) {
        const int size = (int)(word.end - word.begin);
        fwrite(&size, sizeof size, 1, stdout);
    }
    free(text.bytes);
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "train"))
        train(atoi(argv[2]), atoi(argv[3]), argv[4]);
    else if (argc == 4 && !strcmp(argv[1], "encode"))
        encode(argv[2], argv[3]);
    else if (argc == 4 && !strcmp(argv[1], "words"))
        show_words((WordPattern)atoi(argv[2]), argv[3]);
    else if (argc > 4 && !strcmp(argv[1], "ids")) {
        const Tokenizer t = read_tokenizer(argv[2], argv[3]);
        show_ids(&t, argv + 4, argc - 4);
    } else if (argc == 5 && !strcmp(argv[1], "copy")) {
        const Tokenizer t = read_tokenizer(argv[2], argv[3]);
        copy(&t, argv[4]);
    } else
        return 64;
    return 0;
}
