/* A safetensors file is read back bit by bit, and no bytes of a file crash its reader. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files/file.h"
#include "formats/safetensors.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/test.h"

/* Writes and opens folder/name through handles of their own. */
static bool write_file(const char *folder, const char *name, const NamedTensor *tensors, int count,
                       cJSON *metadata)
{
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    const bool good = safetensors_write(&directory, name, tensors, count, metadata);
    return good;
}

static SafeTensors open_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    FREED char *folder = format_text("%.*s", (int)(slash - path), path);
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    const SafeTensors file = safetensors_open(&directory, slash + 1);
    return file;
}

/* ---- Tensors: written and read ---- */

static const float A[6] = {1, -2.5f, 3e-40f, 1e38f, -0.0f, 7};
static const float B[3] = {0.1f, 0.2f, 0.3f};

static bool write_two(const char *folder)
{
    float a[6], b[3];
    memcpy(a, A, sizeof a);
    memcpy(b, B, sizeof b);
    cJSON *metadata = cJSON_CreateObject();
    cJSON_AddStringToObject(metadata, "step", "12");
    const NamedTensor tensors[] = {{"first.weight", 2, 3, a}, {"b", 0, 3, b}};
    return write_file(folder, "two.safetensors", tensors, 2, metadata);
}

TEST(tensors_are_read_back_bit_by_bit)
{
    SCRATCH(folder);
    FREED char *path = format_text("%s/two.safetensors", folder);
    assert_true(write_two(folder));
    assert_int_equal(scratch_count(folder), 1);
    FREED_BY(safetensors_close) SafeTensors file = open_file(path);
    float a[6] = {0}, b[3] = {0};
    safetensors_read(&file, &(NamedTensor){"b", 0, 3, b});
    safetensors_read(&file, &(NamedTensor){"first.weight", 2, 3, a});
    assert_memory_equal(a, A, sizeof a); /* all bits */
    assert_memory_equal(b, B, sizeof b);
    assert_true(safetensors_has(&file, "b"));
    assert_false(safetensors_has(&file, "B"));
    assert_false(safetensors_has(&file, "first"));
    assert_string_equal(safetensors_metadata(&file, "step"), "12");
    assert_string_equal(safetensors_metadata(&file, "format"), "pt");
    assert_null(safetensors_metadata(&file, "absent"));
}

TEST(odd_names_sizes_and_numbers_are_read_back)
{
    enum { MANY = 40 };
    SCRATCH(folder);
    FREED char *path = format_text("%s/many", folder);
    NamedTensor list[MANY];
    for (int i = 0; i < MANY; i++) {
        list[i] = (NamedTensor){.rows = i % 4, .cols = 1 + i * 7 % 13, .at = malloc(4 * 4 * 13)};
        snprintf(list[i].name, sizeof list[i].name, "tensor \"%d\" ñ\\%0*d", i, i % 70 + 1, 0);
        fill(list[i].at, 4 * 13, i);
    }
    list[3].at[0] = NAN;
    list[4].at[0] = -INFINITY;
    assert_true(write_file(folder, "many", list, MANY, cJSON_CreateObject()));
    FREED_BY(safetensors_close) SafeTensors file = open_file(path);
    for (int i = MANY - 1; i >= 0; i--) {
        float got[4 * 13];
        NamedTensor into = list[i];
        into.at = got;
        const size_t count = (size_t)(into.rows ? into.rows : 1) * (size_t)into.cols;
        safetensors_read(&file, &into);
        assert_memory_equal(got, list[i].at, count * sizeof *got);
        free(list[i].at);
    }
}

