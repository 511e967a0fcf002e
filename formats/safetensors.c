/* safetensors.c: see safetensors.h. */
#include "safetensors.h"

#include <cjson/cJSON.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "json.h"

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the files' numbers are little-endian");

/* The format's own limit on a header. */
enum { LONGEST_HEADER = 100000000 };

static const char *const OWN_TYPE = sizeof(Real) == 4 ? "F32" : "F64";

static size_t numbers_of(const NamedTensor *tensor)
{
    return (size_t)(tensor->rows ? tensor->rows : 1) * (size_t)tensor->cols;
}

/* ---- Writing ---- */

static uint64_t checksum_of_all(const NamedTensor *tensors, int count)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        die("no memory for a checksum");
    XXH3_64bits_reset(state);
    for (int i = 0; i < count; i++)
        XXH3_64bits_update(state, tensors[i].at, numbers_of(&tensors[i]) * sizeof(Real));
    const uint64_t checksum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return checksum;
}

static cJSON *header_of(const NamedTensor *tensors, int count, cJSON *metadata)
{
    cJSON *header = cJSON_CreateObject();
    cJSON_AddItemToObject(header, "__metadata__", metadata);
    size_t begin = 0;
    for (int i = 0; i < count; i++) {
        const NamedTensor *tensor = &tensors[i];
        const size_t end = begin + numbers_of(tensor) * sizeof(Real);
        cJSON *entry = cJSON_AddObjectToObject(header, tensor->name);
        cJSON_AddStringToObject(entry, "dtype", OWN_TYPE);
        cJSON *shape = cJSON_AddArrayToObject(entry, "shape");
        if (tensor->rows)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber(tensor->rows));
        cJSON_AddItemToArray(shape, cJSON_CreateNumber(tensor->cols));
        cJSON *offsets = cJSON_AddArrayToObject(entry, "data_offsets");
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)begin));
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)end));
        begin = end;
    }
    return header;
}

bool safetensors_write(const char *directory, const char *name, const NamedTensor *tensors,
                       int count, cJSON *metadata)
{
    char checksum[17];
    checksum_hex(checksum, checksum_of_all(tensors, count));
    cJSON_AddStringToObject(metadata, "format", "pt");
    cJSON_AddStringToObject(metadata, "xxh3_64", checksum);
    cJSON *header = header_of(tensors, count, metadata);
    char *text = cJSON_PrintUnformatted(header);
    cJSON_DetachItemViaPointer(header, metadata); /* it stays the caller's */
    cJSON_Delete(header);

    FileWriter writer;
    bool good = file_begin(&writer, directory, name);
    if (good) {
        const size_t length = strlen(text), padded = (length + 7) / 8 * 8;
        const uint64_t prefix = padded;
        fwrite(&prefix, sizeof prefix, 1, writer.stream);
        fprintf(writer.stream, "%-*s", (int)padded, text);
        for (int i = 0; i < count; i++)
            fwrite(tensors[i].at, sizeof(Real), numbers_of(&tensors[i]), writer.stream);
        good = file_commit(&writer);
    }
    cJSON_free(text);
    return good;
}

/* ---- Reading ---- */

static bool is_size(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53 &&
           item->valuedouble == (double)(uint64_t)item->valuedouble;
}

/* Bytes of a number, 0 where there is no such type. All that the format knows may stand in a file;
 * only F32 and F64 are read. */
static size_t size_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F32", 4},     {"F64", 8},  {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1},
                 {"F8_E5M2", 1}, {"BOOL", 1}, {"U8", 1},  {"I8", 1},   {"U16", 2},
                 {"I16", 2},     {"U32", 4},  {"I32", 4}, {"U64", 8},  {"I64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name))
            return types[i].size;
    return 0;
}

/* The bytes [begin, end) of an entry, or false where its shape, type and offsets do not agree. */
static bool entry_range(const cJSON *entry, size_t *begin, size_t *end)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    if (!cJSON_IsString(type) || !cJSON_IsArray(shape) || !cJSON_IsArray(offsets) ||
        cJSON_GetArraySize(offsets) != 2 || !is_size(offsets->child) ||
        !is_size(offsets->child->next))
        return false;
    *begin = (size_t)offsets->child->valuedouble;
    *end = (size_t)offsets->child->next->valuedouble;
    size_t bytes = size_of_type(type->valuestring);
    const cJSON *size;
    cJSON_ArrayForEach(size, shape) if (!is_size(size) ||
                                        __builtin_mul_overflow(bytes, (size_t)size->valuedouble,
                                                               &bytes)) return false;
    return size_of_type(type->valuestring) && *end >= *begin && *end - *begin == bytes;
}

