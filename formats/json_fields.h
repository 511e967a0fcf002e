/* json_fields.h: fields (base/field.h) in an object of a JSON file. */
#ifndef PULGA_JSON_FIELDS_H
#define PULGA_JSON_FIELDS_H

#include "base/field.h"

struct cJSON;

/* Puts a field's value into an object under its name, in place of one that is there. Words that
 * are not set, and an empty list, are null. */
void json_put_field(struct cJSON *object, const Field *field, const void *from);

/* Sets a field from an object; null leaves it as it is. Dies, naming the file, if the value is
 * missing or not one that the field can have. */
void json_get_field(const struct cJSON *object, const Field *field, void *into, const char *path);

#endif
