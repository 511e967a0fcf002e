/* posix.c: POSIX's names for what Windows has under others. Every file is opened so that others may
 * meanwhile read, rename and remove it, as on other systems. */
#undef main
#undef exit
#undef _exit
#undef getenv
#undef free
#undef fclose
#undef setvbuf
#undef signal
#undef raise

#include "shared.h"

#include <dirent.h>
#include <editline/readline.h>

/* ---- Errors and texts ---- */

/* Sets errno for the last error. Returns -1. */
static int fail(void)
{
    static const struct {
        DWORD error;
        int number;
    } ERRORS[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                  {ERROR_PATH_NOT_FOUND, ENOENT},
                  {ERROR_INVALID_NAME, ENOENT},
                  {ERROR_BAD_PATHNAME, ENOENT},
                  {ERROR_BAD_NETPATH, ENOENT},
                  {ERROR_BAD_NET_NAME, ENOENT},
                  {ERROR_NOT_READY, ENOENT},
                  {ERROR_INVALID_DRIVE, ENOENT},
                  {ERROR_ACCESS_DENIED, EACCES},
                  {ERROR_SHARING_VIOLATION, EACCES},
                  {ERROR_LOCK_VIOLATION, EACCES},
                  {ERROR_WRITE_PROTECT, EROFS},
                  {ERROR_FILE_EXISTS, EEXIST},
                  {ERROR_ALREADY_EXISTS, EEXIST},
                  {ERROR_DISK_FULL, ENOSPC},
                  {ERROR_HANDLE_DISK_FULL, ENOSPC},
                  {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                  {ERROR_DIRECTORY, ENOTDIR},
                  {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                  {ERROR_OUTOFMEMORY, ENOMEM},
                  {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                  {ERROR_BROKEN_PIPE, EPIPE},
                  {ERROR_NO_DATA, EPIPE},
                  {ERROR_INVALID_HANDLE, EBADF},
                  {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG}};
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (ERRORS[i].error == error)
            errno = ERRORS[i].number;
    return -1;
}

char *windows_utf8(const wchar_t *wide)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = malloc((size_t)size);
    if (!text)
        abort();
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

char *strsep(char **rest, const char *delimiters)
{
    char *word = *rest;
    if (!word)
        return NULL;
    char *end = word + strcspn(word, delimiters);
    *rest = *end ? end + 1 : NULL;
    *end = 0;
    return word;
}

char *stpcpy(char *to, const char *from)
{
    return strcpy(to, from) + strlen(from);
}

char *strcasestr(const char *text, const char *part)
{
    for (; *text; text++)
        if (!_strnicmp(text, part, strlen(part)))
            return (char *)text;
    return NULL;
}

void *memmem(const void *bytes, size_t size, const void *part, size_t length)
{
    for (const char *at = bytes; size >= length; at++, size--)
        if (!memcmp(at, part, length))
            return (void *)at;
    return NULL;
}

ssize_t getline(char **line, size_t *room, FILE *file)
{
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF;) {
        if (*room < length + 2 && !(*line = realloc(*line, *room = 2 * *room + 128)))
            abort();
        (*line)[length++] = (char)c;
        (*line)[length] = 0;
        if (c == '\n')
            break;
    }
    return length ? (ssize_t)length : -1;
}

/* ---- Paths ---- */

/* The longest path that Windows has. */
enum { PATH_MOST = 1 << 15 };
typedef wchar_t Path[PATH_MOST];

/* A path relative to a directory as Windows has it: with backslashes, since a directory's own path
 * begins with \\?\, after which slashes are none. /dev/null is NUL. */
static const wchar_t *path_of(Path path, int directory, const char *name)
{
    DWORD begin = 0;
    if (directory != AT_FDCWD) {
        begin = GetFinalPathNameByHandleW(windows_handle(directory), path, PATH_MOST - 1, 0);
        if (!begin || begin >= PATH_MOST - 1)
            return L"";
        path[begin++] = '\\';
    }
    if (!strcmp(name, "/dev/null"))
        name = "NUL";
    if (!MultiByteToWideChar(CP_UTF8, 0, name, -1, path + begin, (int)(PATH_MOST - begin)))
        return L"";
    for (wchar_t *at = path + begin; *at; at++)
        if (*at == '/')
            *at = '\\';
    if (begin && !wcscmp(path + begin, L"."))
        path[begin - 1] = 0;
    return path;
}

HANDLE windows_handle(int file)
{
    return file < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(file);
}

static HANDLE create(int directory, const char *name, DWORD access, DWORD how, DWORD flags)
{
    Path path;
    return CreateFileW(path_of(path, directory, name), access,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                       flags | FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

/* ---- What is known of a file ---- */

/* The time counts 100 ns from 1601. */
static int status_of(HANDLE file, struct stat *status)
{
    BY_HANDLE_FILE_INFORMATION about;
    const DWORD kind = GetFileType(file);
    *status = (struct stat){.st_mode = kind == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR, .st_nlink = 1};
    if (kind != FILE_TYPE_DISK)
        return kind == FILE_TYPE_UNKNOWN ? fail() : 0;
    if (!GetFileInformationByHandle(file, &about))
        return fail();
    const int64_t time =
        (int64_t)about.ftLastWriteTime.dwHighDateTime << 32 | about.ftLastWriteTime.dwLowDateTime;
    status->st_mode = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG;
    status->st_dev = about.dwVolumeSerialNumber;
    status->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    status->st_nlink = about.nNumberOfLinks;
    status->st_size = (int64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    status->st_mtim.tv_sec = time / 10000000 - 11644473600;
    status->st_mtim.tv_nsec = (long)(time % 10000000 * 100);
    return 0;
}

int fstat(int file, struct stat *status)
{
    return status_of(windows_handle(file), status);
}

int fstatat(int directory, const char *name, struct stat *status, int flags)
{
    (void)flags;
    const HANDLE file = create(directory, name, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0);
    if (file == INVALID_HANDLE_VALUE)
        return fail();
    const int result = status_of(file, status);
    CloseHandle(file);
    return result;
}

int stat(const char *path, struct stat *status)
{
    return fstatat(AT_FDCWD, path, status, 0);
}

int access(const char *path, int mode)
{
    Path wide;
    return _waccess(path_of(wide, AT_FDCWD, path), mode);
}

int isatty(int file)
{
    DWORD mode;
    return GetConsoleMode(windows_handle(file), &mode);
}

/* ---- Opening and closing ---- */

/* /dev/fd/3 is the file 3, from its beginning. */
int openat(int directory, const char *name, int flags, ...)
{
    static const DWORD HOW[] = {OPEN_EXISTING, TRUNCATE_EXISTING, OPEN_ALWAYS, CREATE_ALWAYS};
    int number;
    if (sscanf(name, "/dev/fd/%d", &number) == 1)
        return _lseeki64(number, 0, SEEK_SET) ? -1 : _dup(number);
    const bool writes = flags & (O_WRONLY | O_RDWR), reads = !(flags & O_WRONLY);
    const DWORD how =
        flags & O_EXCL ? CREATE_NEW : HOW[2 * !!(flags & O_CREAT) + !!(flags & O_TRUNC)];
    const HANDLE file =
        create(directory, name, (reads ? GENERIC_READ : 0) | (writes ? GENERIC_WRITE : 0), how, 0);
    struct stat status;
    if (file == INVALID_HANDLE_VALUE)
        return fail();
    const bool folder = !status_of(file, &status) && S_ISDIR(status.st_mode);
    if (flags & O_DIRECTORY ? !folder : folder && writes) {
        CloseHandle(file);
        errno = folder ? EISDIR : ENOTDIR;
        return -1;
    }
    return _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT | (flags & O_APPEND));
}

/* The locks of open directories (system_lock). */
enum { FILES_MOST = 2048 };
static HANDLE locks[FILES_MOST];

void windows_keep_lock(int directory, HANDLE lock)
{
    locks[directory] = lock;
}

int close(int file)
{
    if (file >= 0 && file < FILES_MOST && locks[file]) {
        CloseHandle(locks[file]);
        locks[file] = NULL;
    }
    return _close(file);
}

/* A folder's list of files is on the disk by itself. */
int fsync(int file)
{
    struct stat status;
    return (!fstat(file, &status) && S_ISDIR(status.st_mode)) ||
                   FlushFileBuffers(windows_handle(file))
               ? 0
               : fail();
}

/* ---- Reading and writing at a place ---- */

static OVERLAPPED place(off_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

/* A call counts in 32 bits. */
static DWORD part_of(size_t size)
{
    return size < 1 << 30 ? (DWORD)size : 1 << 30;
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset)
{
    DWORD done = 0;
    OVERLAPPED at = place(offset);
    if (!ReadFile(windows_handle(file), bytes, part_of(size), &done, &at) &&
        GetLastError() != ERROR_HANDLE_EOF)
        return fail();
    return done;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    DWORD done = 0;
    OVERLAPPED at = place(offset);
    return WriteFile(windows_handle(file), bytes, part_of(size), &done, &at) ? (ssize_t)done
                                                                             : fail();
}

/* A map stays when the handle that made it is closed. */
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    (void)at, (void)protection, (void)flags, (void)offset;
    const HANDLE map = CreateFileMappingW(windows_handle(file), NULL, PAGE_READONLY, 0, 0, NULL);
    void *view = map ? MapViewOfFile(map, FILE_MAP_READ, 0, 0, size) : NULL;
    if (!view)
        fail();
    if (map)
        CloseHandle(map);
    return view ? view : MAP_FAILED;
}

int munmap(void *at, size_t size)
{
    (void)size;
    return UnmapViewOfFile(at) ? 0 : fail();
}

/* Only for a file that could not be written: if it is a pipe, its reader has left. */
int poll(struct pollfd *files, int count, int wait)
{
    (void)count, (void)wait;
    const bool left = GetFileType(windows_handle(files->fd)) == FILE_TYPE_PIPE;
    files->revents = left ? POLLERR : 0;
    return left;
}

/* ---- Folders ---- */

/* A path on the network begins with //server/share, which no program can make: it is there. */
int mkdirat(int directory, const char *name, mode_t mode)
{
    (void)mode;
    Path path;
    struct stat status;
    const char *share = strpbrk(name, "/\\") == name ? strpbrk(name + 2, "/\\") : NULL;
    if (CreateDirectoryW(path_of(path, directory, name), NULL))
        return 0;
    fail();
    if ((name[0] == '/' && name[1] == '/' && (!share || !strpbrk(share + 1, "/\\"))) ||
        (!fstatat(directory, name, &status, 0) && S_ISDIR(status.st_mode)))
        errno = EEXIST;
    return -1;
}

int unlinkat(int directory, const char *name, int flags)
{
    Path path;
    path_of(path, directory, name);
    return (flags & AT_REMOVEDIR ? RemoveDirectoryW(path) : DeleteFileW(path)) ? 0 : fail();
}

/* Renames as other systems do, even if the file that is replaced is open: Windows 10 can. */
static bool rename_open(const wchar_t *from, const wchar_t *to)
{
    struct {
        FILE_RENAME_INFO about;
        Path room;
    } rename = {.about = {.FileNameLength = (DWORD)(wcslen(to) * sizeof *to)}};
    const DWORD replace_posix = 1 | 2; /* FILE_RENAME_FLAG_…, which mingw does not know */
    const int rename_info_ex = 22;
    memcpy(&rename.about, &replace_posix, sizeof replace_posix);
    memcpy(rename.about.FileName, to, (wcslen(to) + 1) * sizeof *to);
    const HANDLE file =
        CreateFileW(from, DELETE, 7, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    const bool good = file != INVALID_HANDLE_VALUE &&
                      SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)rename_info_ex,
                                                 &rename, sizeof rename);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return good;
}

/* A program that looks at new files, for viruses or for a search, may hold one for a moment. */
int renameat(int from, const char *name, int to, const char *new_name)
{
    Path old, new;
    path_of(old, from, name);
    path_of(new, to, new_name);
    for (int tries = 0;; tries++) {
        if (MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return 0;
        if (fail() && errno != EACCES)
            return -1;
        if (rename_open(old, new))
            return 0;
        errno = EACCES;
        if (tries == 20)
            return -1;
        Sleep(10);
    }
}

int linkat(int from, const char *name, int to, const char *new_name, int flags)
{
    (void)flags;
    Path old, new;
    return CreateHardLinkW(path_of(new, to, new_name), path_of(old, from, name), NULL) ? 0 : fail();
}

struct Listing {
    HANDLE search;
    bool first; /* was found, and not read */
    WIN32_FIND_DATAW found;
    struct dirent entry;
};

/* Closes the descriptor, which closedir() would. */
DIR *fdopendir(int directory)
{
    Path path;
    DIR *list = malloc(sizeof *list);
    if (!list)
        abort();
    path_of(path, directory, "*");
    list->search = FindFirstFileW(path, &list->found);
    list->first = true;
    if (list->search == INVALID_HANDLE_VALUE) {
        fail();
        free(list);
        return NULL;
    }
    close(directory);
    return list;
}

struct dirent *readdir(DIR *list)
{
    if (!list->first && !FindNextFileW(list->search, &list->found))
        return NULL;
    list->first = false;
    WideCharToMultiByte(CP_UTF8, 0, list->found.cFileName, -1, list->entry.d_name,
                        sizeof list->entry.d_name, NULL, NULL);
    return &list->entry;
}

int closedir(DIR *list)
{
    FindClose(list->search);
    free(list);
    return 0;
}

/* ---- Streams ---- */

FILE *fopen(const char *path, const char *mode)
{
    const int flags = *mode == 'r'   ? O_RDONLY
                      : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                     : O_WRONLY | O_CREAT | O_APPEND;
    const int file = openat(AT_FDCWD, path, flags);
    return file < 0 ? NULL : _fdopen(file, *mode == 'r' ? "rb" : *mode == 'w' ? "wb" : "ab");
}

FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    (void)mode;
    fflush(stream);
    const int file = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC);
    const int result = file < 0 ? -1 : _dup2(file, _fileno(stream));
    if (file >= 0)
        close(file);
    return result ? NULL : stream;
}

/* Streams of fopencookie(): temporary files, whose bytes are handed over when they are closed. Most
 * are short, and never leave the stream's memory. A file that was closed is used again. */
enum { COOKIES = 64 };
static struct {
    FILE *file;
    void *cookie; /* NULL: it is closed */
    cookie_io_functions_t functions;
} cookies[COOKIES];

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    (void)mode;
    for (int i = 0; i < COOKIES; i++)
        if (!cookies[i].cookie) {
            const int file = cookies[i].file ? -1 : system_memory_file();
            if (!cookies[i].file && file >= 0)
                cookies[i].file = _fdopen(file, "w+b");
            if (!cookies[i].file)
                return NULL;
            cookies[i].cookie = cookie;
            cookies[i].functions = functions;
            return cookies[i].file;
        }
    errno = EMFILE;
    return NULL;
}

int windows_fclose(FILE *stream)
{
    int i = 0;
    while (i < COOKIES && (cookies[i].file != stream || !cookies[i].cookie))
        i++;
    if (i == COOKIES)
        return fclose(stream);
    void *const cookie = cookies[i].cookie;
    char bytes[1 << 14];
    bool good = !fflush(stream);
    const int64_t size = _ftelli64(stream);
    rewind(stream);
    for (int64_t done = 0; good && done < size;) {
        const size_t got = fread(
            bytes, 1, size - done < (int64_t)sizeof bytes ? (size_t)(size - done) : sizeof bytes,
            stream);
        good = got && cookies[i].functions.write(cookie, bytes, got) == (ssize_t)got;
        done += (int64_t)got;
    }
    rewind(stream);
    cookies[i].cookie = NULL;
    return cookies[i].functions.close(cookie) || !good ? EOF : 0;
}

/* Who has it gives lines away; in the end the program keeps it. */
static SRWLOCK giving = SRWLOCK_INIT;

void windows_stop_giving(void)
{
    AcquireSRWLockExclusive(&giving);
}

static void deliver(int number);

/* Whether a stream holds a whole line: its bytes that wait are those from _base to _ptr. */
static bool holds_line(const FILE *stream)
{
    return stream->_base && stream->_ptr > stream->_base &&
           memchr(stream->_base, '\n', (size_t)(stream->_ptr - stream->_base));
}

/* Windows' C library has no streams that give away each line: this thread does so, for a program
 * that asks for it and for consoles. If the reader of a pipe has left, that is SIGPIPE. */
static DWORD WINAPI give_lines(void *unused)
{
    FILE *const streams[] = {stdout, stderr};
    struct pollfd output = {.fd = STDOUT_FILENO};
    for (; !unused; Sleep(20)) {
        AcquireSRWLockExclusive(&giving);
        for (int i = 0; i < 2; i++) {
            _lock_file(streams[i]);
            if (holds_line(streams[i]))
                fflush(streams[i]);
            _unlock_file(streams[i]);
        }
        if (ferror(stdout) && poll(&output, 1, 0))
            deliver(SIGPIPE);
        ReleaseSRWLockExclusive(&giving);
    }
    return 0;
}

int windows_setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    static bool gives;
    (void)buffer, (void)size;
    const int result = setvbuf(stream, NULL, _IOFBF, 1 << 14);
    if (mode == _IOLBF && !gives) {
        gives = true;
        CloseHandle(CreateThread(NULL, 1 << 16, give_lines, NULL, 0, NULL));
    }
    return result;
}

