/* posix.h: what mingw lacks of POSIX and of GNU's C library, by the names that the other rooms use.
 * Each file of a build for Windows includes it first. Paths, names and the environment are UTF-8;
 * a path may have slashes or backslashes; files are binary. A directory's descriptor holds its
 * handle, from which its path is got back, wherever it has been moved meanwhile. */
#ifndef PULGA_POSIX_H
#define PULGA_POSIX_H

/* All headers whose names are changed below come before that. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- The program ---- */

#define main program_main /* which wmain() calls, in windows.c */
int program_main(int argc, char **argv);
extern char *program_invocation_short_name;

#define EX_USAGE 64
#define exit windows_exit
#define _exit windows_exit_now
_Noreturn void windows_exit(int status);
_Noreturn void windows_exit_now(int status);
void on_exit(void (*task)(int, void *), void *argument);

#define getenv windows_getenv
char *windows_getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);

/* ---- Memory ---- */

#define free windows_free
void windows_free(void *memory);
void *aligned_alloc(size_t alignment, size_t size);
enum { _SC_PAGESIZE };
long sysconf(int name);
int getentropy(void *bytes, size_t size);

/* ---- Texts ---- */

char *strsep(char **rest, const char *delimiters);
char *stpcpy(char *to, const char *from);
char *strcasestr(const char *text, const char *part);
void *memmem(const void *bytes, size_t size, const void *part, size_t length);
ssize_t getline(char **line, size_t *room, FILE *file);
#define putc_unlocked putc

/* ---- Files ---- */

enum { O_CLOEXEC = _O_NOINHERIT, O_DIRECTORY = 1 << 24, O_NOFOLLOW = 0, O_NONBLOCK = 0 };
enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0, AT_SYMLINK_FOLLOW = 0, AT_REMOVEDIR = 1 };

struct windows_stat {
    uint64_t st_dev, st_ino;
    mode_t st_mode;
    unsigned st_nlink;
    int64_t st_size;
    struct timespec st_mtim;
};
#undef stat
#undef fstat
#undef st_mtime
#define stat windows_stat
#define fstat windows_fstat
#define st_mtime st_mtim.tv_sec
int stat(const char *path, struct stat *status);
int fstat(int file, struct stat *status);
int fstatat(int directory, const char *name, struct stat *status, int flags);

#define open(path, ...) openat(AT_FDCWD, path, __VA_ARGS__)
#define close windows_close
#define access windows_access
#define mkdir(path, mode) mkdirat(AT_FDCWD, path, mode)
#define isatty windows_isatty
int openat(int directory, const char *name, int flags, ...);
int close(int file);
int access(const char *path, int mode);
int isatty(int file);
int mkdirat(int directory, const char *name, mode_t mode);
int unlinkat(int directory, const char *name, int flags);
int renameat(int from, const char *name, int to, const char *new_name);
int linkat(int from, const char *name, int to, const char *new_name, int flags);
int fsync(int file);
ssize_t pread(int file, void *bytes, size_t size, off_t offset);
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset);

typedef struct Listing DIR;
struct dirent {
    char d_name[1024];
};
DIR *fdopendir(int directory);
struct dirent *readdir(DIR *list);
int closedir(DIR *list);

enum { PROT_READ, MAP_SHARED };
#define MAP_FAILED ((void *)-1)
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int munmap(void *at, size_t size);

enum { POLLOUT = 1, POLLERR = 2, POLLHUP = 4 };
struct pollfd {
    int fd;
    short events, revents;
};
int poll(struct pollfd *files, int count, int wait);

/* ---- Streams ---- */

#define fopen windows_fopen
#define freopen windows_freopen
#define fclose windows_fclose
#define setvbuf windows_setvbuf
FILE *fopen(const char *path, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *stream);
int fclose(FILE *stream);
int setvbuf(FILE *stream, char *buffer, int mode, size_t size);
typedef struct {
    ssize_t (*write)(void *, const char *, size_t);
    int (*close)(void *);
} cookie_io_functions_t;
FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

/* ---- Signals: Ctrl-C, and the others that a console sends ---- */

enum { SIGHUP = 1, SIGQUIT = 3, SIGPIPE = 13, SIGXCPU = 24, SIGXFSZ = 25 };
#define signal windows_signal
#define raise windows_raise
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);

/* ---- Limits: there are none to ask for ---- */

enum { RLIMIT_STACK, RLIMIT_RSS };
#define RLIM_INFINITY UINT64_MAX
struct rlimit {
    uint64_t rlim_cur;
};
#define getrlimit(kind, limit) ((void)(limit), -1)

/* ---- The locale: all is UTF-8 ---- */

#define setlocale(category, name) ((void)(name))
#define nl_langinfo(item) "UTF-8"

#endif
