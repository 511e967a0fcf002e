/* floor.c: the floor is what brute force counts: no model can do better on the training text. */

#include "programs/train/plan/floor.h"
#include "tests/helpers/close.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/patterns.h"

/* A text by lines, cut, for an objective. */
static Corpus cut_for(ObjectiveKind objective, const char *string, bool characters, int context,
                      double held_out)
{
    Tokenizer t;
    Corpus c =
        corpus_for(objective, characters ? TOKENIZER_CHAR : TOKENIZER_WORD, false, string, &t);
    corpus_cut(&c, context, held_out, 1);
    tokenizer_free(&t);
    return c;
}

static Corpus corpus(const char *string, bool characters, int context, double held_out)
{
    return cut_for(OBJECTIVE_NEXT, string, characters, context, held_out);
}

/* The floor for a model of one layer whose head has this pattern. */
static double floor_with(const Corpus *c, Pattern pattern)
{
    int seen;
    return floor_of(c, &pattern, 1, 1, &seen);
}

static const Pattern ALL = W(0);

/* ---- By brute force ---- */

/* Patterns (layers, heads). */
typedef struct {
    const Pattern *patterns;
    int layers, heads;
} Heads;

/* A row of a sequence of `rows`: what it is to predict, and the tokens that it can know of. */
typedef struct {
    int target; /* -1: it does not count */
    int limit;  /* tokens that it sees at most */
    bool *seen; /* (limit) */
    char *from; /* for each layer and head, which token it knows of attends to which */
} Row;

/* Whether a head of some layer gives query q the key k; the heads that do are written. */
static bool layer_attends(Heads heads, int layer, int q, int k, int prefix, FILE *out)
{
    bool attends = false;
    for (int h = 0; h < heads.heads; h++)
        if (pattern_attends(heads.patterns[layer * heads.heads + h], q, k, prefix)) {
            fprintf(out, "%d %d %d %d\n", layer, h, q, k);
            attends = true;
        }
    return attends;
}

/* From the last layer to the first, what the tokens known so far attend to is also known. The token
 * that is hidden is not. */
static void mark_seen(Row *row, Heads heads, int i, int prefix, bool hides)
{
    row->limit = i < prefix ? prefix : i + 1;
    row->seen = calloc((size_t)row->limit, 1);
    row->seen[i] = true;
    size_t size;
    FILE *out = open_memstream(&row->from, &size);
    for (int layer = heads.layers - 1; layer >= 0; layer--) {
        bool *below = calloc((size_t)row->limit, 1);
        for (int q = 0; q < row->limit; q++)
            for (int k = 0; row->seen[q] && k < row->limit; k++)
                below[k] |= layer_attends(heads, layer, q, k, prefix, out);
        free(row->seen);
        row->seen = below;
    }
    fclose(out);
    row->seen[i] = !hides;
}

static Row row_of(const Corpus *c, const int *tokens, int rows, int i, Heads heads)
{
    const Objective *o = &c->objective;
    int separator = 0;
    switch (o->kind) {
    case OBJECTIVE_NEXT: break;
    case OBJECTIVE_PAIRS:
        while (tokens[separator] != o->sep)
            separator++;
        break;
    case OBJECTIVE_TURNS: { /* read from the beginning: whose turn it is */
        bool answers = false;
        for (int k = 0; k <= i; k++)
            answers = tokens[k] == o->sep || (answers && tokens[k] != o->eos);
        Row row = {.target = answers ? tokens[i + 1] : -1};
        mark_seen(&row, heads, i, 0, false);
        return row;
    }
    case OBJECTIVE_MASKED: {
        Row row = {.target = tokens[i] == o->bos || tokens[i] == o->eos ? -1 : tokens[i]};
        mark_seen(&row, heads, i, rows, true);
        return row;
    }
    }
    Row row = {.target = i < separator ? -1 : tokens[i + 1]};
    const bool ahead = o->kind == OBJECTIVE_PAIRS && !o->causal_source;
    mark_seen(&row, heads, i, ahead ? separator + 1 : 0, false);
    return row;
}

/* Whether two rows at the same place know of the same tokens, in the same way. */
static bool alike(const Row *a, const int *tokens_a, const Row *b, const int *tokens_b)
{
    if (strcmp(a->from, b->from) != 0)
        return false;
    if (a->limit != b->limit)
        for (int j = 0; j < a->limit || j < b->limit; j++)
            if ((j < a->limit && a->seen[j]) != (j < b->limit && b->seen[j]))
                return false;
    for (int j = 0; j < a->limit && j < b->limit; j++)
        if (a->seen[j] != b->seen[j] || (a->seen[j] && tokens_a[j] != tokens_b[j]))
            return false;
    return true;
}

