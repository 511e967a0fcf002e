/* heads_file.c: the ending chooses the kind of a file, and files of others are not replaced. */
#include "tests/helpers/close.h"

#include "base/files/file.h"
#include "programs/attend/heads_file.h"
#include "tests/helpers/maps.h"
#include "tests/helpers/model_directory.h"
#include "tests/helpers/scratch.h"

static void check(void *path)
{
    heads_file_check(path, SHOWS_HEADS);
}

TEST(the_ending_chooses_the_kind)
{
    static char *const known[] = {"a.html", "a.SVG", "d.x/a.npy", ".csv", "a.b.json"};
    static char *const unknown[] = {"a",    "a.pdf",     "a.html/b", "a.html/",
                                    "html", "a.html.gz", "",         "/dev/stdout"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        check(known[i]);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const ChildEnd ending = run_apart(check, unknown[i]);
        assert_int_equal(ending.status, 64);
        assert_non_null(strstr(ending.said, ".html"));
    }
}

TEST(only_files_of_its_own_are_replaced)
{
    static const char *const endings[] = {"html", "svg", "npy", "csv", "JSON"};
    char *folder = scratch_new(), *run = scratch_new();
    Heads heads = maps_new(3, 1, (const Pattern[]){W(0)}, NULL);
    Pretrained written = write_model(run, PLAIN), model = pretrained_open(run);
    const PageSource source = {.model = &model};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = format_text("%s/a.%s", folder, endings[i]);
        for (int times = 0; times < 2; times++) {
            check(path);
            assert_true(heads_file_write(path, &heads, &source));
        }
        free(path);
        path = format_text("%s/empty.%s", folder, endings[i]);
        free(scratch_write(folder, strrchr(path, '/') + 1, "", 0));
        check(path);
        free(path);
        path = format_text("%s/foreign.%s", folder, endings[i]);
        free(scratch_write(folder, strrchr(path, '/') + 1, "{\"a\": 1}\n", 9));
        assert_dies(check, path, "foreign", "not written by attend");
        free(path);
    }
    assert_int_equal(scratch_count(folder), 15); /* and nothing temporary */
    heads_free(&heads);
    pretrained_close(&model);
    free_model(&written);
    scratch_remove(folder);
    scratch_remove(run);
}

typedef struct {
    const char *path;
    const Heads *heads;
} Call;

static void write_file(void *call)
{
    heads_file_write(((Call *)call)->path, ((Call *)call)->heads, NULL);
}

TEST(too_much_for_a_picture_is_refused)
{
    char *folder = scratch_new(), *path = format_text("%s/a.svg", folder);
    Heads heads = maps_new(600, 1, (const Pattern[]){W(0)}, NULL);
    Call call = {path, &heads};
    assert_dies(write_file, &call, "600 tokens", ".svg", "--layer and --head");
    assert_int_equal(scratch_count(folder), 0);
    heads_free(&heads);
    free(path);
    scratch_remove(folder);
}
