/* zip.c: the list at the end says where each file is, how it is compressed, and what its bytes add
 * up to; the shorter headers before the files are skipped. Almost every .zip is compressed by
 * Deflate (RFC 1951), or not at all. */
#include "zip.h"

#include <errno.h>
#include <stb/stb_ds.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/system/system.h"

/* ---- Deflate ---- */

/* Bits are taken from a byte the lowest first. */
typedef struct {
    const uint8_t *at, *end;
    uint32_t bits; /* that are left of the last byte */
    int count;
    uint8_t *to;
    size_t size, room; /* bytes that `to` has, and will have */
    bool damaged;
} Inflation;

static int take(Inflation *in, int count)
{
    for (; in->count < count; in->count += 8) {
        if (in->at == in->end) {
            in->damaged = true;
            return 0;
        }
        in->bits |= (uint32_t)*in->at++ << in->count;
    }
    const int value = (int)(in->bits & ((1U << count) - 1));
    in->bits >>= count;
    in->count -= count;
    return value;
}

/* A Huffman code: how many symbols have each length, and the symbols, shorter codes first. Codes of
 * one length are consecutive numbers. */
enum { MOST_BITS = 15, MOST_SYMBOLS = 288 };
typedef struct {
    int count[MOST_BITS + 1], symbols[MOST_SYMBOLS];
} Code;

static Code code_of(const uint8_t *lengths, int symbols)
{
    Code code = {{0}, {0}};
    int next[MOST_BITS + 2] = {0};
    for (int i = 0; i < symbols; i++)
        code.count[lengths[i]]++;
    code.count[0] = 0;
    for (int length = 0; length <= MOST_BITS; length++)
        next[length + 1] = next[length] + code.count[length];
    for (int i = 0; i < symbols; i++)
        if (lengths[i])
            code.symbols[next[lengths[i]]++] = i;
    return code;
}

static int symbol_of(Inflation *in, const Code *code)
{
    int bits = 0, first = 0, before = 0; /* the first code of a length, and the shorter ones */
    for (int length = 1; length <= MOST_BITS; length++) {
        bits |= take(in, 1);
        const int offset = bits - first, count = code->count[length];
        if (offset >= 0 && offset < count)
            return code->symbols[before + offset];
        before += count;
        first = (first + count) * 2;
        bits *= 2;
    }
    in->damaged = true;
    return 0;
}

/* The lengths 3, 4, ..., 10, 11 to 12, 13 to 14, ..., 258 are symbols from 257 on; distances are
 * likewise 1, 2, 3, 4, 5 to 6, 7 to 8, ...: four, or two, steps have one more bit than those
 * before. */
static size_t length_of(Inflation *in, int symbol)
{
    const int bits = symbol < 4 ? 0 : symbol / 4 - 1;
    return symbol == 28 ? 258
                        : ((symbol < 4 ? symbol : 4 + symbol % 4) << bits) + 3 + take(in, bits);
}

static size_t distance_of(Inflation *in, int symbol)
{
    const int bits = symbol < 2 ? 0 : symbol / 2 - 1;
    return ((symbol < 2 ? symbol : 2 + symbol % 2) << bits) + 1 + take(in, bits);
}

/* Bytes, and copies of earlier bytes, up to the symbol that ends a block. */
static void inflate_block(Inflation *in, const Code *bytes, const Code *distances)
{
    enum { END_OF_BLOCK = 256, LENGTHS = 29, DISTANCES = 30 };
    while (!in->damaged) {
        const int symbol = symbol_of(in, bytes);
        if (symbol == END_OF_BLOCK)
            return;
        const bool copies = symbol > END_OF_BLOCK;
        const size_t length = copies ? length_of(in, symbol - END_OF_BLOCK - 1) : 1;
        const int far = copies ? symbol_of(in, distances) : 0;
        const size_t distance = copies ? distance_of(in, far) : 0;
        if (symbol > END_OF_BLOCK + LENGTHS || far >= DISTANCES || length > in->room - in->size ||
            distance > in->size) {
            in->damaged = true;
            return;
        }
        for (size_t i = 0; i < length; i++, in->size++)
            in->to[in->size] = copies ? in->to[in->size - distance] : (uint8_t)symbol;
    }
}

