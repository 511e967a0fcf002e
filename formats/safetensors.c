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
 * The header is printed and parsed with cJSON. Its entries are checked once, in the order of their
 * numbers, and then sorted by name, so that a model of thousands of tensors is read by binary
 * search. The numbers are read in pieces, by all threads, straight into their place if they are of
 * our type: a model of gigabytes is in memory once. A file with a checksum, as ours have, is read
 * once more for it. */
#include "safetensors.h"

#include <cjson/cJSON.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/parallel/threads.h"
#include "json.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the files' numbers are little-endian");

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

size_t safetensors_bytes(const NamedTensor *tensor)
{
    return (size_t)(tensor->rows ? tensor->rows : 1) * (size_t)tensor->cols * sizeof(Real);
}

/* ---- Transposed tensors ---- */

/* Copies a transposed tensor into the order of the file. A thread has some rows of the file: some
 * columns of the matrix. */
static void turn(const NamedTensor *tensor, Real *room)
{
    enum { COLUMNS = 16 };
    OMP(parallel for)
    for (int from = 0; from < tensor->rows; from += COLUMNS)
        for (int c = 0; c < tensor->cols; c++)
            for (int r = from; r < min_int(from + COLUMNS, tensor->rows); r++)
                ROW(room, r, tensor->cols)[c] = ROW(tensor->at, c, tensor->step)[r];
}

Real *safetensors_room(const NamedTensor *tensors, int count)
{
    size_t most = 0;
    for (int i = 0; i < count; i++)
        if (tensors[i].step && safetensors_bytes(&tensors[i]) > most)
            most = safetensors_bytes(&tensors[i]);
    return most ? memory_new(most, 1, "a matrix of a file") : NULL;
}

const Real *safetensors_numbers(const NamedTensor *tensor, Real *room)
{
    if (!tensor->step)
        return tensor->at;
    turn(tensor, room);
    return room;
}

/* The header as JSON; `metadata` becomes a part of it. Offsets are counted from its end. */
static cJSON *header_of(const NamedTensor *tensors, int count, cJSON *metadata)
{
    cJSON *header = cJSON_CreateObject();
    cJSON_AddItemToObject(header, METADATA, metadata);
    size_t begin = 0;
    for (int i = 0; i < count; i++) {
        const NamedTensor *tensor = &tensors[i];
        const size_t end = begin + safetensors_bytes(tensor);
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
    Real *room = safetensors_room(tensors, count);
    for (int i = 0; i < count; i++)
        checksum = checksum_continue(checksum, safetensors_numbers(&tensors[i], room),
                                     safetensors_bytes(&tensors[i]));
    cJSON_AddStringToObject(metadata, CHECKSUM, checksum_hex(checksum).text);
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
            fwrite(safetensors_numbers(&tensors[i], room), 1, safetensors_bytes(&tensors[i]),
                   writer.stream);
        good = file_commit(&writer);
    }
    free(room);
    cJSON_free(text);
    return good;
}

/* ---- Reading: the header ---- */

typedef struct TensorFile {
    char *path;    /* for messages */
    int handle;    /* open for reading */
    size_t begin;  /* of the numbers: the bytes before them */
    cJSON *header; /* parsed */
} TensorFile;

/* A type of numbers, and how `count` of them become ours. */
typedef struct {
    const char *name;
    size_t size; /* bytes of one */
    void (*convert)(Real *to, const char *from, size_t count);
} NumberType;

/* An entry of a header. Its strings and its shape belong to the parsed header. */
typedef struct TensorEntry {
    const char *name, *type_name;
    const NumberType *type; /* NULL if it is none that can be read */
    const cJSON *shape;     /* an array of sizes, as many as the file says */
    size_t begin, end;      /* offsets of its numbers */
    int file;               /* the number of its file */
} TensorEntry;

/* The numbers of a file need not be aligned, so each is copied first. */
#define CONVERT(name, stored, value)                                  \
    static void name(Real *to, const char *from, size_t count)        \
    {                                                                 \
        for (size_t i = 0; i < count; i++) {                          \
            stored number;                                            \
            memcpy(&number, from + i * sizeof number, sizeof number); \
            to[i] = (Real)(value);                                    \
        }                                                             \
    }

static float float_of_bits(uint32_t bits)
{
    float number;
    return *(float *)memcpy(&number, &bits, sizeof number);
}

/* An F16 has a sign, 5 bits of exponent and 10 of fraction; moved to where a float has its 8 and 23
 * bits, its exponent is too small by 127 - 15 = 112. That also holds for the smallest numbers,
 * which have no leading 1, as they are the same in a float. The largest exponent stands for inf and
 * nan. */
