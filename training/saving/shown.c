/* shown.c: the file names no size in the state: each line begins with its step, so a resumed run
 * sees which of them belong to steps that it will take again. */
#include "shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/display.h"
#include "base/files/file.h"
#include "formats/run/files.h"

Lines shown_begin(const Directory *directory)
{
    return lines_begin(directory, SHOWN_FILE, "");
}

/* The step of a line; 0 of one that a person has written. */
static int64_t step_of(const char *line)
{
    static const char begin[] = "{\"step\":";
    return strncmp(line, begin, strlen(begin)) ? 0 : strtoll(line + strlen(begin), NULL, 10);
}

/* A line that is not ended was being written when the run was killed. */
Lines shown_resume(const Directory *directory, int64_t last)
{
    if (!directory_has(directory, SHOWN_FILE))
        return shown_begin(directory);
    Bytes file = file_read_in(directory, SHOWN_FILE, false);
    const char *line = file.bytes;
    for (const char *end; (end = strchr(line, '\n')) && step_of(line) <= last;)
        line = end + 1;
    const size_t size = (size_t)(line - file.bytes);
    free(file.bytes);
    return lines_resume(directory, SHOWN_FILE, "", size);
}

void shown_write(Lines *shown, int64_t step, const char *prompt, const char *text, bool ended,
                 double log_probability)
{
    char *line;
    FILE *out = memory_stream(&line, NULL);
    fprintf(out, "{\"step\":%" PRId64 ",\"prompt\":", step);
    put_json(out, prompt);
    fprintf(out, ",\"text\":");
    put_json(out, text);
    fprintf(out, ",\"ended\":%s,\"log_probability\":%.9g}\n", ended ? "true" : "false",
            log_probability);
    fclose(out);
    lines_add(shown, line);
    free(line);
}
