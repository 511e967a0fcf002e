/* json_fields.c: values go to and from JSON by way of the text that one would type. Numbers are
 * printed here: cJSON may write one digit too few to tell a double from its neighbour, and a
 * resumed run must compute with the same double. */
#include "json_fields.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "json.h"

/* An empty text stands for a text that is not set. */
void json_put_field(cJSON *object, const Field *field, const void *from)
{
    char *text = field_text(field, from);
    cJSON_DeleteItemFromObjectCaseSensitive(object, field->name);
    if (!*text)
        cJSON_AddNullToObject(object, field->name);
    else if (field->kind == FIELD_CHOICE || field->kind == FIELD_TEXT)
        cJSON_AddStringToObject(object, field->name, text);
    else
        cJSON_AddRawToObject(object, field->name, text);
    free(text);
}

/* The text that one would type for a value, if the value is of the field's kind; else NULL: "1" is
 * not a number. The caller frees it. */
static char *typed(const Field *field, const cJSON *value)
{
    switch (field->kind) {
    case FIELD_WHOLE:
    case FIELD_NUMBER:
        return cJSON_IsNumber(value) ? format_text("%.17g", value->valuedouble) : NULL;
    case FIELD_CHOICE:
    case FIELD_TEXT: return cJSON_IsString(value) ? format_text("%s", value->valuestring) : NULL;
    case FIELD_FLAG: return cJSON_IsBool(value) ? cJSON_PrintUnformatted(value) : NULL;
    }
    return NULL;
}

void json_get_field(const cJSON *object, const Field *field, void *into, const char *path)
{
    const cJSON *value = json_get(object, field->name);
    if (value && cJSON_IsNull(value) && field->kind == FIELD_TEXT)
        return;
    char *text = value ? typed(field, value) : NULL;
    if (!text || !field_try(field, into, text))
        json_refuse(path, field->name, value,
                    field->kind == FIELD_TEXT ? _("a text") : field_needs(field, NULL));
    free(text);
}
