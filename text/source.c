/* source.c: the files are read as one row of bytes, which is cut into chunks of about a megabyte;
 * some chunks at a time are cleaned on all threads. What no file holds but can only be read once, a
 * pipe, is kept in memory if it is small, else in a temporary file. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/files/store.h"
#include "base/parallel/threads.h"
#include "base/system/system.h"
#include "base/utf8.h"

enum { CHUNK = 1 << 20, CHUNKS_A_THREAD = 4, MOST_CHUNKS = 64 };

/* A file is open while it is read: there may be more of them than can be open at once. Standard
 * input stays open. */
typedef struct {
    char *name;
    bool standard;           /* it is standard input */
    size_t size;             /* when it was opened first */
    struct timespec changed; /* likewise */
    int file;                /* -1: not open */
    bool piped;              /* a pipe, whose bytes are in the store */
    Store store;
} SourceFile;

/* A chunk that was read: its checksum, and whether it is clean as it is. */
typedef struct {
    uint64_t sum;
    bool clean;
} SeenChunk;

struct Source {
    SourceRules rules;
    char *name;
    SourceFile *files; /* stb_ds arrays */
    TextPart *parts;   /* of several files: those that were begun are known */
    size_t size;       /* of all files */
    size_t clean;      /* of all files, once they were read; `passed` in this pass */
    size_t passed;
    bool large;
    size_t chunk; /* its bytes, about; of a small text, which is one chunk, more than it has */

    /* While it is read: */
    size_t file, offset;     /* where the next bytes are */
    size_t read, read_lines; /* bytes that were read, and line ends among them */
    char last, line_end;     /* the last byte */
    TextCut cut;
    size_t lines, columns; /* before the next chunk: see text.h */
    Bytes rest;            /* read, but not in a chunk yet */
    Checksum *sum;         /* of the bytes so far */
    Text *chunks;          /* (most) that of a small text stays */
    int count, most;       /* count: those that were given last */
    SeenChunk *seen;       /* stb_ds array: of each chunk, when it was read first */
    size_t number;         /* of the first chunk of those */
    TextCut seen_cut;
    bool known;        /* a pass has come to its end: the checksum is known */
    uint64_t checksum; /* of all bytes */
};

/* ---- Opening ---- */

