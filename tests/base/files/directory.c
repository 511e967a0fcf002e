/* A directory that was entered stays the same one, whatever becomes of its name; and checksums. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/test.h"

TEST(a_directory_is_made_with_those_above_it)
{
    SCRATCH(folder);
    FREED char *deep = format_text("%s/a/b/c", folder);
    directory_make(deep);
    directory_make(deep);
    assert_int_equal(scratch_count(deep), 0);
    FREED char *file = scratch_write(deep, "file", "", 0), *below = format_text("%s/d", file);
    ASSERT_DIES(directory_make(below), below, "directory");
    FREED char *slashes = format_text("%s//x///y/", folder), *made = format_text("%s/x/y", folder);
    directory_make(slashes);
    assert_int_equal(scratch_count(made), 0);
}

/* What is written through a handle goes where the directory is now, and never to its successor. */
TEST(a_directory_that_is_moved_stays_the_same)
{
    SCRATCH(folder);
    FREED char *here = format_text("%s/here", folder), *there = format_text("%s/there", folder);
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
    FREED char *path = scratch_write(folder, "some", "x", 1);
    FREED char *link = format_text("%s/link", folder), *hard = format_text("%s/hard", folder);
    FREED char *other = scratch_write(folder, "other", "x", 1);
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
    FREED char *inside = format_text("%s/inside", folder), *link = format_text("%s/link", folder);
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
