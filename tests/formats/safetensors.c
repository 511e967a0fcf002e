/* A safetensors file is read back bit by bit, and no bytes of a file crash its reader. */
#include <cjson/cJSON.h>
#include <unistd.h>

#include "base/files/file.h"
#include "formats/safetensors.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/test.h"

/* ---- Tensors: written and read ---- */

static SafeTensors open_some(const char *folder)
{
    return safetensors_open(enter(folder), "some");
}

static void write_some(const char *folder, const NamedTensor *tensors, int count)
{
    assert_true(safetensors_write(enter(folder), "some", tensors, count, cJSON_CreateObject()));
}

static const float A[6] = {1, -2.5f, 3e-40f, 1e38f, -0.0f, 7};
static const float B[3] = {0.1f, 0.2f, 0.3f};

static void write_two(const char *folder)
{
    float a[6], b[3];
    memcpy(a, A, sizeof a);
    memcpy(b, B, sizeof b);
    cJSON *metadata = cJSON_CreateObject();
    cJSON_AddStringToObject(metadata, "step", "12");
    const NamedTensor tensors[] = {{"first.weight", 2, 3, a, 0}, {"b", 0, 3, b, 0}};
    assert_true(safetensors_write(enter(folder), "some", tensors, 2, metadata));
}

TEST(tensors_are_read_back_bit_by_bit)
{
    SCRATCH(folder);
    write_two(folder);
    assert_int_equal(scratch_count(folder), 1);
    FREED_BY(safetensors_close) SafeTensors file = open_some(folder);
    float a[6] = {0}, b[3] = {0};
    safetensors_read(&file, &(NamedTensor){"b", 0, 3, b, 0});
    safetensors_read(&file, &(NamedTensor){"first.weight", 2, 3, a, 0});
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
    enum { MANY = 40, MOST = 4 * 13 };
    SCRATCH(folder);
    static Real numbers[MANY][MOST];
    NamedTensor list[MANY];
    for (int i = 0; i < MANY; i++) {
        list[i] = (NamedTensor){.rows = i % 4, .cols = 1 + i * 7 % 13, .at = numbers[i]};
        snprintf(list[i].name, sizeof list[i].name, "tensor \"%d\" ñ\\%0*d", i, i % 70 + 1, 0);
        fill(list[i].at, MOST, i);
    }
    list[3].at[0] = NAN;
    list[4].at[0] = -INFINITY;
    write_some(folder, list, MANY);
    FREED_BY(safetensors_close) SafeTensors file = open_some(folder);
    for (int i = MANY - 1; i >= 0; i--) {
        float got[MOST];
        NamedTensor into = list[i];
        into.at = got;
        const size_t count = (size_t)(into.rows ? into.rows : 1) * (size_t)into.cols;
        safetensors_read(&file, &into);
        assert_memory_equal(got, list[i].at, count * sizeof *got);
    }
}

/* The file by the rules of the format, read without the code that wrote it. */
TEST(the_file_follows_the_format)
{
    SCRATCH(folder);
    write_two(folder);
    AUTOFREE Bytes file = file_read_in(enter(folder), "some", false);
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
    AUTOFREE char *a = cJSON_PrintUnformatted(first), *b = cJSON_PrintUnformatted(second);
    assert_string_equal(first->string, "first.weight");
    assert_string_equal(a, "{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}");
    assert_string_equal(second->string, "b");
    assert_string_equal(b, "{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[24,36]}");
    assert_null(second->next);
    assert_memory_equal(numbers, A, sizeof A);
    assert_memory_equal(numbers + sizeof A, B, sizeof B);
    cJSON_Delete(header);
}

TEST(a_file_that_cannot_be_written_is_reported)
{
    SCRATCH(folder);
    AUTOFREE char *gone = format_text("%s/gone", folder);
    directory_make(gone);
    FREED_BY(directory_close) Directory directory = directory_open(gone);
    assert_int_equal(rmdir(gone), 0);
    float b[3] = {0};
    const NamedTensor tensor = {"b", 0, 3, b, 0};
    const ChildEnd ending =
        APART(_exit(safetensors_write(&directory, "b", &tensor, 1, cJSON_CreateObject()) ? 0 : 2));
    assert_int_equal(ending.status, 2);
    assert_int_equal(ending.lines, 1);
    assert_non_null(strstr(ending.said, gone));
}

