/* A .zip is read back byte for byte, however its files are compressed; one in which a byte is wrong
 * is refused in a line, or does not matter. */
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/zip.h"
#include "tests/helpers/test.h"

/* Made with Python's zlib, in a folder ana/: config.json, by the fixed codes of Deflate; sums, by
 * codes of its own; plain, not compressed; raw, by Deflate, but as it is. */
static const char SAMPLE[] =
    "504b030414000000080000002100faa1475c0b000000090000000f000000616e612f636f6e6669672e6a736f6e"
    "ab564a54b25230ace50200504b030414000000080000002100dbb9480584000000da01000008000000616e612f"
    "73756d734dccb90dc3301004c0fcaa6009e67d94ca31e0c48912f70f18e42db50a2799deded7a7f5f6fd3595be"
    "a01306d884033e11404c24901343949b015a81720bc02b506e3b58db21c6cd01adc0b825e01518b71daced14e7"
    "168056e0dc06e01538b71dacadbf24d825a03504bb03f01a82dd3dd4d725f90d40ab487e27e028f211eea24295"
    "3f504b030414000000000000002100b3244e96080000000800000009000000616e612f706c61696e6173206974"
    "206973504b03041400000008000000210062def446100000000b00000007000000616e612f726177010b00f4ff"
    "6e6f7420736d616c6c6572504b0102140014000000080000002100faa1475c0b000000090000000f0000000000"
    "000000000000000000000000616e612f636f6e6669672e6a736f6e504b0102140014000000080000002100dbb9"
    "480584000000da010000080000000000000000000000000038000000616e612f73756d73504b01021400140000"
    "00000000002100b3244e9608000000080000000900000000000000000000000000e2000000616e612f706c6169"
    "6e504b010214001400000008000000210062def446100000000b00000007000000000000000000000000001101"
    "0000616e612f726177504b05060000000004000400df000000460100000000";

static Bytes sample(void)
{
    Bytes all = {malloc(sizeof SAMPLE / 2), sizeof SAMPLE / 2};
    for (size_t i = 0; i < all.size; i++) {
        const char digits[] = {SAMPLE[2 * i], SAMPLE[2 * i + 1], 0};
        all.bytes[i] = (char)strtol(digits, NULL, 16);
    }
    return all;
}

static void assert_has(const Directory *zip, const char *name, const char *wanted)
{
    assert_true(directory_has(zip, name));
    const Bytes file = file_read_in(zip, name, true);
    assert_string_equal(file.bytes, wanted);
    assert_int_equal(file.size, strlen(wanted));
    free(file.bytes);
}

static void assert_is_sample(const char *path)
{
    FREED_BY(directory_close) Directory zip = directory_open(path);
    AUTOFREE char *sums = NULL;
    for (int i = 1; i < 7; i++)
        for (int j = 1; j < 7; j++)
            extend_text(&sums, "%d and %d is %d\n", i, j, i + j);
    assert_has(&zip, "config.json", "{\"a\": 1}\n");
    assert_has(&zip, "sums", sums);
    assert_has(&zip, "plain", "as it is");
    assert_has(&zip, "raw", "not smaller");
    assert_false(directory_has(&zip, "ana/plain"));
    size_t size;
    ASSERT_DIES(file_open_in(&zip, "other", &size), path, "has no other");
}

TEST(files_are_read_however_they_are_compressed)
{
    SCRATCH(folder);
    const Bytes all = sample();
    AUTOFREE char *path = scratch_write(folder, "ana.zip", all.bytes, all.size);
    free(all.bytes);
    assert_is_sample(path);
    assert_int_equal(scratch_count(folder), 1);
}

/* Reads what is there; what is read is right. */
static void read_all(char *path)
{
    FREED_BY(directory_close) Directory zip = directory_open(path);
    static const char *const names[] = {"config.json", "sums", "plain", "raw"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (directory_has(&zip, names[i]))
            free(file_read_in(&zip, names[i], false).bytes);
}

TEST(a_byte_that_is_wrong_or_missing_is_found_or_does_not_matter)
{
    SCRATCH(folder);
    AUTOFREE char *bytes = sample().bytes;
    const size_t size = sizeof SAMPLE / 2;
    size_t found = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x55;
        AUTOFREE char *path = scratch_write(folder, "ana.zip", bytes, size);
        const ChildEnd ending = APART(read_all(path));
        bytes[i] ^= 0x55;
        found += has_died(&ending);
        if (!has_died(&ending) && (ending.signal || ending.status))
            fail_msg("byte %zu: signal %d, status %d: %s", i, ending.signal, ending.status,
                     ending.said);
        AUTOFREE char *cut = scratch_write(folder, "cut.zip", bytes, i);
        ASSERT_DIES(read_all(cut), "cut.zip is damaged");
    }
    assert_true(found > size / 2); /* dates, and what is said twice, do not matter */
}
