/* system.h: what an operating system gives beyond C and POSIX's files. Each system has one file
 * here that implements it; nothing else in the library depends on a system. */
#ifndef PULGA_SYSTEM_H
#define PULGA_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* ---- Terminal ---- */

/* The size of the terminal that a file is; 0 if it is none, or one without a size. */
int system_columns(int file);
int system_rows(int file);

/* ---- Signals ---- */

typedef struct {
    _Alignas(long) char bytes[128];
} Signals;

/* Signals that would end the program, or all signals, wait from here on; `before` receives those
 * that did already. */
void signals_hold(Signals *before, bool all);
void signals_release(const Signals *before);

/* Calls `handler` when a signal comes, and returns what was called before. If it is for `once`, a
 * second one does what it would without. If it ends reads, a read() that waits fails. */
typedef void SignalHandler(int number);
SignalHandler *signal_catch(int number, SignalHandler *handler, bool once, bool ends_reads);

/* ---- Processes ---- */

/* Does a task in a process of its own. Returns whether it has returned true; *signal receives the
 * number of the signal that ended the process, 0 if none did, or -1 with errno set if there is no
 * such process. */
bool system_apart(bool task(void *), void *argument, int *signal);

/* ---- Files. Functions that return a descriptor return -1 if they fail, with errno set ---- */

/* Another descriptor of an open file. */
int system_duplicate(int file);

/* A directory; one whose files may be read but whose list may not will do. */
int system_open_directory(const char *path);

/* A path without links and dots, which the caller frees; NULL if it leads nowhere. */
char *system_real_path(const char *path);

/* The path of this program's file, which the caller frees; NULL if it is not known. */
char *system_program(void);

/* Locks a directory against other processes, until it is closed or the process ends. Returns 0 or
 * the number of an error: EWOULDBLOCK if another process has locked it. */
int system_lock(int directory);

/* The bytes that may still be written to a directory's file system; infinity if not known. */
double system_room(int directory);

/* A new file on a folder's file system, to read and write, that has no name: whatever ends the
 * program, nothing is left of it. */
int system_unnamed_file(const char *folder);

/* A new file in memory, which is gone when it is closed. */
int system_memory_file(void);

/* Gives an unnamed file a name that no other file has. Returns false with errno set if that cannot
 * be done. */
bool system_name_file(int file, int directory, const char *name);

/* ---- Memory ---- */

/* The bytes that the machine has. */
double system_memory(void);

/* Gives whole pages back to the system, which hands out zeroed ones when they are touched. Returns
 * false if it does not. */
bool system_renew(void *pages, size_t bytes);

/* Gives back what malloc() keeps of memory that was freed. Does nothing if the system's keeps none,
 * or cannot. */
void system_trim(void);

/* Asks for large pages (2 MB on most machines) where memory has not been touched. Does nothing if
 * the system has none. */
void system_use_large_pages(void *pages, size_t bytes);

#endif
