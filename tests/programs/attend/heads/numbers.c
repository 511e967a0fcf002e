/* numbers.c: .npy, .csv and .json hold the same numbers, in the layout that other programs read. */
#include "tests/helpers/close.h"

#include "programs/attend/heads/heads.h"
#include "tests/helpers/maps.h"

/* Two heads over two tokens: one sees all, one only itself. */
static Heads two_heads(const char *second_word)
{
    Heads heads =
        maps_new(2, 2, (const Pattern[]){W(0), W(1)}, (const char *const[]){"[bos]", second_word});
    memcpy(heads.maps, (const Real[]){1, 0, 0.25, 0.75, 1, 0, 0, 1}, 8 * sizeof(Real));
    heads.run = "ru\"n";
    heads.text = "un </script>";
    return heads;
}

TEST(csv_has_a_line_for_each_pair)
{
    Heads heads = two_heads("a\"b,");
    char *csv = maps_written(numbers_csv, &heads);
    assert_string_equal(csv, NUMBERS_CSV_HEADER "1,1,1,1,\"[bos]\",\"[bos]\",1\n"
                                                "1,1,2,1,\"a\"\"b,\",\"[bos]\",0.25\n"
                                                "1,1,2,2,\"a\"\"b,\",\"a\"\"b,\",0.75\n"
                                                "1,2,1,1,\"[bos]\",\"[bos]\",1\n"
                                                "1,2,2,2,\"a\"\"b,\",\"a\"\"b,\",1\n");
    free(csv);
    heads_free(&heads);
}

/* The second word stands in three rows, in two of them also as the key. */
TEST(csv_is_no_formula)
{
    static const char *const cells[][2] = {
        {"=HYPERLINK(\"http://evil\")", "\"'=HYPERLINK(\"\"http://evil\"\")\","},
        {"+1", "\"'+1\","},
        {"-", "\"'-\","},
        {"@a", "\"'@a\","},
        {"a=1", "\"a=1\","},
        {"", "\"\","},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        Heads heads = two_heads(cells[i][0]);
        char *csv = maps_written(numbers_csv, &heads);
        assert_int_equal(count_parts(csv, cells[i][1]), 5);
        free(csv);
        heads_free(&heads);
    }
}

TEST(csv_displays_what_terminals_obey)
{
    Heads heads = two_heads("\033[31m");
    free(heads.display[1]);
    heads.display[1] = format_text("U+001B[31m");
    char *csv = maps_written(numbers_csv, &heads);
    assert_null(strchr(csv, '\033'));
    assert_non_null(strstr(csv, "\"U+001B[31m\""));
    free(csv);
    heads_free(&heads);
}

TEST(json_has_everything)
{
    Heads heads = two_heads("a\"b,\n");
    char *json = maps_written(numbers_json, &heads);
    assert_string_equal(
        json, "{\"run\": \"ru\\\"n\",\n\"text\": \"un \\u003c/script\\u003e\",\n"
              "\"tokens\": [\"[bos]\", \"a\\\"b,\\u000a\"],\n\"source\": 0,\n\"layers\": "
              "[1],\n\"heads\": [1, 2],\n"
              "\"patterns\": [[\"all\", \"window 1\"]],\n"
              "\"summary\": [[{\"entropy_bits\": 0.405639, \"back\": 0.125, \"itself\": 0.875, "
              "\"before\": 0.25, \"after\": null, \"bos\": 0.25}, {\"entropy_bits\": 0, \"back\": "
              "0, \"itself\": 1, "
              "\"before\": 0, \"after\": null, \"bos\": 0}]],\n"
              "\"ranges\": [[[[[1,1]],[[1,2]]], [[[1,1]],[[2,2]]]]],\n"
              "\"weights\": [[[[1,0],[0.25,0.75]], [[1,0],[0,1]]]]\n}\n");
    free(json);
    heads_free(&heads);
}

TEST(json_lists_every_range)
{
    Heads heads = maps_new(4, 1, (const Pattern[]){STRIDED(2)}, NULL);
    char *json = maps_written(numbers_json, &heads);
    assert_non_null(strstr(json, "\"ranges\": [[[[[1,1]],[[2,2]],[[1,1],[3,3]],[[2,2],[4,4]]]]]"));
    free(json);
    char *csv = maps_written(numbers_csv, &heads);
    assert_int_equal(count_parts(csv, "\n"), 1 + 1 + 1 + 2 + 2);
    assert_null(strstr(csv, "\n1,1,3,2,"));
    free(csv);
    heads_free(&heads);
}

TEST(npy_begins_with_its_shape)
{
    char *bytes;
    size_t size;
    FILE *out = memory_stream(&bytes, &size);
    npy_begin(out, (const int[]){1, 1, 2, 3});
    npy_numbers(out, (const Real[]){0, 1, 2, 3, 4, -0.5}, 6);
    fclose(out);
    const char wanted[] = "\x93NUMPY\1\0\x76\0"
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 3), }";
    assert_memory_equal(bytes, wanted, sizeof wanted - 1);
    assert_int_equal(size, 128 + 24);
    assert_int_equal(bytes[127], '\n');
    for (size_t i = sizeof wanted - 1; i < 127; i++)
        assert_int_equal(bytes[i], ' ');
    assert_memory_equal(bytes + 128, ((const float[]){0, 1, 2, 3, 4, -0.5f}), 24);
    free(bytes);

    out = memory_stream(&bytes, &size);
    npy_begin(out, (const int[]){1000, 1000, 100000000, 100000000});
    fclose(out);
    assert_non_null(strstr(bytes + 10, "(1000, 1000, 100000000, 100000000), }"));
    assert_int_equal(size % 64, 0);
    free(bytes);
}

TEST(npy_holds_whole_maps)
{
    Heads heads = two_heads("a");
    char *bytes = maps_written(numbers_npy, &heads);
    assert_non_null(strstr(bytes + 10, "'shape': (1, 2, 2, 2)"));
    assert_memory_equal(bytes + 128, ((const float[]){1, 0, 0.25f, 0.75f, 1, 0, 0, 1}), 32);
    free(bytes);
    heads_free(&heads);
}
