/* bench.c: measures how fast training and generation are, compared with what the machine can do
 * and, if it is installed, with PyTorch. Each figure is measured in a process of its own; figures
 * side by side were measured one right after the other.
 *
 * A function named measure_... runs in that process and returns a figure; one named bench_...
 * starts such processes and reports their figures as rows of a table. docs/experiments.md explains
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"
#include "cases.h"
#include "measure.h"
#include "model/generate/generator.h"
#include "model/matrix/matrix.h"
#include "peak.h"
#include "terminal/process.h"
#include "texts.h"

/* The machine's peaks in float32, each with one thread and with all. */
typedef struct {
    int threads;                   /* all */
    double flops[2], bandwidth[2]; /* operations and bytes per second */
    bool bf16;                     /* whether there is a kernel for bfloat16 */
} Machine;

static Measured find_flops(const void *unused)
{
    (void)unused;
    return (Measured){.median = peak_flops()};
}

static Measured find_bandwidth(const void *unused)
{
    (void)unused;
    return (Measured){.median = peak_bandwidth()};
}

static Machine measure_machine(void)
{
    Machine machine = {.threads = thread_limit()};
    report_section("machine", "    float32     memory");
    for (int all = 0; all < 2; all++) {
        const int threads = all ? machine.threads : 1;
        machine.flops[all] = measure_apart(find_flops, NULL, threads).median;
        machine.bandwidth[all] = measure_apart(find_bandwidth, NULL, threads).median;
        report_row("%d thread%s", threads, threads == 1 ? "" : "s");
        report_number("peak_gflops", machine.flops[all] / 1e9, 0, " GF/s");
        report_number("read_gbytes", machine.bandwidth[all] / 1e9, 0, " GB/s");
        report_text("kernel", matrix_kernel_name());
        report_end();
    }
    machine.bf16 = matrix_choose(PRECISION_BF16);
    if (!machine.bf16)
        printf("  this processor, or the kernel that PULGA_KERNEL names, has no bfloat16\n");
    matrix_choose(PRECISION_F32);
    return machine;
}

static const char *precision_name(Precision precision)
{
    return precision == PRECISION_BF16 ? "bf16" : "f32";
}

/* ---- The product ---- */

/* A layer's product in one of its forms: y = x·w, dx = dy·wᵀ or dw += xᵀ·dy. */
typedef struct {
    int rows, in, out;
    enum { FORWARD, TO_X, TO_W, FORMS } form;
    bool head; /* its w has a row for each output */
    Precision precision;
} Product;

/* A product and the matrices it reads and writes, whatever its form: x (rows, in), w (in, out) and
 * y (rows, out). */
typedef struct {
    Product it;
    Matrix x, w, y;
} Operands;

static void multiply(void *what)
{
    const Operands *o = what;
    switch (o->it.form) {
    case FORWARD: matmul(o->y, o->x, o->w); break;
    case TO_X: matmul(o->x, o->y, transposed(o->w)); break;
    case TO_W: matmul_add(o->w, transposed(o->x), o->y); break;
    default: break;
    }
}

/* A matrix of numbers that look random. They are small, since xᵀ·dy is added to w thousands of
 * times. */
static Matrix operand(int rows, int cols)
{
    const size_t count = (size_t)rows * (size_t)cols;
    Real *at = memory_new(count, sizeof *at, "a product's operand");
    for (size_t i = 0; i < count; i++)
        at[i] = (Real)((double)(i * 2654435761u % 1000) / 1e3 - 0.5) * (Real)1e-3;
    return matrix(at, rows, cols);
}

static Measured measure_product(const void *what)
{
    const Product *p = what;
    matrix_choose(p->precision);
    Operands o = {.it = *p, .x = operand(p->rows, p->in), .y = operand(p->rows, p->out)};
    o.w = p->head ? transposed(operand(p->out, p->in)) : operand(p->in, p->out);
    return measure_rounds(multiply, &o, 0.2);
}

/* A row: the product in all three forms and both precisions, in percent of the float32 peak. A
 * product takes 2 · rows · in · out operations in each form. */
