/* process_wasi.c: takes the place of process.c in WebAssembly, where a program is one thread of
 * the process that runs it, within limits that are not its own. */
#include "process.h"

#include <errno.h>
#include <unistd.h>

#include "base/base.h"
#include "formats/json.h"

/* WebAssembly has no folder that it runs in: whoever runs it says which. */
void process_prepare(void)
{
    const char *folder = getenv("PWD");
    json_prepare();
    if (folder && chdir(folder))
        die("cannot open %s: %s", folder, reason(errno));
}

bool process_apart(bool task(void *), void *argument)
{
    return task(argument);
}

bool process_has_others(void)
{
    return false;
}

void process_start_threads(int threads)
{
    (void)threads;
}
