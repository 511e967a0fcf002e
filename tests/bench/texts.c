/* texts.c: a text is read as ./train reads it, by its rooms or by the program itself. */
#include "bench.h"

#include <sys/stat.h>

#include "base/base.h"
#include "formats/huggingface/tokenizer_json.h"
#include "text/corpus/corpus.h"
#include "text/source.h"
#include "text/tokenizer.h"

/* Sizes: of a vocabulary that is trained, of GPT-2's, and megabytes that others encode. */
enum { SUBWORDS = 8192, GPT2_TOKENS = 50257, ENCODED = 32 };

typedef struct {
    char *text;
    const char *folder, *programs;
    double bytes; /* of the text */
    int threads;
    TokenizerKind kind;
    bool gpt2; /* its subwords are GPT-2's */
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

static Tokenizer gpt2_tokenizer(const TextCase *it)
{
    const Directory directory = directory_open(format_text("%s/gpt2", it->folder));
    return tokenizer_json_read(&directory, GPT2_TOKENS, -1, OBJECTIVE_NEXT);
}

static Measured measure_vocabulary(const void *what)
{
    const double begun = clock_seconds();
    train_tokenizer(what, open_text(what));
    return (Measured){.median = clock_seconds() - begun};
}

/* From bytes to ids, which a large text has in a file. subwords.py has fetched GPT-2's files. */
static Measured measure_ids(const void *what)
{
    const TextCase *it = what;
    Source *source = open_text(it);
    const Tokenizer tokenizer = it->gpt2 ? gpt2_tokenizer(it) : train_tokenizer(it, source);
    const double begun = clock_seconds();
    CorpusBuilder *builder =
        corpus_begin(&tokenizer, store_in_file(it->folder, "ids"), source_size(source));
    int count;
    for (const Text *blocks; (blocks = source_next(source, !tokenizer.stream, "", &count));)
        corpus_add(builder, blocks, count);
    corpus_end(builder, it->text);
    return (Measured){.median = clock_seconds() - begun};
}

static double speed(double bytes, Measured found)
{
    return bytes / 1e6 / found.median;
}

/* A subword vocabulary is trained, beside tokenizers; the others are only counted. */
static void bench_reading(TextCase it)
{
    static const char *const names[] = {
        [TOKENIZER_WORD] = "words", [TOKENIZER_CHAR] = "characters", [TOKENIZER_BPE] = "subwords"};
    report_section("reading a text", " vocabulary        ids tokenizers     faster");
    for (it.kind = TOKENIZER_WORD; it.kind <= TOKENIZER_BPE; it.kind++) {
        const Measured ours = measure_apart(measure_vocabulary, &it, it.threads);
        const Measured ids = measure_apart(measure_ids, &it, it.threads);
        Measured theirs = {0};
        if (it.kind == TOKENIZER_BPE)
            theirs = measure_python(format_text("subwords.py train '%s' %d", it.text, SUBWORDS));
        report_row("%s, %.0f MB", names[it.kind], it.bytes / 1e6);
        report_number("vocabulary_mbytes_per_second", speed(it.bytes, ours), 0, " MB/s");
        report_number("ids_mbytes_per_second", speed(it.bytes, ids), 0, " MB/s");
        report_number("tokenizers_mbytes_per_second", speed(it.bytes, theirs), 0, " MB/s");
        report_number("times_tokenizers", theirs.median / ours.median, 1, " x");
        report_end();
    }
}

/* ---- GPT-2's subwords ---- */

/* A row: beside one thread tiktoken, beside all of them tokenizers' encode_batch; both encode only
 * the beginning of the text. */
static void bench_encoder(TextCase it, int threads, const char *other)
{
    it.kind = TOKENIZER_BPE;
    it.gpt2 = true;
    const double ours = speed(it.bytes, measure_apart(measure_ids, &it, threads));
    const double theirs = speed(fmin(it.bytes, ENCODED << 20),
                                measure_python(format_text("subwords.py %s '%s/gpt2' '%s' %d",
                                                           other, it.folder, it.text, ENCODED)));
    report_row("threads %d, %s", threads, other);
    report_number("mbytes_per_second", ours, 1, " MB/s");
    report_number("other_mbytes_per_second", theirs, 1, " MB/s");
    report_number("times_other", ours / theirs, 1, " x");
    report_end();
}

/* ---- The program ---- */

/* The model is so small that its steps cost nothing, and nothing is evaluated. The run stays in the
 * folder until the next one. */
static void bench_first_step(TextCase it, TokenizerKind kind)
{
    const bool subwords = kind == TOKENIZER_BPE;
    const Measured first = measure_train(
        1, format_text("exec '%s/train' '%s' --tokens %s --layers 1 --heads 1 --width 8 "
                       "--context 16 --batch 8 --steps 1000 --log-every 1 "
                       "--eval-every 1000 --stop-after 1 --out '%s/run' --overwrite",
                       it.programs, it.text, subwords ? "bpe" : "char", it.folder));
    const Measured resumed = measure_train(
        2, format_text("exec '%s/train' --resume '%s/run' --stop-after 2", it.programs, it.folder));
    report_row("%s, %.0f MB", subwords ? "subwords" : "characters", it.bytes / 1e6);
    report_number("seconds", first.median, 2, " s");
    report_number("mbytes", first.bytes / 1e6, 0, " MB");
    report_number("resumed_seconds", resumed.median, 2, " s");
    report_number("resumed_mbytes", resumed.bytes / 1e6, 0, " MB");
    report_end();
}

/* Runs a command that writes a file. */
static void make_file(char *command)
{
    if (!measure_command(command))
        die("the text for measuring cannot be written");
}

void bench_texts(const char *text, double size, const char *folder, const char *programs,
                 int threads)
{
    TextCase it = {.folder = folder, .programs = programs, .threads = threads};
    it.text = format_text(text ? "%s" : "%s/text.txt", text ? text : folder);
    if (!text)
        make_file(format_text("awk -v size=%.0f -f tests/bench/text.awk >'%s'", size, it.text));
    struct stat status;
    if (stat(it.text, &status))
        die("cannot open %s", it.text);
    it.bytes = (double)status.st_size;
    bench_reading(it);

    /* If GPT-2's vocabulary cannot be fetched, nothing is measured. */
    measure_python(format_text("subwords.py fetch '%s/gpt2'", folder));
    report_section("encoding, GPT-2's subwords", "      speed      other     faster");
    bench_encoder(it, 1, "tiktoken");
    bench_encoder(it, threads, "tokenizers");

    /* Whether memory grows: a quarter of the text is read as well. */
    TextCase quarter = it;
    quarter.bytes = it.bytes / 4;
    quarter.text = format_text("%s/quarter.txt", folder);
    make_file(
        format_text("head -c %.0f '%s' | sed '$d' >'%s'", quarter.bytes, it.text, quarter.text));
    report_section("until the first step", "    ./train     memory    resumed     memory");
    bench_first_step(quarter, TOKENIZER_CHAR);
    bench_first_step(it, TOKENIZER_CHAR);
    bench_first_step(quarter, TOKENIZER_BPE);
    bench_first_step(it, TOKENIZER_BPE);
    remove(quarter.text);
    if (!text)
        remove(it.text);
}
