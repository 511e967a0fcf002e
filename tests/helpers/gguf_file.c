/* gguf_file.c: walks the bytes once, and notes where each key's value and each tensor begins. */
#include "gguf_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "close.h"

enum { ARRAY = 9, STRING = 8 };

/* Reads `size` bytes at *at, which moves past them. */
static const char *take(const GgufFile *file, const char **at, size_t size)
{
    const char *here = *at;
    assert_true(size <= (size_t)(file->bytes + file->size - here));
    *at += size;
    return here;
}

static uint32_t take_32(const GgufFile *file, const char **at)
{
    uint32_t value;
    memcpy(&value, take(file, at, sizeof value), sizeof value);
    return value;
}

static uint64_t take_64(const GgufFile *file, const char **at)
{
    uint64_t value;
    memcpy(&value, take(file, at, sizeof value), sizeof value);
    return value;
}

static GgufPart take_name(const GgufFile *file, const char **at)
{
    GgufPart part = {.name_size = take_64(file, at)};
    part.name = take(file, at, part.name_size);
    return part;
}

static void skip_value(const GgufFile *file, const char **at, uint32_t type)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    assert_true(type < sizeof sizes / sizeof *sizes && type != ARRAY);
    if (type == STRING)
        take(file, at, take_64(file, at));
    else
        take(file, at, sizes[type]);
}

static GgufPart take_key(const GgufFile *file, const char **at)
{
    GgufPart key = take_name(file, at);
    key.type = take_32(file, at);
    key.count = 1;
    if (key.type == ARRAY) {
        key.item = take_32(file, at);
        key.count = take_64(file, at);
    }
    key.at = *at;
    for (uint64_t i = 0; i < key.count; i++)
        skip_value(file, at, key.type == ARRAY ? key.item : key.type);
    return key;
}

static size_t bytes_of(const GgufPart *tensor)
{
    const size_t count = tensor->axes[0] * tensor->axes[1];
    assert_true(tensor->type == 0 || tensor->type == 1 || tensor->type == 8);
    return tensor->type == 0 ? 4 * count : tensor->type == 1 ? 2 * count : count / 32 * 34;
}

/* Until all are read, the tensors' places are offsets. */
static void take_tensors(GgufFile *file, const char **at)
{
    uint64_t offsets[64], end = 0;
    for (uint64_t i = 0; i < file->tensor_count; i++) {
        GgufPart tensor = take_name(file, at);
        tensor.count = take_32(file, at);
        assert_in_range(tensor.count, 1, 2);
        tensor.axes[1] = 1;
        for (uint64_t axis = 0; axis < tensor.count; axis++)
            tensor.axes[axis] = take_64(file, at);
        tensor.type = take_32(file, at);
        offsets[i] = take_64(file, at);
        assert_int_equal(offsets[i], (end + 31) / 32 * 32);
        end = offsets[i] + bytes_of(&tensor);
        file->tensors[i] = tensor;
    }
    const size_t data = ((size_t)(*at - file->bytes) + 31) / 32 * 32;
    assert_int_equal(file->size, (data + end + 31) / 32 * 32);
    for (uint64_t i = 0; i < file->tensor_count; i++)
        file->tensors[i].at = file->bytes + data + offsets[i];
}

GgufFile gguf_file_read(const char *path)
{
    const Bytes bytes = file_read(path, false);
    GgufFile file = {.bytes = bytes.bytes, .size = bytes.size};
    const char *at = file.bytes;
    assert_memory_equal(take(&file, &at, 4), "GGUF", 4);
    assert_int_equal(take_32(&file, &at), 3);
    file.tensor_count = take_64(&file, &at);
    file.key_count = take_64(&file, &at);
    assert_true(file.tensor_count <= 64 && file.key_count <= 64);
    for (uint64_t i = 0; i < file.key_count; i++)
        file.keys[i] = take_key(&file, &at);
    take_tensors(&file, &at);
    return file;
}

void gguf_file_free(GgufFile *file)
{
    free(file->bytes);
}

static const GgufPart *find(const GgufPart *parts, uint64_t count, const char *name)
{
    for (uint64_t i = 0; i < count; i++)
        if (parts[i].name_size == strlen(name) && !memcmp(parts[i].name, name, strlen(name)))
            return &parts[i];
    print_error("no %s\n", name);
    fail();
    return NULL;
}

const GgufPart *gguf_file_key(const GgufFile *file, const char *name)
{
    return find(file->keys, file->key_count, name);
}

const GgufPart *gguf_file_tensor(const GgufFile *file, const char *name)
{
    return find(file->tensors, file->tensor_count, name);
}

uint32_t gguf_file_whole(const GgufPart *part, size_t i)
{
    uint32_t value;
    memcpy(&value, part->at + i * sizeof value, sizeof value);
    return value;
}

float gguf_file_number(const GgufPart *part, size_t i)
{
    float value;
    memcpy(&value, part->at + i * sizeof value, sizeof value);
    return value;
}

const char *gguf_file_text(const GgufPart *part, size_t i, size_t *size)
{
    const char *at = part->at;
    uint64_t length;
    for (;; at += length) {
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        if (!i--)
            break;
    }
    *size = length;
    return at;
}
