/* shown.h: shown.jsonl, the continuations that train --show has printed, each a line of JSON:
 *
 *     {"step":20,"prompt":"un gato","text":"un gato come un hueso","ended":true,
 *      "log_probability":-3.2188758}
 *
 * The text is what was printed, with the prompt; of pairs only the target. */
#ifndef PULGA_SHOWN_H
#define PULGA_SHOWN_H

#include <stdint.h>

#include "formats/run/lines.h"

/* That of a new run, which has none until something is shown. */
Lines shown_begin(const Directory *directory);

/* That of a resumed run, without the lines after those of step `last`. */
Lines shown_resume(const Directory *directory, int64_t last);

void shown_write(Lines *shown, int64_t step, const char *prompt, const char *text, bool ended,
                 double log_probability);

#endif
