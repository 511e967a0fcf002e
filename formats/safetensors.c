/* safetensors.c: a file of two tensors:
 *
 *     8 bytes    the length of the header, here 208
 *     208 bytes  {"__metadata__":{"step":"12","format":"pt","checksum":"9e0c1b2f53a8d764"},
 *                 "wte.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},
 *                 "ln_f.bias":{"dtype":"F32","shape":[3],"data_offsets":[24,36]}}
 *                without line ends, padded with spaces to a multiple of 8
 *     24 bytes   the numbers of wte.weight, row by row
 *     12 bytes   the numbers of ln_f.bias
 *
 * The header is printed and parsed with cJSON. A file is read whole; its entries are checked once,
 * in the order of their numbers, and then sorted by name, so that a model of thousands of tensors
 * is read by binary search. */
#include "safetensors.h"

#include <cjson/cJSON.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the files' numbers are little-endian");

static const char *const OWN_TYPE = sizeof(Real) == 4 ? "F32" : "F64";
static const char METADATA[] = "__metadata__", CHECKSUM[] = "checksum";

/* The checksum of a file is that of its metadata, each key and value with its 0, in the order in
 * which they stand there, and then of the numbers. The rest of the header is not in it: a damaged
 * entry no longer fits the other entries, or the model. */
static uint64_t checksum_of_metadata(const cJSON *metadata)
{
    uint64_t checksum = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, metadata)
    {
        if (!cJSON_IsString(entry) || !strcmp(entry->string, CHECKSUM))
            continue;
        checksum = checksum_continue(checksum, entry->string, strlen(entry->string) + 1);
        checksum = checksum_continue(checksum, entry->valuestring, strlen(entry->valuestring) + 1);
    }
    return checksum;
}

/* ---- Writing ---- */

static size_t bytes_of(const NamedTensor *tensor)
{
    return (size_t)(tensor->rows ? tensor->rows : 1) * (size_t)tensor->cols * sizeof(Real);
}

/* The header as JSON; `metadata` becomes a part of it. Offsets are counted from its end. */
static cJSON *header_of(const NamedTensor *tensors, int count, cJSON *metadata)
{
    cJSON *header = cJSON_CreateObject();
    cJSON_AddItemToObject(header, METADATA, metadata);
    size_t begin = 0;
    for (int i = 0; i < count; i++) {
        const NamedTensor *tensor = &tensors[i];
        const size_t end = begin + bytes_of(tensor);
        char *shape = tensor->rows ? format_text("%d,%d", tensor->rows, tensor->cols)
                                   : format_text("%d", tensor->cols);
        char *entry = format_text("{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                                  OWN_TYPE, shape, begin, end);
        cJSON_AddRawToObject(header, tensor->name, entry);
        free(entry);
        free(shape);
        begin = end;
    }
    return header;
}

/* The file is written as it is read: length, header, numbers. A failed fwrite() is noticed by
 * file_commit(). */
bool safetensors_write(const Directory *directory, const char *name, const NamedTensor *tensors,
                       int count, cJSON *metadata)
{
    cJSON_AddStringToObject(metadata, "format", "pt");
    uint64_t checksum = checksum_of_metadata(metadata);
    for (int i = 0; i < count; i++)
        checksum = checksum_continue(checksum, tensors[i].at, bytes_of(&tensors[i]));
    char digits[17];
    checksum_hex(digits, checksum);
    cJSON_AddStringToObject(metadata, CHECKSUM, digits);
    cJSON *header = header_of(tensors, count, metadata);
    char *text = cJSON_PrintUnformatted(header);
    cJSON_Delete(header);

    FileWriter writer;
    bool good = file_begin(&writer, directory, name);
    if (good) {
        const uint64_t padded = (strlen(text) + 7) / 8 * 8;
        fwrite(&padded, sizeof padded, 1, writer.stream);
        fprintf(writer.stream, "%-*s", (int)padded, text);
        for (int i = 0; i < count; i++)
            fwrite(tensors[i].at, 1, bytes_of(&tensors[i]), writer.stream);
        good = file_commit(&writer);
    }
    cJSON_free(text);
    return good;
}

/* ---- Reading ---- */

/* An entry of the header. Its strings and its shape belong to the parsed header. */
typedef struct TensorEntry {
    const char *name, *type;
    const cJSON *shape; /* an array of sizes, as many as the file says */
    size_t begin, end;  /* offsets of its numbers */
} TensorEntry;

/* A whole number that a double holds exactly: cJSON reads numbers as doubles. */
static bool is_size(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53 &&
           item->valuedouble == (double)(uint64_t)item->valuedouble;
}

/* The bytes of a number; 0 for the types that are not read. */
static size_t size_of_type(const char *type)
{
    return !strcmp(type, "F32") ? sizeof(float) : !strcmp(type, "F64") ? sizeof(double) : 0;
}

/* Reads an entry of the header; returns false if its shape, type and offsets do not agree. If the
 * type is not read, its size is not known, and the offsets are not compared with the shape. */
static bool read_entry(TensorEntry *entry, const cJSON *json)
{
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(json, "data_offsets");
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "dtype"));
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(json, "shape"), *size;
    if (!type || !cJSON_IsArray(shape) || !cJSON_IsArray(offsets) ||
        cJSON_GetArraySize(offsets) != 2 || !is_size(offsets->child) ||
        !is_size(offsets->child->next))
        return false;
    *entry = (TensorEntry){.name = json->string,
                           .type = type,
                           .shape = shape,
                           .begin = (size_t)offsets->child->valuedouble,
                           .end = (size_t)offsets->child->next->valuedouble};
    size_t bytes = size_of_type(type);
    cJSON_ArrayForEach(size, shape)
    {
        if (!is_size(size) || __builtin_mul_overflow(bytes, (size_t)size->valuedouble, &bytes))
            return false;
    }
    return entry->end >= entry->begin &&
           (!size_of_type(type) || entry->end - entry->begin == bytes);
}

