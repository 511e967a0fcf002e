/* bench.c: measures how fast training, reading and writing are, compared with what the machine can
 * do and, if they are installed, with PyTorch and llama.cpp. Each figure is measured in a process
 * of its own; figures side by side were measured one right after the other.
 *
 * A function named measure_... runs in that process and returns a figure; one named bench_...
 * starts such processes and reports their figures as rows of a table. docs/experiments.md explains
 * them. */

#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"
#include "model/optimizer.h"
#include "programs/terminal/process.h"
#include "bench.h"

/* Numbers of threads that are tried: 1, 2, 4, … and all. */
enum { MOST_COUNTS = 12 };

/* What the machine can do in float32, with each number of threads. */
typedef struct {
    int counts, threads[MOST_COUNTS];                  /* the last is all */
    double flops[MOST_COUNTS], bandwidth[MOST_COUNTS]; /* operations and bytes per second */
    bool bf16;                                         /* whether there is a kernel for bfloat16 */
} Machine;

static Machine measure_machine(void)
{
    const int all = thread_limit();
    Machine machine = {0};
    report_section("machine", "    float32     memory");
    for (int i = 0; !i || machine.threads[i - 1] < all; i++) {
        const int threads = machine.threads[i] = min_int(1 << i, all);
        machine.counts = i + 1;
        machine.flops[i] =
            threads * PEAK_OPERATIONS / measure_apart(measure_arithmetic, NULL, threads).least;
        machine.bandwidth[i] = PEAK_BYTES / measure_apart(measure_reading, NULL, threads).least;
        report_row("threads %d, %s", threads, matrix_kernel_name());
        report_number("peak_gflops", machine.flops[i] / 1e9, 0, " GF/s");
        report_number("read_gbytes", machine.bandwidth[i] / 1e9, 0, " GB/s");
        report_end();
    }
    machine.bf16 = matrix_choose(PRECISION_BF16);
    if (!machine.bf16)
        printf("  this processor, or the kernel that PULGA_KERNEL names, has no bfloat16\n");
    matrix_choose(PRECISION_F32);
    return machine;
}

static int all_threads(const Machine *machine)
{
    return machine->threads[machine->counts - 1];
}

/* ---- Models ---- */

/* A model, the batch that a step of it reads, and how the step is computed. */
typedef struct {
    const char *name;
    GptConfig config;
    int sequences; /* of a step, each as long as the context */
    bool prefix;   /* all tokens of the sequence, the only one, see each other */
    double dropout;
    OptimizerKind optimizer;
    Precision precision;
    int count; /* of threads: an index into the machine's */
} Case;

/* A model in the usual proportions: the heads share the width, and F = 4C. */
static Case case_of(const char *name, int layers, int heads, int width, int vocabulary, int context)
{
    return (Case){.name = name,
                  .sequences = 1,
                  .config = {.context = context,
                             .layers = layers,
                             .heads = heads,
                             .width = width,
                             .key_heads = heads,
                             .head_size = width / heads,
                             .norm_epsilon = 1e-5,
                             .hidden = 4 * width,
                             .vocabulary = vocabulary,
                             .positions = POSITIONS_LEARNED,
                             .activation = ACTIVATION_GELU}};
}

/* Floating-point operations of a step without windows: 6 for each token and each number of a
 * matrix, the head included; and attention's two products over the half of the square that is not
 * masked, once in forward and twice in backward. */
static double case_flops(const Case *it)
{
    const GptConfig *config = &it->config;
    const double C = config->width, T = config->context, F = config->hidden;
    const double HD = (double)config->heads * config->head_size;
    const double tokens = T * it->sequences;
    const double weights =
        config->layers * (C * 3 * HD + HD * C + 2 * C * F) + C * config->vocabulary;
    const double pairs = it->sequences * T * (T + 1) / 2; /* of a query and a key it attends to */
    return 6 * weights * tokens + config->layers * pairs * 12 * HD;
}

/* ---- The product ---- */

/* A layer's product in one of its forms. */
typedef struct {
    int rows, in, out;
    enum { FORWARD, TO_X, TO_W, FORMS } form;
    bool head; /* its w has a row for each output */
    Precision precision;
} Product;

/* y = a·b, or y += a·b. */
typedef struct {
    Matrix y, a, b;
    bool add;
} Operands;

