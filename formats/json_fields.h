/* json_fields.h: fields (base/field.h) as members of a JSON object. One of each kind, from a run's
 * config.json:
 *
 *     "layers": 4,  "lr": 0.001,  "norm": "pre",  "lower": false,  "attend": "1,all"
 *
 * A whole number, a number, a choice, a flag, and a text. */
#ifndef PULGA_JSON_FIELDS_H
#define PULGA_JSON_FIELDS_H

#include "base/field.h"

struct cJSON;

/* Puts a field's value into an object under its name, in place of one that is there. A text that is
 * not set, and an empty list, are null. */
void json_put_field(struct cJSON *object, const Field *field, const void *from);

/* Sets a field from an object. Dies, naming the file, the value and what is supported, if it is
 * missing, of another kind ("1" is not a number), or outside the field's limits. null leaves a
 * text or a list unchanged. */
void json_get_field(const struct cJSON *object, const Field *field, void *into, const char *path);

#endif