typedef struct {
    size_t begin, end;
} Range;

static int by_begin(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->end > y->end) - (x->end < y->end);
}

/* The entries must cover the numbers without a gap or an overlap. */
static void check_entries(const SafeTensors *tensors, size_t size)
{
    const int most = cJSON_GetArraySize(tensors->header);
    Range *ranges = memory_new((size_t)most + 1, sizeof *ranges, "a file's table of tensors");
    int count = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, tensors->header)
    {
        if (!strcmp(entry->string, "__metadata__"))
            continue;
        if (!entry_range(entry, &ranges[count].begin, &ranges[count].end))
            die("%s is damaged: what its header says of %.100s cannot be", tensors->path,
                entry->string);
        count++;
    }
    qsort(ranges, (size_t)count, sizeof *ranges, by_begin);
    size_t reached = 0;
    for (int i = 0; i < count; i++) {
        if (ranges[i].begin != reached)
            die("%s is damaged: its tensors overlap or leave a gap", tensors->path);
        reached = ranges[i].end;
    }
    if (reached != size)
        die("%s is damaged: its header speaks of %zu bytes, it has %zu", tensors->path, reached,
            size);
    free(ranges);
}

SafeTensors safetensors_open(const char *path)
{
    file_must_be_plain(path);
    SafeTensors tensors = {.path = path, .file = file_read(path, false)};
    uint64_t length;
    if (tensors.file.size < sizeof length)
        die("%s is damaged: %zu bytes are too few", path, tensors.file.size);
    memcpy(&length, tensors.file.bytes, sizeof length);
    const size_t behind = tensors.file.size - sizeof length;
    if (length > LONGEST_HEADER || length > behind)
        die("%s is damaged, or no safetensors file: its header would be %llu bytes long", path,
            (unsigned long long)length);
    const char *text = tensors.file.bytes + sizeof length;
    if (*text == '{')
        tensors.header = cJSON_ParseWithLength(text, length);
    if (!cJSON_IsObject(tensors.header))
        die("%s is damaged: its header is not JSON", path);
    tensors.numbers = text + length;
    const char *twice = json_twice(tensors.header);
    if (twice)
        die("%s is damaged: its header has %.100s twice", path, twice);
    check_entries(&tensors, behind - length);

    char checksum[17];
    const char *written = safetensors_metadata(&tensors, "xxh3_64");
    checksum_hex(checksum, checksum_of(tensors.numbers, behind - length));
    if (written && strcmp(written, checksum))
        die("%s is damaged: its numbers do not match their checksum", path);
    return tensors;
}

void safetensors_close(SafeTensors *tensors)
{
    cJSON_Delete(tensors->header);
    free(tensors->file.bytes);
}

bool safetensors_has(const SafeTensors *tensors, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(tensors->header, name) != NULL;
}

void safetensors_read(const SafeTensors *tensors, const NamedTensor *into)
{
    const cJSON *entry = cJSON_GetObjectItemCaseSensitive(tensors->header, into->name);
    if (!entry)
        die("%s has no tensor %s", tensors->path, into->name);
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape");
    const cJSON *size = shape->child;
    bool fits = cJSON_GetArraySize(shape) == (into->rows ? 2 : 1);
    if (fits && into->rows) {
        fits = size->valuedouble == into->rows;
        size = size->next;
    }
    if (!fits || size->valuedouble != into->cols)
        die("%s: %s is not of the shape that config.json asks for", tensors->path, into->name);

    size_t begin = 0, end = 0;
    entry_range(entry, &begin, &end);
    const char *type = cJSON_GetObjectItemCaseSensitive(entry, "dtype")->valuestring;
    if (strcmp(type, "F32") && strcmp(type, "F64"))
        die("%s: %s is of type %s; only F32 is read: save the model after model.float()",
            tensors->path, into->name, type);
    const char *at = tensors->numbers + begin;
    const size_t count = numbers_of(into);
    if (!strcmp(type, OWN_TYPE)) {
        memcpy(into->at, at, count * sizeof(Real));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float narrow;
        double wide;
        if (!strcmp(type, "F32"))
            into->at[i] = (Real) * (float *)memcpy(&narrow, at + i * sizeof narrow, sizeof narrow);
        else
            into->at[i] = (Real) * (double *)memcpy(&wide, at + i * sizeof wide, sizeof wide);
    }
}

const char *safetensors_metadata(const SafeTensors *tensors, const char *key)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(tensors->header, "__metadata__");
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(all, key));
}