static void bench_product(const Machine *machine, Product p, const char *name)
{
    static const char *const names[2][FORMS] = {{"f32_forward", "f32_dx", "f32_dw"},
                                                {"bf16_forward", "bf16_dx", "bf16_dw"}};
    report_row("%s %dx%dx%d", name, p.rows, p.in, p.out);
    for (p.precision = PRECISION_F32; p.precision <= PRECISION_BF16; p.precision++)
        for (p.form = FORWARD; p.form < FORMS; p.form++) {
            if (p.precision == PRECISION_BF16 && !machine->bf16)
                continue;
            const double seconds = measure_apart(measure_product, &p, machine->threads).median;
            report_number(names[p.precision][p.form],
                          100 * 2.0 * p.rows * p.in * p.out / seconds / machine->flops[1], 0, "%");
        }
    report_end();
}

/* The products of a model: q, k and v together, attention's output, the two of the feed-forward
 * layer, and the head. */
static void bench_products(const Machine *machine, const Case *it)
{
    const int C = it->config.width, N = it->sequences * it->config.context;
    const int V = it->config.vocabulary;
    bench_product(machine, (Product){.rows = N, .in = C, .out = 3 * C}, it->name);
    bench_product(machine, (Product){.rows = N, .in = C, .out = C}, it->name);
    bench_product(machine, (Product){.rows = N, .in = C, .out = 4 * C}, it->name);
    bench_product(machine, (Product){.rows = N, .in = 4 * C, .out = C}, it->name);
    bench_product(machine, (Product){.rows = N, .in = C, .out = V, .head = true}, it->name);
}

/* ---- A step ---- */

/* A training step and how it is computed. */
typedef struct {
    Case it;
    Precision precision;
    int threads;
} StepCase;

static void take_step(void *what)
{
    training_step(what);
}

static Measured measure_step(const void *what)
{
    const StepCase *step = what;
    matrix_choose(step->precision);
    Training training = training_new(&step->it);
    return measure_rounds(take_step, &training, 3);
}

/* The step in PyTorch; if `compiled`, also with its compiler, and then the faster of the
 * two. */
static Measured measure_torch(const StepCase *step, bool compiled)
{
    const char *python = getenv("PYTHON");
    const GptConfig *config = &step->it.config;
    char *command =
        format_text("%s bench/pytorch.py %d %d %d %d %d %d %s %d %s 2>/dev/null",
                    python ? python : "python3", config->layers, config->heads, config->width,
                    config->vocabulary, config->context, step->it.sequences,
                    precision_name(step->precision), step->threads, compiled ? "compile" : "");
    Measured found = measure_command(command);
    free(command);
    if (compiled) {
        const Measured plain = measure_torch(step, false);
        found = !found.median || plain.median < found.median ? plain : found;
    }
    return found;
}

/* A row: a step, and PyTorch's beside it if `torch`. */
static Measured bench_step(const Machine *machine, const StepCase *step, bool torch, bool compiled)
{
    const Case *it = &step->it;
    const Measured ours = measure_apart(measure_step, step, step->threads);
    const double tokens = (double)it->sequences * it->config.context;
    report_row("%s %s, %d thread%s", it->name, precision_name(step->precision), step->threads,
               step->threads == 1 ? "" : "s");
    report_number("ms", 1e3 * ours.median, 2, "");
    report_number("ms_least", 1e3 * ours.least, 2, "");
    report_number("ms_most", 1e3 * ours.most, 2, "");
    report_number("tokens_per_second", tokens / ours.median, 0, "");
    report_number("percent_of_f32_peak",
                  100 * case_flops(it) / ours.median / machine->flops[step->threads > 1], 1, "%");
    report_number("mbytes", ours.bytes / 1e6, 0, "");
    const Measured theirs = torch ? measure_torch(step, compiled) : (Measured){0};
    report_number("pytorch_ms", 1e3 * theirs.median, 2, "");
    report_number("pytorch_mbytes", theirs.bytes / 1e6, 0, "");
    report_number("times_pytorch", theirs.median / ours.median, 2, " x");
    report_end();
    return ours;
}

static const char STEP_COLUMNS[] = "  median ms      least       most   tokens/s   f32 peak"
                                   "         MB PyTorch ms         MB    faster";

/* A model's step in both precisions, with one thread and with all; PyTorch's only beside all. */
static void bench_steps(const Machine *machine, const Case *it, bool compiled)
{
    for (Precision p = PRECISION_F32; p <= PRECISION_BF16; p++) {
        if (p == PRECISION_BF16 && !machine->bf16)
            continue;
        double one = 0;
        for (int all = 0; all < (machine->threads > 1 ? 2 : 1); all++) {
            const StepCase step = {*it, p, all ? machine->threads : 1};
            const bool last = step.threads == machine->threads;
            const double seconds = bench_step(machine, &step, last, compiled).median;
            if (all)
                printf("  %d threads are %.2f times one\n", step.threads, one / seconds);
            one = seconds;
        }
    }
}

