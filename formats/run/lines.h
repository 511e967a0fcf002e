/* lines.h: a file of a run that only grows, line by line, such as log.csv. What it held at a save
 * is on the disk by then; a run that is resumed cuts it to that. */
#ifndef PULGA_LINES_H
#define PULGA_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/files/directory.h"

typedef struct {
    const Directory *directory; /* the run's */
    const char *name;
    int file;       /* -1 until it is made */
    size_t size;    /* bytes that are safely on the disk */
    char *waiting;  /* stb_ds array: the lines after these bytes */
    size_t written; /* bytes of them that the system was given */
} Lines;

/* A new file, which begins with the line `first`; it is made when lines are written. */
Lines lines_begin(const Directory *directory, const char *name, const char *first);

/* The file, cut to this size. If it is shorter or missing, warns and begins again. */
Lines lines_resume(const Directory *directory, const char *name, const char *first, size_t size);

void lines_close(Lines *lines);

/* Appends a text, which ends with a line end. */
void lines_add(Lines *lines, const char *text);

/* Makes sure that all lines are on the disk. If that fails they are kept and written the next time;
 * warns and returns false. */
bool lines_sync(Lines *lines);

#endif
