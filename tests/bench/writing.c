/* writing.c: saves a model as a run, and times the programs as a user calls them. The time that
 * ./sample needs to start does not count: it writes few tokens and many, or reads a short prompt
 * and a long one, and the difference is taken. */
#include "bench.h"

#include "base/base.h"
#include "formats/huggingface/config.h"
#include "text/tokenizer.h"

/* Tokens to write, tokens of a prompt, and how often each time is measured. */
enum { FEW = 20, MANY = 120, PROMPT = 512, TIMES = 3 };

typedef struct {
    const GptConfig *config;
    const char *folder, *programs;
    double numbers; /* of the model */
    Rounding weights;
    int threads;
} Writing;

/* What --weights of ./sample calls each rounding, and --type of ./export the one most like it. */
static const struct {
    const char *name, *exported;
    double bytes; /* of a number */
} kinds[] = {[ROUNDING_NONE] = {"f32", "f32", 4},
             [ROUNDING_BF16] = {"bf16", "f16", 2},
             [ROUNDING_Q8] = {"q8", "q8_0", 9.0 / 8}};

/* ---- The model ---- */

/* `count` different words: aaaa baaa caaa ... The caller frees. */
static char *words_new(int count)
{
    char *words = memory_new((size_t)count * 5 + 1, 1, "words"), *next = words;
    for (int i = 0; i < count; i++) {
        for (int letter = 0, rest = i; letter < 4; letter++, rest /= 26)
            *next++ = (char)('a' + rest % 26);
        *next++ = ' ';
    }
    return words;
}

/* Its vocabulary is [bos], [eos] and words. */
static Measured save_model(const void *what)
{
    const Writing *it = what;
    const int words = it->config->vocabulary - 2;
    Gpt gpt = gpt_new_reader(it->config, 1);
    gpt_init(&gpt, 1);
    const Text text = text_from("words", (Bytes){words_new(words), 5 * (size_t)words}, TEXT_AS_IS);
    const Tokenizer tokenizer =
        tokenizer_train(&text, (TokenizerRules){.kind = TOKENIZER_WORD, .min_count = 1});
    return (Measured){.median = pretrained_save(it->folder, &gpt, &tokenizer)};
}

/* ---- What is measured ---- */

static double seconds_of_sample(const Writing *it, int words, int prompt)
{
    char *text = words_new(prompt);
    const double seconds = measure_command(format_text(
        "'%s/sample' '%s' --threads %d --weights %s --count 1 --table 0 --words %d %s >/dev/null",
        it->programs, it->folder, it->threads, kinds[it->weights].name, words, text));
    free(text);
    return seconds;
}

/* The time for `words` words after a prompt of `prompt` words, less the time for FEW words after
 * one word. The median. */
static double seconds_longer(const Writing *it, int words, int prompt)
{
    double seconds[TIMES];
    for (int i = 0; i < TIMES; i++) {
        const double few = seconds_of_sample(it, FEW, 1);
        const double all = seconds_of_sample(it, words, prompt);
        seconds[i] = few > 0 && all > 0 ? all - few : 0;
    }
    return measure_median(seconds, TIMES);
}

static double tokens_per_second(int tokens, double seconds)
{
    return seconds > 0 ? tokens / seconds : 0;
}

/* llama.cpp's: of writing one token, or of reading a prompt. */
static double llamacpp_per_second(const Writing *it, const char *file, int tokens)
{
    char *script = format_text("llamacpp.py '%s' %d %d", file, it->threads, tokens);
    return tokens_per_second(tokens, measure_python(script).median);
}

/* PyTorch's, of reading a prompt. */
static double pytorch_per_second(const Writing *it)
{
    const GptConfig *c = it->config;
    char *script = format_text("pytorch.py %d %d %d %d %d 1 f32 %d read", c->layers, c->heads,
                               c->width, c->vocabulary, PROMPT, it->threads);
    return tokens_per_second(PROMPT, measure_python(script).median);
}

/* A row. llama.cpp reads `file`, unless it is NULL. */
static void bench_kind(const Writing *it, double bandwidth, const char *file)
{
    const double bytes = kinds[it->weights].bytes * it->numbers;
    const double writes = tokens_per_second(MANY - FEW, seconds_longer(it, MANY, 1));
    const double reads = tokens_per_second(PROMPT - 1, seconds_longer(it, FEW, PROMPT));
    const double llamacpp_writes = file ? llamacpp_per_second(it, file, 1) : 0;
    const double llamacpp_reads = file ? llamacpp_per_second(it, file, PROMPT) : 0;
    const double pytorch_reads = it->weights == ROUNDING_NONE ? pytorch_per_second(it) : 0;
    report_row("G %s, threads %d", kinds[it->weights].name, it->threads);
    report_number("writes_per_second", writes, 1, "");
    report_number("percent_of_bandwidth", 100 * bytes * writes / bandwidth, 0, "%");
    report_number("llamacpp_writes_per_second", llamacpp_writes, 1, "");
    report_number("times_llamacpp_writing", writes / llamacpp_writes, 2, " x");
    report_number("reads_per_second", reads, 0, "");
    report_number("llamacpp_reads_per_second", llamacpp_reads, 0, "");
    report_number("pytorch_reads_per_second", pytorch_reads, 0, "");
    report_end();
}

void bench_writing(const GptConfig *config, int threads, const double bandwidth[2],
                   const char *folder, const char *programs)
{
    char *model = format_text("%s/model", folder), *file = format_text("%s/model.gguf", folder);
    Writing it = {.config = config, .folder = model, .programs = programs};
    int count;
    size_t numbers;
    free(gpt_tensors(config, ROUNDING_NONE, &count, &numbers));
    it.numbers = (double)numbers;
    const bool llamacpp = measure_python(format_text("llamacpp.py")).median > 0;
    report_section("tokens a second",
                   "     writes  of memory  llama.cpp     faster      reads  llama.cpp    PyTorch");
    if (!measure_apart(save_model, &it, 1).median)
        die("cannot make the model in %s", model);
    for (it.weights = ROUNDING_NONE; it.weights <= ROUNDING_Q8; it.weights++) {
        const bool exported =
            llamacpp &&
            measure_command(format_text("'%s/export' '%s' '%s' --type %s >/dev/null", programs,
                                        model, file, kinds[it.weights].exported)) > 0;
        for (int all = 0; all < (threads > 1 ? 2 : 1); all++) {
            it.threads = all ? threads : 1;
            bench_kind(&it, bandwidth[all], exported ? file : NULL);
        }
    }
    measure_command(format_text("rm -rf '%s' '%s'", model, file));
    free(model);
    free(file);
}
