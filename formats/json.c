/* json.c: cJSON does the parsing and the printing. With its last argument `true`, anything but
 * white space after the JSON is an error. Fields go to and from JSON as the text that one would
 * type. */
#include "json.h"

#include <cjson/cJSON.h>

#include "base/base.h"

void json_prepare(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = memory_take, .free_fn = free});
}

cJSON *json_parse(const Directory *directory, const char *name, Bytes file)
{
    /* the 0 after the last byte is the end that cJSON looks for */
    cJSON *json = cJSON_ParseWithLengthOpts(file.bytes, file.size + 1, NULL, true);
    if (!json)
        die("%s/%s is damaged: it is not JSON", directory->path, name);
    return json;
}

cJSON *json_read(const Directory *directory, const char *name)
{
    Bytes file = file_read_in(directory, name, true);
    cJSON *json = json_parse(directory, name, file);
    free(file.bytes);
    return json;
}

cJSON *json_get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *json_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(json_get(object, name));
}

double json_number(const cJSON *object, const char *name)
{
    const cJSON *item = json_get(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

_Noreturn void json_refuse(const char *path, const char *name, const cJSON *value,
                           const char *supported)
{
    die("%s: %s is %.200s; supported is %s", path, name,
        value ? cJSON_PrintUnformatted(value) : _("missing"), translated(supported));
}

bool json_write(const Directory *directory, const char *name, cJSON *json)
{
    char *text = cJSON_Print(json);
    cJSON_Delete(json);
    const bool good = file_replace(directory, name, text, strlen(text));
    cJSON_free(text);
    return good;
}

/* ---- Fields ---- */

/* Numbers are printed here: cJSON may write one digit too few to tell a double from its neighbour,
 * and a resumed run must compute with the same double. An empty text stands for one that is not
 * set. */
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
