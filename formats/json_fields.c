/* json_fields.c: a field's value is put into JSON by its kind, and read by way of the text that one
 * would type. Numbers are printed by us: cJSON may write one digit less than tells a double from
 * its neighbour, and a resumed run must compute with the same double. */
#include "json_fields.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static cJSON *value_of(const Field *field, const void *from)
{
    char *text = field_text(field, from), *list = format_text("[%s]", text);
    cJSON *value = NULL;
    switch (field->kind) {
    case FIELD_WHOLE:
    case FIELD_NUMBER:
    case FIELD_FLAG: value = cJSON_CreateRaw(text); break;
    case FIELD_CHOICE:
    case FIELD_TEXT: value = *text ? cJSON_CreateString(text) : cJSON_CreateNull(); break;
    case FIELD_LIST: value = *text ? cJSON_Parse(list) : cJSON_CreateNull(); break;
    }
    free(list);
    free(text);
    return value;
}

void json_put_field(cJSON *object, const Field *field, const void *from)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, field->name);
    cJSON_AddItemToObject(object, field->name, value_of(field, from));
}

/* The text that one would type for a value of the field's kind, or NULL; the caller frees it. */
static char *typed(const Field *field, const cJSON *value)
{
    switch (field->kind) {
    case FIELD_WHOLE:
    case FIELD_NUMBER:
        return cJSON_IsNumber(value) ? format_text("%.17g", value->valuedouble) : NULL;
    case FIELD_CHOICE:
    case FIELD_TEXT: return cJSON_IsString(value) ? format_text("%s", value->valuestring) : NULL;
    case FIELD_LIST: {
        if (!cJSON_IsArray(value))
            return NULL;
        char *list = cJSON_PrintUnformatted(value);
        list[strlen(list) - 1] = 0; /* without its brackets */
        char *text = format_text("%s", list + 1);
        cJSON_free(list);
        return text;
    }
    case FIELD_FLAG: break;
    }
    return NULL;
}

/* Only JSON of the field's kind is read: "1" is not a number, and null is only for what may be
 * missing. */
static bool try_value(const Field *field, void *into, const cJSON *value)
{
    if (field->kind == FIELD_FLAG) {
        *(bool *)((char *)into + field->offset) = cJSON_IsTrue(value);
        return cJSON_IsBool(value);
    }
    if ((field->kind == FIELD_TEXT || field->kind == FIELD_LIST) && cJSON_IsNull(value))
        return true;
    char *text = typed(field, value);
    const bool good = text && field_try(field, into, text);
    free(text);
    return good;
}

void json_get_field(const cJSON *object, const Field *field, void *into, const char *path)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, field->name);
    if (!value)
        die("%s is damaged: \"%s\" is missing", path, field->name);
    if (!try_value(field, into, value))
        die("%s is damaged: \"%s\" is %.60s; it must be %s", path, field->name,
            cJSON_PrintUnformatted(value),
            field->kind == FIELD_FLAG ? "true or false" : field_needs(field));
}
