/* windows.c: Windows 10 and later, by mingw and its C library. What other rooms call by POSIX's
 * names is in posix.c. */
#undef main
#undef exit
#undef _exit
#undef getenv
#undef free

#include "shared.h"

#include <math.h>

/* ---- The environment ---- */

static char **environment; /* NAME=VALUE in UTF-8; NULL ends it */

static void add_variable(char *text)
{
    static size_t count;
    environment = realloc(environment, (count + 2) * sizeof *environment);
    if (!environment)
        abort();
    environment[count++] = text;
    environment[count] = NULL;
}

char *windows_getenv(const char *name)
{
    const size_t length = strlen(name);
    for (char **at = environment; at && *at; at++)
        if (!_strnicmp(*at, name, length) && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

/* These two are called before main, for OpenMP, which asks the C library. */
int setenv(const char *name, const char *value, int overwrite)
{
    return overwrite || !getenv(name) ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

static void add_default(const char *name, const char *value)
{
    char *text;
    if (value && !windows_getenv(name) && asprintf(&text, "%s=%s", name, value) > 0)
        add_variable(text);
}

static void slashes(char *path)
{
    for (; *path; path++)
        if (*path == '\\')
            *path = '/';
}

/* What the other systems' environment says and this one's does not: the language that Windows
 * speaks, the folders, and what a console can show. */
static void read_environment(bool colours)
{
    wchar_t *all = GetEnvironmentStringsW(), language[LOCALE_NAME_MAX_LENGTH] = L"";
    for (const wchar_t *at = all; *at; at += wcslen(at) + 1)
        add_variable(windows_utf8(at));
    FreeEnvironmentStringsW(all);
    GetLocaleInfoW(GetUserDefaultUILanguage(), LOCALE_SISO639LANGNAME, language,
                   LOCALE_NAME_MAX_LENGTH);
    char *code = windows_utf8(language), locale[64];
    snprintf(locale, sizeof locale, "%.32s.UTF-8", code);
    free(code);
    if (!windows_getenv("LC_ALL") && !windows_getenv("LC_MESSAGES"))
        add_default("LANG", locale);
    const char *const folders[][2] = {{"HOME", "USERPROFILE"}, {"TMPDIR", "TEMP"}};
    for (int i = 0; i < 2; i++) {
        add_default(folders[i][0], windows_getenv(folders[i][1]));
        if (windows_getenv(folders[i][0]))
            slashes(windows_getenv(folders[i][0]));
    }
    if (colours) {
        add_default("TERM", "xterm-256color");
        add_default("COLORTERM", "truecolor");
    }
}

/* ---- The command line ---- */

char *program_invocation_short_name;

/* Whether a word is a path with backslashes: it begins with a drive, or with a folder that is
 * there, or comes after -o. Any other backslash belongs to a text. */
static bool is_path(const char *word, const char *before)
{
    char folder[1024];
    const char *slash = strchr(word, '\\');
    struct stat status;
    if (!slash)
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - word), word);
    return !strcmp(before, "-o") || !strcmp(before, "--out") || slash == word ||
           (!stat(folder, &status) && S_ISDIR(status.st_mode));
}

/* Whether two paths lead to the same folder. */
static bool is_same(const char *path, const char *other)
{
    struct stat one, two;
    return !stat(path, &one) && !stat(other, &two) && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* train names the other programs after the word that called it: without .exe and, as PowerShell
 * gives the whole path of what was typed as ./train, from this folder on. */
static void name_program(char **word)
{
    const size_t length = strlen(*word);
    if (length > 4 && !_stricmp(*word + length - 4, ".exe"))
        (*word)[length - 4] = 0;
    char *slash = strrchr(*word, '/');
    program_invocation_short_name = slash ? slash + 1 : *word;
    if (!slash || slash == *word)
        return;
    *slash = 0;
    if (is_same(*word, "."))
        *word = strcpy(slash - 1, ".");
    *slash = '/';
}

/* The words in UTF-8, with slashes in their paths. */
static char **words_of(int count, wchar_t **wide)
{
    char **words = calloc((size_t)count + 1, sizeof *words);
    if (!words)
        abort();
    for (int i = 0; i < count; i++) {
        words[i] = windows_utf8(wide[i]);
        char *equals = words[i][0] == '-' ? strchr(words[i], '=') : NULL,
             *value = equals ? equals + 1 : words[i];
        if (!i || is_path(value, i ? words[i - 1] : ""))
            slashes(value);
    }
    name_program(&words[0]);
    return words;
}

/* ---- Processes ---- */

/* Without fork(), the other process is this program called again with the same words. It comes to
 * the same task by itself, since until then it does what this one has done, in silence. */
static const wchar_t APART[] = L"PULGA_APART";
static int apart_task; /* the number of the task that this process is for; 0: it is the first one */
static int apart_output[3];

static void begin_apart(void)
{
    wchar_t number[16];
    if (!GetEnvironmentVariableW(APART, number, 16))
        return;
    apart_task = (int)wcstol(number, NULL, 10);
    const int nothing = open("/dev/null", O_WRONLY);
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
        apart_output[file] = _dup(file);
        _dup2(nothing, file);
    }
}

bool system_apart(bool task(void *), void *argument, int *signal)
{
    static int number;
    wchar_t program[MAX_PATH * 4], text[16];
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION process;
    DWORD status = 1;
    *signal = 0;
    fflush(stdout);
    if (++number < apart_task)
        return false; /* it is not known here */
    if (number == apart_task) {
        fflush(stderr);
        for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++)
            _dup2(apart_output[file], file);
        windows_exit(task(argument) ? 0 : 1);
    }
    swprintf(text, 16, L"%d", number);
    SetEnvironmentVariableW(APART, text);
    GetModuleFileNameW(NULL, program, MAX_PATH * 4);
    if (!CreateProcessW(program, GetCommandLineW(), NULL, NULL, true, 0, NULL, NULL, &start,
                        &process)) {
        errno = EAGAIN;
        *signal = -1;
        return false;
    }
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &status);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    if (status >> 30 == 3) /* an exception, such as one of memory */
        *signal = SIGSEGV;
    return !status;
}

