/* json.h: JSON files, for the rooms that have one. */
#ifndef PULGA_JSON_H
#define PULGA_JSON_H

#include <stdbool.h>

struct cJSON;

/* Lets cJSON take its memory from memory_take, so that it never returns NULL for want of memory: a
 * file would be written without an entry. Called once, when a program starts. */
void json_prepare(void);

/* The whole of directory/name, parsed; dies where it is absent or no JSON, or has a name twice. The
 * caller deletes it. */
struct cJSON *json_read(const char *directory, const char *name);

/* A name that an object has twice, at any depth, or NULL: which of the two is meant would be a
 * guess. */
const char *json_twice(const struct cJSON *json);

/* Replaces directory/name by the printed JSON, which is freed. Says what failed and returns
 * false. */
bool json_write(const char *directory, const char *name, struct cJSON *json);

#endif
