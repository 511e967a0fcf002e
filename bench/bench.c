/* bench.c: how fast training is, against what the machine can do and against PyTorch where that is
 * installed. Every figure is taken in a process of its own; what stands side by side was measured
 * side by side. It judges nothing: times depend on the machine and on its neighbours. */
#include <stdlib.h>
#include <string.h>

#include "../model/matrix/matrix.h"
#include "cases.h"
#include "measure.h"
#include "peak.h"

enum { THREADS_MOST = 64 };

/* What the machine reaches with one thread and with all. */
typedef struct {
    int threads;
    double flops[2], bandwidth[2];
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
    report_section("machine", "     float32     memory");
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
    return machine;
}

/* ---- The product ---- */

/* y = x·w of a layer, and what backward makes of it. */
typedef struct {
    int rows, in, out, form;
} Product;

typedef struct {
    Product it;
    Real *x, *w, *y;
} Operands;

static void multiply(void *what)
{
    const Operands *o = what;
    const Matrix x = matrix(o->x, o->it.rows, o->it.in), w = matrix(o->w, o->it.in, o->it.out);
    const Matrix y = matrix(o->y, o->it.rows, o->it.out);
    switch (o->it.form) {
    case 0: matmul(y, x, w); break;
    case 1: matmul(x, y, transposed(w)); break;
    case 2: matmul_add(w, transposed(x), y); break;
    }
}

static Real *numbers(int rows, int cols)
{
    const size_t count = (size_t)rows * (size_t)cols;
    Real *at = memory_new(count, sizeof *at, "a product's operand");
    for (size_t i = 0; i < count; i++)
        at[i] = (Real)((double)(i * 2654435761u % 1000) / 1e3 - 0.5) * (Real)1e-3;
    return at;
}

static Measured measure_product(const void *what)
{
    const Product *p = what;
    Operands o = {*p, numbers(p->rows, p->in), numbers(p->in, p->out), numbers(p->rows, p->out)};
    return measure_rounds(multiply, &o, 0.25);
}

static void bench_products(const Machine *machine, const Case *it)
{
    const int C = it->shape.width, N = it->sequences * it->shape.context;
    const struct { const char *name; int in, out; } layers[] = {
        {"qkv", C, 3 * C}, {"out", C, C}, {"widen", C, 4 * C}, {"narrow", 4 * C, C},
        {"head", C, it->shape.vocabulary},
    };
    static const char *const FORMS[] = {"forward", "dx", "dw"};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        report_row("%s %-6s %dx%dx%d", it->name, layers[i].name, N, layers[i].in, layers[i].out);
        for (int form = 0; form < 3; form++) {
            const Product p = {N, layers[i].in, layers[i].out, form};
            const double flops = 2.0 * N * p.in * p.out /
                                 measure_apart(measure_product, &p, machine->threads).median;
            report_number(FORMS[form], 100 * flops / machine->flops[1], 0, "%");
        }
        report_end();
    }
}

/* ---- A step ---- */

static void take_step(void *what)
{
    training_step(what);
}

static Measured measure_step(const void *what)
{
    const Case *it = what;
    Training training = training_new(it);
    return measure_rounds(take_step, &training, 3);
}

static Measured measure_torch(const Case *it, const char *precision, int threads)
{
    const char *python = getenv("PYTHON");
    char *command = saying("%s bench/pytorch.py %d %d %d %d %d %d %s %d 2>/dev/null",
                           python ? python : "python3", it->shape.layers, it->shape.heads,
                           it->shape.width, it->shape.vocabulary, it->shape.context,
                           it->sequences, precision, threads);
    const Measured found = measure_command(command);
    free(command);
    return found;
}

static void bench_step(const Machine *machine, const Case *it, int threads, bool torch)
{
    const Measured ours = measure_apart(measure_step, it, threads);
    const double tokens = (double)it->sequences * it->shape.context;
    report_row("%s float32, %d thread%s", it->name, threads, threads == 1 ? "" : "s");
    report_number("ms", 1e3 * ours.median, 2, " ms");
    report_number("ms_least", 1e3 * ours.least, 2, "");
    report_number("ms_most", 1e3 * ours.most, 2, "");
    report_number("tokens_per_second", tokens / ours.median, 0, "");
    report_number("percent_of_peak",
                  100 * case_flops(it) / ours.median / machine->flops[threads > 1], 1, "%");
    report_number("mbytes", ours.bytes / 1e6, 0, " MB");
    const Measured theirs = torch ? measure_torch(it, "f32", threads) : (Measured){0};
    report_number("pytorch_ms", 1e3 * theirs.median, 2, " ms");
    report_number("pytorch_mbytes", theirs.bytes / 1e6, 0, " MB");
    report_number("times_pytorch", theirs.median / ours.median, 2, " x");
    report_end();
}

int main(int count, char **arguments)
{
    threads_wait_politely(arguments);
    report_open(count > 1 ? arguments[1] : "bench.json");
    const Case cases[] = {
        case_of("S", 4, 4, 128, 65, 64, 12),
        case_of("M", 6, 6, 384, 65, 256, 8),
        case_of("G", 12, 12, 768, 50257, 64, 4),
    };
    const Machine machine = measure_machine();
    report_section("product", "    forward         dx         dw");
    for (int i = 0; i < 3; i++)
        bench_products(&machine, &cases[i]);
    report_section("step", "     median      least       most   tokens/s    of peak     memory"
                           "    PyTorch     memory    faster");
    for (int i = 0; i < 3; i++)
        for (int threads = 1; threads <= machine.threads; threads++)
            bench_step(&machine, &cases[i], threads, threads > 1);
    report_close();
    return 0;
}