/* What dropout costs: M with relu as in the 2017 paper, without dropout and with it. */
static void bench_dropout(const Machine *machine, Case it)
{
    StepCase step = {it, PRECISION_F32, machine->threads};
    step.it.config.activation = ACTIVATION_RELU;
    step.it.name = "M relu";
    const double without = bench_step(machine, &step, false, false).median;
    step.it.name = "M relu, dropout";
    step.it.dropout = 0.1;
    const double with = bench_step(machine, &step, false, false).median;
    printf("  dropout 0.1 takes %.1f%% more\n", 100 * (with / without - 1));
}

/* ---- Longer contexts ---- */

/* A step of some layers of four heads, all of one pattern, over one sequence of T tokens. */
static Measured measure_pattern(const Machine *machine, int layers, int T, Pattern pattern,
                                bool prefix)
{
    enum { HEADS = 4, MOST_LAYERS = 4 };
    Pattern patterns[MOST_LAYERS * HEADS];
    for (int i = 0; i < layers * HEADS; i++)
        patterns[i] = pattern;
    StepCase step = {case_of("T", layers, HEADS, 128, 65, T, 1), PRECISION_F32, machine->threads};
    step.it.config.patterns = patterns;
    step.it.prefix = prefix;
    return measure_apart(measure_step, &step, step.threads);
}

/* Whether time and memory for each token stay the same if a single sequence grows: four layers. */
static void bench_growth(const Machine *machine)
{
    static const struct {
        Pattern pattern;
        const char *us, *mbytes;
    } columns[] = {{{PATTERN_ALL, 0, 0}, "us", "mbytes"},
                   {{PATTERN_WINDOW, 64, 0}, "window_us", "window_mbytes"},
                   {{PATTERN_STRIDED, 32, 0}, "strided_us", "strided_mbytes"}};
    report_section("one long sequence",
                   "  us/token         MB   with windows of 64   with strided:32");
    for (int T = 256; T <= 4096; T *= 2) {
        report_row("T %d", T);
        for (int i = 0; i < 3; i++) {
            const Measured ours = measure_pattern(machine, 4, T, columns[i].pattern, false);
            report_number(columns[i].us, 1e6 * ours.median / T, 2, "");
            report_number(columns[i].mbytes, ours.bytes / 1e6, 1, "");
        }
        report_end();
    }
}

/* What a pattern costs beside `all`: a whole step of one layer over a long sequence. Windows of one
 * show what all but attention costs. If all tokens see each other, there are twice as many pairs of
 * a query and a key. */
static void bench_patterns(const Machine *machine)
{
    enum { T = 4096 };
    static const struct {
        Pattern pattern;
        bool prefix;
    } rows[] = {{{PATTERN_ALL, 0, 0}, false},      {{PATTERN_ALL, 0, 0}, true},
                {{PATTERN_WINDOW, 1, 0}, false},   {{PATTERN_WINDOW, 64, 0}, false},
                {{PATTERN_STRIDED, 32, 0}, false}, {{PATTERN_FIXED, 64, 0}, false},
                {{PATTERN_SUMMARY, 32, 1}, false}};
    report_section("patterns, one layer of T 4096", "  median ms         MB     of all");
    double all = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[PATTERN_TEXT];
        const Measured ours = measure_pattern(machine, 1, T, rows[i].pattern, rows[i].prefix);
        all = i ? all : ours.median;
        report_row("%s%s", pattern_text(rows[i].pattern, name),
                   rows[i].prefix ? ", both ways" : "");
        report_number("ms", 1e3 * ours.median, 1, "");
        report_number("mbytes", ours.bytes / 1e6, 1, "");
        report_number("of_all", ours.median / all, 3, "");
        report_end();
    }
}

/* ---- One sentence a step ---- */

enum { SENTENCE_STEPS = 900 };

static void take_sentences(void *what)
{
    for (int i = 0; i < SENTENCE_STEPS; i++)
        training_step(what);
}

static Measured measure_sentences(const void *what)
{
    Training training = training_new(what);
    return measure_rounds(take_sentences, &training, 2);
}

/* The Spanish course's model: a layer of four heads of the full width, sentences of 5 words.
 * PyTorch's is the plain block of that width: its heads share the width, and it has no windows. */