static void multiply(void *what)
{
    const Operands *o = what;
    (o->add ? matmul_add : matmul)(o->y, o->a, o->b);
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
    const Matrix x = operand(p->rows, p->in), y = operand(p->rows, p->out);
    const Matrix w = p->head ? transposed(operand(p->out, p->in)) : operand(p->in, p->out);
    Operands forms[FORMS] = {{y, x, w, false},             /* y = x·w */
                             {x, y, transposed(w), false}, /* dx = dy·wᵀ */
                             {w, transposed(x), y, true}}; /* dw += xᵀ·dy */
    matrix_choose(p->precision);
    return measure_rounds(multiply, &forms[p->form], 0.2);
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
            const double seconds = measure_apart(measure_product, &p, all_threads(machine)).median;
            report_number(names[p.precision][p.form],
                          100 * 2.0 * p.rows * p.in * p.out / seconds /
                              machine->flops[machine->counts - 1],
                          0, "%");
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

/* Sequences as long as the context, of tokens that look random, the same every time. Each token's
 * target is the next one. */
static Batch batch_of(const Case *it)
{
    const int T = it->config.context, S = it->sequences, N = S * T;
    int *tokens = memory_new((size_t)N + 1, sizeof *tokens, "a step's tokens");
    int *start = memory_new((size_t)S + 1, sizeof *start, "a step's sequences");
    for (int i = 0; i <= N; i++)
        tokens[i] = (int)(((uint32_t)i * 2654435761u >> 7) % (uint32_t)it->config.vocabulary);
    for (int s = 0; s <= S; s++)
        start[s] = s * T;
    return (Batch){.rows = N,
                   .counted = N,
                   .sequences = S,
                   .start = start,
                   .tokens = tokens,
                   .targets = tokens + 1,
                   .prefix = it->prefix ? start + 1 : NULL};
}

/* A model in training: everything that a step needs. It is never freed: it lasts as long as the
 * process that measures it. */
typedef struct {
    Case it;
    Gpt gpt;
    Optimizer optimizer;
    Batch batch;
    int64_t step;
} Training;

static Training training_new(const Case *it)
{
    Training s = {.it = *it, .batch = batch_of(it)};
    s.gpt = gpt_new(&it->config, s.batch.rows);
    s.optimizer = optimizer_new(&s.gpt, it->optimizer, false);
    gpt_init(&s.gpt, 1);
    return s;
}

/* Takes a step as a run does: by default the norm is computed, and clipped at 1. */
static void training_step(void *training)
{
    Training *s = training;
    s->step++;
    const Dropout dropout = {.rate = s->it.dropout, .seed = 1, .step = (uint32_t)s->step};
    gpt_forward_backward(&s->gpt, &s->batch, (Real)1 / (Real)s->batch.rows, dropout);
    const double norm = optimizer_gradient_norm(&s->optimizer, &s->gpt);
    optimizer_step(&s->optimizer, &s->gpt, norm > 1 ? 1 / norm : 1, 1e-4, 0.01, 1e-9, s->step);
}

static Measured measure_step(const void *what)
{
    const Case *it = what;
    matrix_choose(it->precision);
    Training training = training_new(it);
    return measure_rounds(training_step, &training, 3);
}

/* A row: a step, and beside it PyTorch's: `torch` is NULL (not to be measured), "", or "compile"
 * (also with PyTorch's compiler). */
static void bench_step(const Machine *machine, const Case *it, const char *torch)
{
    const GptConfig *config = &it->config;
    const char *precision = it->precision == PRECISION_BF16 ? "bf16" : "f32";
    const double tokens = (double)it->sequences * config->context;
    const int threads = machine->threads[it->count];
    const Measured ours = measure_apart(measure_step, it, threads);
    Measured theirs = {0};
    if (torch)
        theirs = measure_python(format_text(
            "pytorch.py %d %d %d %d %d %d %s %d %s", config->layers, config->heads, config->width,
            config->vocabulary, config->context, it->sequences, precision, threads, torch));
    report_row("%s %s, threads %d", it->name, precision, threads);
    report_number("ms", 1e3 * ours.median, 2, "");
    report_number("ms_least", 1e3 * ours.least, 2, "");
    report_number("ms_most", 1e3 * ours.most, 2, "");
    report_number("tokens_per_second", tokens / ours.median, 0, "");
    report_number("percent_of_f32_peak",
                  100 * case_flops(it) / ours.median / machine->flops[it->count], 1, "%");
    report_number("mbytes", ours.bytes / 1e6, 0, "");
    report_number("pytorch_ms", 1e3 * theirs.median, 2, "");
    report_number("pytorch_mbytes", theirs.bytes / 1e6, 0, "");
    report_number("times_pytorch", theirs.median / ours.median, 2, " x");
    report_end();
}

/* A model's step in both precisions, with each number of threads; PyTorch's only beside all. */
static void bench_steps(const Machine *machine, Case it, const char *torch)
{
    for (it.precision = PRECISION_F32; it.precision <= PRECISION_BF16; it.precision++)
        for (it.count = 0; it.count < machine->counts; it.count++)
            if (it.precision == PRECISION_F32 || machine->bf16)
                bench_step(machine, &it, it.count == machine->counts - 1 ? torch : NULL);
}

/* The Spanish course's model: a layer of four heads of the full width, and 5 words a step.
 * PyTorch's is the plain block of that width: its heads share the width, and it has no windows. */
static void bench_sentence(const Machine *machine)
{
    const Pattern patterns[] = {{PATTERN_WINDOW, 1, 0},
                                {PATTERN_WINDOW, 2, 0},
                                {PATTERN_WINDOW, 3, 0},
                                {PATTERN_WINDOW, 4, 0}};
    Case it = case_of("sentence", 1, 4, 128, 15, 5);
    it.config.head_size = it.config.hidden = 128;
    it.config.patterns = patterns;
    bench_step(machine, &it, "");
}

/* ---- Patterns ---- */

/* A row: a step of some layers of four heads, all of one pattern, over one sequence of T tokens. */
static void bench_pattern(const Machine *machine, int layers, int T, Pattern pattern, bool prefix)
{
    enum { HEADS = 4, MOST_LAYERS = 4 };
    Pattern patterns[MOST_LAYERS * HEADS];
    char name[PATTERN_TEXT];
    for (int i = 0; i < layers * HEADS; i++)
        patterns[i] = pattern;
    Case it = case_of(pattern_text(pattern, name), layers, HEADS, 128, 65, T);
    it.config.patterns = patterns;
    it.prefix = prefix;
    const Measured ours = measure_apart(measure_step, &it, all_threads(machine));
    report_row("T %d, %s%s", T, name, prefix ? ", both ways" : "");
    report_number("ms", 1e3 * ours.median, 1, "");
    report_number("us_per_token", 1e6 * ours.median / T, 2, "");
    report_number("mbytes", ours.bytes / 1e6, 1, "");
    report_end();
}

/* Whether time and memory for each token stay the same if a single sequence grows; and what a
 * pattern costs beside `all`. Windows of one show what all but attention costs. If all tokens see
 * each other, there are twice as many pairs of a query and a key. */
static void bench_patterns(const Machine *machine)
{
    const Pattern all = {PATTERN_ALL, 0, 0}, window = {PATTERN_WINDOW, 64, 0};
    const Pattern others[] = {{PATTERN_WINDOW, 1, 0},
                              {PATTERN_STRIDED, 32, 0},
                              {PATTERN_FIXED, 64, 0},
                              {PATTERN_SUMMARY, 32, 1}};
    report_section("one sequence, 4 layers", "  median ms   us/token         MB");
    for (int T = 256; T <= 4096; T *= 4) {
        bench_pattern(machine, 4, T, all, false);
        bench_pattern(machine, 4, T, window, false);
    }
    report_section("one sequence, 1 layer", "  median ms   us/token         MB");
    bench_pattern(machine, 1, 4096, all, false);
    bench_pattern(machine, 1, 4096, all, true);
    bench_pattern(machine, 1, 4096, window, false);
    for (int i = 0; i < 4; i++)
        bench_pattern(machine, 1, 4096, others[i], false);
}

/* ---- Growth ---- */

/* One size of a model, or of its step, is doubled four times; how much longer a step takes and how
 * much more memory it needs, beside what the formulas say: the operations of case_flops(), and the
 * bytes of the model and of AdamW's two moments. */
static void bench_growth_of(const Machine *machine, const char *name, int *size, Case *it)
{
    const int first = *size;
    double before[4] = {0}; /* seconds, operations, bytes, bytes by the formula */
    for (; *size <= 16 * first; *size *= 2) {
        it->config.head_size = it->config.width / it->config.heads;
        it->config.hidden = 4 * it->config.width;
        int count;
        size_t weights;
        free(gpt_tensors(&it->config, ROUNDING_NONE, &count, &weights));
        const Measured ours = measure_apart(measure_step, it, all_threads(machine));
        const double now[] = {ours.median, case_flops(it), ours.bytes,
                              gpt_bytes(&it->config, it->sequences * it->config.context) +
                                  2 * sizeof(Real) * (double)weights};
        report_row("%s %d", name, *size);
        report_number("ms", 1e3 * now[0], 2, "");
        report_number("mbytes", now[2] / 1e6, 1, "");
        const char *const names[] = {"times_time", "times_operations", "times_bytes",
                                     "times_bytes_by_formula"};
        for (int i = 0; i < 4; i++)
            report_number(names[i], before[i] > 0 ? now[i] / before[i] : 0, 2, "");
        report_end();
        memcpy(before, now, sizeof before);
    }
    *size = first;
}

static void bench_growth(const Machine *machine)
{
    Case it = case_of("growth", 2, 4, 64, 512, 64);
    it.sequences = 8;
    report_section("growth", "         ms         MB  time x     operations x  MB x  formula x");
    bench_growth_of(machine, "sequences", &it.sequences, &it);
    bench_growth_of(machine, "width", &it.config.width, &it);
    bench_growth_of(machine, "layers", &it.config.layers, &it);
    bench_growth_of(machine, "context", &it.config.context, &it);
    bench_growth_of(machine, "vocabulary", &it.config.vocabulary, &it);
}

/* bench FILE.json FOLDER PROGRAMS [long]. With long: also GPT-2 at its full context, PyTorch's
 * compiler, and a text of a gigabyte. $TEXT is the text, else one is made. */
int main(int count, char **arguments)
{
    process_prepare();
    if (count < 4)
        die("usage: bench FILE.json FOLDER PROGRAMS [long]");
    report_open(arguments[1]);
    const bool longer = count > 4 && !strcmp(arguments[4], "long");
    const char *text = getenv("TEXT"), *torch = longer ? "compile" : "";
    Case S = case_of("S", 4, 4, 128, 65, 64), M = case_of("M", 6, 6, 384, 65, 256);
    Case G = case_of("G", 12, 12, 768, 50257, 64);
    Case G_whole = case_of("G, T 1024", 12, 12, 768, 50257, 1024);
    S.sequences = 12, M.sequences = 8, G.sequences = G_whole.sequences = 4;
    const Machine machine = measure_machine();
    Case M_dropout = M, S_muon = S, M_muon = M;
    M_dropout.name = "M, dropout 0.1,";
    M_dropout.dropout = 0.1;
    S_muon.name = "S, Muon,", M_muon.name = "M, Muon,";
    S_muon.optimizer = M_muon.optimizer = OPTIMIZER_MUON;
    M_dropout.count = S_muon.count = M_muon.count = machine.counts - 1;

    report_section("product, of f32 peak",
                   " f32:   x.w      dy.wT      xT.dy bf16:  x.w      dy.wT      xT.dy");
    bench_products(&machine, &S);
    bench_products(&machine, &M);
    bench_products(&machine, &G);

    report_section("a step of training", "  median ms      least       most   tokens/s   f32 peak"
                                         "         MB PyTorch ms         MB    faster");
    bench_sentence(&machine);
    bench_steps(&machine, S, torch);
    bench_steps(&machine, M, torch);
    bench_step(&machine, &M_dropout, NULL);
    bench_step(&machine, &S_muon, NULL);
    bench_step(&machine, &M_muon, NULL);
    bench_steps(&machine, G, torch);
    if (longer)
        bench_steps(&machine, G_whole, "");

    bench_patterns(&machine);
    if (longer)
        bench_growth(&machine);
    const int threads = all_threads(&machine);
    const double bandwidth[] = {machine.bandwidth[0], machine.bandwidth[machine.counts - 1]};
    bench_writing(&G_whole.config, threads, bandwidth, arguments[2], arguments[3]);
    bench_runs(arguments[2], arguments[3]);
    bench_texts(text && *text ? text : NULL, longer ? 1e9 : 1e8, arguments[2], arguments[3],
                threads);
    report_close();
    return 0;
}
