/* json.h: JSON files in a directory, read and replaced whole; and fields (base/field.h) as members
 * of an object. One of each kind, from a run's config.json: a whole number, a number, a choice, a
 * flag, and a text.
 *
 *     "layers": 4,  "lr": 0.001,  "norm": "pre",  "lower": false,  "attend": "1,all" */
#ifndef PULGA_JSON_H
#define PULGA_JSON_H

#include "base/field.h"
#include "base/files/file.h"

struct cJSON;

/* Lets cJSON allocate with memory_take, which dies if there is no memory: cJSON's own allocator
 * would return NULL, and a file would lack an entry. Called once, when a program starts. */
void json_prepare(void);

/* The file, parsed; dies if it is missing or not JSON. The caller deletes it with
 * cJSON_Delete(). */
struct cJSON *json_read(const Directory *directory, const char *name);

/* Parses a file whose bytes were read already; they stay the caller's. */
struct cJSON *json_parse(const Directory *directory, const char *name, Bytes file);

/* A member of an object. If it is missing, or this is no object or NULL, NULL: so a chain of
 * lookups needs no checks between: in {"pulga": 3}, the "text" of "pulga" is NULL. If an object has
 * a member twice, the first counts. */
struct cJSON *json_get(const struct cJSON *object, const char *name);

/* Its text; NULL if it is not a string. Its number; NAN if it is none. */
const char *json_text(const struct cJSON *object, const char *name);
double json_number(const struct cJSON *object, const char *name);

/* Dies naming a member of a file, its value (NULL: it is missing) and what is supported. */
_Noreturn void json_refuse(const char *path, const char *name, const struct cJSON *value,
                           const char *supported);

/* Replaces the file by the printed JSON, and deletes that. Warns and returns false if it fails. */
bool json_write(const Directory *directory, const char *name, struct cJSON *json);

/* Puts a field's value into an object under its name, in place of one that is there. A text that is
 * not set, and an empty list, are null. */
void json_put_field(struct cJSON *object, const Field *field, const void *from);

/* Sets a field from an object. Dies, naming the file, the value and what is supported, if it is
 * missing, of another kind ("1" is not a number), or outside the field's limits. null leaves a
 * text or a list unchanged. */
void json_get_field(const struct cJSON *object, const Field *field, void *into, const char *path);

#endif
