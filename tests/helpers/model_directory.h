/* model_directory.h: small models in a folder, whose files a test edits. */
#ifndef PULGA_MODEL_DIRECTORY_H
#define PULGA_MODEL_DIRECTORY_H

#include "formats/huggingface/config.h"
#include "test.h"

typedef struct {
    GptConfig shape;
    TokenizerKind tokens;
    bool stream, lower;
} Kind;

extern const Kind PLAIN;          /* 2 layers of 2 heads, the words of two lines */
extern const Pattern PATTERNS[4]; /* for its heads: the windows 1, 0, 2, 7 */

/* A handle of the folder, good until the next call. */
const Directory *enter(const char *folder);

/* Writes a model of this kind into a folder; returns it as it was written. */
Pretrained write_model(const char *folder, Kind kind);
void free_model(Pretrained *model);

/* Declares both: a folder and the model that is written into it, until the block ends (test.h). */
#define MODEL(folder, model, kind) \
    SCRATCH(folder);               \
    FREED_BY(free_model) Pretrained model = write_model(folder, kind)

/* Replaces `from`, where it comes first in a JSON file, by `to`. */
void edit(const char *folder, const char *name, const char *from, const char *to);

/* Fails unless the model in the folder opens, or is refused in one line with this part. */
void assert_opens(const char *folder, const char *what);
void assert_refused(const char *folder, const char *what, const char *part);

typedef struct {
    const char *file, *from, *to;
    const char *said; /* in the one line; NULL if it must open */
} Edit;

/* Tries each edit on a model of its own. */
void assert_edits(const Edit *edits, size_t count, Kind kind);
#define EDITS(edits, kind) assert_edits(edits, sizeof(edits) / sizeof *(edits), kind)

#endif