static float float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7FFF) << 13;
    const float size = float_of_bits(rest) * 0x1p112f;
    const float value = (half & 0x7C00) == 0x7C00 ? float_of_bits(rest | 0x7F800000) : size;
    return sign ? -value : value;
}

CONVERT(from_float, float, number)
CONVERT(from_double, double, number)
CONVERT(from_half, uint16_t, float_of_half(number))
/* a BF16 is the upper half of a float */
CONVERT(from_bfloat, uint16_t, float_of_bits((uint32_t)number << 16))

static const NumberType *type_of(const char *name)
{
    static const NumberType types[] = {{"F32", sizeof(float), from_float},
                                       {"F64", sizeof(double), from_double},
                                       {"F16", 2, from_half},
                                       {"BF16", 2, from_bfloat}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(name, types[i].name))
            return &types[i];
    return NULL;
}

/* A whole number that a double holds exactly: cJSON reads numbers as doubles. */
static bool is_size(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53 &&
           item->valuedouble == (double)(uint64_t)item->valuedouble;
}

/* Reads an entry of the header; returns false if its shape, type and offsets do not agree. If the
 * type is not read, its size is not known, and the offsets are not compared with the shape. */
static bool read_entry(TensorEntry *entry, const cJSON *json)
{
    const cJSON *offsets = json_get(json, "data_offsets");
    const char *type = json_text(json, "dtype");
    const cJSON *shape = json_get(json, "shape"), *size;
    if (!type || !cJSON_IsArray(shape) || !cJSON_IsArray(offsets) ||
        cJSON_GetArraySize(offsets) != 2 || !is_size(offsets->child) ||
        !is_size(offsets->child->next))
        return false;
    *entry = (TensorEntry){.name = json->string,
                           .type_name = type,
                           .type = type_of(type),
                           .shape = shape,
                           .begin = (size_t)offsets->child->valuedouble,
                           .end = (size_t)offsets->child->next->valuedouble};
    size_t bytes = entry->type ? entry->type->size : 0;
    cJSON_ArrayForEach(size, shape)
    {
        if (!is_size(size) || __builtin_mul_overflow(bytes, (size_t)size->valuedouble, &bytes))
            return false;
    }
    return entry->end >= entry->begin && (!entry->type || entry->end - entry->begin == bytes);
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

static void sort_entries(TensorEntry *entries, int (*order)(const void *, const void *))
{
    if (entries)
        qsort(entries, arrlenu(entries), sizeof *entries, order);
}

/* Reads the whole header: an stb_ds array, in the order of the numbers, whose `size` bytes the
 * entries must cover without a gap or an overlap. */
static TensorEntry *read_entries(const TensorFile *file, size_t size)
{
    TensorEntry *entries = NULL, entry;
    const cJSON *json;
    cJSON_ArrayForEach(json, file->header)
    {
        if (!strcmp(json->string, METADATA))
            continue;
        if (!read_entry(&entry, json))
            die("%s is damaged: its header's entry for %.100s is impossible", file->path,
                json->string);
        arrput(entries, entry);
    }
    sort_entries(entries, by_begin);
    size_t reached = 0;
    for (ptrdiff_t i = 0; i < arrlen(entries); reached = entries[i++].end)
        if (entries[i].begin != reached)
            die("%s is damaged: its tensors overlap or leave a gap", file->path);
    if (reached != size)
        die("%s is damaged: its header describes %zu bytes, it has %zu", file->path, reached, size);
    return entries;
}

static _Noreturn void die_of_reading(const TensorFile *file)
{
    die("cannot read %s: it has become shorter, or the disk has failed", file->path);
}

/* Reads bytes of a file, counted from its beginning. */
static void read_bytes(const TensorFile *file, void *bytes, size_t size, size_t offset)
{
    if (!file_read_at(file->handle, bytes, size, offset))
        die_of_reading(file);
}

static const char *metadata_of(const TensorFile *file, const char *key)
{
    return json_text(json_get(file->header, METADATA), key);
}

/* Compares the checksum, if there is one: other programs write none. The entries are in the order
 * of their numbers here. */
static void check_checksum(const TensorFile *file, const TensorEntry *entries)
{
    const char *written = metadata_of(file, CHECKSUM);
    if (!written)
        return;
    enum { PIECE = 1 << 18 };
    char *piece = memory_take(PIECE);
    uint64_t checksum = checksum_of_metadata(json_get(file->header, METADATA));
    for (ptrdiff_t i = 0; i < arrlen(entries); i++) {
        Checksum *sum = checksum_begin(checksum);
        for (size_t at = entries[i].begin, size; at < entries[i].end; at += size) {
            size = entries[i].end - at < PIECE ? entries[i].end - at : PIECE;
            read_bytes(file, piece, size, file->begin + at);
            checksum_add(sum, piece, size);
        }
        checksum = checksum_end(sum);
    }
    free(piece);
    if (strcmp(written, checksum_hex(checksum).text) != 0)
        die("%s is damaged: it does not match its checksum", file->path);
}

/* The format allows a header no more bytes. */
enum { MOST_HEADER = 100000000 };

/* Opens a file and reads its header; returns its entries. */
static TensorEntry *open_file(TensorFile *file, const Directory *directory, const char *name,
                              size_t *size)
{
    *file = (TensorFile){.path = path_in(directory, name)};
    file->handle = file_open_in(directory, name, size);
    uint64_t length;
    if (*size < sizeof length)
        die("%s is damaged: %zu bytes are too few", file->path, *size);
    read_bytes(file, &length, sizeof length, 0);
    const size_t rest = *size - sizeof length;
    if (length > rest || length > MOST_HEADER)
        die("%s is damaged, or not a safetensors file: its header would be %llu bytes long",
            file->path, (unsigned long long)length);
    char *text = memory_new(length + 1, 1, file->path);
    read_bytes(file, text, length, sizeof length);
    file->header = cJSON_ParseWithLength(text, length);
    free(text);
    if (!cJSON_IsObject(file->header))
        die("%s is damaged: its header is not JSON", file->path);
    file->begin = sizeof length + length;
    TensorEntry *entries = read_entries(file, rest - length);
    check_checksum(file, entries);
    return entries;
}

SafeTensors safetensors_open_all(const Directory *directory, const char *list,
                                 const char *const *names, int count)
{
    SafeTensors tensors = {.path = path_in(directory, list)};
    for (int i = 0; i < count; i++) {
        TensorFile file;
        size_t size;
        TensorEntry *entries = open_file(&file, directory, names[i], &size);
        for (ptrdiff_t j = 0; j < arrlen(entries); j++) {
            entries[j].file = i;
            arrput(tensors.entries, entries[j]);
        }
        arrfree(entries);
        arrput(tensors.files, file);
        tensors.size += size;
    }
    sort_entries(tensors.entries, by_name);
    for (ptrdiff_t i = 1; i < arrlen(tensors.entries); i++) {
        const TensorEntry *a = &tensors.entries[i - 1], *b = &tensors.entries[i];
        const char *path = tensors.files[b->file].path;
        if (!by_name(a, b) && a->file == b->file)
            die("%s is damaged: its header has %.100s twice", path, b->name);
        if (!by_name(a, b))
            die("%s is damaged: it has %.100s, and so does %s", path, b->name,
                tensors.files[a->file].path);
    }
    return tensors;
}

SafeTensors safetensors_open(const Directory *directory, const char *name)
{
    return safetensors_open_all(directory, name, &name, 1);
}

void safetensors_close(SafeTensors *tensors)
{
    for (ptrdiff_t i = 0; i < arrlen(tensors->files); i++) {
        close(tensors->files[i].handle);
        cJSON_Delete(tensors->files[i].header);
        free(tensors->files[i].path);
    }
    arrfree(tensors->files);
    arrfree(tensors->entries);
    free(tensors->path);
}

/* The entry of that name, or NULL. */
static const TensorEntry *find(const SafeTensors *tensors, const char *name)
{
    const TensorEntry wanted = {.name = name};
    return tensors->entries ? bsearch(&wanted, tensors->entries, arrlenu(tensors->entries),
                                      sizeof wanted, by_name)
                            : NULL;
}

bool safetensors_has(const SafeTensors *tensors, const char *name)
{
    return find(tensors, name) != NULL;
}

const char *safetensors_name(const SafeTensors *tensors, int i)
{
    return i < arrlen(tensors->entries) ? tensors->entries[i].name : NULL;
}

const char *safetensors_file_of(const SafeTensors *tensors, const char *name)
{
    const TensorEntry *entry = find(tensors, name);
    return entry ? tensors->files[entry->file].path : NULL;
}

const char *safetensors_metadata(const SafeTensors *tensors, const char *key)
{
    return metadata_of(&tensors->files[0], key);
}

/* ---- Reading: the numbers ---- */

enum { PIECE = 1 << 14 }; /* numbers that are read at once */

static bool all_finite(const Real *numbers, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong |= numbers[i] - numbers[i] != 0; /* inf - inf is nan */
    return !wrong;
}

/* Reads `count` numbers of a tensor, from number `from` on; returns false if the file has become
 * shorter. */
static bool read_numbers(Real *to, const TensorFile *file, const TensorEntry *entry, size_t from,
                         size_t count)
{
    const size_t size = entry->type->size, offset = file->begin + entry->begin + from * size;
    if (!strcmp(entry->type_name, OWN_TYPE))
        return file_read_at(file->handle, to, count * size, offset);
    char bytes[PIECE * sizeof(double)];
    bool good = true;
    for (size_t done = 0; good && done < count; done += PIECE) {
        const size_t some = count - done < PIECE ? count - done : PIECE;
        good = file_read_at(file->handle, bytes, some * size, offset + done * size);
        if (good)
            entry->type->convert(to + done, bytes, some);
    }
    return good;
}

/* Whether an entry has the shape [rows, cols] of a matrix, or [cols] of a vector. */
static bool fits(const TensorEntry *entry, const NamedTensor *into)
{
    const cJSON *size = entry->shape->child;
    if (cJSON_GetArraySize(entry->shape) != (into->rows ? 2 : 1))
        return false;
    if (into->rows && size->valuedouble != into->rows)
        return false;
    return (into->rows ? size->next : size)->valuedouble == into->cols;
}

/* The entry of a tensor that is to be read; dies if it cannot be. */
static const TensorEntry *entry_of(const SafeTensors *tensors, const NamedTensor *into)
{
    const TensorEntry *entry = find(tensors, into->name);
    if (!entry)
        die("%s has no tensor %s", tensors->path, into->name);
    const char *path = tensors->files[entry->file].path;
    if (!fits(entry, into))
        die("%s: %s does not have the shape that config.json asks for", path, into->name);
    if (!entry->type)
        die("%s: %s is of type %s; only F32, F64, F16 and BF16 are read: save the model after "
            "model.float()",
            path, into->name, entry->type_name);
    return entry;
}

/* Reads rows that cannot be read straight into their place, some at a time: as many as a block of
 * rounded numbers has, since those may be a block's numbers in memory. */
static bool read_rows(const TensorFile *file, const TensorEntry *entry, const NamedTensor *into,
                      Matrix matrix)
{
    bool read = true, finite = true;
    OMP(parallel for reduction(&& : read, finite))
    for (int from = 0; from < into->rows; from += ROUNDED_GRAIN) {
        const int rows = min_int(ROUNDED_GRAIN, into->rows - from);
        const size_t begin = (size_t)from * (size_t)into->cols,
                     count = (size_t)rows * (size_t)into->cols;
        Real *numbers = memory_take(count * sizeof *numbers);
        read = read && read_numbers(numbers, file, entry, begin, count);
        finite = finite && read && all_finite(numbers, count);
        if (finite)
            matrix_write(matrix_rows(matrix, from, rows), numbers);
        free(numbers);
    }
    if (!read)
        die_of_reading(file);
    return finite;
}

bool safetensors_read_rounded(const SafeTensors *tensors, const NamedTensor *into,
                              Rounding rounding, const Real *origin)
{
    const TensorEntry *entry = entry_of(tensors, into);
    const Matrix straight = {into->at, into->rows, into->cols, into->cols, 1, rounding, origin},
                 turned = {into->at, into->rows, into->cols, 1, into->step, rounding, origin};
    return read_rows(&tensors->files[entry->file], entry, into, into->step ? turned : straight);
}

bool safetensors_read(const SafeTensors *tensors, const NamedTensor *into)
{
    if (into->step)
        return safetensors_read_rounded(tensors, into, ROUNDING_NONE, NULL);
    const TensorEntry *entry = entry_of(tensors, into);
    const TensorFile *file = &tensors->files[entry->file];
    const size_t count = safetensors_bytes(into) / sizeof(Real),
                 pieces = (count + PIECE - 1) / PIECE;
    bool read = true, finite = true;
    OMP(parallel for reduction(&& : read, finite) if(pieces > 1))
    for (size_t i = 0; i < pieces; i++) {
        const size_t from = i * PIECE, some = count - from < PIECE ? count - from : PIECE;
        read = read && read_numbers(into->at + from, file, entry, from, some);
        finite = finite && read && all_finite(into->at + from, some);
    }
    if (!read)
        die_of_reading(file);
    return finite;
}
