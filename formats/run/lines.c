/* lines.c: lines are given to the system at once, each at its own place in the file, so that one
 * can watch them; they stay in memory until a sync has brought them to the disk. If writing fails,
 * the same bytes are written to the same place the next time. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/file.h"

static void put(Lines *lines, const char *text)
{
    for (; *text; text++)
        arrput(lines->waiting, *text);
}

Lines lines_begin(const Directory *directory, const char *name, const char *first)
{
    Lines lines = {.directory = directory, .name = name, .file = -1};
    put(&lines, first);
    return lines;
}

/* The lines after `size` belong to steps that were not saved and will be taken again. A person may
 * have removed the file or made it shorter, which is no reason to refuse the run. */
Lines lines_resume(const Directory *directory, const char *name, const char *first, size_t size)
{
    Lines lines = {.directory = directory, .name = name, .file = -1, .size = size};
    Bytes file = {0};
    if (directory_has(directory, name))
        file = file_read_in(directory, name, false);
    if (file.size < size) {
        warn("%s/%s is missing or too short: it begins again", directory->path, name);
        lines = lines_begin(directory, name, first);
    }
    /* Replaced, not cut: in a copy that was made of hard links, the old file is the original's. */
    if (!file_replace(directory, name, file.bytes, lines.size))
        exit(1); /* file_replace has printed why */
    free(file.bytes);
    return lines;
}

void lines_close(Lines *lines)
{
    if (lines->file >= 0)
        close(lines->file);
    arrfree(lines->waiting);
}

/* Gives the system what it was not given yet; false if it does not take all of it. O_NOFOLLOW and
 * O_NONBLOCK: if someone has put a link or a pipe there meanwhile, that fails and does not hang. */
static bool hand_over(Lines *lines)
{
    if (lines->file < 0)
        lines->file = openat(lines->directory->handle, lines->name,
                             O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    while (lines->file >= 0 && lines->written < arrlenu(lines->waiting)) {
        const ssize_t done =
            pwrite(lines->file, lines->waiting + lines->written,
                   arrlenu(lines->waiting) - lines->written, (off_t)(lines->size + lines->written));
        if (done <= 0)
            return false;
        lines->written += (size_t)done;
    }
    return lines->file >= 0;
}

void lines_add(Lines *lines, const char *text)
{
    put(lines, text);
    hand_over(lines);
}

bool lines_sync(Lines *lines)
{
    if (!arrlenu(lines->waiting))
        return true;
    if (!hand_over(lines) || fsync(lines->file)) {
        warn("cannot write %s/%s: %s", lines->directory->path, lines->name, reason(errno));
        lines->written = 0; /* it is unknown what is on the disk: all is written again */
        return false;
    }
    lines->size += arrlenu(lines->waiting);
    lines->written = 0;
    arrfree(lines->waiting);
    return true;
}