/* ---- Beginning and ending ---- */

static struct {
    int status;
    void (*task)(int, void *);
    void *argument;
} ending;

static void at_end(void)
{
    ending.task(ending.status, ending.argument);
    windows_stop_giving();
}

void on_exit(void (*task)(int, void *), void *argument)
{
    ending.task = task;
    ending.argument = argument;
    atexit(at_end);
}

_Noreturn void windows_exit(int status)
{
    ending.status = status;
    exit(status);
}

_Noreturn void windows_exit_now(int status)
{
    fflush(stderr);
    windows_stop_giving();
    _exit(status);
}

static UINT console_before; /* the encoding of what it shows */

static void leave_console(void)
{
    SetConsoleOutputCP(console_before);
}

/* Makes the console show UTF-8 and obey the usual codes. Returns whether it does. */
static bool prepare_console(void)
{
    DWORD mode;
    const HANDLE console = windows_handle(STDOUT_FILENO);
    if (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO)) {
        console_before = GetConsoleOutputCP();
        SetConsoleOutputCP(CP_UTF8);
        atexit(leave_console);
    }
    return GetConsoleMode(console, &mode) &&
           SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int _dowildcard = 0; /* a * among the words is one */
CRITICAL_SECTION windows_held;

int wmain(int count, wchar_t **wide)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        _setmode(file, _O_BINARY);
    InitializeCriticalSection(&windows_held);
    windows_watch_console();
    setvbuf(stderr, NULL, _IOLBF, 0);
    if (isatty(STDOUT_FILENO))
        setvbuf(stdout, NULL, _IOLBF, 0);
    read_environment(prepare_console());
    begin_apart();
    windows_exit(program_main(count, words_of(count, wide)));
}

/* ---- Terminal ---- */

static SMALL_RECT window_of(int file)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!GetConsoleScreenBufferInfo(windows_handle(file), &about))
        return (SMALL_RECT){.Right = -1, .Bottom = -1};
    return about.srWindow;
}

int system_columns(int file)
{
    const SMALL_RECT window = window_of(file);
    return window.Right - window.Left + 1;
}

int system_rows(int file)
{
    const SMALL_RECT window = window_of(file);
    return window.Bottom - window.Top + 1;
}