/* Keeps the bytes of a pipe: the first ones in memory; if there are more, all of them in a file. */
static Store keep_pipe(const char *name, int pipe, size_t large)
{
    char *bytes = memory_take(CHUNK);
    Store store = store_in_memory();
    for (;;) {
        const ssize_t got = read(pipe, bytes, CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            die("cannot read %s: %s", name, reason(errno));
        if (!got)
            break;
        file_check_text(name, bytes, (size_t)got, store.size);
        if (store.file < 0 && store.size + (size_t)got > large) {
            Store file = store_in_temporary_file(name);
            store_put(&file, store.at, store.size);
            store_free(&store);
            store = file;
        }
        store_put(&store, bytes, (size_t)got);
    }
    free(bytes);
    return store;
}

static struct stat open_file(SourceFile *f)
{
    struct stat status;
    if (f->file < 0)
        f->file =
            f->standard ? system_duplicate(STDIN_FILENO) : open(f->name, O_RDONLY | O_CLOEXEC);
    if (f->file < 0 || fstat(f->file, &status))
        die("cannot open %s: %s", f->name, reason(errno));
    return status;
}

static void close_file(SourceFile *f)
{
    if (f->file >= 0)
        close(f->file);
    f->file = -1;
}

static SourceFile file_of(const char *path, size_t large)
{
    const bool standard = !strcmp(path, "-");
    SourceFile f = {.name = format_text("%s", standard ? _("standard input") : path),
                    .standard = standard,
                    .file = -1};
    const struct stat status = open_file(&f);
    if (S_ISDIR(status.st_mode))
        die("%s is a directory, and a text is a file: name the files in it, or --resume a run",
            f.name);
    f.size = (size_t)status.st_size;
    f.changed = status.st_mtim;
    f.piped = !S_ISREG(status.st_mode) || !f.size || lseek(f.file, 0, SEEK_CUR) != 0;
    if (f.piped) {
        f.store = keep_pipe(f.name, f.file, large);
        f.size = f.store.size;
    }
    if (f.piped || !standard)
        close_file(&f);
    return f;
}

/* "a.txt, b.txt", or "a.txt and 211 more". */
static char *name_of(const SourceFile *files)
{
    enum { MOST_NAMES = 3 };
    const size_t count = arrlenu(files);
    char *name = NULL;
    if (count > MOST_NAMES)
        return format_text(_("%s and %zu more"), files[0].name, count - 1);
    for (size_t i = 0; i < count; i++)
        extend_text(&name, "%s%s", i ? ", " : "", files[i].name);
    return name;
}

/* ---- Bytes ---- */

/* The matches among a few bytes fit in one byte, so that the compiler compares many at once. */
static size_t count_bytes(const char *bytes, size_t size, char wanted)
{
    enum { FEW = 128 };
    size_t count = 0, i = 0;
    for (; i + FEW <= size; i += FEW) {
        unsigned char among = 0;
        for (int j = 0; j < FEW; j++)
            among += bytes[i + (size_t)j] == wanted;
        count += among;
    }
    for (; i < size; i++)
        count += bytes[i] == wanted;
    return count;
}

/* Bytes of the file that is being read, from the place that it has come to; 0 at its end. What is
 * appended to a file meanwhile is not read. */
static size_t read_file(SourceFile *f, size_t offset, char *out, size_t room)
{
    const size_t left = f->size - offset, count = left < room ? left : room;
    ssize_t got;
    if (!f->piped)
        open_file(f);
    if (f->piped && f->store.file < 0) {
        if (count) /* of no bytes there may be no address */
            memcpy(out, f->store.at + offset, count);
        return count;
    }
    do
        got = pread(f->piped ? f->store.file : f->file, out, count, (off_t)offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        die("cannot read %s: %s", f->name, reason(errno));
    return (size_t)got;
}

/* Goes on to the next file. Returns whether a line end is to be put before it. */
static bool next_file(Source *s)
{
    if (!s->offset)
        die("%s is empty", s->files[s->file].name);
    if (!s->files[s->file].standard)
        close_file(&s->files[s->file]);
    s->file++;
    s->offset = 0;
    return s->last != '\n' && s->file < arrlenu(s->files);
}

/* The next bytes of all files, at most `room`, which is at least 3; 0 at the end. */
static size_t read_some(Source *s, char *out, size_t room)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* the byte order mark of the first file stays */
    size_t got = 0;
    while (!got && s->file < arrlenu(s->files)) {
        SourceFile *f = &s->files[s->file];
        if (!s->offset && arrlenu(s->files) > 1 && arrlenu(s->parts) == s->file)
            arrput(s->parts, ((TextPart){f->name, s->read_lines}));
        got = read_file(f, s->offset, out, room);
        file_check_text(f->name, out, got, s->offset);
        const size_t skipped = s->file && !s->offset && got >= 3 && !memcmp(out, mark, 3) ? 3 : 0;
        s->offset += got;
        got -= skipped;
        if (skipped)
            memmove(out, out + skipped, got);
        if (!got && !skipped && next_file(s))
            out[got++] = '\n';
    }
    if (!s->read)
        s->line_end = arrlenu(s->files) > 1 ? '\n' : text_line_end(out, got);
    if (got)
        s->last = out[got - 1];
    s->read += got;
    if (arrlenu(s->files) > 1)
        s->read_lines += count_bytes(out, got, s->line_end);
    return got;
}

/* ---- Chunks ---- */

/* Whether the code point before a place is white space, or there is none. */
static bool after_space(const char *bytes, const char *at)
{
    const char *before = at;
    while (before > bytes && ((unsigned char)*--before & 0xC0) == 0x80)
        ;
    return before == at || is_space(utf8_next(&before, at));
}

/* Whether white space has no line end up to something else, which is seen whole. */
static bool ends_lines(const char *at, const char *end)
{
    while (at < end) {
        const int32_t c = utf8_next(&at, end);
        if (c == '\n' || c == '\r' || !is_space(c))
            return c >= 0 && c != '\n' && c != '\r';
    }
    return false;
}

/* Where the first part of some bytes can end; 0: nowhere. By lines it is after the last line end of
 * the last white space that has one; else before the last line end that follows something else than
 * white space and, if conversations must stay whole, comes before a blank line; or, if there is
 * none in a stream, before such a space. */
static size_t find_cut(const Source *s, const char *bytes, size_t size)
{
    size_t space = 0;
    for (size_t at = size - 1; at > 0; at--) {
        const bool ends = bytes[at] == s->line_end;
        if (!ends && (bytes[at] != ' ' || space || s->cut))
            continue;
        if (s->cut == CUT_LINES || s->cut == CUT_SIDES) {
            if (ends_lines(bytes + at + 1, bytes + size))
                return at + 1;
            continue;
        }
        const size_t from = ends && bytes[at] == '\n' && bytes[at - 1] == '\r' ? at - 1 : at;
        if (after_space(bytes, bytes + from) ||
            (s->cut == CUT_TURNS && (at + 1 == size || !strchr("\r\n", bytes[at + 1]))))
            continue;
        if (ends)
            return from;
        space = from;
    }
    return space;
}

/* Room for `size` bytes or, if there are more, for these; and for those that read_some() may put
 * after them, and a 0. */
static void make_room(Bytes *raw, size_t size)
{
    raw->bytes = memory_resize(raw->bytes, (raw->size > size ? raw->size : size) + 4);
}

/* Reads until `raw` has `size` bytes, or to the end of the text; false if that is reached. */
static bool fill(Source *s, Bytes *raw, size_t size)
{
    make_room(raw, size);
    while (raw->size < size) {
        const size_t room = size - raw->size,
                     got = read_some(s, raw->bytes + raw->size, room < 3 ? 3 : room);
        if (!got)
            return false;
        raw->size += got;
    }
    return true;
}

/* How many characters stand after the last line end of a chunk; `columns` if it has none. */
static size_t columns_after(const Source *s, Bytes raw, size_t columns)
{
    const char *end = raw.bytes + raw.size, *at = end;
    while (at > raw.bytes && at[-1] != s->line_end)
        at--;
    columns = at > raw.bytes ? 0 : columns;
    for (; at < end; at++)
        columns += ((unsigned char)*at & 0xC0) != 0x80;
    return columns;
}

/* The next chunk, not clean yet, in the memory of an earlier one; false if there is none.
 * What is read after its end waits for the next one. */
static bool read_chunk(Source *s, Text *chunk)
{
    Bytes raw = {chunk->raw.bytes, s->rest.size};
    size_t cut = 0;
    bool more = true;
    make_room(&raw, s->chunk);
    if (s->rest.size) /* of no bytes there may be no address */
        memcpy(raw.bytes, s->rest.bytes, s->rest.size);
    for (size_t size = s->chunk; more && !cut; size *= 2) {
        more = fill(s, &raw, size);
        cut = more ? find_cut(s, raw.bytes, raw.size) : raw.size;
    }
    s->rest.size = raw.size - cut;
    s->rest.bytes = memory_resize(s->rest.bytes, s->rest.size + 1);
    memcpy(s->rest.bytes, raw.bytes + cut, s->rest.size);
    raw.size = cut;
    raw.bytes[cut] = 0;
    checksum_add(s->sum, raw.bytes, raw.size);
    *chunk = (Text){.name = s->name,
                    .parts = s->parts,
                    .part_count = arrlenu(s->parts),
                    .raw = raw,
                    .line_end = s->line_end,
                    .lines = s->lines,
                    .columns = s->columns};
    s->lines += count_bytes(raw.bytes, raw.size, s->line_end);
    s->columns = columns_after(s, raw, s->columns);
    return raw.size > 0;
}

/* Names the file that seems to have changed since it was opened, if there are several. */
static _Noreturn void die_of_change(const Source *s)
{
    const char *name = s->name;
    for (size_t i = 0; i < arrlenu(s->files) && name == s->name; i++) {
        const SourceFile *f = &s->files[i];
        struct stat now;
        if (!f->piped && !f->standard && !stat(f->name, &now) &&
            memcmp(&now.st_mtim, &f->changed, sizeof now.st_mtim) != 0)
            name = f->name;
    }
    die("%s changed while it was read; begin again when nobody writes to it", name);
}

/* Cleans a chunk, whose number is this. One that is known to be clean, in either form but lower
 * case, has not changed, or read_chunks() dies of that. Returns NULL, or what is wrong. */
static char *clean_chunk(const Source *s, Text *chunk, size_t number)
{
    if (s->rules.form == TEXT_LOWER || number >= arrlenu(s->seen) || !s->seen[number].clean)
        return text_clean_raw(chunk, s->rules.form);
    chunk->clean = chunk->raw.bytes;
    chunk->size = chunk->raw.size;
    return NULL;
}

/* Reads and cleans chunks, one on each thread; dies at the first of them that is wrong. A pass by
 * lines has other chunks than one that is not. */
static void read_chunks(Source *s)
{
    char *wrong[MOST_CHUNKS] = {NULL};
    SeenChunk seen[MOST_CHUNKS] = {{0}};
    if (!s->number && s->seen_cut != s->cut)
        arrsetlen(s->seen, 0);
    s->seen_cut = s->cut;
    s->count = 0;
    OMP(parallel for ordered schedule(static, 1) if (s->most > 1))
    for (int i = 0; i < s->most; i++) {
        bool there;
        Text *chunk = &s->chunks[i];
        text_free_clean(chunk);
        OMP(ordered)
        {
            there = read_chunk(s, chunk);
            s->count += there;
        }
        if (!there)
            continue;
        wrong[i] = clean_chunk(s, chunk, s->number + (size_t)i);
        seen[i] = (SeenChunk){checksum_of(chunk->raw.bytes, chunk->raw.size),
                              chunk->clean == chunk->raw.bytes};
    }
    /* Dies if a chunk is not what it was when the text was read first: its words would be blamed
     * else. */
    for (int i = 0; i < s->count; i++, s->number++)
        if (s->number == arrlenu(s->seen))
            arrput(s->seen, seen[i]);
        else if (s->seen[s->number].sum != seen[i].sum)
            die_of_change(s);
    for (int i = 0; i < s->count; i++) {
        if (wrong[i])
            die("%s", wrong[i]);
        s->passed += s->chunks[i].size;
    }
}

/* Begins to read a text, the first time or again. */
static void begin_pass(Source *s)
{
    s->file = s->offset = s->read = s->read_lines = s->lines = s->columns = s->rest.size =
        s->number = s->passed = 0;
    s->sum = checksum_begin(0);
}

static void end_pass(Source *s)
{
    const uint64_t checksum = checksum_end(s->sum);
    if (s->known && checksum != s->checksum)
        die_of_change(s);
    s->known = true;
    s->checksum = checksum;
    s->size = s->read;
    s->clean = s->passed;
    begin_pass(s);
}

const Text *source_next(Source *s, TextCut cut, const char *doing, int *count)
{
    if (!s->large) {
        *count = s->count = !s->count;
        return s->count ? s->chunks : NULL;
    }
    s->cut = cut;
    read_chunks(s);
    *count = s->count;
    if (!s->count) {
        end_pass(s);
        return NULL;
    }
    if (s->rules.watch)
        s->rules.watch(s->rules.watcher, doing, (double)s->read / (double)s->size);
    return s->chunks;
}

/* ---- The whole ---- */

/* A small text is cleaned at once. */
void source_set_form(Source *s, TextForm form)
{
    if (form == s->rules.form)
        return;
    s->rules.form = form;
    if (s->large)
        return;
    text_free_clean(s->chunks);
    char *wrong = text_clean_raw(s->chunks, form);
    if (wrong)
        die("%s", wrong);
    s->clean = s->chunks->size;
}

Source *source_open(char *const *paths, SourceRules rules)
{
    Source *s = memory_new(1, sizeof *s, "a text");
    s->rules = rules;
    for (int i = 0, standard = 0; paths[i]; i++)
        if (!strcmp(paths[i], "-") && standard++)
            usage_error("- is standard input, which can be read only once");
    for (; *paths; paths++) {
        const SourceFile file = file_of(*paths, rules.large);
        s->size += file.size;
        arrput(s->files, file);
    }
    s->name = name_of(s->files);
    arrsetcap(s->parts, arrlenu(s->files)); /* it stays where it is while chunks are cleaned */
    s->large = s->size > rules.large;
    s->chunk = s->large ? CHUNK : s->size + arrlenu(s->files) + 1;
    s->most = s->large ? min_int(CHUNKS_A_THREAD * thread_limit(), MOST_CHUNKS) : 1;
    s->chunks = memory_new((size_t)s->most, sizeof *s->chunks, "a text");
    begin_pass(s);
    if (!s->large) {
        read_chunks(s);
        end_pass(s);
        s->count = 0;
    }
    return s;
}

Source *source_of(const Text *text)
{
    Source *s = memory_new(1, sizeof *s, "a text");
    s->name = text->name;
    s->chunks = memory_new(1, sizeof *s->chunks, "a text");
    *s->chunks = *text;
    s->most = 1;
    s->size = text->raw.size;
    s->clean = text->size;
    s->checksum = text->checksum;
    s->known = true;
    return s;
}

void source_free(Source *s)
{
    for (int i = 0; i < s->most; i++)
        text_free_bytes(&s->chunks[i]);
    for (ptrdiff_t i = 0; i < arrlen(s->files); i++) {
        free(s->files[i].name);
        close_file(&s->files[i]);
        if (s->files[i].piped)
            store_free(&s->files[i].store);
    }
    if (s->sum)
        checksum_end(s->sum);
    arrfree(s->files);
    arrfree(s->parts);
    arrfree(s->seen);
    free(s->rest.bytes);
    free(s->chunks);
    free(s->name);
    free(s);
}

const char *source_name(const Source *s)
{
    return s->name;
}

const Text *source_text(const Source *s)
{
    return s->large ? NULL : s->chunks;
}

size_t source_size(const Source *s)
{
    return s->size;
}

uint64_t source_checksum(const Source *s)
{
    return s->checksum;
}

size_t source_clean_size(Source *s)
{
    int count;
    while (!s->known && source_next(s, false, "reading", &count))
        ;
    return s->clean;
}
