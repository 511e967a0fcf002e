/* macos.h: what GNU's C library has and macOS lacks, or calls otherwise. Each file of a build for
 * macOS includes it first. */
#ifndef PULGA_MACOS_H
#define PULGA_MACOS_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define program_invocation_short_name getprogname()
#define st_mtim st_mtimespec
void on_exit(void (*task)(int, void *), void *argument);

typedef struct {
    ssize_t (*write)(void *, const char *, size_t);
    int (*close)(void *);
} cookie_io_functions_t;
FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

/* More than 2 GB at once are refused. */
#define AT_ONCE(size) ((size) < 1 << 30 ? (size) : 1 << 30)
#define read(file, bytes, size) read(file, bytes, AT_ONCE(size))
#define pread(file, bytes, size, offset) pread(file, bytes, AT_ONCE(size), offset)
#define pwrite(file, bytes, size, offset) pwrite(file, bytes, AT_ONCE(size), offset)

#endif