/* The file by the rules of the format, read without the code that wrote it. */
TEST(the_file_follows_the_format)
{
    SCRATCH(folder);
    char *path = format_text("%s/two.safetensors", folder);
    assert_true(write_two(folder));
    Bytes file = file_read(path, false);
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--) /* little-endian */
        length = length << 8 | (unsigned char)file.bytes[i];
    assert_int_equal((8 + length) % 8, 0);
    assert_int_equal(file.size, 8 + length + sizeof A + sizeof B);
    const char *text = file.bytes + 8, *end, *numbers = text + length;
    assert_int_equal(*text, '{');
    cJSON *header = cJSON_ParseWithOpts(text, &end, false);
    assert_true(end && end <= numbers);
    for (; end < numbers; end++)
        assert_int_equal(*end, ' ');

    const cJSON *metadata = header->child, *value;
    assert_string_equal(metadata->string, "__metadata__");
    cJSON_ArrayForEach(value, metadata) assert_true(cJSON_IsString(value));
    uint64_t sum = checksum_continue(checksum_continue(0, "step", 5), "12", 3);
    sum = checksum_continue(checksum_continue(sum, "format", 7), "pt", 3);
    sum =
        checksum_continue(checksum_continue(sum, numbers, sizeof A), numbers + sizeof A, sizeof B);
    assert_string_equal(cJSON_GetObjectItem(metadata, "format")->valuestring, "pt");
    assert_string_equal(cJSON_GetObjectItem(metadata, "checksum")->valuestring,
                        checksum_hex(sum).text);

    const cJSON *first = metadata->next, *second = first->next;
    char *a = cJSON_PrintUnformatted(first), *b = cJSON_PrintUnformatted(second);
    assert_string_equal(first->string, "first.weight");
    assert_string_equal(a, "{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}");
    assert_string_equal(second->string, "b");
    assert_string_equal(b, "{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[24,36]}");
    assert_null(second->next);
    assert_memory_equal(numbers, A, sizeof A);
    assert_memory_equal(numbers + sizeof A, B, sizeof B);
    free(a), free(b), free(path), free(file.bytes);
    cJSON_Delete(header);
}

static void write_nowhere(void *folder)
{
    float b[3] = {0};
    Directory directory = directory_open(folder);
    if (rmdir(folder))
        _exit(3);
    const NamedTensor tensor = {"b", 0, 3, b};
    _exit(safetensors_write(&directory, "b", &tensor, 1, cJSON_CreateObject()) ? 0 : 2);
}

TEST(a_file_that_cannot_be_written_is_reported)
{
    SCRATCH(folder);
    FREED char *gone = format_text("%s/gone", folder);
    directory_make(gone);
    const ChildEnd ending = run_apart(write_nowhere, gone);
    assert_int_equal(ending.status, 2);
    assert_int_equal(ending.lines, 1);
    assert_non_null(strstr(ending.said, gone));
}

typedef struct {
    const char *path;
    NamedTensor into;
} Reading;

static void read_one(void *context)
{
    Reading *reading = context;
    float room[64];
    reading->into.at = room;
    FREED_BY(safetensors_close) SafeTensors file = open_file(reading->path);
    safetensors_read(&file, &reading->into);
}