static void bench_sentences(void)
{
    const Pattern patterns[] = {{PATTERN_WINDOW, 1, 0},
                                {PATTERN_WINDOW, 2, 0},
                                {PATTERN_WINDOW, 3, 0},
                                {PATTERN_WINDOW, 4, 0}};
    StepCase step = {case_of("900 steps of 5 words", 1, 4, 128, 15, 5, 1), PRECISION_F32, 1};
    step.it.config.head_size = step.it.config.hidden = 128;
    step.it.config.patterns = patterns;
    const Measured ours = measure_apart(measure_sentences, &step.it, 1);
    const Measured theirs = measure_torch(&step, false);
    report_section("one sentence a step", "  median ms PyTorch ms    faster");
    report_row("%s", step.it.name);
    report_number("ms", 1e3 * ours.median, 1, "");
    report_number("pytorch_ms", 1e3 * SENTENCE_STEPS * theirs.median, 1, "");
    report_number("times_pytorch", SENTENCE_STEPS * theirs.median / ours.median, 1, " x");
    report_end();
}

/* ---- Generation ---- */

/* A token after the context is full costs more, since half of it is read again: the median is that
 * of a token that only reads the cache. */
static void generate_token(void *what)
{
    generator_add(what, 1);
}

static Measured measure_generation(const void *what)
{
    const Case *it = what;
    Gpt gpt = gpt_new(&it->config, it->config.context);
    gpt_init(&gpt, 1);
    Generator generator = generator_new(&gpt, kv_cache_new(&gpt.config, 1), 0, -1);
    generator_begin(&generator, (const int[]){0}, 1, 0);
    return measure_rounds(generate_token, &generator, 1);
}

/* Each token reads all weights once, so the memory's bandwidth bounds the speed: the last column
 * says how near to that it comes. */
static void bench_generation(const Machine *machine, const Case *it)
{
    int count;
    size_t weights;
    free(gpt_tensors(&it->config, &count, &weights));
    report_section("generation", "   ms/token   tokens/s  of memory");
    for (int all = 0; all < (machine->threads > 1 ? 2 : 1); all++) {
        const int threads = all ? machine->threads : 1;
        const Measured ours = measure_apart(measure_generation, it, threads);
        report_row("%s f32, %d thread%s", it->name, threads, threads == 1 ? "" : "s");
        report_number("ms", 1e3 * ours.median, 2, "");
        report_number("tokens_per_second", 1 / ours.median, 1, "");
        report_number("percent_of_bandwidth",
                      100 * sizeof(Real) * (double)weights / ours.median / machine->bandwidth[all],
                      0, "%");
        report_end();
    }
}

/* bench FILE.json FOLDER TRAIN [long]. With long: also GPT-2 at its full context, PyTorch's
 * compiler, and a text of a gigabyte. $TEXT is the text, else one is made. */
int main(int count, char **arguments)
{
    process_prepare();
    if (count < 4)
        die("usage: bench FILE.json FOLDER TRAIN [long]");
    report_open(arguments[1]);
    const bool longer = count > 4 && !strcmp(arguments[4], "long");
    const Case S = case_of("S", 4, 4, 128, 65, 64, 12), M = case_of("M", 6, 6, 384, 65, 256, 8);
    const Case G = case_of("G", 12, 12, 768, 50257, 64, 4);
    const Case G_whole = case_of("G, T 1024", 12, 12, 768, 50257, 1024, 4);
    const Machine machine = measure_machine();

    report_section("product, of f32 peak",
                   " f32:   x.w      dy.wT      xT.dy bf16:  x.w      dy.wT      xT.dy");
    bench_products(&machine, &S);
    bench_products(&machine, &M);
    bench_products(&machine, &G);

    report_section("a step of training", STEP_COLUMNS);
    bench_steps(&machine, &S, longer);
    bench_steps(&machine, &M, longer);
    bench_steps(&machine, &G, longer);
    bench_dropout(&machine, M);
    if (longer)
        bench_steps(&machine, &G_whole, false);

    bench_growth(&machine);
    bench_patterns(&machine);
    bench_sentences();
    bench_generation(&machine, &G);
    const char *text = getenv("TEXT");
    bench_texts(text && *text ? text : NULL, longer ? 1000000000 : 100000000, arguments[2],
                arguments[3], machine.threads);
    report_close();
    return 0;
}
