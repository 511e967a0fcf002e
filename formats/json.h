/* json.h: JSON files in a directory, read and replaced whole. */
#ifndef PULGA_JSON_H
#define PULGA_JSON_H

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

/* A member of an object. If it is missing, or this is no object or NULL, NULL: so a chain of lookups
 * needs no checks between: in {"pulga": 3}, the "text" of "pulga" is NULL. If an object has a member
 * twice, the first counts. */
struct cJSON *json_get(const struct cJSON *object, const char *name);

/* Its text; NULL if it is not a string. */
const char *json_text(const struct cJSON *object, const char *name);

/* Dies naming a member of a file, its value (NULL: it is missing) and what is supported. */
_Noreturn void json_refuse(const char *path, const char *name, const struct cJSON *value,
                           const char *supported);

/* Replaces the file by the printed JSON. Warns and returns false if that fails. */
bool json_write(const Directory *directory, const char *name, const struct cJSON *json);

#endif