static int by_begin(const void *a, const void *b)
{
    const TensorEntry *x = a, *y = b;
    if (x->begin == y->begin) /* an empty tensor comes before the one that begins where it does */
        return (x->end > y->end) - (x->end < y->end);
    return x->begin < y->begin ? -1 : 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const TensorEntry *)a)->name, ((const TensorEntry *)b)->name);
}

/* Reads the whole header, in the order of the file. */
static void read_entries(SafeTensors *tensors)
{
    const int most = cJSON_GetArraySize(tensors->header);
    tensors->entries =
        memory_new((size_t)most + 1, sizeof *tensors->entries, "a file's table of tensors");
    const cJSON *json;
    cJSON_ArrayForEach(json, tensors->header)
    {
        if (!strcmp(json->string, METADATA))
            continue;
        if (!read_entry(&tensors->entries[tensors->count], json))
            die("%s is damaged: its header's entry for %.100s is impossible", tensors->path,
                json->string);
        tensors->count++;
    }
}

/* The entries, which are in the order of their numbers here, must cover the `size` bytes of numbers
 * without a gap or an overlap. */
static void check_offsets(const SafeTensors *tensors, size_t size)
{
    size_t reached = 0;
    for (int i = 0; i < tensors->count; i++) {
        if (tensors->entries[i].begin != reached)
            die("%s is damaged: its tensors overlap or leave a gap", tensors->path);
        reached = tensors->entries[i].end;
    }
    if (reached != size)
        die("%s is damaged: its header describes %zu bytes, it has %zu", tensors->path, reached,
            size);
}

/* Compares the checksum, if there is one: other programs write none. The entries are in the order
 * of their numbers here. */
static void check_checksum(const SafeTensors *tensors)
{
    const char *written = safetensors_metadata(tensors, CHECKSUM);
    if (!written)
        return;
    uint64_t checksum =
        checksum_of_metadata(cJSON_GetObjectItemCaseSensitive(tensors->header, METADATA));
    for (int i = 0; i < tensors->count; i++) {
        const TensorEntry *entry = &tensors->entries[i];
        checksum =
            checksum_continue(checksum, tensors->numbers + entry->begin, entry->end - entry->begin);
    }
    char digits[17];
    checksum_hex(digits, checksum);
    if (strcmp(written, digits) != 0)
        die("%s is damaged: it does not match its checksum", tensors->path);
}