TEST(a_tensor_of_another_shape_is_refused)
{
    SCRATCH(folder);
    FREED char *path = format_text("%s/two.safetensors", folder);
    assert_true(write_two(folder));
    static const NamedTensor wrong[] = {{"first.weight", 3, 2, NULL},
                                        {"first.weight", 0, 6, NULL},
                                        {"first.weight", 6, 1, NULL},
                                        {"first.weight", 2, 2, NULL},
                                        {"first.weight", 1, 3, NULL},
                                        {"first.weight", 0, 2, NULL},
                                        {"b", 0, 2, NULL},
                                        {"b", 0, 4, NULL},
                                        {"b", 1, 3, NULL},
                                        {"b", 3, 1, NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Reading reading = {path, wrong[i]};
        assert_dies(read_one, &reading, path, wrong[i].name, "shape");
    }
    Reading absent = {path, {"c", 0, 3, NULL}}, right = {path, {"b", 0, 3, NULL}};
    assert_dies(read_one, &absent, path, "no tensor c");
    assert_int_equal(run_apart(read_one, &right).status, 0);
}

/* ---- Damaged files ---- */

/* Ends with 0 if both tensors have their values, else with 3. */
static void read_two(void *path)
{
    float a[6], b[3];
    SafeTensors file = open_file(path);
    safetensors_read(&file, &(NamedTensor){"first.weight", 2, 3, a});
    safetensors_read(&file, &(NamedTensor){"b", 0, 3, b});
    _exit(memcmp(a, A, sizeof a) || memcmp(b, B, sizeof b) ? 3 : 0);
}

/* Whether the file was refused; if not, the values must be right. */
static bool is_refused(const char *folder, const Bytes *bytes, const char *what, size_t where)
{
    FREED char *path = scratch_write(folder, "damaged", bytes->bytes, bytes->size);
    const ChildEnd ending = run_apart(read_two, path);
    const bool refused = has_died(&ending) && strstr(ending.said, path);
    if (!refused && (ending.signal || ending.status || ending.lines))
        fail_msg("%s %zu: signal %d, status %d, %d lines: %s", what, where, ending.signal,
                 ending.status, ending.lines, ending.said);
    return refused;
}

static Bytes two(const char *folder, size_t *header)
{
    FREED char *path = format_text("%s/two.safetensors", folder);
    assert_true(write_two(folder));
    Bytes file = file_read(path, false);
    *header = file.size - sizeof A - sizeof B;
    assert_false(is_refused(folder, &file, "whole", file.size)); /* or nothing below tells */
    return file;
}

TEST(a_file_of_another_length_is_refused)
{
    SCRATCH(folder);
    size_t header;
    Bytes file = two(folder, &header);
    for (size_t size = 0; size < file.size; size++)
        assert_true(is_refused(folder, &(Bytes){file.bytes, size}, "cut at", size));
    file.size++; /* a byte too many: the 0 after the last */
    assert_true(is_refused(folder, &file, "longer", file.size));
    free(file.bytes);
}

TEST(a_flipped_bit_is_refused_or_changes_nothing)
{
    SCRATCH(folder);
    size_t header, refused = 0, all = 0;
    Bytes file = two(folder, &header);
    for (size_t i = 0; i < file.size; i++) {
        const char right = file.bytes[i];
        for (int bit = (int)(i % 3); bit < 8; bit += 3) { /* the others at the bytes beside it */
            file.bytes[i] = (char)(right ^ 1 << bit);
            const bool here = is_refused(folder, &file, "flipped at", i);
            if (i < 8 || i >= header)
                assert_true(here); /* the length, and every number by the checksum */
            refused += here;
            all++;
        }
        file.bytes[i] = right;
    }
    assert_true(refused < all); /* a space after the header may be anything */
    free(file.bytes);
}

/* ---- Headers made by hand ---- */

/* Pieces of headers. */
#define TENSOR(type, shape, offsets) \
    "{\"dtype\":" type ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONE(shape, offsets) TENSOR("\"F32\"", shape, offsets)
#define A(tensor) "{\"a\":" tensor "}"
#define A_B(a, b) "{\"a\":" a ",\"b\":" b "}"

typedef struct {
    const char *header;
    size_t numbers; /* bytes after it */
} Header;

static const Header OF_OTHER_WRITERS[] = {
    {"{}", 0},
    {A(ONE("[2]", "[0,8]")), 8},
    {A(ONE("[2]", "[0,8]")) "    ", 8},
    {" " A(ONE("[2]", "[0,8]")), 8},
    {"{ \"a\" : " ONE("[ 1, 2 ]", "[0,8]") " }", 8},
    {A(ONE("[]", "[0,4]")), 4},  /* a single number */
    {A(ONE("[0]", "[0,0]")), 0}, /* none */
    {"{\"a\":" ONE("[2,0,3]", "[4,4]") ",\"b\":" ONE("[2]", "[4,12]") ",\"c\":" /* any order */
     ONE("[1]", "[0,4]") "}",
     12},
    {A_B(ONE("[2]", "[0,8]"), ONE("[0]", "[0,0]")), 8},
    {A(TENSOR("\"F64\"", "[2]", "[0,16]")), 16},
    {A(TENSOR("\"I64\"", "[2]", "[0,16]")), 16},
    {A(TENSOR("\"F4\"", "[2]", "[0,1]")), 1}, /* a type that is not read may have any size */
    {"{\"__metadata__\":{},\"a\":" ONE("[2]", "[0,8]") "}", 8},
    {A("{\"data_offsets\":[0,8],\"shape\":[2],\"dtype\":\"F32\"}"), 8},
};

static const Header OF_WRONG_OFFSETS[] = {
    {A_B(ONE("[2]", "[0,8]"), ONE("[2]", "[4,12]")), 12}, /* overlap */
    {A_B(ONE("[2]", "[0,8]"), ONE("[2]", "[0,8]")), 8},
    {A_B(ONE("[3]", "[0,12]"), ONE("[1]", "[4,8]")), 12},
    {A_B(ONE("[1]", "[0,4]"), ONE("[1]", "[8,12]")), 12}, /* holes */
    {A(ONE("[1]", "[4,8]")), 8},
    {A(ONE("[1]", "[0,4]")), 8},
    {A(ONE("[0]", "[4,4]")), 0},
    {"{}", 4},
    {A(ONE("[2]", "[0,8]")), 4}, /* beyond the end */
    {A(ONE("[2]", "[0,8]")), 0},
    {A(TENSOR("\"I64\"", "[2]", "[0,8]")), 4},
    {A(ONE("[2]", "[8,0]")), 8}, /* backwards */
    {A_B(TENSOR("\"I64\"", "[2]", "[0,8]"), TENSOR("\"I64\"", "[2]", "[8,4]")), 4},
    {A(ONE("[2]", "[0,4]")), 4}, /* not what the shape needs */
    {A(ONE("[1,1]", "[0,8]")), 8},
    {A(ONE("[]", "[0,8]")), 8},
    {A(ONE("[-2]", "[0,8]")), 8}, /* below 0 */
    {A(ONE("[-2,-1]", "[0,8]")), 8},
    {A(ONE("[0,-2]", "[0,0]")), 0},
    {A(ONE("[2]", "[-8,0]")), 8},
    {A(ONE("[2]", "[-4,4]")), 8},
    {A(ONE("[1.5]", "[0,6]")), 6}, /* no whole numbers */
    {A(ONE("[1]", "[0.5,4.5]")), 4},
    {A(ONE("[9223372036854775808]", "[0,9223372036854775808]")), 8}, /* huge */
    {A(ONE("[2]", "[9223372036854775808,9223372036854775816]")), 8},
    {A(ONE("[2]", "[18446744073709551608,18446744073709551616]")), 8},
    {A(ONE("[4294967296,4294967296]", "[0,0]")), 0}, /* 0 in 64 bits */
    {A(ONE("[2147483648,2147483648,2]", "[0,0]")), 0},
    {A_B(ONE("[5]", "[0,20]"), ONE("[1073741823,1073741825,4]", "[20,4]")), 4}, /* 16 below 0 */
    {"{\"a\":" ONE("[1]", "[0,4]") ",\"b\":" ONE("[1]", "[4,8]") ",\"a\":"      /* a name twice */
     ONE("[1]", "[8,12]") "}",
     12},
    {A(ONE("[1e999]", "[0,8]")), 8},
    {A(ONE("[2]", "[0,1e999]")), 8},
    {A(ONE("[1e300]", "[0,1e300]")), 8},
};

/* Each would be good with 8 bytes of numbers if its values were of the right kinds. */
static const char *const OF_OTHER_KINDS[] = {
    A("8"),
    A("null"),
    A("\"F32\""),
    A("[2]"),
    A("{}"),
    A("[\"F32\",[2],[0,8]]"),
    A("{\"shape\":[2],\"data_offsets\":[0,8]}"),
    A("{\"dtype\":\"F32\",\"data_offsets\":[0,8]}"),
    A("{\"dtype\":\"F32\",\"shape\":[2]}"),
    A(TENSOR("32", "[2]", "[0,8]")),
    A(TENSOR("null", "[2]", "[0,8]")),
    A(ONE("2", "[0,8]")),
    A(ONE("null", "[0,8]")),
    A(ONE("\"2\"", "[0,8]")),
    A(ONE("[\"2\"]", "[0,8]")),
    A(ONE("[[2]]", "[0,8]")),
    A(ONE("{\"x\":2}", "[0,8]")),
    A(ONE("[null]", "[0,8]")),
    A(ONE("[true]", "[0,4]")),
    A(ONE("[2]", "[\"0\",8]")),
    A(ONE("[2]", "[0,[8]]")),
    A(ONE("[2]", "[0,8,8]")),
    A(ONE("[2]", "[0,{}]")),
    A(ONE("[2]", "[8]")),
    A(ONE("[2]", "8")),
    A(ONE("[2]", "[]")),
    A(ONE("[2]", "{\"x\":0,\"y\":8}")),
    /* no header at all */
    "",
    " ",
    "[]",
    "null",
    "8",
    "\"a\"",
    "{",
    "{\"a",
    "{\"a\":",
    "{\"a\":{\"dtype\":\"",
    "{\"a\":" ONE("[2]", "[0,8]"),
    "{\"a\":" ONE("[2]", "[0,8]") ",",
    "{a:" ONE("[2]", "[0,8]") "}",
    "[\"a\"," ONE("[2]", "[0,8]") "]",
    /* a checksum that is another one's */
    "{\"__metadata__\":{\"checksum\":\"0000000000000000\"},\"a\":" ONE("[2]", "[0,8]") "}",
    "{\"__metadata__\":{\"checksum\":\"\"},\"a\":" ONE("[2]", "[0,8]") "}",
};

/* A file with this header, followed by `bytes` bytes of numbers; `length` is written before it. */
static char *by_hand(const char *folder, const char *header, uint64_t length, size_t numbers)
{
    const size_t size = strlen(header);
    FREED char *bytes = calloc(8 + size + numbers, 1);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, size);
    char *path = scratch_write(folder, "by-hand", bytes, 8 + size + numbers);
    return path;
}