static void inflate_fixed(Inflation *in)
{
    uint8_t lengths[MOST_SYMBOLS];
    for (int i = 0; i < MOST_SYMBOLS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    const Code bytes = code_of(lengths, MOST_SYMBOLS);
    memset(lengths, 5, 32);
    const Code distances = code_of(lengths, 32);
    inflate_block(in, &bytes, &distances);
}

/* The lengths of both codes come first, in a third code, whose last symbols repeat a length. */
static void inflate_dynamic(Inflation *in)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    const int bytes = take(in, 5) + 257, distances = take(in, 5) + 1, count = take(in, 4) + 4;
    uint8_t lengths[MOST_SYMBOLS + 32] = {0};
    for (int i = 0; i < count; i++)
        lengths[order[i]] = (uint8_t)take(in, 3);
    const Code code = code_of(lengths, sizeof order);
    for (int i = 0; i < bytes + distances && !in->damaged;) {
        const int symbol = symbol_of(in, &code);
        const uint8_t length = symbol < 16             ? (uint8_t)symbol
                               : symbol == 16 && i > 0 ? lengths[i - 1]
                                                       : 0;
        int times = symbol < 16    ? 1
                    : symbol == 18 ? 11 + take(in, 7)
                                   : 3 + take(in, symbol == 16 ? 2 : 3);
        in->damaged |= times > bytes + distances - i;
        for (; times && !in->damaged; times--)
            lengths[i++] = length;
    }
    const Code of_bytes = code_of(lengths, bytes), far = code_of(lengths + bytes, distances);
    inflate_block(in, &of_bytes, &far);
}

/* Bytes as they are, from the next whole byte on: their number, its complement, and they. */
static void inflate_stored(Inflation *in)
{
    in->bits = 0;
    in->count = 0;
    const int size = take(in, 16), check = take(in, 16);
    if (size != (check ^ 0xFFFF) || size > in->end - in->at || (size_t)size > in->room - in->size) {
        in->damaged = true;
        return;
    }
    memcpy(in->to + in->size, in->at, (size_t)size);
    in->at += size;
    in->size += (size_t)size;
}

/* Returns false unless they become `room` bytes. */
static bool inflate(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    Inflation in = {.at = bytes, .end = bytes + size, .to = to, .room = room};
    for (bool last = false; !last && !in.damaged;) {
        last = take(&in, 1);
        switch (take(&in, 2)) {
        case 0: inflate_stored(&in); break;
        case 1: inflate_fixed(&in); break;
        case 2: inflate_dynamic(&in); break;
        default: in.damaged = true;
        }
    }
    return !in.damaged && in.size == room;
}

/* ---- The list ---- */

enum { METHOD_STORED = 0, METHOD_DEFLATE = 8 };

typedef struct {
    char *name; /* from the folder on */
    int flags, method;
    uint32_t check, packed, size; /* CRC-32; bytes in the .zip, and of the file */
    size_t header;                /* where the header before its bytes is */
} Entry;

struct Zip {
    char *name;
    const uint8_t *bytes;
    size_t size;
    Entry *entries; /* stb_ds array */
};

bool zip_is(const char *path)
{
    struct stat status;
    const size_t length = strlen(path);
    return length > 4 && !strcasecmp(path + length - 4, ".zip") && !stat(path, &status) &&
           S_ISREG(status.st_mode);
}