static void read_one(const char *folder, NamedTensor into)
{
    float room[64];
    into.at = room;
    FREED_BY(safetensors_close) SafeTensors file = open_some(folder);
    safetensors_read(&file, &into);
}

TEST(a_tensor_of_another_shape_is_refused)
{
    SCRATCH(folder);
    write_two(folder);
    static const NamedTensor wrong[] = {{"first.weight", 3, 2, NULL, 0},
                                        {"first.weight", 0, 6, NULL, 0},
                                        {"first.weight", 2, 2, NULL, 0},
                                        {"first.weight", 1, 3, NULL, 0},
                                        {"b", 0, 2, NULL, 0},
                                        {"b", 0, 4, NULL, 0},
                                        {"b", 1, 3, NULL, 0},
                                        {"b", 3, 1, NULL, 0}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        ASSERT_DIES(read_one(folder, wrong[i]), folder, "/some", wrong[i].name, "shape");
    ASSERT_DIES(read_one(folder, (NamedTensor){"c", 0, 3, NULL, 0}), folder, "no tensor c");
    read_one(folder, (NamedTensor){"b", 0, 3, NULL, 0});
}

/* ---- Damaged files ---- */

/* Ends with 0 if both tensors have their values, else with 3. */
static void read_two(const char *folder)
{
    float a[6], b[3];
    SafeTensors file = open_some(folder);
    safetensors_read(&file, &(NamedTensor){"first.weight", 2, 3, a, 0});
    safetensors_read(&file, &(NamedTensor){"b", 0, 3, b, 0});
    _exit(memcmp(a, A, sizeof a) || memcmp(b, B, sizeof b) ? 3 : 0);
}

/* Whether the file was refused; if not, the values must be right. */
static bool is_refused(const char *folder, Bytes bytes, const char *what, size_t where)
{
    free(scratch_write(folder, "some", bytes.bytes, bytes.size));
    const ChildEnd ending = APART(read_two(folder));
    const bool refused = has_died(&ending) && strstr(ending.said, "/some");
    if (!refused && (ending.signal || ending.status || ending.lines))
        fail_msg("%s %zu: signal %d, status %d, %d lines: %s", what, where, ending.signal,
                 ending.status, ending.lines, ending.said);
    return refused;
}

TEST(a_damaged_file_is_refused_or_has_the_same_values)
{
    SCRATCH(folder);
    write_two(folder);
    AUTOFREE Bytes file = file_read_in(enter(folder), "some", false);
    const size_t header = file.size - sizeof A - sizeof B;
    assert_false(is_refused(folder, file, "whole", file.size)); /* or nothing below tells */
    for (size_t size = 0; size < file.size; size++)
        assert_true(is_refused(folder, (Bytes){file.bytes, size}, "cut at", size));
    /* A byte too many: the 0 after the last. */
    assert_true(is_refused(folder, (Bytes){file.bytes, file.size + 1}, "longer", file.size));

    size_t refused = 0, all = 0;
    for (size_t i = 0; i < file.size; i++) {
        const char right = file.bytes[i];
        for (int bit = (int)(i % 3); bit < 8; bit += 3) { /* the others at the bytes beside it */
            file.bytes[i] = (char)(right ^ 1 << bit);
            const bool here = is_refused(folder, file, "flipped at", i);
            if (i < 8 || i >= header)
                assert_true(here); /* the length, and every number by the checksum */
            refused += here;
            all++;
        }
        file.bytes[i] = right;
    }
    assert_true(refused < all); /* a space after the header may be anything */
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
    {A_B(ONE("[1]", "[0,4]"), ONE("[1]", "[8,12]")), 12}, /* holes */
    {A(ONE("[1]", "[4,8]")), 8},
    {A(ONE("[1]", "[0,4]")), 8},
    {"{}", 4},
    {A(ONE("[2]", "[0,8]")), 4}, /* beyond the end */
    {A(ONE("[2]", "[8,0]")), 8}, /* backwards */
    {A_B(TENSOR("\"I64\"", "[2]", "[0,8]"), TENSOR("\"I64\"", "[2]", "[8,4]")), 4},
    {A(ONE("[2]", "[0,4]")), 4}, /* not what the shape needs */
    {A(ONE("[]", "[0,8]")), 8},
    {A(ONE("[-2]", "[0,8]")), 8}, /* below 0 */
    {A(ONE("[0,-2]", "[0,0]")), 0},
    {A(ONE("[2]", "[-8,0]")), 8},
    {A(ONE("[1.5]", "[0,6]")), 6}, /* no whole numbers */
    {A(ONE("[1]", "[0.5,4.5]")), 4},
    {A(ONE("[9223372036854775808]", "[0,9223372036854775808]")), 8}, /* huge */
    {A(ONE("[2]", "[18446744073709551608,18446744073709551616]")), 8},
    {A(ONE("[4294967296,4294967296]", "[0,0]")), 0},                            /* 0 in 64 bits */
    {A_B(ONE("[5]", "[0,20]"), ONE("[1073741823,1073741825,4]", "[20,4]")), 4}, /* 16 below 0 */
    {"{\"a\":" ONE("[1]", "[0,4]") ",\"b\":" ONE("[1]", "[4,8]") ",\"a\":"      /* a name twice */
     ONE("[1]", "[8,12]") "}",
     12},
    {A(ONE("[1e999]", "[0,8]")), 8},
    {A(ONE("[2]", "[0,1e999]")), 8},
};

static const char *const NO_HEADERS[] = {"",
                                         "[]",
                                         "8",
                                         "{",
                                         "{\"a\":",
                                         "{\"a\":" ONE("[2]", "[0,8]") ",",
                                         "{a:" ONE("[2]", "[0,8]") "}",
                                         "[\"a\"," ONE("[2]", "[0,8]") "]"};

/* Each would be good with 8 bytes of numbers if its values were of the right kinds. */
static const char *const OF_OTHER_KINDS[] = {
    A("null"),
    A("[2]"),
    A("[\"F32\",[2],[0,8]]"),
    A("{\"shape\":[2],\"data_offsets\":[0,8]}"),
    A("{\"dtype\":\"F32\",\"data_offsets\":[0,8]}"),
    A("{\"dtype\":\"F32\",\"shape\":[2]}"),
    A(TENSOR("32", "[2]", "[0,8]")),
    A(TENSOR("null", "[2]", "[0,8]")),
    A(ONE("2", "[0,8]")),
    A(ONE("\"2\"", "[0,8]")),
    A(ONE("[\"2\"]", "[0,8]")),
    A(ONE("{\"x\":2}", "[0,8]")),
    A(ONE("[true]", "[0,4]")),
    A(ONE("[2]", "[\"0\",8]")),
    A(ONE("[2]", "[0,8,8]")),
    A(ONE("[2]", "[8]")),
    A(ONE("[2]", "8")),
    A(ONE("[2]", "{\"x\":0,\"y\":8}")),
    /* a checksum that is another one's */
    "{\"__metadata__\":{\"checksum\":\"0000000000000000\"},\"a\":" ONE("[2]", "[0,8]") "}",
    "{\"__metadata__\":{\"checksum\":\"\"},\"a\":" ONE("[2]", "[0,8]") "}",
};

/* Writes a file with this header, and `length` before it; after it `size` bytes of numbers, which
 * are 0 if NULL. */
static void by_hand(const char *folder, const char *header, uint64_t length, const void *numbers,
                    size_t size)
{
    const size_t begin = 8 + strlen(header);
    AUTOFREE char *bytes = calloc(begin + size, 1);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, begin - 8);
    if (numbers)
        memcpy(bytes + begin, numbers, size);
    free(scratch_write(folder, "some", bytes, begin + size));
}