static void open_it(void *path)
{
    FREED_BY(safetensors_close) SafeTensors file = open_file(path);
}

static void assert_bad_header(const char *folder, const char *header, size_t numbers)
{
    FREED char *path = by_hand(folder, header, strlen(header), numbers);
    const ChildEnd ending = run_apart(open_it, path);
    if (!has_died(&ending) || !strstr(ending.said, path) || !strstr(ending.said, "damaged"))
        fail_msg("%.100s: signal %d, status %d, %d lines: %s", header, ending.signal, ending.status,
                 ending.lines, ending.said);
}

TEST(headers_of_other_writers_are_read)
{
    SCRATCH(folder);
    for (size_t i = 0; i < sizeof OF_OTHER_WRITERS / sizeof *OF_OTHER_WRITERS; i++) {
        const Header *good = &OF_OTHER_WRITERS[i];
        FREED char *path = by_hand(folder, good->header, strlen(good->header), good->numbers);
        const ChildEnd ending = run_apart(open_it, path);
        if (ending.signal || ending.status || ending.lines)
            fail_msg("%s: %s", good->header, ending.said);
    }
}

TEST(offsets_that_do_not_cover_the_numbers_are_refused)
{
    SCRATCH(folder);
    for (size_t i = 0; i < sizeof OF_WRONG_OFFSETS / sizeof *OF_WRONG_OFFSETS; i++)
        assert_bad_header(folder, OF_WRONG_OFFSETS[i].header, OF_WRONG_OFFSETS[i].numbers);
}