/* A number of two or four bytes, the lowest first. */
static uint32_t number(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

/* What is at an offset of the .zip, of which `size` bytes will be read. */
static const uint8_t *part(const Zip *zip, size_t offset, size_t size)
{
    if (offset > zip->size || size > zip->size - offset)
        die("%s is damaged, or is not a .zip", zip->name);
    return zip->bytes + offset;
}

/* The record after the list: a .zip ends with it, or with a comment after it. */
static const uint8_t *end_record(const Zip *zip)
{
    enum { SIZE = 22 };
    size_t at = zip->size < SIZE ? 0 : zip->size - SIZE;
    while (at && memcmp(zip->bytes + at, "PK\5\6", 4) != 0)
        at--;
    const uint8_t *record = part(zip, at, SIZE);
    return memcmp(record, "PK\5\6", 4) ? part(zip, zip->size, 1) : record;
}

/* Dies if a name leads out of the folder that the .zip is unpacked in. (Some programs of Windows
 * write \ for /.) */
static void check_name(const Zip *zip, char *name)
{
    for (char *at = name; *at; at++)
        if (*at == '\\')
            *at = '/';
    AUTOFREE char *whole = format_text("/%s/", name);
    if (*name == '/' || strstr(whole, "/../"))
        die("%s has a file '%s', which leads out of its folder: that is not the .zip of a run",
            zip->name, name);
}

/* Folders have no entry here, nor what macOS notes about the files. */
static void read_list(Zip *zip)
{
    enum { SIZE = 46 };
    const uint8_t *end = end_record(zip);
    size_t offset = number(end + 16, 4);
    for (uint32_t left = number(end + 10, 2); left > 0; left--) {
        const uint8_t *at = part(zip, offset, SIZE);
        const uint32_t letters = number(at + 28, 2);
        const size_t rest = letters + number(at + 30, 2) + number(at + 32, 2);
        const char *name = (const char *)part(zip, offset + SIZE, rest);
        Entry entry = {.name = format_text("%.*s", (int)letters, name),
                       .flags = (int)number(at + 8, 2),
                       .method = (int)number(at + 10, 2),
                       .check = number(at + 16, 4),
                       .packed = number(at + 20, 4),
                       .size = number(at + 24, 4),
                       .header = number(at + 42, 4)};
        check_name(zip, entry.name);
        const size_t length = strlen(entry.name);
        if (length && entry.name[length - 1] != '/' && strncmp(entry.name, "__MACOSX/", 9) != 0)
            arrput(zip->entries, entry);
        else
            free(entry.name);
        offset += SIZE + rest;
    }
}

/* How long the part of a name before `marker` is: a folder, with its slash; -1 if it is another
 * file. */
static int folder_of(const char *name, const char *marker)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    return strcmp(file, marker) ? -1 : (int)(file - name);
}

/* Keeps the files of the folder with the marker, under their names there. A folder within it may
 * also have one: a save that the run has kept. */
static void enter_folder(Zip *zip, const char *marker)
{
    const char *outer = NULL, *other = NULL;
    int length = -1;
    for (ptrdiff_t i = 0; i < arrlen(zip->entries); i++) {
        const int own = folder_of(zip->entries[i].name, marker);
        if (own >= 0 && (length < 0 || own < length)) {
            outer = zip->entries[i].name;
            length = own;
        }
    }
    if (!outer)
        die("%s has no %s in it: it is not the .zip of a run", zip->name, marker);
    AUTOFREE char *folder = format_text("%.*s", length, outer);
    for (ptrdiff_t i = 0; i < arrlen(zip->entries) && !other; i++)
        if (folder_of(zip->entries[i].name, marker) >= 0 &&
            strncmp(zip->entries[i].name, folder, (size_t)length) != 0)
            other = zip->entries[i].name;
    if (other)
        die("%s has more than one run in it, %s and %.*s: unpack it, and name their folders",
            zip->name, folder, folder_of(other, marker), other);
    Entry *inside = NULL;
    for (ptrdiff_t i = 0; i < arrlen(zip->entries); i++) {
        Entry entry = zip->entries[i];
        char *name = entry.name;
        const bool kept = !strncmp(name, folder, (size_t)length);
        entry.name = kept ? format_text("%s", name + length) : NULL;
        if (kept)
            arrput(inside, entry);
        free(name);
    }
    arrfree(zip->entries);
    zip->entries = inside;
}