static void open_it(const char *folder)
{
    FREED_BY(safetensors_close) SafeTensors file = open_some(folder);
}

static void assert_header(const char *header, size_t numbers, bool good)
{
    SCRATCH(folder);
    by_hand(folder, header, strlen(header), NULL, numbers);
    const ChildEnd ending = APART(open_it(folder));
    if (good ? ending.signal || ending.status || ending.lines
             : !has_died(&ending) || !strstr(ending.said, "/some is damaged"))
        fail_msg("%.100s: signal %d, status %d, %d lines: %s", header, ending.signal, ending.status,
                 ending.lines, ending.said);
}

TEST(headers_are_read_or_refused)
{
    for (size_t i = 0; i < COUNT_OF(OF_OTHER_WRITERS); i++)
        assert_header(OF_OTHER_WRITERS[i].header, OF_OTHER_WRITERS[i].numbers, true);
    for (size_t i = 0; i < COUNT_OF(OF_WRONG_OFFSETS); i++)
        assert_header(OF_WRONG_OFFSETS[i].header, OF_WRONG_OFFSETS[i].numbers, false);
    for (size_t i = 0; i < COUNT_OF(OF_OTHER_KINDS); i++)
        assert_header(OF_OTHER_KINDS[i], 8, false);
    for (size_t i = 0; i < COUNT_OF(NO_HEADERS); i++)
        assert_header(NO_HEADERS[i], 8, false);
}