/* The loss of a row by the relative frequency of its target among the rows like it. */
static double surprise(const Corpus *c, const int *tokens, Row *const *rows, size_t piece, int i)
{
    const Row *row = &rows[piece][i];
    int seen = 0, followed = 0;
    for (size_t p = 0; p < c->train.count; p++) {
        if (i >= (int)c->train.list[p].length || rows[p][i].target < 0 ||
            !alike(row, tokens + c->train.list[piece].from, &rows[p][i],
                   tokens + c->train.list[p].from))
            continue;
        seen++;
        followed += rows[p][i].target == row->target;
    }
    return -log((double)followed / seen);
}

/* The rows of all pieces to train on. */
static Row **rows_of(const Corpus *c, const int *tokens, Heads heads)
{
    Row **rows = malloc(c->train.count * sizeof *rows);
    for (size_t p = 0; p < c->train.count; p++) {
        const Piece piece = c->train.list[p];
        rows[p] = malloc(piece.length * sizeof **rows);
        for (int i = 0; i < (int)piece.length; i++)
            rows[p][i] = row_of(c, tokens + piece.from, (int)piece.length, i, heads);
    }
    return rows;
}

static void free_rows(const Corpus *c, Row **rows)
{
    for (size_t p = 0; p < c->train.count; p++) {
        for (int i = 0; i < (int)c->train.list[p].length; i++) {
            free(rows[p][i].seen);
            free(rows[p][i].from);
        }
        free(rows[p]);
    }
    free(rows);
}

/* How many tokens a row knows of; *all stays true if those are all that it could. */
static int known_to(const Row *row, bool hides, bool *all)
{
    int known = 0;
    for (int j = 0; j < row->limit; j++)
        known += row->seen[j];
    *all = *all && known + hides == row->limit;
    return known;
}

/* *most becomes the tokens that a row knows of at most, or 0 if each knows of all that it could. */
static double brute_floor_of(const Corpus *c, Heads heads, int *most)
{
    int *tokens = corpus_tokens(c), targets = 0;
    Row **rows = rows_of(c, tokens, heads);
    bool all = true;
    double sum = 0;
    *most = 0;
    for (size_t p = 0; p < c->train.count; p++)
        for (int i = 0; i < (int)c->train.list[p].length; i++) {
            if (rows[p][i].target < 0)
                continue;
            const int known = known_to(&rows[p][i], c->objective.kind == OBJECTIVE_MASKED, &all);
            *most = known > *most ? known : *most;
            sum += surprise(c, tokens, rows, p, i);
            targets++;
        }
    *most = all ? 0 : *most;
    free_rows(c, rows);
    free(tokens);
    assert_int_equal(targets, c->train.targets);
    return sum / targets;
}

/* Models of one to three layers, whose heads may have different patterns. */
static const struct {
    Pattern patterns[6];
    int layers, heads;
} MODELS[] = {
    {{W(0)}, 1, 1},
    {{W(1)}, 1, 1},
    {{W(2)}, 1, 1},
    {{W(1000)}, 1, 1},
    {{STRIDED(2)}, 1, 1},
    {{FIXED(3)}, 1, 1},
    {{SUMMARY(3, 1)}, 1, 1},
    {{SUMMARY(5, 2)}, 1, 1},
    {{W(2), STRIDED(3)}, 1, 2},
    {{W(2), W(2)}, 2, 1},
    {{STRIDED(2), W(2)}, 2, 1},
    {{W(2), STRIDED(2)}, 2, 1},
    {{FIXED(2), SUMMARY(4, 2)}, 2, 1},
    {{SUMMARY(2, 1), FIXED(4)}, 2, 1},
    {{W(1), FIXED(2), STRIDED(3), W(1)}, 2, 2},
    {{W(2), FIXED(2), W(3)}, 3, 1},
    {{STRIDED(2), STRIDED(2), STRIDED(2)}, 3, 1},
    {{W(1), W(2), FIXED(3), W(1), W(1), STRIDED(2)}, 3, 2},
};

