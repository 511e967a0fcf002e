/* source.c: a text is the same in chunks and as a whole, in one file and in several. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/parallel/threads.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/test.h"
#include "text/corpus/corpus.h"
#include "text/source.h"
#include "text/tokenizer.h"

/* All clean chunks of a text, one after another. */
static char *read_clean(Source *s, bool by_lines, int *chunks)
{
    char *all = calloc(1, 1);
    size_t size = 0;
    int count;
    *chunks = 0;
    for (const Text *chunk; (chunk = source_next(s, by_lines, "reading", &count)); *chunks += count)
        for (int i = 0; i < count; i++) {
            all = realloc(all, size + chunk[i].size + 1);
            memcpy(all + size, chunk[i].clean, chunk[i].size + 1);
            size += chunk[i].size;
            if (by_lines && size > chunk[i].size)
                assert_int_equal(*chunk[i].clean, '\n');
        }
    return all;
}

/* ---- Several files ---- */

TEST(several_files_are_one_text)
{
    SCRATCH(folder);
    char *paths[] = {scratch_write(folder, "a",
                                   "\xEF\xBB\xBF"
                                   "el perro",
                                   11),
                     scratch_write(folder, "b",
                                   "\xEF\xBB\xBF"
                                   "un gato\n",
                                   11),
                     scratch_write(folder, "c", "y", 1), NULL};
    Source *s = source_open(paths, (SourceRules){.large = LARGE_TEXT});
    assert_string_equal(source_text(s)->clean, "el perro\nun gato\ny");
    assert_string_equal(source_text(s)->raw.bytes, "\xEF\xBB\xBF"
                                                   "el perro\nun gato\ny");
    FREED char *place =
        text_place(source_text(s), source_text(s)->clean, source_text(s)->clean + 11);
    assert_non_null(strstr(place, "/b:1"));
    source_free(s);

    s = source_open(paths, (SourceRules){.large = 1}); /* the same in chunks */
    assert_null(source_text(s));
    for (int pass = 0; pass < 2; pass++) {
        int chunks;
        FREED char *all = read_clean(s, false, &chunks);
        assert_string_equal(all, "el perro\nun gato\ny");
    }
    source_free(s);
    for (int i = 0; i < 3; i++)
        free(paths[i]);
}

static void open_all(void *context)
{
    int chunks;
    Source *s = source_open(context, (SourceRules){.large = 1});
    free(read_clean(s, false, &chunks));
    source_free(s);
}

TEST(what_is_wrong_is_named_with_its_file_and_line)
{
    SCRATCH(folder);
    FREED char *good = scratch_write(folder, "good", "el\nperro", 8);
    FREED char *bad = scratch_write(folder, "bad", "un\ngato\xFF", 8);
    FREED char *empty = scratch_write(folder, "empty", "", 0);
    FREED char *zero = scratch_write(folder, "zero", "el\0", 3);
    FREED char *missing = format_text("%s/missing", folder);
    assert_dies(open_all, ((char *[]){good, bad, NULL}), "/bad:2:5", "0xFF");
    assert_dies(open_all, ((char *[]){bad, good, NULL}), "/bad:2:5", "0xFF");
    assert_dies(open_all, ((char *[]){good, empty, NULL}), "empty is empty");
    assert_dies(open_all, ((char *[]){good, zero, NULL}), "zero is not a text", "byte 3");
    assert_dies(open_all, ((char *[]){good, missing, NULL}), "cannot open", "missing");
    assert_dies(open_all, ((char *[]){good, folder, NULL}), "cannot read");
}

/* ---- Chunks ---- */

enum { LARGE = 3 << 20 };

/* Three megabytes with words of all kinds, blank lines, letters to compose; with long lines only,
 * if `lines` is false; the ends of lines are `end`. */
static char *made_up(bool lines, const char *end)
{
    static const char *const words[] = {"el",        " perro",
                                        "  ",        "ca\xCC\x81mara",
                                        "\xC3\xB1u", " it's",
                                        " 12",       "!",
                                        "...",       " \xE4\xB8\xAD\xE6\x96\x87",
                                        "\t"};
    char *text = malloc(LARGE + 100);
    size_t size = 0;
    for (uint32_t i = 1, number = 1; size < LARGE; i++) {
        number = number * 1664525u + 1013904223u;
        const char *word = words[(number >> 24) % 11];
        if (lines && (number >> 8) % 13 == 0)
            word = end;
        size += (size_t)sprintf(text + size, "%s", word);
    }
    return text;
}