TEST(headers_of_another_length_or_depth_are_refused)
{
    SCRATCH(folder);
    static const char good[] = A(ONE("[2]", "[0,8]"));
    static const uint64_t lengths[] = {
        0,         1,          sizeof good - 2, sizeof good + 8, 100000000,
        100000001, 1ull << 32, 1ull << 63,      UINT64_MAX - 7,  UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        by_hand(folder, good, lengths[i], NULL, 8);
        ASSERT_DIES(open_it(folder), "/some", i < 3 ? "not JSON" : "its header would be");
    }
    for (size_t size = 0; size < 8; size++) {
        free(scratch_write(folder, "some", "\2\0\0\0\0\0\0", size));
        ASSERT_DIES(open_it(folder), "/some", "too few");
    }
    /* Deep ones; and a name too long for a line, which is shortened. */
    static const char *const deep[][3] = {{"{\"a\":", "[", ""},
                                          {"{\"a\":", "{\"a\":", ""},
                                          {"", "{\"a\":[", ""},
                                          {"{\"a\":\"", "\\", ""},
                                          {"{\"", "name", "\":8}"}};
    for (size_t i = 0; i < COUNT_OF(deep); i++) {
        enum { COUNT = 100000 };
        AUTOFREE char *header = malloc(strlen(deep[i][1]) * COUNT + 20);
        char *put = stpcpy(header, deep[i][0]);
        for (int k = 0; k < COUNT; k++)
            put = stpcpy(put, deep[i][1]);
        strcpy(put, deep[i][2]);
        assert_header(header, 0, false);
    }
    /* A name of several lines does not make several of the one. */
    assert_header("{\"a\nb\\r\\n\\u001b[31m\":8}", 0, false);
}

/* Numbers of the other type are converted; here out of order, at an offset that is not a multiple
 * of 8. */
