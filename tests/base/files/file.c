/* file.c: a file is replaced whole or not at all. A directory that was entered stays the same one,
 * whatever becomes of its name; and checksums. Kills are in tests/programs/safety.bats. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "base/parallel/threads.h"
#include "tests/helpers/test.h"

static void assert_holds(const char *path, const void *bytes, size_t size)
{
    AUTOFREE Bytes file = file_read(path, false);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.bytes, bytes, size);
    assert_int_equal(file.bytes[size], 0);
}

/* Replaces folder/name through a handle of its own. */
static bool replace(const char *folder, const char *name, const void *bytes, size_t size)
{
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    const bool good = file_replace(&directory, name, bytes, size);
    return good;
}

/* ---- Reading and replacing ---- */

TEST(a_file_of_any_size_is_read_whole)
{
    SCRATCH(folder);
    AUTOFREE char *bytes = malloc(300000);
    for (size_t i = 0; i < 300000; i++)
        bytes[i] = (char)(i * i % 251);
    static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 65537, 131071, 131072, 300000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        AUTOFREE char *path = scratch_write(folder, "some", bytes, sizes[i]);
        assert_holds(path, bytes, sizes[i]);
    }
}

TEST(the_old_file_stands_until_the_new_one_is_committed)
{
    SCRATCH(folder);
    AUTOFREE char *path = format_text("%s/some", folder);
    assert_true(replace(folder, "some", "a\0b\0", 4));
    assert_holds(path, "a\0b\0", 4);
    assert_true(replace(folder, "some", "", 0));
    assert_holds(path, "", 0);
    assert_true(replace(folder, "some", "older", 3));
    FileWriter writer;
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    assert_true(file_begin(&writer, &directory, "some"));
    assert_int_equal(fwrite("new ones", 1, 8, writer.stream), 8);
    assert_int_equal(fflush(writer.stream), 0);
    assert_holds(path, "old", 3);
    assert_true(file_commit(&writer));
    assert_holds(path, "new ones", 8);
    assert_int_equal(scratch_count(folder), 1);
}

/* Replaces a file where no file may exceed `most` bytes (0: any number); ends with 2 if it cannot.
 * */
static _Noreturn void replace_within(rlim_t most, const char *folder, const char *name, size_t size)
{
    char *bytes = memset(malloc(size), 'n', size);
    signal(SIGXFSZ, SIG_IGN);
    if (most && setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most}))
        _exit(3);
    _exit(replace(folder, name, bytes, size) ? 0 : 2);
}

static void assert_not_replaced(ChildEnd ending, const char *part)
{
    if (ending.signal || ending.status != 2 || ending.lines != 1 || !strstr(ending.said, part))
        fail_msg("wanted a no and one line with '%s'; signal %d, status %d, %d lines: %s", part,
                 ending.signal, ending.status, ending.lines, ending.said);
}

TEST(a_replacement_that_fails_leaves_the_old_file)
{
    SCRATCH(folder);
    AUTOFREE char *path = scratch_write(folder, "some", "old", 3);
    AUTOFREE char *absent = format_text("%s/absent", folder);
    ASSERT_DIES(replace(absent, "some", "x", 1), absent);
    ASSERT_DIES(replace(path, "some", "x", 1), path, "Not a directory");
    /* The disk is full, at the first byte that is written and at the last. */
    assert_not_replaced(APART(replace_within(5000, folder, "some", 100000)), path);
    assert_not_replaced(APART(replace_within(5000, folder, "some", 5001)), path);
    assert_holds(path, "old", 3);
    assert_int_equal(scratch_count(folder), 1);

    AUTOFREE char *taken = format_text("%s/taken", folder);
    AUTOFREE char *inside = format_text("%s/taken/inside", folder);
    directory_make(inside); /* nothing takes a folder's place, and nothing stays beside it */
    assert_not_replaced(APART(replace_within(0, folder, "taken", 9)), taken);
    assert_int_equal(scratch_count(folder), 2);
    assert_int_equal(rmdir(inside) || rmdir(taken), 0);

    assert_int_equal(chmod(folder, 0555), 0);
    assert_not_replaced(APART(if (!getuid() && setuid(65534)) _exit(3); /* without the right */
                              replace_within(0, folder, "some", 9)),
                        folder);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_holds(path, "old", 3);
    assert_int_equal(scratch_count(folder), 1);
}

static Bytes read_some(const char *folder)
{
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    return file_read_in(&directory, "some", true);
}

/* What a pipe, a device or a directory is in the place of a file: named, and never waited for. */
TEST(only_a_file_is_read_from_a_directory)
{
    SCRATCH(folder);
    AUTOFREE char *path = format_text("%s/some", folder);
    ASSERT_DIES(read_some(folder), folder, "has no some");
    assert_int_equal(mkfifo(path, 0600), 0);
    ASSERT_DIES(read_some(folder), path, "is a pipe, not a file");
    assert_int_equal(remove(path) || mkdir(path, 0700), 0);
    ASSERT_DIES(read_some(folder), path, "is a directory, not a file");
    static const char *const links[][2] = {{"/dev/zero", "is a device, not a file"},
                                           {"some", "symbolic links"},
                                           {"nowhere", "No such file"}};
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        assert_int_equal(remove(path) || symlink(links[i][0], path), 0);
        ASSERT_DIES(read_some(folder), path, links[i][1]);
    }
}

/* Two writers of the same file at once: each file that is ever seen is one of theirs, whole, and
 * both succeed. */