static Corpus encode(Source *s, const Tokenizer *t)
{
    int count;
    CorpusBuilder *builder = corpus_begin(t, store_in_memory(), LARGE);
    for (const Text *chunks; (chunks = source_next(s, !t->stream, "encoding", &count));)
        corpus_add(builder, chunks, count);
    return corpus_end(builder, "a text");
}

static Tokenizer train(Source *s, TokenizerRules rules)
{
    int count;
    TokenCounts *counts = token_counts_begin(rules);
    for (const Text *chunks; (chunks = source_next(s, !rules.stream, "counting", &count));)
        token_counts_add(counts, chunks, count);
    return token_counts_end(counts, "a text", rules);
}

/* The same vocabulary and the same ids in chunks and as a whole, on any number of threads. */
static void check_same(char *const *paths, TokenizerRules rules)
{
    Source *whole = source_open(paths, (SourceRules){.large = SIZE_MAX});
    FREED_BY(tokenizer_free) Tokenizer t = train(whole, rules);
    FREED_BY(corpus_free) Corpus c = encode(whole, &t);
    for (int threads = 1; threads <= 3; threads++) {
        thread_set_limit(threads);
        Source *s = source_open(paths, (SourceRules){.large = 1});
        FREED_BY(tokenizer_free) Tokenizer same = train(s, rules);
        assert_true(tokenizer_checksum(&t, 0) == tokenizer_checksum(&same, 0));
        FREED_BY(corpus_free) Corpus again = encode(s, &same);
        assert_true(source_checksum(s) == source_checksum(whole));
        assert_int_equal(source_size(s), source_size(whole));
        assert_int_equal(again.ids.count, c.ids.count);
        assert_memory_equal(again.ids.at, c.ids.at, c.ids.count * (size_t)c.ids.width);
        assert_int_equal(again.lines, c.lines);
        assert_int_equal(again.longest, c.longest);
        source_free(s);
    }
    source_free(whole);
}

static void check_text(const char *text)
{
    SCRATCH(folder);
    char *paths[] = {scratch_write(folder, "a.txt", text, strlen(text)), NULL};
    Source *whole = source_open(paths, (SourceRules){.large = SIZE_MAX});
    Source *s = source_open(paths, (SourceRules){.large = 1});
    for (int by_lines = 0; by_lines < 2; by_lines++) {
        int chunks;
        FREED char *all = read_clean(s, by_lines, &chunks);
        assert_true(chunks > 2 || by_lines);
        assert_string_equal(all, source_text(whole)->clean);
    }
    source_free(s);
    source_free(whole);
    for (int stream = 0; stream < 2; stream++)
        for (int kind = 0; kind < 3; kind++)
            check_same(
                paths,
                (TokenizerRules){.kind = (TokenizerKind)kind, .stream = stream, .vocabulary = 300});
    check_same(paths,
               (TokenizerRules){
                   .kind = TOKENIZER_BPE, .stream = true, .vocabulary = 300, .bytes = LARGE / 2});
    free(paths[0]);
}

TEST(blocks_are_the_text)
{
    FREED char *text = made_up(true, "\n");
    check_text(text);
}

TEST(other_ends_of_lines_and_none)
{
    static const char *const ends[] = {"\r\n", "\r"};
    for (int i = 0; i < 3; i++) {
        FREED char *text = made_up(i < 2, ends[i % 2]);
        SCRATCH(folder);
        char *paths[] = {scratch_write(folder, "a.txt", text, strlen(text)), NULL};
        check_same(paths,
                   (TokenizerRules){.kind = TOKENIZER_BPE, .stream = i != 0, .vocabulary = 300});
        free(paths[0]);
    }
}