/* ---- Signals ---- */

void signals_hold(Signals *before, bool all)
{
    (void)before, (void)all;
    EnterCriticalSection(&windows_held);
}

void signals_release(const Signals *before)
{
    (void)before;
    LeaveCriticalSection(&windows_held);
}

/* ---- Files ---- */

int system_duplicate(int file)
{
    return _dup(file);
}

int system_open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The path of an open file, without the \\?\ that Windows begins it with. */
static char *path_of_file(int file)
{
    static wchar_t path[1 << 15];
    if (!GetFinalPathNameByHandleW(windows_handle(file), path, 1 << 15, 0))
        return NULL;
    const bool network = !wcsncmp(path, L"\\\\?\\UNC\\", 8);
    char *text = windows_utf8(path + (network ? 6 : 4));
    if (network)
        text[0] = '/';
    slashes(text);
    return text;
}

char *system_real_path(const char *path)
{
    const int file = open(path, O_RDONLY);
    char *real = file < 0 ? NULL : path_of_file(file);
    if (file >= 0)
        close(file);
    return real;
}

char *system_program(void)
{
    wchar_t path[MAX_PATH * 4];
    if (!GetModuleFileNameW(NULL, path, MAX_PATH * 4))
        return NULL;
    char *text = windows_utf8(path);
    slashes(text);
    return text;
}

/* A directory cannot be locked. Instead there is an object of the system with a name that no other
 * directory's has, for as long as somebody holds it; so other machines do not see the lock. */
int system_lock(int directory)
{
    struct stat status;
    wchar_t name[80];
    if (fstat(directory, &status))
        return errno;
    swprintf(name, 80, L"Global\\pulga-%llx-%llx", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    const HANDLE lock = CreateMutexW(NULL, false, name);
    if (lock && GetLastError() != ERROR_ALREADY_EXISTS) {
        windows_keep_lock(directory, lock);
        return 0;
    }
    if (lock)
        CloseHandle(lock);
    return EWOULDBLOCK;
}

double system_room(int directory)
{
    ULARGE_INTEGER room;
    char *path = path_of_file(directory);
    wchar_t wide[1 << 12];
    const bool known = path && MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 1 << 12) &&
                       GetDiskFreeSpaceExW(wide, &room, NULL, NULL);
    free(path);
    return known ? (double)room.QuadPart : (double)INFINITY;
}

/* A file that is gone when it is closed. */
static int make_file(const wchar_t *folder, DWORD kind)
{
    static int number;
    wchar_t path[1 << 12];
    for (;;) {
        swprintf(path, 1 << 12, L"%ls\\.pulga-%lx-%x", folder, (unsigned long)GetCurrentProcessId(),
                 number++);
        const HANDLE file =
            CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE,
                        FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, CREATE_NEW,
                        FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE | kind, NULL);
        if (file != INVALID_HANDLE_VALUE)
            return _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT);
        if (GetLastError() != ERROR_FILE_EXISTS) {
            errno = EACCES;
            return -1;
        }
    }
}

int system_unnamed_file(const char *folder)
{
    wchar_t wide[1 << 11];
    MultiByteToWideChar(CP_UTF8, 0, folder, -1, wide, 1 << 11);
    return make_file(wide, 0);
}

/* The system writes a temporary file to the disk only if memory runs out. */
int system_memory_file(void)
{
    wchar_t folder[MAX_PATH + 1];
    GetTempPathW(MAX_PATH + 1, folder);
    return make_file(folder, FILE_ATTRIBUTE_TEMPORARY);
}

/* Such a file cannot get a name: the caller copies it. */
bool system_name_file(int file, int directory, const char *name)
{
    (void)file, (void)directory, (void)name;
    errno = ENOTSUP;
    return false;
}

/* ---- Memory ---- */

double system_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (double)status.ullTotalPhys : (double)INFINITY;
}

bool system_renew(void *pages, size_t bytes)
{
    return VirtualFree(pages, bytes, MEM_DECOMMIT) &&
           VirtualAlloc(pages, bytes, MEM_COMMIT, PAGE_READWRITE);
}

void system_trim(void)
{
}

/* Only an administrator may have them. */
void system_use_large_pages(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}