/* The entries are sorted by name here. */
static void check_names(const SafeTensors *tensors)
{
    for (int i = 1; i < tensors->count; i++)
        if (!by_name(&tensors->entries[i - 1], &tensors->entries[i]))
            die("%s is damaged: its header has %.100s twice", tensors->path,
                tensors->entries[i].name);
}

SafeTensors safetensors_open(const Directory *directory, const char *name)
{
    SafeTensors tensors = {.path = path_in(directory, name),
                           .file = file_read_in(directory, name, false)};
    uint64_t length;
    if (tensors.file.size < sizeof length)
        die("%s is damaged: %zu bytes are too few", tensors.path, tensors.file.size);
    memcpy(&length, tensors.file.bytes, sizeof length);
    const size_t rest = tensors.file.size - sizeof length;
    if (length > rest)
        die("%s is damaged, or not a safetensors file: its header would be %llu bytes long",
            tensors.path, (unsigned long long)length);
    const char *text = tensors.file.bytes + sizeof length;
    tensors.header = cJSON_ParseWithLength(text, length);
    if (!cJSON_IsObject(tensors.header))
        die("%s is damaged: its header is not JSON", tensors.path);
    tensors.numbers = text + length;
    read_entries(&tensors);
    qsort(tensors.entries, (size_t)tensors.count, sizeof *tensors.entries, by_begin);
    check_offsets(&tensors, rest - length);
    check_checksum(&tensors);
    qsort(tensors.entries, (size_t)tensors.count, sizeof *tensors.entries, by_name);
    check_names(&tensors);
    return tensors;
}

void safetensors_close(SafeTensors *tensors)
{
    cJSON_Delete(tensors->header);
    free(tensors->entries);
    free(tensors->file.bytes);
    free(tensors->path);
}

/* The entry of that name, or NULL. */
static const TensorEntry *find(const SafeTensors *tensors, const char *name)
{
    const TensorEntry wanted = {.name = name};
    return bsearch(&wanted, tensors->entries, (size_t)tensors->count, sizeof wanted, by_name);
}

bool safetensors_has(const SafeTensors *tensors, const char *name)
{
    return find(tensors, name) != NULL;
}

void safetensors_read(const SafeTensors *tensors, const NamedTensor *into)
{
    const TensorEntry *entry = find(tensors, into->name);
    if (!entry)
        die("%s has no tensor %s", tensors->path, into->name);
    /* [rows, cols] of a matrix, [cols] of a vector */
    const cJSON *size = entry->shape->child;
    bool fits = cJSON_GetArraySize(entry->shape) == (into->rows ? 2 : 1);
    if (fits && into->rows) {
        fits = size->valuedouble == into->rows;
        size = size->next;
    }
    if (!fits || size->valuedouble != into->cols)
        die("%s: %s does not have the shape that config.json asks for", tensors->path, into->name);
    if (!size_of_type(entry->type))
        die("%s: %s is of type %s; only F32 is read: save the model after model.float()",
            tensors->path, into->name, entry->type);
    /* Numbers of the other type are converted. They need not be aligned, so each is copied
     * first. */
    const char *at = tensors->numbers + entry->begin;
    const bool is_float = size_of_type(entry->type) == sizeof(float);
    for (size_t i = 0; i < bytes_of(into) / sizeof(Real); i++) {
        float narrow;
        double wide;
        if (is_float)
            into->at[i] = (Real) * (float *)memcpy(&narrow, at + i * sizeof narrow, sizeof narrow);
        else
            into->at[i] = (Real) * (double *)memcpy(&wide, at + i * sizeof wide, sizeof wide);
    }
}

const char *safetensors_metadata(const SafeTensors *tensors, const char *key)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(tensors->header, METADATA);
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(all, key));
}