TEST(doubles_are_converted)
{
    static const char header[] =
        "{\"d\":" TENSOR("\"F64\"", "[2,1]", "[4,20]") ",\"f\":" ONE("[1]", "[0,4]") "}";
    const struct __attribute__((packed)) {
        float narrow;
        double wide[2];
    } numbers = {2.5f, {-0.1, 3e30}};
    SCRATCH(folder);
    by_hand(folder, header, sizeof header - 1, &numbers, sizeof numbers);
    FREED_BY(safetensors_close) SafeTensors file = open_some(folder);
    Real d[2], f[1];
    safetensors_read(&file, &(NamedTensor){"d", 2, 1, d, 0});
    safetensors_read(&file, &(NamedTensor){"f", 0, 1, f, 0});
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
static void write_halves(const char *folder, const char *type, unsigned first, int count)
{
    AUTOFREE char *header =
        format_text("{\"h\":" TENSOR("\"%s\"", "[%d]", "[0,%d]") "}", type, count, 2 * count);
    AUTOFREE uint16_t *numbers = malloc(sizeof *numbers * (size_t)count);
    for (int i = 0; i < count; i++)
        numbers[i] = (uint16_t)(first + (unsigned)i);
    by_hand(folder, header, strlen(header), numbers, sizeof *numbers * (size_t)count);
}

/* Reads it; whether its numbers are finite. */
static bool read_halves(const char *folder, int count, Real *read)
{
    FREED_BY(safetensors_close) SafeTensors file = open_some(folder);
    return safetensors_read(&file, &(NamedTensor){"h", 0, count, read, 0});
}

static const struct {
    const char *type;
    int exponent, fraction;
    unsigned infinity; /* the first number that is not finite */
} HALVES[] = {{"F16", 5, 10, 0x7C00}, {"BF16", 8, 7, 0x7F80}};

TEST(all_numbers_of_two_bytes_are_exact)
{
    enum { ALL = 1 << 16, MANY = 20000 };
    AUTOFREE Real *read = malloc(ALL * sizeof *read);
    SCRATCH(folder);
    for (int t = 0; t < 2; t++) {
        write_halves(folder, HALVES[t].type, 0, ALL);
        assert_false(read_halves(folder, ALL, read));
        for (unsigned i = 0; i < ALL; i++) {
            const double wanted = value_of(i, HALVES[t].exponent, HALVES[t].fraction);
            if (isnan(wanted) ? !isnan(read[i])
                              : (double)read[i] != wanted || !signbit(read[i]) != !signbit(wanted))
                fail_msg("%s 0x%04X is read as %g, not %g", HALVES[t].type, i, (double)read[i],
                         wanted);
        }
        for (unsigned more = 0; more < 2; more++) { /* one that is not finite is noticed */
            write_halves(folder, HALVES[t].type, HALVES[t].infinity + more - MANY, MANY);
            assert_true(read_halves(folder, MANY, read) == !more);
        }
    }
}

/* The file is cut after it was opened. */
static void read_cut(const char *folder, Real *read)
{
    SafeTensors file = open_some(folder);
    AUTOFREE char *path = format_text("%s/some", folder);
    if (truncate(path, 5000))
        _exit(3);
    safetensors_read(&file, &(NamedTensor){"h", 0, 5000, read, 0});
}

TEST(a_file_that_becomes_shorter_is_noticed)
{
    SCRATCH(folder);
    Real read[5000];
    write_halves(folder, "F16", 0, 5000);
    ASSERT_DIES(read_cut(folder, read), "/some", "has become shorter");
}

/* ---- Several files ---- */

static void write_named(const char *folder, const char *file, const char *tensor, Real number)
{
    NamedTensor named = {.cols = 1, .at = &number};
    snprintf(named.name, sizeof named.name, "%s", tensor);
    assert_true(safetensors_write(enter(folder), file, &named, 1, cJSON_CreateObject()));
}

static SafeTensors open_both(const char *folder)
{
    return safetensors_open_all(enter(folder), "list", (const char *const[]){"1", "2"}, 2);
}

TEST(several_files_are_read_as_one)
{
    SCRATCH(folder);
    write_named(folder, "1", "b", 1);
    write_named(folder, "2", "a", 2);
    FREED_BY(safetensors_close) SafeTensors files = open_both(folder);
    Real a, b;
    assert_true(safetensors_read(&files, &(NamedTensor){"a", 0, 1, &a, 0}) && a == 2);
    assert_true(safetensors_read(&files, &(NamedTensor){"b", 0, 1, &b, 0}) && b == 1);
    assert_string_equal(safetensors_name(&files, 0), "a");
    assert_string_equal(safetensors_name(&files, 1), "b");
    assert_null(safetensors_name(&files, 2));
    assert_non_null(strstr(safetensors_file_of(&files, "a"), "/2"));
    assert_non_null(strstr(files.path, "/list"));

    write_named(folder, "2", "b", 2);
    ASSERT_DIES(open_both(folder), "/2 is damaged: it has b, and so does", "/1");
    free(scratch_write(folder, "2", "x", 1));
    ASSERT_DIES(open_both(folder), "/2 is damaged");
}

/* A file may hold tensors of other types, as old files hold masks; reading one is refused. */
TEST(other_types_are_refused_only_if_they_are_read)
{
    static const struct {
        const char *header, *said;
        int count;
    } cases[] = {{A(TENSOR("\"U8\"", "[8]", "[0,8]")), "type U8;", 8},
                 {A(TENSOR("\"I64\"", "[1]", "[0,8]")), "type I64;", 1},
                 {A(TENSOR("\"f32\"", "[4]", "[0,8]")), "type f32;", 4},
                 {A(TENSOR("\"\"", "[4]", "[0,8]")), "type ;", 4},
                 {A_B(TENSOR("\"BOOL\"", "[4]", "[0,4]"), ONE("[1]", "[4,8]")), "type BOOL;", 4}};
    SCRATCH(folder);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        by_hand(folder, cases[i].header, strlen(cases[i].header), NULL, 8);
        ASSERT_DIES(read_one(folder, (NamedTensor){"a", 0, cases[i].count, NULL, 0}), cases[i].said,
                    "F32");
    }
    read_one(folder, (NamedTensor){"b", 0, 1, NULL, 0}); /* beside the last */
}
