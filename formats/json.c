/* json.c: cJSON does the parsing and the printing. With its last argument `true`, anything but
 * white space after the JSON is an error. */
#include "json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

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

_Noreturn void json_refuse(const char *path, const char *name, const cJSON *value,
                           const char *supported)
{
    die("%s: %s is %.200s; supported is %s", path, name,
        value ? cJSON_PrintUnformatted(value) : _("missing"), translated(supported));
}

bool json_write(const Directory *directory, const char *name, const cJSON *json)
{
    char *text = cJSON_Print(json);
    const bool good = file_replace(directory, name, text, strlen(text));
    cJSON_free(text);
    return good;
}