TEST(headers_with_values_of_another_kind_are_refused)
{
    SCRATCH(folder);
    for (size_t i = 0; i < sizeof OF_OTHER_KINDS / sizeof *OF_OTHER_KINDS; i++)
        assert_bad_header(folder, OF_OTHER_KINDS[i], 8);
}

/* A text of this one again and again. */
static char *repeated(const char *begin, const char *part, int count)
{
    char *text = malloc(strlen(begin) + strlen(part) * (size_t)count + 1);
    char *put = stpcpy(text, begin);
    for (int i = 0; i < count; i++)
        put = stpcpy(put, part);
    return text;
}

TEST(headers_of_another_length_or_depth_are_refused)
{
    SCRATCH(folder);
    static const char good[] = A(ONE("[2]", "[0,8]"));
    static const uint64_t lengths[] = {
        0,         1,          sizeof good - 2, sizeof good + 8, 100000000,
        100000001, 1ull << 32, 1ull << 63,      UINT64_MAX - 7,  UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        FREED char *path = by_hand(folder, good, lengths[i], 8);
        assert_dies(open_it, path, path, i < 3 ? "not JSON" : "its header would be");
    }
    for (size_t size = 0; size < 8; size++) {
        FREED char *path = scratch_write(folder, "small", "\2\0\0\0\0\0\0", size);
        assert_dies(open_it, path, path, "too few");
    }
    static const struct {
        const char *begin, *part;
    } deep[] = {{"{\"a\":", "["}, {"{\"a\":", "{\"a\":"}, {"", "{\"a\":["}, {"{\"a\":\"", "\\"}};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        FREED char *header = repeated(deep[i].begin, deep[i].part, 100000);
        assert_bad_header(folder, header, 0);
    }
    /* A name too long for a line is shortened. */
    FREED char *begin = repeated("{\"", "name", 100000), *header = format_text("%s\":8}", begin);
    assert_bad_header(folder, header, 0);
    /* A name of several lines does not make several of the one. */
    assert_bad_header(folder, "{\"a\nb\\r\\n\\u001b[31m\":8}", 0);
}

