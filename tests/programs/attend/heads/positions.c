/* positions.c: the cosines of position vectors against the plain definition, in every form in which
 * they are written. */
#include "tests/helpers/cases.h"
#include "tests/helpers/close.h"

#include "programs/attend/heads/figure.h"
#include "programs/pictures/svg.h"
#include "tests/helpers/maps.h"
#include "tests/helpers/test.h"

/* A new model of which only the positions matter. */
static Gpt model_of(int context, int width, PositionKind kind)
{
    Gpt gpt = gpt_new(&(GptConfig){SIZES(context, 1, 1, 1, width, 1, 2), .positions = kind}, 1);
    gpt_init(&gpt, 1);
    return gpt;
}

static double cosine(const Gpt *gpt, int i, int j)
{
    const int C = gpt->config.width;
    const Real *a = ROW(gpt->weights.embedding.wpe, i, C),
               *b = ROW(gpt->weights.embedding.wpe, j, C);
    double product = 0, a_squares = 0, b_squares = 0;
    for (int c = 0; c < C; c++) {
        product += (double)a[c] * (double)b[c];
        a_squares += (double)a[c] * (double)a[c];
        b_squares += (double)b[c] * (double)b[c];
    }
    return product / sqrt(a_squares * b_squares);
}

static char *written(void (*write)(FILE *out, const Positions *positions), const Positions *p)
{
    capture_begin();
    write(stdout, p);
    return capture_end();
}

/* Between rotary positions stand the angles' differences: here two pairs, theta 3. */
TEST(rotary_cosines_are_those_of_the_angles)
{
    GptConfig config = {SIZES(9, 1, 1, 4, 6, 1, 2), .positions = POSITIONS_ROTARY};
    FREED_BY(gpt_free) Gpt gpt = gpt_new(&config, 1);
    FREED_BY(positions_free) Positions p = positions_read(&gpt, "run");
    assert_false(p.varies);
    for (int d = 0; d < 9; d++)
        assert_close_one("the mean", p.distance[d].mean, (cos(d) + cos(d / sqrt(3))) / 2, 1e-6);
    AUTOFREE char *title = positions_title(&p);
    assert_string_equal(title, "9 rotary positions in heads of 4");
}

/* Sinusoids differ by their distance only, unless the width is odd: then the last sine has no
 * cosine beside it. */
TEST(cosines_are_told_by_their_distance)
{
    static const struct {
        int context, width;
        PositionKind kind;
        bool varies;
    } cases[] = {{20, 16, 0, false}, {20, 3, 0, true}, {9, 5, 1, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Gpt gpt = model_of(cases[c].context, cases[c].width, cases[c].kind);
        Positions p = positions_read(&gpt, "run");
        assert_int_equal(p.kind, cases[c].kind);
        assert_int_equal(p.varies, cases[c].varies);
        for (int d = 0; d < cases[c].context; d++) {
            double sum = 0, least = 1, most = -1;
            for (int i = 0; i + d < cases[c].context; i++) {
                const double now = cosine(&gpt, i, i + d);
                sum += now;
                least = fmin(least, now);
                most = fmax(most, now);
            }
            assert_close_one("the mean", p.distance[d].mean, sum / (cases[c].context - d), 1e-6);
            assert_close_one("the least", p.distance[d].least, least, 1e-6);
            assert_close_one("the most", p.distance[d].most, most, 1e-6);
        }
        positions_free(&p);
        gpt_free(&gpt);
    }
}

/* The next number of a text. */
static double next_number(char **at)
{
    *at += strcspn(*at, "-0123456789");
    return strtod(*at, at);
}

TEST(every_pair_is_written)
{
    enum { T = 4 };
    Gpt gpt = model_of(T, 6, POSITIONS_LEARNED);
    Positions p = positions_read(&gpt, "a \"run\"");
    char *csv = written(positions_csv, &p), *json = written(positions_json, &p);
    assert_memory_equal(csv, POSITIONS_CSV_HEADER, strlen(POSITIONS_CSV_HEADER));
    assert_int_equal(count_parts(csv, "\n"), 1 + T * T);
    assert_int_equal(count_parts(json, "{\"run\": \"a \\\"run\\\"\",\n\"positions\": \"learned\""),
                     1);
    assert_int_equal(count_parts(json, "\"mean\""), T);
    char *in_csv = csv, *in_json = json;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            assert_int_equal(next_number(&in_csv), i + 1);
            assert_int_equal(next_number(&in_csv), j + 1);
            assert_int_equal(next_number(&in_csv), abs(i - j));
            const double number = next_number(&in_csv);
            assert_close_one("in .csv", number, cosine(&gpt, i, j), 1e-6);
            assert_close_one("in .json", next_number(&in_json), number, 0);
        }
    free(csv);
    free(json);
    positions_free(&p);
    gpt_free(&gpt);
}

/* A figure has a cell for each pair, up to 128 along each side; beside them there are 66 others:
 * the ground, that of the hatching, and the scale. */
TEST(a_figure_of_few_and_of_many)
{
    static const int counts[][2] = {{1, 1}, {8, 8}, {128, 128}, {129, 65}, {1000, 125}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int learned = 0; learned < 2; learned++) {
            Gpt gpt = model_of(counts[i][0], 4, learned);
            Positions p = positions_read(&gpt, "<b>");
            char *figure = written(positions_figure, &p);
            assert_memory_equal(figure, SVG_BEGIN, strlen(SVG_BEGIN));
            assert_int_equal(count_parts(figure, "<rect "), counts[i][1] * counts[i][1] + 66);
            assert_int_equal(count_parts(figure, "<g"), count_parts(figure, "</g>"));
            assert_int_equal(count_parts(figure, "&lt;b&gt;"), 1);
            assert_int_equal(count_parts(figure, "nan"), 0);
            assert_int_equal(count_parts(figure, "#c9d7ea"), learned && counts[i][0] > 1);
            assert_int_equal(count_parts(figure, "is drawn"), counts[i][0] > 128);
            free(figure);
            positions_free(&p);
            gpt_free(&gpt);
        }
}

TEST(a_vector_of_zeros_has_no_direction)
{
    Gpt gpt = model_of(3, 4, true);
    memset(ROW(gpt.weights.embedding.wpe, 1, 4), 0, 4 * sizeof(Real));
    Positions p = positions_read(&gpt, "run");
    assert_close_one("the mean", p.distance[0].mean, 2 / 3.0, 1e-6);
    assert_close_one("the mean", p.distance[1].mean, 0, 0);
    positions_free(&p);
    gpt_free(&gpt);
}
