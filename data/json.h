/* json.h: writing a JSON file, for the rooms that make one. */
#ifndef PULGA_JSON_H
#define PULGA_JSON_H

#include <stdbool.h>

struct cJSON;

/* Replaces directory/name by the printed JSON, which is freed. Says what failed and returns
 * false. */
bool json_write(const char *directory, const char *name, struct cJSON *json);

#endif