/* ---- Memory ---- */

/* Aligned blocks are whole allocations of the system: each begins at a multiple of 64 kB, which is
 * how free() knows them, and holds zeros. */
void *aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void windows_free(void *memory)
{
    MEMORY_BASIC_INFORMATION about;
    if (memory && !((uintptr_t)memory & 0xffff) && VirtualQuery(memory, &about, sizeof about) &&
        about.AllocationBase == memory)
        VirtualFree(memory, 0, MEM_RELEASE);
    else
        free(memory);
}

long sysconf(int name)
{
    (void)name;
    return 4096;
}

/* rand_s() would need a macro before all headers; this is what it calls. */
BOOLEAN NTAPI SystemFunction036(void *bytes, ULONG size);

int getentropy(void *bytes, size_t size)
{
    return SystemFunction036(bytes, (ULONG)size) ? 0 : -1;
}

/* ---- Signals ---- */

/* Windows calls on_console() in a thread of its own. If nothing is to be done but to end the
 * program, that waits for whoever holds signals back. */
static struct {
    SignalHandler *handler; /* NULL is SIG_DFL */
    bool once;
} actions[32];

static void deliver(int number)
{
    SignalHandler *const handler = actions[number].handler;
    if (handler == SIG_IGN)
        return;
    if (handler == SIG_DFL) {
        EnterCriticalSection(&windows_held);
        TerminateProcess(GetCurrentProcess(), 128 + (UINT)number);
    }
    if (actions[number].once)
        actions[number].handler = SIG_DFL;
    handler(number);
}

