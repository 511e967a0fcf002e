/* source.c: a text is the same in chunks and as a whole, in one file and in several. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/parallel/threads.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/corpus/corpus.h"
#include "text/source.h"
#include "text/tokenizer.h"

/* Reads all clean chunks of a text, which must be this one, if it is not NULL; how many. */
static int read_clean(Source *s, bool by_lines, const char *wanted)
{
    int chunks = 0, count;
    for (const Text *chunk; (chunk = source_next(s, by_lines, "reading", &count)); chunks += count)
        for (int i = 0; i < count && wanted; i++) {
            assert_int_equal(strncmp(wanted, chunk[i].clean, chunk[i].size), 0);
            wanted += chunk[i].size;
            if (by_lines && *wanted) { /* "\n" may come later, after white space */
                assert_int_equal(wanted[-1], '\n');
                assert_int_not_equal(wanted[strspn(wanted, " \t")], '\n');
            }
        }
    assert_true(!wanted || !*wanted);
    return chunks;
}

/* Up to three files, a.txt, b.txt and c.txt, in a folder of their own. */
typedef struct {
    char *folder, *paths[4];
} Files;

static Files files_of(const char *a, const char *b, const char *c)
{
    Files files = {.folder = scratch_new()};
    const char *const texts[] = {a, b, c}, *const names[] = {"a.txt", "b.txt", "c.txt"};
    for (int i = 0; i < 3 && texts[i]; i++)
        files.paths[i] = scratch_write(files.folder, names[i], texts[i], strlen(texts[i]));
    return files;
}

static void files_free(Files *files)
{
    for (int i = 0; i < 3; i++)
        free(files->paths[i]);
    scratch_remove(files->folder);
}

static Source *open_in_chunks(char *const *paths)
{
    return source_open(paths, (SourceRules){.large = 1});
}

/* ---- Several files ---- */

TEST(several_files_are_one_text)
{
#define MARK "\xEF\xBB\xBF"
    FREED_BY(files_free) Files files = files_of(MARK "el perro", MARK "un gato\n", "y");
    Source *s = source_open(files.paths, (SourceRules){.large = LARGE_TEXT});
    const Text *text = source_text(s);
    assert_string_equal(text->clean, "el perro\nun gato\ny");
    assert_string_equal(text->raw.bytes, MARK "el perro\nun gato\ny");
    AUTOFREE char *place = text_place(text, text->clean, text->clean + 11);
    assert_non_null(strstr(place, "/b.txt:1"));
    source_free(s);

    s = open_in_chunks(files.paths); /* the same in chunks */
    assert_null(source_text(s));
    for (int pass = 0; pass < 2; pass++)
        read_clean(s, false, "el perro\nun gato\ny");
    source_free(s);
}

TEST(what_is_wrong_is_named_with_its_file_and_line)
{
    FREED_BY(files_free) Files files = files_of("el\nperro", "un\ngato\xFF", "");
    char *good = files.paths[0], *bad = files.paths[1];
    AUTOFREE char *zero = scratch_write(files.folder, "zero", "el\0", 3);
    AUTOFREE char *missing = format_text("%s/missing", files.folder);
    char *const lists[][3] = {{good, bad},  {bad, good},     {good, files.paths[2]},
                              {good, zero}, {good, missing}, {good, files.folder}};
    static const char *const said[][2] = {
        {"/b.txt:2:5", "0xFF"},     {"/b.txt:2:5", "0xFF"},
        {"c.txt", " is empty"},     {"zero is not a text", "byte 3"},
        {"cannot open", "missing"}, {"is a directory", "--resume"}};
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        ASSERT_DIES(read_clean(open_in_chunks(lists[i]), false, NULL), said[i][0], said[i][1]);
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
    const TextCut cut = tokenizer_cut(t->stream, t->objective);
    CorpusBuilder *builder = corpus_begin(t, store_in_memory(), LARGE);
    for (const Text *chunks; (chunks = source_next(s, cut, "encoding", &count));)
        corpus_add(builder, chunks, count);
    return corpus_end(builder, "a text");
}

