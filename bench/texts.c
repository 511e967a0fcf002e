/* texts.c: a text is read as ./train reads it, by its rooms or by the program itself. */
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/parallel/threads.h"
#include "formats/huggingface/tokenizer_json.h"
#include "made_text.h"
#include "measure.h"
#include "program_run.h"
#include "text/corpus/corpus.h"
#include "text/source.h"
#include "text/tokenizer_train.h"

/* Sizes: of a vocabulary that is trained, of GPT-2's, and megabytes that are encoded. */
enum { SUBWORDS = 8192, GPT2_TOKENS = 50257, ENCODED = 32 };

typedef struct {
    char *text, *folder;
    const char *train;
    double bytes; /* of the text */
    int threads;
    TokenizerKind kind;
} TextCase;

/* ---- Reading ---- */

static Source *open_text(const TextCase *it)
{
    char *const paths[] = {it->text, NULL};
    const bool as_is = it->kind == TOKENIZER_BPE;
    return source_open(
        paths, (SourceRules){.form = as_is ? TEXT_AS_IS : TEXT_COMPOSED, .large = LARGE_TEXT});
}

static Tokenizer train_tokenizer(const TextCase *it, Source *source)
{
    const TokenizerRules rules = {.kind = it->kind,
                                  .stream = it->kind != TOKENIZER_WORD,
                                  .min_count = 1,
                                  .vocabulary = SUBWORDS};
    TokenCounts *counts = token_counts_begin(rules);
    int count;
    for (const Text *blocks; (blocks = source_next(source, !rules.stream, "", &count));)
        token_counts_add(counts, blocks, count);
    return token_counts_end(counts, it->text, rules);
}

static Measured measure_vocabulary(const void *what)
{
    const double begun = clock_seconds();
    train_tokenizer(what, open_text(what));
    return (Measured){.median = clock_seconds() - begun};
}

/* From bytes to ids, which a large text has in a file. */
static Measured measure_ids(const void *what)
{
    const TextCase *it = what;
    Source *source = open_text(it);
    const Tokenizer tokenizer = train_tokenizer(it, source);
    const double begun = clock_seconds();
    CorpusBuilder *builder =
        corpus_begin(&tokenizer, store_in_file(it->folder, "ids"), source_size(source));
    int count;
    for (const Text *blocks; (blocks = source_next(source, !tokenizer.stream, "", &count));)
        corpus_add(builder, blocks, count);
    corpus_end(builder, it->text);
    return (Measured){.median = clock_seconds() - begun};
}

/* Megabytes per second, 0 if it was not measured. */
static double speed(double bytes, Measured found)
{
    return found.median > 0 ? bytes / 1e6 / found.median : 0;
}

static void bench_reading(TextCase it)
{
    static const char *const names[] = {
        [TOKENIZER_WORD] = "words", [TOKENIZER_CHAR] = "characters", [TOKENIZER_BPE] = "subwords"};
    report_section("reading a text", " vocabulary        ids");
    for (it.kind = TOKENIZER_WORD; it.kind <= TOKENIZER_BPE; it.kind++) {
        const Measured counted = measure_if_possible(measure_vocabulary, &it, it.threads);
        const Measured ids = measure_if_possible(measure_ids, &it, it.threads);
        report_row("%s, %.0f MB", names[it.kind], it.bytes / 1e6);
        report_number("vocabulary_mbytes_per_second", speed(it.bytes, counted), 0, " MB/s");
        report_number("ids_mbytes_per_second", speed(it.bytes, ids), 0, " MB/s");
        report_end();
    }
}

/* ---- Subwords, beside others ---- */

static Measured measure_python(const char *arguments)
{
    const char *python = getenv("PYTHON");
    char *command =
        format_text("%s bench/subwords.py %s 2>/dev/null", python ? python : "python3", arguments);
    const Measured found = measure_command(command);
    free(command);
    return found;
}

static void bench_training(const TextCase *it)
{
    char *arguments = format_text("train '%s' %d", it->text, SUBWORDS);
    const Measured ours = measure_apart(measure_vocabulary, it, it->threads);
    const Measured theirs = measure_python(arguments);
    report_section("training subwords", "    seconds      speed tokenizers     faster");
    report_row("%d, %.0f MB", SUBWORDS, it->bytes / 1e6);
    report_number("seconds", ours.median, 2, " s");
    report_number("mbytes_per_second", speed(it->bytes, ours), 1, " MB/s");
    report_number("tokenizers_seconds", theirs.median, 2, " s");
    report_number("times_tokenizers", theirs.median / ours.median, 1, " x");
    report_end();
    free(arguments);
}

/* GPT-2's files, which subwords.py has put there. */
static char *gpt2_files(const TextCase *it)
{
    return format_text("%s/gpt2", it->folder);
}

static bool has_gpt2(const TextCase *it)
{
    char *path = format_text("%s/gpt2/merges.txt", it->folder);
    struct stat status;
    const bool there = !stat(path, &status);
    free(path);
    return there;
}

/* GPT-2's tokenizer or, if it cannot be had, one of this text. */
static Tokenizer encoding_tokenizer(const TextCase *it)
{
    if (!has_gpt2(it))
        return train_tokenizer(it, open_text(it));
    const Directory directory = directory_open(gpt2_files(it));
    return tokenizer_json_read(&directory, GPT2_TOKENS, -1, OBJECTIVE_NEXT);
}

/* The beginning of the text, up to a line end, and what it is encoded by. */
typedef struct {
    Tokenizer tokenizer;
    Span text;
    int *ids;
} Encoded;

static Encoded read_beginning(const TextCase *it)
{
    char *bytes = memory_take((size_t)ENCODED << 20);
    FILE *file = fopen(it->text, "r");
    const size_t size = file ? fread(bytes, 1, (size_t)ENCODED << 20, file) : 0;
    const char *end = memrchr(bytes, '\n', size);
    return (Encoded){.text = {bytes, end ? end + 1 : bytes + size}};
}

