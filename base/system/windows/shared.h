/* shared.h: what windows.c and posix.c share. */
#ifndef PULGA_WINDOWS_SHARED_H
#define PULGA_WINDOWS_SHARED_H

#define WIN32_LEAN_AND_MEAN
#define NOGDI
#include <windows.h>

#include "base/system/system.h"

/* A text as UTF-8; the caller frees it. */
char *windows_utf8(const wchar_t *wide);

/* The system's handle of a descriptor. */
HANDLE windows_handle(int file);

/* A lock that is released when the descriptor is closed. */
void windows_keep_lock(int directory, HANDLE lock);

/* Called when the program starts: Ctrl-C becomes SIGINT, closing the window SIGHUP. */
void windows_watch_console(void);

/* Called once, when the program ends: its streams go away. */
void windows_stop_giving(void);

/* Who is in it holds back signals that would end the program. */
extern CRITICAL_SECTION windows_held;

#endif