/* Returns how many different floors they have: if all were the same, they would prove nothing. */
static int check_models(const Corpus *c)
{
    double floors[sizeof MODELS / sizeof *MODELS];
    int different = 0;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        const Heads heads = {MODELS[i].patterns, MODELS[i].layers, MODELS[i].heads};
        int seen, most;
        floors[i] = floor_of(c, heads.patterns, heads.layers, heads.heads, &seen);
        assert_close_one("the floor", floors[i], brute_floor_of(c, heads, &most), 1e-12);
        assert_int_equal(seen, most);
        assert_true(i == 0 || floors[i] >= floors[0] - 1e-12);
        bool is_new = true;
        for (size_t j = 0; j < i; j++)
            is_new = is_new && fabs(floors[j] - floors[i]) > 1e-9;
        different += is_new;
    }
    int seen;
    assert_close_one("without patterns", floor_of(c, NULL, 2, 2, &seen), floors[0], 1e-12);
    assert_int_equal(seen, 0);
    return different;
}

/* The entropy of the targets that are trained on. */
static double brute_unigram(const Corpus *c)
{
    int *tokens = corpus_tokens(c), counts[64] = {0}, all = 0;
    double sum = 0;
    for (size_t p = 0; p < c->train.count; p++)
        for (size_t i = 1; i <= c->train.list[p].length; i++, all++)
            counts[tokens[c->train.list[p].from + i]]++;
    for (int id = 0; id < 64; id++)
        sum -= counts[id] ? counts[id] * log((double)counts[id] / all) : 0;
    free(tokens);
    return sum / all;
}

/* ---- The nine sentences ---- */

TEST(the_floor_of_the_nine_sentences)
{
    Text text = text_read("data/perro.txt", false);
    Corpus c = corpus(text.clean, false, 40, 0);
    const int words = 15; /* with [bos] and [eos] */
    assert_int_equal(c.train.targets, 48);
    assert_close_one("uniform", log(words), 2.708050, 5e-7);
    assert_close_one("unigram", floor_unigram(&c, words), 2.479451, 5e-7);
    const double floor = floor_with(&c, ALL);
    assert_close_one("the floor", floor, 0.411980, 5e-7);
    assert_close_one("its sum", floor * 48, 19.775021, 5e-7);
    /* By hand: 9 lines begin 5 : 4, and then "el" goes on 2 : 2 : 1, "un" 2 : 1 : 1; the three
     * that fork later do so 1 : 1, for two lines each. */
    const double sum = 9 * log(9) - 5 * log(5) - 4 * log(4) + (5 * log(5) - 4 * log(2)) +
                       (4 * log(4) - 2 * log(2)) + 3 * 2 * log(2);
    assert_close_one("its sum", floor * 48, sum, 1e-12);
    assert_true(check_models(&c) > 3);
    corpus_free(&c);
    text_free(&text);
}

/* ---- Made-up texts ---- */

/* A number below `most`, by a rule without chance. */
static int draw(int most)
{
    static unsigned random = 1;
    random = random * 1103515245u + 12345;
    return (int)((random >> 16) % (unsigned)most);
}

static char *put_words(char *put, int words, int different)
{
    for (int i = 0; i < words; i++)
        put += sprintf(put, "%s%c", i ? " " : "", 'a' + draw(different));
    return put;
}

/* Sources of 1 to 4 words, many of which come again with another target. */
static char *made_up_pairs(int lines)
{
    char *text = malloc((size_t)lines * 20 + 1), *put = text;
    for (int line = 0; line < lines; line++) {
        put = put_words(put, 1 + draw(4), 2);
        *put++ = '\t';
        put = put_words(put, 1 + draw(4), 3);
        *put++ = '\n';
    }
    *put = 0;
    return text;
}

static char *made_up_lines(int lines, int longest)
{
    char *text = malloc((size_t)lines * (size_t)longest * 2 + 1), *put = text;
    for (int line = 0; line < lines; line++) {
        put = put_words(put, 1 + draw(longest), 3);
        *put++ = '\n';
    }
    *put = 0;
    return text;
}

/* Also if a part is held out: only what is trained on counts. */
TEST(the_floor_of_lines_that_are_cut)
{
    static const int contexts[] = {1, 2, 8, 30};
    char *text = made_up_lines(80, 24);
    for (size_t i = 0; i < 4; i++) {
        Corpus c = corpus(text, false, contexts[i], 0.3);
        assert_true(i == 3 || c.lines_cut > 0);
        assert_true(c.held_out.count > 0);
        assert_true(check_models(&c) > (i < 2 ? 0 : 8));
        assert_close_one("unigram", floor_unigram(&c, 9), brute_unigram(&c), 1e-12);
        corpus_free(&c);
    }
    free(text);
}