static void encode(void *what)
{
    Encoded *e = what;
    arrsetlen(e->ids, 0);
    bpe_encode(&e->tokenizer.bpe, e->text, &e->ids);
}

static Measured measure_encoding(const void *what)
{
    Encoded e = read_beginning(what);
    e.tokenizer = encoding_tokenizer(what);
    return measure_rounds(encode, &e, 1);
}

/* A row: beside one thread tiktoken, beside all of them tokenizers' encode_batch. */
static void bench_threads(const TextCase *it, int threads)
{
    const bool all = threads > 1, gpt2 = has_gpt2(it);
    char *arguments = format_text("%s %s/gpt2 '%s' %d", all ? "tokenizers" : "tiktoken", it->folder,
                                  it->text, ENCODED);
    const Measured ours = measure_apart(measure_encoding, it, threads);
    const Measured theirs = gpt2 ? measure_python(arguments) : (Measured){0}, none = {0};
    const double bytes = fmin(it->bytes, ENCODED << 20);
    report_row("%s vocabulary, %d thread%s", gpt2 ? "GPT-2's" : "its own", threads, all ? "s" : "");
    report_number("mbytes_per_second", speed(bytes, ours), 1, " MB/s");
    report_number("a_thread", speed(bytes, ours) / threads, 1, " MB/s");
    report_number("tiktoken", speed(bytes, all ? none : theirs), 1, " MB/s");
    report_number("tokenizers", speed(bytes, all ? theirs : none), 1, " MB/s");
    report_number("times", theirs.median / ours.median, 1, " x");
    report_end();
    free(arguments);
}

static void bench_encoding(const TextCase *it)
{
    char *arguments = format_text("fetch %s/gpt2", it->folder);
    measure_python(arguments);
    free(arguments);
    report_section("encoding subwords", "      speed   a thread   tiktoken tokenizers     faster");
    bench_threads(it, 1);
    if (it->threads > 1)
        bench_threads(it, it->threads);
}

/* ---- The program ---- */

/* The model is so small that its steps cost nothing, and nothing is evaluated. */
static Measured measure_first_step(const TextCase *it, const char *run)
{
    char *command =
        format_text("exec '%s' '%s' --tokens %s --layers 1 --heads 1 --width 8 "
                    "--context 16 --batch 8 --steps 1000 --log-every 1 "
                    "--eval-every 1000 --stop-after 1 --out '%s' --overwrite",
                    it->train, it->text, it->kind == TOKENIZER_BPE ? "bpe" : "char", run);
    const Measured found = measure_program(command, 1);
    free(command);
    return found;
}

static Measured measure_resumed(const TextCase *it, const char *run)
{
    char *command = format_text("exec '%s' --resume '%s' --stop-after 2", it->train, run);
    const Measured found = measure_program(command, 2);
    free(command);
    return found;
}

static void bench_first_step(const TextCase *it)
{
    char *run = format_text("%s/run", it->folder);
    const Measured first = measure_first_step(it, run);
    const Measured resumed = measure_resumed(it, run);
    report_row("%s, %.0f MB", it->kind == TOKENIZER_BPE ? "subwords" : "characters",
               it->bytes / 1e6);
    report_number("seconds", first.median, 2, " s");
    report_number("mbytes", first.bytes / 1e6, 0, " MB");
    report_number("resumed_seconds", resumed.median, 2, " s");
    report_number("resumed_mbytes", resumed.bytes / 1e6, 0, " MB");
    report_end();
    char *remove = format_text("rm -rf '%s'", run);
    if (system(remove))
        warn("cannot remove %s", run);
    free(remove);
    free(run);
}

/* Whether memory grows: a quarter of the text is read as well. */
static void bench_first_steps(TextCase it, const TextCase *quarter)
{
    TextCase part = *quarter;
    report_section("until the first step", "    ./train     memory    resumed     memory");
    for (it.kind = TOKENIZER_CHAR; it.kind <= TOKENIZER_BPE; it.kind++) {
        part.kind = it.kind;
        bench_first_step(&part);
        bench_first_step(&it);
    }
}

/* ---- The texts ---- */

static double size_of(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        die("cannot open %s", path);
    return (double)status.st_size;
}

/* The first quarter of a text as a file of its own. */
static TextCase quarter_of(const TextCase *it)
{
    TextCase part = *it;
    part.text = format_text("%s/quarter.txt", it->folder);
    part.bytes = it->bytes / 4;
    char *command =
        format_text("head -c %.0f '%s' | sed '$d' >%s", part.bytes, it->text, part.text);
    if (system(command))
        die("cannot write %s", part.text);
    free(command);
    return part;
}

/* In a process of its own: one that has used threads cannot start others that do. */
static Measured make_text(const void *what)
{
    const TextCase *it = what;
    made_text_write(it->text, (size_t)it->bytes);
    return (Measured){0};
}

void bench_texts(const char *text, size_t size, const char *folder, const char *train, int threads)
{
    TextCase it = {
        .folder = (char *)folder, .train = train, .threads = threads, .kind = TOKENIZER_BPE};
    it.text = text ? format_text("%s", text) : format_text("%s/text.txt", folder);
    it.bytes = (double)size;
    if (!text)
        measure_apart(make_text, &it, threads);
    it.bytes = size_of(it.text);
    const TextCase quarter = quarter_of(&it);
    bench_reading(it);
    bench_training(&it);
    bench_encoding(&it);
    bench_first_steps(it, &quarter);
    remove(quarter.text);
    if (!text)
        remove(it.text);
    free(quarter.text);
    free(it.text);
}