/* When its window is closed, a program has some seconds: until this function returns. */
static BOOL WINAPI on_console(DWORD event)
{
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) {
        deliver(SIGINT);
        return TRUE;
    }
    deliver(SIGHUP);
    Sleep(INFINITE);
    return TRUE;
}

void windows_watch_console(void)
{
    SetConsoleCtrlHandler(on_console, TRUE);
}

/* At the prompt line, a console ends the read at Ctrl-C by itself. */
SignalHandler *signal_catch(int number, SignalHandler *handler, bool once, bool ends_reads)
{
    (void)ends_reads;
    SignalHandler *const before = actions[number].handler;
    actions[number].handler = handler;
    actions[number].once = once;
    return before;
}

SignalHandler *windows_signal(int number, SignalHandler *handler)
{
    return signal_catch(number, handler, false, false);
}

int windows_raise(int number)
{
    deliver(number);
    return 0;
}

/* ---- The prompt line ---- */

const char *rl_library_version = "Windows";
int rl_attempted_completion_over;
char **(*rl_attempted_completion_function)(const char *, int, int);

char **rl_completion_matches(const char *beginning, char *next(const char *, int))
{
    size_t count = 0;
    char **list = NULL, *match;
    do {
        match = next(beginning, (int)count);
        list = realloc(list, (count + 1) * sizeof *list);
        if (!list)
            abort();
        list[count++] = match;
    } while (match);
    return list;
}

