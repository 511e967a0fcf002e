/* container.c: see container.h. */
#include "container.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* The number in a group's file; infinity for "max", and where there is none. */
static double limit_in(const char *folder, const char *group, int length, const char *name)
{
    char text[32] = "", *end;
    char *path = format_text("%s%.*s/%s", folder, length, group, name);
    FILE *file = fopen(path, "re");
    const bool there = file && fgets(text, sizeof text, file);
    const double limit = strtod(text, &end);
    if (file)
        fclose(file);
    free(path);
    return there && end > text ? limit : INFINITY;
}

/* The least of a group and of all that it is in. A container may show the group by a path from
 * outside, where nothing is to be seen; its own is then the outermost. */
static double limit_of(const char *folder, const char *group, const char *name)
{
    double least = INFINITY;
    for (int length = (int)strlen(group); length >= 0; length--)
        if (!group[length] || group[length] == '/')
            least = fmin(least, limit_in(folder, group, length, name));
    return least;
}

double container_memory(void)
{
    double least = INFINITY;
    char *line = NULL;
    size_t room = 0;
    FILE *groups = fopen("/proc/self/cgroup", "re");
    while (groups && getline(&line, &room, groups) > 0) { /* number:kinds:/group */
        line[strcspn(line, "\n")] = 0;
        char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        if (!kinds[1]) /* cgroup v2 has all kinds in one */
            least = fmin(least, limit_of("/sys/fs/cgroup", group, "memory.max"));
        else if (!strcmp(kinds + 1, "memory"))
            least = fmin(least, limit_of("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
    free(line);
    if (groups)
        fclose(groups);
    return least;
}
