/* harness.c: see harness.h. Linked with --wrap for exit, for what opens and closes a stream, and
 * for the functions that make a checksum. */
#include "harness.h"

#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <setjmp.h>
#include <stdio_ext.h>
#include <unistd.h>
#include <utf8proc.h>
#include <xxhash.h>

#include "base/base.h"
#include "tests/helpers/tiny.h"

enum { MOST_BLOCKS = 1 << 22, MOST_STREAMS = 16, LONGEST = 1 << 14 };

/* The job that runs: exit() and malloc() have no place for a context of ours. */
static struct {
    bool running;
    jmp_buf back;
    int status;
    const volatile void *blocks[MOST_BLOCKS]; /* taken; some were given back */
    size_t block_count;
    FILE *streams[MOST_STREAMS]; /* open */
    char said[LONGEST];
} job_now;

/* ---- What a job does is noted ---- */

static void note_block(const volatile void *block, size_t size)
{
    (void)size;
    if (!job_now.running)
        return;
    if (job_now.block_count == MOST_BLOCKS)
        found("more than %d allocations", MOST_BLOCKS);
    job_now.blocks[job_now.block_count++] = block;
}

static void note_nothing(const volatile void *block)
{
    (void)block;
}

void __real_exit(int status);
void __wrap_exit(int status);
void __wrap_exit(int status)
{
    if (!job_now.running)
        __real_exit(status);
    job_now.status = status;
    longjmp(job_now.back, 1);
}

static FILE *swap_stream(const FILE *old, FILE *new)
{
    for (int i = 0; job_now.running && i < MOST_STREAMS; i++)
        if (job_now.streams[i] == old) {
            job_now.streams[i] = new;
            break;
        }
    return new;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    return swap_stream(NULL, __real_fopen(path, mode));
}

FILE *__real_fdopen(int file, const char *mode);
FILE *__wrap_fdopen(int file, const char *mode);
FILE *__wrap_fdopen(int file, const char *mode)
{
    return swap_stream(NULL, __real_fdopen(file, mode));
}

FILE *__real_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    return swap_stream(NULL, __real_fopencookie(cookie, mode, functions));
}

int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream);
int __wrap_fclose(FILE *stream)
{
    swap_stream(stream, NULL);
    return __real_fclose(stream);
}

/* Every checksum is right: what lies behind them is to be reached. */
XXH64_hash_t __wrap_XXH3_64bits_withSeed(const void *bytes, size_t size, XXH64_hash_t seed);
XXH64_hash_t __wrap_XXH3_64bits_withSeed(const void *bytes, size_t size, XXH64_hash_t seed)
{
    (void)bytes, (void)size, (void)seed;
    return 0;
}

XXH64_hash_t __wrap_XXH3_64bits_digest(const XXH3_state_t *state);
XXH64_hash_t __wrap_XXH3_64bits_digest(const XXH3_state_t *state)
{
    (void)state;
    return 0;
}

/* ---- Jobs ---- */

/* What a stream still holds is dropped: a memory stream would write it through pointers into stack
 * frames that longjmp() has left. */
static void close_streams(void)
{
    for (int i = 0; i < MOST_STREAMS; i++)
        if (job_now.streams[i]) {
            __fpurge(job_now.streams[i]);
            __real_fclose(job_now.streams[i]);
        }
}

static void give_back(int first_file)
{
    for (size_t i = 0; i < job_now.block_count; i++)
        if (__sanitizer_get_ownership((const void *)job_now.blocks[i]))
            free((void *)job_now.blocks[i]);
    close_range((unsigned)first_file, ~0U, 0);
}

static void check_given_back(int first_file)
{
    for (size_t i = 0; i < job_now.block_count; i++)
        if (__sanitizer_get_ownership((const void *)job_now.blocks[i])) {
            __asan_describe_address((void *)job_now.blocks[i]); /* where it was taken */
            found("this was not freed");
        }
    const int file = dup(STDIN_FILENO);
    if (file != first_file)
        found("file %d was not closed", first_file);
    close(file);
}

/* The warnings of a resumed run: another kernel, a log that is too short. */
static bool is_warning(const char *line, const char *end)
{
    const char *other_kernel = strstr(line, "goes on"), *no_log = strstr(line, "begins again");
    return (other_kernel && other_kernel < end) || (no_log && no_log < end);
}

/* The program ended in one line; warnings may stand before it. */
static void check_ending(void)
{
    const char *line = job_now.said, *end = strchr(line, '\n');
    if (job_now.status != 1 && job_now.status != 64)
        found("exit status %d", job_now.status);
    while (end && end[1] && is_warning(line, end)) {
        line = end + 1;
        end = strchr(line, '\n');
    }
    if (!end || end[1])
        found("not one line: %s", job_now.said);
}

bool returns(Job *job, void *context)
{
    static FILE *saying_it;
    FILE *const to_user = stderr, *const output = stdout;
    if (!saying_it) {
        saying_it = fmemopen(job_now.said, LONGEST, "w");
        __sanitizer_install_malloc_and_free_hooks(note_block, note_nothing);
    }
    rewind(saying_it);
    memset(job_now.said, 0, LONGEST);
    memset(job_now.streams, 0, sizeof job_now.streams);
    job_now.block_count = 0;
    const int first_file = dup(STDIN_FILENO); /* the lowest that is free */
    close(first_file);

    stderr = saying_it;
    job_now.running = true;
    const bool returned = !setjmp(job_now.back);
    if (returned)
        job(context);
    else
        close_streams();
    job_now.running = false;
    stderr = to_user;
    stdout = output;
    fflush(saying_it);
    check_harmless(job_now.said);
    if (returned) {
        check_given_back(first_file);
    } else {
        give_back(first_file);
        check_ending();
    }
    return returned;
}

void found(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vdprintf(STDERR_FILENO, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "\n");
    abort();
}

void check_harmless(const char *text)
{
    utf8proc_int32_t c;
    utf8proc_ssize_t size;
    for (const char *at = text; *at; at += size) {
        size = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &c);
        if (size < 0)
            found("no UTF-8 at byte %td of: %s", at - text, text);
        if ((c < ' ' && c != '\n') || (c >= 0x7F && c < 0xA0) || c == 0x61C ||
            (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
            (c >= 0x2066 && c <= 0x2069))
            found("U+%04X at byte %td of: %s", (unsigned)c, at - text, text);
    }
}

/* ---- Files ---- */

static void remove_folder(void)
{
    char *command = format_text("rm -rf '%s'", folder()); /* a name that was made here */
    if (system(command))
        perror(folder());
    free(command);
}

const char *folder(void)
{
    static char name[64];
    if (!*name) {
        snprintf(name, sizeof name, "%s/pulga-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
        if (!mkdtemp(name))
            found("no folder %s", name);
        atexit(remove_folder);
    }
    return name;
}

char *put_file(const char *name, const void *bytes, size_t size)
{
    char *path = format_text("%s/%s", folder(), name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        found("%s cannot be written", path);
    return path;
}

void put_run(const char *const *options)
{
    static const char text[] = "el perro come\n¿qué come?\n";
    char *path = put_file("text.txt", text, strlen(text)), *run = format_text("%s/run", folder());
    tiny_run(run, path, options);
    free(path);
    free(run);
}
