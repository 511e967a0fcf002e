/* json.c: see json.h. */
#include "json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/file.h"

void json_prepare(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = memory_take, .free_fn = free});
}

/* Whether a string spells out the character 0, at which it would end unseen once it is parsed. */
static bool spells_zero(const char *text)
{
    for (const char *at = text; (at = strchr(at, '\\')) && at[1]; at += 2)
        if (!strncmp(at + 1, "u0000", 5))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *twice_in_object(const cJSON *object)
{
    char **names = memory_new((size_t)cJSON_GetArraySize(object) + 1, sizeof *names, "the names");
    const char *twice = NULL;
    size_t count = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, object) names[count++] = entry->string;
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 1; i < count && !twice; i++)
        if (!strcmp(names[i - 1], names[i]))
            twice = names[i];
    free(names);
    return twice;
}

const char *json_twice(const cJSON *json)
{
    const char *twice = cJSON_IsObject(json) ? twice_in_object(json) : NULL;
    const cJSON *inner;
    cJSON_ArrayForEach(inner, json) twice = twice ? twice : json_twice(inner);
    return twice;
}

cJSON *json_read(const char *directory, const char *name)
{
    if (!file_is_in(directory, name))
        die("%s has no %s", directory, name);
    char *path = format_text("%s/%s", directory, name);
    file_must_be_plain(path);
    Bytes file = file_read(path, true);
    cJSON *json = spells_zero(file.bytes)
                      ? NULL
                      : cJSON_ParseWithLengthOpts(file.bytes, file.size + 1, NULL, true);
    if (!json)
        die("%s is damaged: it is not JSON, or not such as is read here", path);
    const char *twice = json_twice(json);
    if (twice)
        die("%s is damaged: it has %.100s twice", path, twice);
    free(file.bytes);
    free(path);
    return json;
}

bool json_write(const char *directory, const char *name, cJSON *json)
{
    char *text = cJSON_Print(json);
    const bool good = file_replace(directory, name, text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(json);
    return good;
}