/* Numbers of the other type are converted; here out of order, at an offset that is not a multiple
 * of 8. */
TEST(doubles_are_converted)
{
    static const char header[] =
        "{\"d\":" TENSOR("\"F64\"", "[2,1]", "[4,20]") ",\"f\":" ONE("[1]", "[0,4]") "}";
    const uint64_t length = sizeof header - 1;
    const double wide[2] = {-0.1, 3e30};
    const float narrow = 2.5f;
    char bytes[8 + sizeof header - 1 + 20];
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    memcpy(bytes + 8 + length, &narrow, 4);
    memcpy(bytes + 12 + length, wide, 16);
    SCRATCH(folder);
    FREED char *path = scratch_write(folder, "wide", bytes, sizeof bytes);
    FREED_BY(safetensors_close) SafeTensors file = open_file(path);
    Real d[2], f[1];
    safetensors_read(&file, &(NamedTensor){"d", 2, 1, d});
    safetensors_read(&file, &(NamedTensor){"f", 0, 1, f});
    assert_true(d[0] == (Real)-0.1 && d[1] == (Real)3e30 && f[0] == 2.5f);
}

/* The value of a number by its definition: a sign, then `exponent` bits of exponent and `fraction`
 * of fraction. */
static double value_of(unsigned bits, int exponent, int fraction)
{
    const int all = (1 << exponent) - 1, bias = all >> 1;
    const int e = (int)(bits >> fraction) & all, f = (int)bits & ((1 << fraction) - 1);
    const double sign = bits >> (exponent + fraction) ? -1 : 1;
    if (e == all)
        return f ? (double)NAN : sign * (double)INFINITY;
    return sign *
           (e ? ldexp((1 << fraction) + f, e - bias - fraction) : ldexp(f, 1 - bias - fraction));
}

/* A file with a tensor of numbers of two bytes: `count` of them, from `first` on. */
static char *halves(const char *folder, const char *type, unsigned first, int count)
{
    FREED char *header =
        format_text("{\"h\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%d]}}", type,
                    count, 2 * count);
    const uint64_t length = strlen(header);
    const size_t size = 8 + length + 2 * (size_t)count;
    FREED char *bytes = malloc(size);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    for (int i = 0; i < count; i++) {
        const uint16_t number = (uint16_t)(first + (unsigned)i);
        memcpy(bytes + 8 + length + 2 * i, &number, 2);
    }
    char *path = scratch_write(folder, type, bytes, size);
    return path;
}