TEST(two_writers_at_once_never_mix)
{
    SCRATCH(folder);
    AUTOFREE char *path = format_text("%s/some", folder);
    FileWriter one, two;
    assert_true(file_begin_at(&one, path));
    assert_true(file_begin_at(&two, path));
    assert_int_equal(fwrite("first", 1, 5, one.stream), 5);
    assert_int_equal(fwrite("the second", 1, 10, two.stream), 10);
    assert_true(file_commit(&two));
    assert_holds(path, "the second", 10);
    assert_true(file_commit(&one));
    assert_holds(path, "first", 5);
    assert_int_equal(scratch_count(folder), 1);
}

/* A signal that comes while a file is written ends the program when the file is whole, also if the
 * program has other threads. */
static void be_interrupted(const char *path)
{
    FileWriter writer;
    thread_set_limit(2);
    thread_start();
    if (!file_begin_at(&writer, path))
        _exit(3);
    signal(SIGINT, SIG_DFL); /* a test that runs in the background may have it ignored */
    kill(getpid(), SIGINT);  /* to any thread that does not block it */
    fwrite("whole", 1, 5, writer.stream);
    file_commit(&writer);
    _exit(3); /* the signal has come before */
}

TEST(a_signal_waits_until_the_file_is_whole)
{
    SCRATCH(folder);
    AUTOFREE char *path = format_text("%s/some", folder);
    assert_int_equal(APART(be_interrupted(path)).signal, SIGINT);
    assert_holds(path, "whole", 5);
    assert_int_equal(scratch_count(folder), 1);
}

TEST(a_directory_is_made_with_those_above_it)
{
    SCRATCH(folder);
    AUTOFREE char *deep = format_text("%s/a/b/c", folder);
    directory_make(deep);
    directory_make(deep);
    assert_int_equal(scratch_count(deep), 0);
    AUTOFREE char *file = scratch_write(deep, "file", "", 0), *below = format_text("%s/d", file);
    ASSERT_DIES(directory_make(below), below, "directory");
    AUTOFREE char *slashes = format_text("%s//x///y/", folder),
                  *made = format_text("%s/x/y", folder);
    directory_make(slashes);
    assert_int_equal(scratch_count(made), 0);
}

/* What is written through a handle goes where the directory is now, and never to its successor. */
TEST(a_directory_that_is_moved_stays_the_same)
{
    SCRATCH(folder);
    AUTOFREE char *here = format_text("%s/here", folder), *there = format_text("%s/there", folder);
    directory_make(here);
    FREED_BY(directory_close) Directory entered = directory_open(here);
    assert_int_equal(rename(here, there), 0);
    directory_make(here);
    assert_true(file_replace(&entered, "some", "x", 1));
    assert_true(directory_has(&entered, "some"));
    assert_int_equal(scratch_count(here), 0);
    assert_int_equal(scratch_count(there), 1);
    assert_true(directory_is_same(&entered, ".", there));
    assert_false(directory_is_same(&entered, ".", here));
}

TEST(links_lead_to_the_same_file)
{
    SCRATCH(folder);
    AUTOFREE char *path = scratch_write(folder, "some", "x", 1);
    AUTOFREE char *link = format_text("%s/link", folder), *hard = format_text("%s/hard", folder);
    AUTOFREE char *other = scratch_write(folder, "other", "x", 1);
    assert_int_equal(symlink("some", link), 0);
    assert_int_equal(linkat(AT_FDCWD, path, AT_FDCWD, hard, 0), 0);
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    assert_true(directory_is_same(&directory, "some", path));
    assert_true(directory_is_same(&directory, "some", link));
    assert_true(directory_is_same(&directory, "some", hard));
    assert_false(directory_is_same(&directory, "some", other));
    assert_false(directory_is_same(&directory, "missing", other));
    char **names = directory_names(&directory);
    assert_int_equal(arrlen(names), 4);
    names_free(names);
}

TEST(a_directory_is_not_entered_through_a_link)
{
    SCRATCH(folder);
    AUTOFREE char *inside = format_text("%s/inside", folder),
                  *link = format_text("%s/link", folder);
    directory_make(inside);
    assert_int_equal(symlink("inside", link), 0);
    FREED_BY(directory_close) Directory directory = directory_open(folder), inner;
    assert_false(directory_enter(&inner, &directory, "link"));
    assert_false(directory_enter(&inner, &directory, "missing"));
    assert_true(directory_enter(&inner, &directory, "inside"));
    assert_string_equal(inner.path, inside);
}

static int lock_elsewhere(const char *path)
{
    return APART(FREED_BY(directory_close) Directory directory = directory_open(path);
                 _exit(directory_lock(&directory) ? 0 : 2))
        .status;
}

TEST(a_lock_keeps_other_processes_out_until_it_is_closed)
{
    SCRATCH(folder);
    Directory directory = directory_open(folder);
    assert_int_equal(lock_elsewhere(folder), 0); /* and free again when it has ended */
    assert_true(directory_lock(&directory));
    assert_int_equal(lock_elsewhere(folder), 2);
    directory_close(&directory);
    assert_int_equal(lock_elsewhere(folder), 0);
}

TEST(a_checksum_depends_on_all_that_came_before)
{
    /* as the hash's own test has it */
    assert_string_equal(checksum_hex(checksum_of("", 0)).text, "2d06800538d394c2");
    assert_string_equal(checksum_hex(0xAB).text, "00000000000000ab");
    assert_true(checksum_of("ab", 2) != checksum_of("ba", 2));
    const uint64_t a = checksum_continue(0, "a", 1);
    assert_true(checksum_continue(a, "b", 1) != checksum_continue(a, "c", 1));
    assert_true(checksum_continue(a, "b", 1) != checksum_continue(0, "b", 1));
    Checksum *parts = checksum_begin(a);
    checksum_add(parts, "one ", 4);
    checksum_add(parts, "piece", 5);
    assert_true(checksum_end(parts) == checksum_continue(a, "one piece", 9));
}