/* ---- Pairs and hidden tokens ---- */

TEST(the_floor_of_pairs)
{
    char *text = made_up_pairs(250);
    for (int characters = 0; characters < 2; characters++)
        for (int causal = 0; causal < 2; causal++) {
            Corpus c = cut_for(OBJECTIVE_PAIRS, text, characters, 30, causal ? 0.2 : 0);
            c.objective.causal_source = causal;
            assert_true(check_models(&c) > 8);
            corpus_free(&c);
        }
    free(text);
}

/* After a source of two or of four tokens the last word of these targets sees the same: "x", "t",
 * the [sep] or word two before it, ... But how far the tokens of a source see ahead is different,
 * so a model that steps by two knows which target it is in. One whose source is causal does not. */
TEST(the_floor_when_only_the_prefix_differs)
{
    char text[400], *put = text;
    for (int k = 0; k < 8; k++)
        put += sprintf(put, "x a%d\tm n o z\nx a%d q m\to w\n", k, k);
    for (int causal = 0; causal < 2; causal++) {
        Corpus c = cut_for(OBJECTIVE_PAIRS, text, false, 30, 0);
        c.objective.causal_source = causal;
        const Pattern patterns[] = {STRIDED(2), STRIDED(2), STRIDED(2)};
        int seen;
        assert_close_one("the floor", floor_of(&c, patterns, 3, 1, &seen), causal ? log(2) / 4 : 0,
                         1e-12);
        check_models(&c);
        corpus_free(&c);
    }
}

/* Also of conversations that are cut. */
TEST(the_floor_of_answers)
{
    char text[8000], *put = text;
    for (int k = 0; k < 240; k++)
        put += sprintf(put, "A: %c\nB: %c %c\n%s", 'x' + k % 2, 'a' + k / 2 % 2, 'a' + k * k % 3,
                       k % 3 ? "\n" : "");
    for (int characters = 0; characters < 2; characters++)
        for (int context = 8; context <= 40; context += 16) {
            Corpus c = cut_for(OBJECTIVE_TURNS, text, characters, context, characters ? 0.2 : 0);
            assert_true(check_models(&c) > (characters ? 6 : 1));
            corpus_free(&c);
        }
}

TEST(the_floor_of_hidden_tokens)
{
    char *text = made_up_lines(300, 5), *longer = made_up_lines(60, 12);
    for (int characters = 0; characters < 2; characters++) {
        Corpus c = cut_for(OBJECTIVE_MASKED, text, characters, 30, characters ? 0.2 : 0);
        assert_true(check_models(&c) > 8);
        corpus_free(&c);
    }
    for (int context = 1; context < 8; context++) {
        Corpus c = cut_for(OBJECTIVE_MASKED, longer, false, context, 0);
        assert_true(c.lines_cut > 0);
        assert_true(check_models(&c) > (context > 3 ? 8 : 0));
        corpus_free(&c);
    }
    free(text), free(longer);
}

/* In one line, or in the same line again, every next token is certain. */
TEST(a_text_without_choice_has_the_floor_0)
{
    Corpus c = corpus("el perro come\nel perro come\n", false, 8, 0);
    assert_close_one("a certain text", floor_with(&c, ALL), 0, 0);
    assert_close_one("its unigrams", floor_unigram(&c, 5), log(4), 1e-15);
    corpus_free(&c);
    c = corpus("a a a a a\n", false, 8, 0); /* the position tells where it ends */
    assert_close_one("a row of the same", floor_with(&c, (Pattern)W(1)), 0, 0);
    corpus_free(&c);
}

/* A stream's unigrams are those of its targets, without its first token. */
TEST(unigrams_of_a_stream)
{
    Text text = literal_text("a b c c b c b");
    Tokenizer t = literal_tokenizer("a b c c b c b", TOKENIZER_WORD, true);
    Corpus c = corpus_new(&text, &t);
    corpus_cut(&c, 2, 0, 1);
    assert_close_one("unigram", floor_unigram(&c, t.vocabulary.count), log(2), 1e-15);
    corpus_free(&c);
    tokenizer_free(&t);
    text_free(&text);
}
