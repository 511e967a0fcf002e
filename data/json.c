/* json.c: see json.h. */
#include "json.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "../model/base.h"
#include "file.h"

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