Zip *zip_open(const char *name, char *bytes, size_t size, const char *marker)
{
    Zip *zip = memory_new(1, sizeof *zip, name);
    *zip = (Zip){.name = format_text("%s", name), .bytes = (const uint8_t *)bytes, .size = size};
    read_list(zip);
    enter_folder(zip, marker);
    return zip;
}

void zip_free(Zip *zip)
{
    if (!zip)
        return;
    for (ptrdiff_t i = 0; i < arrlen(zip->entries); i++)
        free(zip->entries[i].name);
    arrfree(zip->entries);
    free((void *)zip->bytes);
    free(zip->name);
    free(zip);
}

static const Entry *find(const Zip *zip, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(zip->entries); i++)
        if (!strcmp(zip->entries[i].name, name))
            return &zip->entries[i];
    return NULL;
}

bool zip_has(const Zip *zip, const char *name)
{
    return find(zip, name);
}

/* ---- A file ---- */

/* CRC-32 of PKZIP and gzip. */
static uint32_t check_of(const uint8_t *bytes, size_t size)
{
    uint32_t table[256], check = ~0U;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320 : 0);
    }
    for (size_t i = 0; i < size; i++)
        check = table[(check ^ bytes[i]) & 255] ^ check >> 8;
    return ~check;
}

/* The bytes of a file, which the caller frees. */
static uint8_t *unpack(const Zip *zip, const Entry *entry)
{
    enum { HEADER = 30, ENCRYPTED = 1 };
    const uint8_t *header = part(zip, entry->header, HEADER);
    const size_t begin = entry->header + HEADER + number(header + 26, 2) + number(header + 28, 2);
    const uint8_t *packed = part(zip, begin, entry->packed);
    if (entry->flags & ENCRYPTED)
        die("%s needs a password: zip the run again without one", zip->name);
    if (entry->method != METHOD_STORED && entry->method != METHOD_DEFLATE)
        die("%s: %s is compressed in an unusual way (method %d): zip the run again, or unpack it",
            zip->name, entry->name, entry->method);
    if (entry->size >> 20 >= ZIP_MOST_MB)
        die("%s: %s has %u MB, and from a .zip up to %d MB are read: unpack it", zip->name,
            entry->name, entry->size >> 20, ZIP_MOST_MB);
    /* Two bits become 258 bytes at most: who says more may have the memory for nothing. */
    bool good = entry->method == METHOD_STORED ? entry->size == entry->packed
                                               : entry->size / 1032 <= entry->packed;
    uint8_t *bytes = memory_take(good ? entry->size + 1 : 1);
    if (good && entry->method == METHOD_STORED)
        memcpy(bytes, packed, entry->size);
    else
        good = good && inflate(packed, entry->packed, bytes, entry->size);
    if (!good || check_of(bytes, entry->size) != entry->check)
        die("%s is damaged: %s is not what was zipped", zip->name, entry->name);
    return bytes;
}

int zip_file(const Zip *zip, const char *name, size_t *size)
{
    const Entry *entry = find(zip, name);
    if (!entry)
        die("%s has no %s", zip->name, name);
    AUTOFREE uint8_t *bytes = unpack(zip, entry);
    const int file = system_memory_file();
    *size = entry->size;
    for (size_t done = 0; done < *size;) {
        const ssize_t wrote = file < 0 ? -1 : pwrite(file, bytes + done, *size - done, (off_t)done);
        if (wrote < 0 && errno != EINTR)
            die("cannot read %s from %s: %s", name, zip->name, reason(errno));
        done += wrote < 0 ? 0 : (size_t)wrote;
    }
    lseek(file, 0, SEEK_SET); /* Windows has moved to the end */
    return file;
}