/* What all words that begin as the last one of a text go on with, and a space if it is one word. */
static void complete(char *text, size_t room)
{
    char *space = strrchr(text, ' '), *word = space ? space + 1 : text;
    const size_t length = strlen(word);
    char **list = rl_attempted_completion_function(word, (int)(word - text), (int)strlen(text));
    if (list && list[0] && strlen(text) + strlen(list[0]) + 2 < room) {
        size_t same = strlen(list[0]);
        for (char **match = list + 1; *match; match++)
            while (strncmp(*match, list[0], same) != 0 || ((*match)[same] & 0xc0) == 0x80)
                same--;
        snprintf(word + length, room - (size_t)(word - text) - length, "%.*s%s",
                 (int)(same - length), list[0] + length, list[1] ? "" : " ");
    }
    for (char **match = list; match && *match; match++)
        free(*match);
    free(list);
}

/* The console returns at Enter, at Tab and Ctrl-D, which then stand where they were typed, and
 * without a letter at Ctrl-C, a moment before the signal is delivered. */
char *readline(const char *prompt)
{
    enum { MOST = 1 << 12, CTRL_D = 4 };
    wchar_t line[MOST] = L"", rest[MOST];
    char text[4 * MOST];
    for (;;) {
        WideCharToMultiByte(CP_UTF8, 0, line, -1, text, sizeof text, NULL, NULL);
        printf("\r\033[K%s%s", prompt, text);
        fflush(stdout);
        DWORD length = (DWORD)wcslen(line);
        CONSOLE_READCONSOLE_CONTROL control = {sizeof control, length, 1 << CTRL_D | 1 << '\t', 0};
        if (!ReadConsoleW(windows_handle(STDIN_FILENO), line, MOST - 1, &length, &control) ||
            !length) {
            Sleep(100);
            return NULL;
        }
        line[length] = 0;
        wchar_t *key = wcspbrk(line, L"\4\t");
        if (!key)
            break;
        if (*key == CTRL_D && !key[1] && key == line)
            return NULL;
        const bool completes = *key == '\t';
        wcscpy(rest, key + 1);
        *key = 0;
        WideCharToMultiByte(CP_UTF8, 0, line, -1, text, sizeof text, NULL, NULL);
        if (completes)
            complete(text, sizeof text);
        MultiByteToWideChar(CP_UTF8, 0, text, -1, line, MOST);
        if (wcslen(line) + wcslen(rest) < MOST - 1)
            wcscat(line, rest);
    }
    line[wcscspn(line, L"\r\n")] = 0;
    return windows_utf8(line);
}
