/* json.c: see json.h. */
#include "json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "../model/base.h"
#include "file.h"

/* Whether a string spells out the character 0, at which it would end unseen once it is parsed. */
static bool spells_zero(const char *text)
{
    for (const char *at = text; (at = strchr(at, '\\')) && at[1]; at += 2)
        if (!strncmp(at + 1, "u0000", 5))
            return true;
    return false;
}

cJSON *json_read(const char *directory, const char *name)
{
    if (!file_is_in(directory, name))
        die("%s has no %s", directory, name);
    char *path = saying("%s/%s", directory, name);
    file_must_be_plain(path);
    Bytes file = file_read(path, true);
    cJSON *json = spells_zero(file.bytes)
        ? NULL : cJSON_ParseWithLengthOpts(file.bytes, file.size + 1, NULL, true);
    if (!json)
        die("%s is damaged: it is not JSON, or not such as is read here", path);
    free(file.bytes);
    free(path);
    return json;
}

bool json_write(const char *directory, const char *name, cJSON *json)
{
    char *text = cJSON_Print(json);
    if (!text)
        die("no memory for %s/%s", directory, name);
    const bool good = file_replace(directory, name, text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(json);
    return good;
}