TEST(all_numbers_of_two_bytes_are_exact)
{
    enum { ALL = 1 << 16 };
    static const struct {
        const char *type;
        int exponent, fraction;
    } types[] = {{"F16", 5, 10}, {"BF16", 8, 7}};
    FREED Real *read = malloc(ALL * sizeof *read);
    SCRATCH(folder);
    for (int t = 0; t < 2; t++) {
        FREED char *path = halves(folder, types[t].type, 0, ALL);
        FREED_BY(safetensors_close) SafeTensors file = open_file(path);
        assert_false(safetensors_read(&file, &(NamedTensor){"h", 0, ALL, read}));
        for (unsigned i = 0; i < ALL; i++) {
            const double wanted = value_of(i, types[t].exponent, types[t].fraction);
            if (isnan(wanted) ? !isnan(read[i])
                              : (double)read[i] != wanted || !signbit(read[i]) != !signbit(wanted))
                fail_msg("%s 0x%04X is read as %g, not %g", types[t].type, i, (double)read[i],
                         wanted);
        }
    }
}

/* 0x7C00 is the first number of F16 that is not finite, 0x7F80 that of BF16. */
TEST(numbers_that_are_not_finite_are_noticed)
{
    enum { MANY = 20000 };
    SCRATCH(folder);
    FREED Real *read = malloc(MANY * sizeof *read);
    for (int t = 0; t < 2; t++)
        for (int more = 0; more < 2; more++) {
            const unsigned end = (t ? 0x7F80 : 0x7C00) + (unsigned)more;
            FREED char *path = halves(folder, t ? "BF16" : "F16", end - MANY, MANY);
            FREED_BY(safetensors_close) SafeTensors file = open_file(path);
            assert_true(safetensors_read(&file, &(NamedTensor){"h", 0, MANY, read}) == !more);
        }
}

/* ---- Several files ---- */

static void write_named(const char *folder, const char *file, const char *tensor, Real number)
{
    const NamedTensor list = {.cols = 1, .at = &number};
    NamedTensor named = list;
    snprintf(named.name, sizeof named.name, "%s", tensor);
    assert_true(write_file(folder, file, &named, 1, cJSON_CreateObject()));
}

static void open_both(void *folder)
{
    const Directory directory = directory_open(folder);
    safetensors_open_all(&directory, "list", (const char *const[]){"1", "2"}, 2);
}

TEST(several_files_are_read_as_one)
{
    SCRATCH(folder);
    write_named(folder, "1", "b", 1);
    write_named(folder, "2", "a", 2);
    Directory directory = directory_open(folder);
    SafeTensors files =
        safetensors_open_all(&directory, "list", (const char *const[]){"1", "2"}, 2);
    Real a, b;
    assert_true(safetensors_read(&files, &(NamedTensor){"a", 0, 1, &a}) && a == 2);
    assert_true(safetensors_read(&files, &(NamedTensor){"b", 0, 1, &b}) && b == 1);
    assert_string_equal(safetensors_name(&files, 0), "a");
    assert_string_equal(safetensors_name(&files, 1), "b");
    assert_null(safetensors_name(&files, 2));
    assert_non_null(strstr(safetensors_file_of(&files, "a"), "/2"));
    assert_non_null(strstr(files.path, "/list"));
    safetensors_close(&files);
    directory_close(&directory);

    write_named(folder, "2", "b", 2);
    assert_dies(open_both, folder, "/2 is damaged: it has b, and so does", "/1");
    free(scratch_write(folder, "2", "x", 1));
    assert_dies(open_both, folder, "/2 is damaged");
}

/* The file is cut after it was opened. */
static void read_cut(void *path)
{
    Real *read = malloc(sizeof *read * 5000);
    SafeTensors file = open_file(path);
    if (truncate(path, 5000))
        _exit(3);
    safetensors_read(&file, &(NamedTensor){"h", 0, 5000, read});
}