TEST(a_place_in_a_later_block)
{
    SCRATCH(folder);
    FREED char *text = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        text[i] = i % 64 == 63 ? '\n' : i % 8 ? 'a' : ' ';
    text[64 * 30000 + 20] = '\xFF';
    char *path = scratch_write(folder, "a.txt", text, LARGE);
    assert_dies(open_all, ((char *[]){path, NULL}), "a.txt:30001:21: ", "0xFF");
    for (size_t i = 0; i < LARGE; i++) /* the same in a line without an end */
        text[i] = text[i] == '\n' ? 'b' : text[i];
    free(path);
    path = scratch_write(folder, "a.txt", text, LARGE);
    FREED char *wanted = format_text("a.txt:1:%d: ", 64 * 30000 + 21);
    assert_dies(open_all, ((char *[]){path, NULL}), wanted, "0xFF");
    free(path);
}

static void change_it(void *context)
{
    char *const *paths = context;
    int chunks;
    Source *s = source_open(paths, (SourceRules){.large = 1});
    free(read_clean(s, false, &chunks));
    FILE *file = fopen(*paths, "r+");
    fputs("un", file);
    fclose(file);
    free(read_clean(s, false, &chunks));
}

static void cut_it(void *context)
{
    char *const *paths = context;
    int chunks;
    Source *s = source_open(paths, (SourceRules){.large = 1});
    free(read_clean(s, false, &chunks));
    if (truncate(*paths, 4))
        return;
    free(read_clean(s, false, &chunks));
}

/* Changes the second file of a text between two passes, to a word that the first one did not
 * see. */
static void change_a_word(void *context)
{
    char *const *paths = context;
    Source *s = source_open(paths, (SourceRules){.large = 1});
    Tokenizer t = train(s, (TokenizerRules){.kind = TOKENIZER_WORD});
    FILE *file = fopen(paths[1], "r+");
    fputs("un", file);
    fclose(file);
    encode(s, &t);
}

TEST(a_changed_word_is_not_blamed_on_the_vocabulary)
{
    SCRATCH(folder);
    char *paths[] = {scratch_write(folder, "a.txt", "el gato\n", 8),
                     scratch_write(folder, "b.txt", "el perro\n", 9), NULL};
    const struct timespec earlier[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    utimensat(AT_FDCWD, paths[1], earlier, 0);
    assert_dies(change_a_word, paths, "/b.txt changed while it was read");
    free(paths[0]);
    free(paths[1]);
}

TEST(many_files_have_a_short_name)
{
    SCRATCH(folder);
    FREED char *path = scratch_write(folder, "a.txt", "el perro\n", 9);
    char *paths[] = {path, path, path, path, NULL};
    Source *s = source_open(paths, (SourceRules){.large = LARGE_TEXT});
    assert_non_null(strstr(source_name(s), "/a.txt and 3 more"));
    source_free(s);
}

TEST(a_text_that_changes_is_refused)
{
    SCRATCH(folder);
    char *paths[] = {scratch_write(folder, "a.txt", "el perro come\n", 14), NULL};
    assert_dies(change_it, paths, "a.txt changed while it was read");
    assert_dies(cut_it, paths, "a.txt changed while it was read");
    free(paths[0]);
}

/* A pipe can be read only once: it is kept in memory, or in a file. */
TEST(a_pipe_is_read_as_often_as_needed)
{
    for (int large = 0; large < 2; large++) {
        int ends[2], chunks;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], "el perro\n", 9), 9);
        close(ends[1]);
        FREED char *path = format_text("/dev/fd/%d", ends[0]);
        Source *s = source_open((char *[]){path, NULL}, (SourceRules){.large = large ? 1 : 100});
        assert_int_equal(!source_text(s), large);
        for (int pass = 0; pass < 2; pass++) {
            FREED char *all = read_clean(s, false, &chunks);
            assert_string_equal(all, "el perro\n");
        }
        source_free(s);
        close(ends[0]);
    }
}

/* In which of several files, and in which of its lines. */
TEST(a_line_that_is_no_pair_is_named_in_its_file)
{
    SCRATCH(folder);
    char *paths[] = {scratch_write(folder, "a.tsv", "a\tb\nc\td", 7),
                     scratch_write(folder, "b.tsv", "e\tf\n\ng\n", 7), NULL};
    Source *s = source_open(paths, (SourceRules){.large = LARGE_TEXT});
    FREED char *wrong = text_check_pairs(source_text(s));
    assert_non_null(strstr(wrong, "/b.tsv:3: the line has no tab;"));
    source_free(s);
    free(paths[0]);
    free(paths[1]);
}