static Tokenizer train(Source *s, TokenizerRules rules)
{
    int count;
    const TextCut cut = tokenizer_cut(rules.stream, rules.objective);
    TokenCounts *counts = token_counts_begin(rules);
    for (const Text *chunks; (chunks = source_next(s, cut, "counting", &count));)
        token_counts_add(counts, chunks, count);
    return token_counts_end(counts, "a text", rules);
}

/* The same vocabulary and the same ids in chunks and as a whole, on any number of threads. */
static void check_same(char *const *paths, TokenizerRules rules)
{
    Source *whole = source_open(paths, (SourceRules){.large = SIZE_MAX});
    TOKENIZER t = train(whole, rules);
    FREED_BY(corpus_free) Corpus c = encode(whole, &t);
    for (int threads = 1; threads <= 3; threads++) {
        thread_set_limit(threads);
        Source *s = source_open(paths, (SourceRules){.large = 1});
        TOKENIZER same = train(s, rules);
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

/* Chunks have the words that the whole text has. */
static void check_words(char *const *paths, const Text *whole, WordPattern pattern)
{
    Source *s = open_in_chunks(paths);
    Span rest = text_span(whole), word, wanted;
    int count;
    for (const Text *chunks;
         (chunks = source_next(s, pattern_has_lines(pattern), "reading", &count));)
        for (int i = 0; i < count; i++)
            for (Span part = text_span(&chunks[i]);
                 pattern_word(&part.begin, part.end, pattern, &word);) {
                const bool more = pattern_word(&rest.begin, rest.end, pattern, &wanted);
                if (!more || word.end - word.begin != wanted.end - wanted.begin)
                    fail(); /* an assertion for each word would take seconds */
            }
    assert_ptr_equal(rest.begin, rest.end);
    source_free(s);
}

static void check_text(const char *text)
{
    FREED_BY(files_free) Files files = files_of(text, NULL, NULL);
    Source *whole = source_open(files.paths, (SourceRules){.large = SIZE_MAX});
    Source *s = open_in_chunks(files.paths);
    assert_true(read_clean(s, false, source_text(whole)->clean) > 2);
    read_clean(s, true, source_text(whole)->clean);
    source_free(s);
    source_free(whole);
    TokenizerRules rules = {.vocabulary = 300};
    for (int stream = 0; stream < 2; stream++)
        for (rules.kind = TOKENIZER_WORD; rules.kind <= TOKENIZER_BPE; rules.kind++) {
            rules.stream = stream;
            check_same(files.paths, rules);
        }
    rules = (TokenizerRules){
        .kind = TOKENIZER_BPE, .stream = true, .vocabulary = 300, .bytes = LARGE / 2};
    check_same(files.paths, rules);
}

TEST(blocks_are_the_text)
{
    AUTOFREE char *text = made_up(true, "\n");
    check_text(text);
}

/* Whatever the lines end with: marks with the line ends after them may be one word, and so may the
 * line ends between blanks, at whatever place of them a chunk is read up to. */
TEST(no_word_is_cut)
{
    static const char *const ends[] = {"uno!\n", "uno\n\n \n  ", "uno.\n \t", "uno 1\n", "uno. "};
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        for (size_t from = 0; from < (i == 1 ? strlen(ends[i]) : 1); from++) {
            AUTOFREE char *text = malloc(LARGE + 100);
            for (size_t size = 0; size < LARGE;)
                size += (size_t)sprintf(text + size, "%s", ends[i] + (size ? 0 : from));
            FREED_BY(files_free) Files files = files_of(text, NULL, NULL);
            Source *whole = source_open(files.paths, (SourceRules){.large = SIZE_MAX});
            check_words(files.paths, source_text(whole), PATTERN_DIGITS);
            check_words(files.paths, source_text(whole), PATTERN_QWEN);
            source_free(whole);
        }
}

TEST(other_ends_of_lines_and_none)
{
    static const char *const ends[] = {"\r\n", "\r"};
    for (int i = 0; i < 3; i++) {
        AUTOFREE char *text = made_up(i < 2, ends[i % 2]);
        FREED_BY(files_free) Files files = files_of(text, NULL, NULL);
        check_same(files.paths,
                   (TokenizerRules){.kind = TOKENIZER_BPE, .stream = i != 0, .vocabulary = 300});
    }
}

TEST(conversations_stay_whole)
{
    static const char *const ends[] = {"\n", "\r\n"};
    for (int e = 0; e < 2; e++) {
        AUTOFREE char *text = malloc(LARGE + 100);
        size_t size = 0;
        for (int i = 1; size < LARGE; i++)
            size += (size_t)sprintf(text + size, "A: a %d%sB: b %d%s%s", i % 99, ends[e], i % 7,
                                    ends[e], i % 5 ? "" : ends[e]);
        FREED_BY(files_free) Files files = files_of(text, NULL, NULL);
        check_same(files.paths, (TokenizerRules){.objective = OBJECTIVE_TURNS});
    }
}

TEST(a_place_in_a_later_block)
{
    AUTOFREE char *text = calloc(LARGE + 1, 1);
    for (int lines = 1; lines >= 0; lines--) { /* also in a line without an end */
        for (size_t i = 0; i < LARGE; i++)
            text[i] = lines && i % 64 == 63 ? '\n' : i % 8 ? 'a' : ' ';
        text[64 * 30000 + 20] = '\xFF';
        FREED_BY(files_free) Files files = files_of(text, NULL, NULL);
        AUTOFREE char *wanted =
            format_text("a.txt:%d:%d: ", lines ? 30001 : 1, lines ? 21 : 64 * 30000 + 21);
        ASSERT_DIES(read_clean(open_in_chunks(files.paths), false, NULL), wanted, "0xFF");
    }
}

/* ---- What changes, or is read once ---- */

static void write_over(const char *path)
{
    FILE *file = fopen(path, "r+");
    fputs("un", file);
    fclose(file);
}

/* Changes a text, or cuts it off, between two passes. */
static void read_twice(char *const *paths, bool cut)
{
    Source *s = open_in_chunks(paths);
    read_clean(s, false, NULL);
    if (!cut)
        write_over(*paths);
    else if (truncate(*paths, 4))
        return;
    read_clean(s, false, NULL);
}

TEST(a_text_that_changes_is_refused)
{
    FREED_BY(files_free) Files files = files_of("el perro come\n", NULL, NULL);
    ASSERT_DIES(read_twice(files.paths, false), "a.txt changed while it was read");
    ASSERT_DIES(read_twice(files.paths, true), "a.txt changed while it was read");
}

/* Changes the second file of a text between two passes, to a word that the first one did not
 * see. */
static void change_a_word(char *const *paths)
{
    Source *s = open_in_chunks(paths);
    Tokenizer t = train(s, (TokenizerRules){.kind = TOKENIZER_WORD});
    write_over(paths[1]);
    encode(s, &t);
}

TEST(a_changed_word_is_not_blamed_on_the_vocabulary)
{
    FREED_BY(files_free) Files files = files_of("el gato\n", "el perro\n", NULL);
    const struct timespec earlier[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    utimensat(AT_FDCWD, files.paths[1], earlier, 0);
    ASSERT_DIES(change_a_word(files.paths), "/b.txt changed while it was read");
}

TEST(many_files_have_a_short_name)
{
    FREED_BY(files_free) Files files = files_of("el perro\n", NULL, NULL);
    char *const path = *files.paths, *const paths[] = {path, path, path, path, NULL};
    Source *s = source_open(paths, (SourceRules){.large = LARGE_TEXT});
    assert_non_null(strstr(source_name(s), "/a.txt and 3 more"));
    source_free(s);
}

/* A pipe can be read only once: it is kept in memory, or in a file. */
TEST(a_pipe_is_read_as_often_as_needed)
{
    for (int large = 0; large < 2; large++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], "el perro\n", 9), 9);
        close(ends[1]);
        AUTOFREE char *path = format_text("/dev/fd/%d", ends[0]);
        Source *s = source_open((char *[]){path, NULL}, (SourceRules){.large = large ? 1 : 100});
        assert_int_equal(!source_text(s), large);
        for (int pass = 0; pass < 2; pass++)
            read_clean(s, false, "el perro\n");
        source_free(s);
        close(ends[0]);
    }
}