TEST(a_file_that_becomes_shorter_is_noticed)
{
    SCRATCH(folder);
    FREED char *path = halves(folder, "F16", 0, 5000);
    assert_dies(read_cut, path, path, "has become shorter");
}

/* A file may hold tensors of other types, as old files hold masks; reading one is refused. */
TEST(other_types_are_refused_only_if_they_are_read)
{
    static const char *const headers[] = {
        A(TENSOR("\"U8\"", "[8]", "[0,8]")), A(TENSOR("\"I64\"", "[1]", "[0,8]")),
        A(TENSOR("\"f32\"", "[4]", "[0,8]")), A(TENSOR("\"\"", "[4]", "[0,8]")),
        A_B(TENSOR("\"BOOL\"", "[4]", "[0,4]"), ONE("[1]", "[4,8]"))};
    static const char *const types[] = {"type U8;", "type I64;", "type f32;", "type ;",
                                        "type BOOL;"};
    SCRATCH(folder);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        FREED char *path = by_hand(folder, headers[i], strlen(headers[i]), 8);
        Reading reading = {path, {"a", 0, (int[]){8, 1, 4, 4, 4}[i], NULL}},
                beside = {path, {"b", 0, 1, NULL}};
        assert_dies(read_one, &reading, path, types[i], "F32");
        if (strstr(headers[i], "\"b\""))
            assert_int_equal(run_apart(read_one, &beside).status, 0);
    }
}

/* Several bytes of the header are changed at random: there is no signal, at most one line, and no
 * wrong value. */
TEST(random_bytes_give_at_most_one_line)
{
    static const char pieces[] = "{}[]\",:0123456789eE+-.\\u FaN\n";
    SCRATCH(folder);
    size_t header;
    Bytes file = two(folder, &header);
    char *kept = memcpy(malloc(file.size), file.bytes, file.size);
    unsigned random = 1;
    for (int i = 0; i < 200; i++) {
        memcpy(file.bytes, kept, file.size);
        for (int changes = 1 + i % 5; changes > 0; changes--) {
            random = random * 1103515245u + 12345;
            const size_t where = 8 + (random >> 8) % (header - 8);
            random = random * 1103515245u + 12345;
            file.bytes[where] = pieces[(random >> 16) % (sizeof pieces - 1)];
        }
        FREED char *path = scratch_write(folder, "random", file.bytes, file.size);
        const ChildEnd ending = run_apart(read_two, path);
        if (!has_died(&ending) && (ending.signal || ending.status || ending.lines))
            fail_msg("%.*s: signal %d, status %d, %d lines: %s", (int)header - 8, file.bytes + 8,
                     ending.signal, ending.status, ending.lines, ending.said);
    }
    free(kept), free(file.bytes);
}

/* The seconds that it takes to read every tensor of a file of `count` tensors. */
static double seconds_to_read(const char *folder, int count)
{
    float number = 1;
    FREED char *path = format_text("%s/many", folder);
    FREED NamedTensor *list = calloc((size_t)count, sizeof *list);
    for (int i = 0; i < count; i++) {
        list[i] = (NamedTensor){.cols = 1, .at = &number};
        snprintf(list[i].name, sizeof list[i].name, "h.%d.weight", i);
    }
    assert_true(write_file(folder, "many", list, count, cJSON_CreateObject()));
    const clock_t begun = clock();
    FREED_BY(safetensors_close) SafeTensors file = open_file(path);
    for (int i = 0; i < count; i++)
        safetensors_read(&file, &list[i]);
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    return seconds;
}

/* A model of a thousand layers has 48,000 tensors in its state: they are found without a search
 * through all of them, which would take 64 times as long for 8 times as many. */
TEST(many_tensors_are_found_without_a_search)
{
    SCRATCH(folder);
    const double few = seconds_to_read(folder, 6000), many = seconds_to_read(folder, 48000);
    printf("6000 tensors are read in %.3f s, 48000 in %.3f s\n", few, many);
    assert_true(many < 30 * few);
}
