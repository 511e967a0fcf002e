/* runs.c: steps of ./train as it is called by its users. */
#include "bench.h"

#include "base/base.h"

/* Seconds of a step: between two of a run of `options`, which logs both. */
static double seconds_of_step(const char *programs, const char *folder, const char *options,
                              int from, int end)
{
    double seconds[2];
    for (int i = 0; i < 2; i++)
        seconds[i] = measure_train(i ? end : from,
                                   format_text("exec '%s/train' %s --stop-after %d --out '%s/run' "
                                               "--overwrite",
                                               programs, options, end, folder))
                         .median;
    return (seconds[1] - seconds[0]) / (end - from);
}

/* The evaluations of a run's beginning are part of it. */
static void bench_default(const char *programs, const char *folder, const char *text,
                          const char *name)
{
    char *options = format_text("'%s' --log-every 20", text);
    report_row("%s", name);
    report_number("ms", 1e3 * seconds_of_step(programs, folder, options, 20, 100), 1, " ms");
    report_end();
    free(options);
}

/* Names that look made up, a line each, in a file with the name that microgpt.c reads. */
static void write_names(const char *path)
{
    static const char *const syllables[] = {"ka", "ri", "lo", "me", "an", "el", "ta", "ny"};
    FILE *file = fopen(path, "w");
    if (!file)
        die("cannot write %s", path);
    for (unsigned name = 0; name < 32000; name++) {
        for (unsigned bits = name * 2654435761u, left = 2 + bits % 3; left > 0; left--, bits /= 8)
            fputs(syllables[bits / 16 % 8], file);
        fputc('\n', file);
    }
    fclose(file);
}

/* microgpt.c trains 1,000 steps on input.txt and prints how long that took. */
static double seconds_of_peer(const char *peer, const char *folder)
{
    char line[1 << 16];
    double seconds = 0;
    char *command = format_text("cd '%s' && '%s' </dev/null", folder, peer);
    FILE *output = popen(command, "r");
    if (!output)
        die("cannot start: %s", command);
    while (fgets(line, sizeof line, output))
        sscanf(line, "Training time: %lf", &seconds);
    pclose(output);
    free(command);
    return seconds / 1000;
}

static void bench_names(const char *folder, const char *programs)
{
    char *names = format_text("%s/input.txt", folder);
    write_names(names);
    char *options = format_text("'%s' --tokens char --sequence lines --layers 1 --heads 4 "
                                "--width 16 --context 16 --batch 1 --val 0 --optimizer adamw "
                                "--threads 1 --steps 100000 --log-every 10000 "
                                "--eval-every 100000",
                                names);
    const double ours = seconds_of_step(programs, folder, options, 10000, 60000);
    char *peer = getenv("PEER") ? realpath(getenv("PEER"), NULL) : NULL;
    const double theirs = peer ? seconds_of_peer(peer, folder) : 0;
    report_row("a name each step, threads 1");
    report_number("us", 1e6 * ours, 1, " us");
    report_number("peer_us", 1e6 * theirs, 1, " us");
    report_number("times_peer", theirs / ours, 2, " x");
    report_end();
    remove(names);
    free(names);
    free(options);
    free(peer);
}

void bench_runs(const char *folder, const char *programs)
{
    char *text = format_text("%s/made.txt", folder);
    report_section("a step of ./train", "       time    PEER's     faster");
    bench_default(programs, folder, "data/cuentos.txt", "data/cuentos.txt, 36 kB");
    if (!measure_command(format_text("awk -v size=250000 -f tests/bench/text.awk >'%s'", text)))
        die("the text for measuring cannot be written");
    bench_default(programs, folder, text, "a text of 250 kB");
    bench_names(folder, programs);
    remove(text);
    free(text);
}
