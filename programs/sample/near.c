/* near.c: all in double and in order, so that every machine prints the same digits. */
#include "near.h"

#include "base/utf8.h"

/* ---- The cosines ---- */

/* x (V, C): the embeddings without their mean. */
static double *centred(const Gpt *gpt)
{
    const int V = gpt->config.vocabulary, C = gpt->config.width;
    const Real *wte = gpt->weights.embedding.wte;
    double *x = memory_new((size_t)V * (size_t)C, sizeof *x, "the vocabulary");
    for (int c = 0; c < C; c++) {
        double mean = 0;
        for (int id = 0; id < V; id++)
            mean += (double)ROW(wte, id, C)[c] / V;
        for (int id = 0; id < V; id++)
            ROW(x, id, C)[c] = (double)ROW(wte, id, C)[c] - mean;
    }
    return x;
}

static double dot(const double *a, const double *b, int C)
{
    double sum = 0;
    for (int c = 0; c < C; c++)
        sum += a[c] * b[c];
    return sum;
}

/* cosines (V): of a token with all. A row of zeros has no direction: its cosines are 0. */
static void find_cosines(const Gpt *gpt, int id, double *cosines)
{
    const int V = gpt->config.vocabulary, C = gpt->config.width;
    AUTOFREE double *x = centred(gpt);
    const double *own = ROW(x, id, C);
    for (int other = 0; other < V; other++) {
        const double *row = ROW(x, other, C), norms = sqrt(dot(own, own, C) * dot(row, row, C));
        cosines[other] = norms > 0 ? dot(own, row, C) / norms : 0;
    }
}

/* ---- The word ---- */

/* The token of a word as it is written, or in lower case, or of subwords with the space before
 * it. */
static int token_of(const Tokenizer *t, const char *word)
{
    AUTOFREE char *spaced = format_text(" %s", word);
    int id = tokenizer_find(t, word), count = 0;
    if (id < 0 && t->kind == TOKENIZER_BPE)
        id = tokenizer_find(t, spaced);
    if (id >= 0)
        return id;
    AUTOFREE char *parts = format_text("%s", ""); /* the subwords, with commas between them */
    Encoding e = prompt_encode(t, "--near", word, strlen(word));
    for (int i = 0; i < e.count; i++) {
        const bool is_text = tokenizer_is_text(t, e.ids[i]);
        if (!is_text && e.ids[i] != t->unk)
            continue;
        AUTOFREE char *part = display_token(tokenizer_word(t, e.ids[i]));
        if (is_text)
            extend_text(&parts, "%s%s", *parts ? ", " : "", part);
        id = e.ids[i];
        count++;
    }
    if (!e.wrong && count == 1 && id == t->unk)
        e.wrong = tokenizer_unknown(t, "--near", (Span){word, word + strlen(word)});
    if (e.wrong)
        die("%s", e.wrong);
    if (!count)
        die("--near needs one token; '%s' has none", word);
    if (count != 1)
        die("--near needs one token; '%s' is %d %s: %s", word, count,
            translated(tokenizer_units(t->kind)), parts);
    encoding_free(&e);
    return id;
}

/* ---- What is printed ---- */

/* {"token":"gata","count":31,"near":[{"token":"pulga","cosine":0.761…,"count":40}, …]} */
static void put_json_token(const Tokenizer *t, int id, const size_t *times)
{
    printf("{\"token\":");
    put_json(stdout, tokenizer_word(t, id));
    if (times)
        printf(",\"count\":%zu", times[id]);
}

static void put_all_json(const Tokenizer *t, const size_t *times, const Ranked *best, int count)
{
    put_json_token(t, best[0].id, times);
    printf(",\"near\":[");
    for (int i = 1; i < count; i++) {
        printf(i > 1 ? "," : "");
        put_json_token(t, best[i].id, times);
        printf(",\"cosine\":%.9g}", best[i].value);
    }
    printf("]}\n");
}

/* Columns of the longest token. */
enum { TOKEN_COLUMNS = 20 };

/*              in the text  cosine
 *      gata             31
 *      pulga            40   0.761 */
static void put_all(const Tokenizer *t, const size_t *times, const Ranked *best, int count)
{
    int columns = 0;
    for (int i = 0; i < count; i++) {
        AUTOFREE char *token = display_token(tokenizer_word(t, best[i].id));
        columns = min_int(max_int(columns, display_width(token)), TOKEN_COLUMNS);
    }
    printf("  %*s", columns, "");
    if (times) {
        printf("  ");
        put_fitted(stdout, _("in the text"), 11, true);
    }
    printf("  %s\n", _("cosine"));
    for (int i = 0; i < count; i++) {
        AUTOFREE char *token = display_token(tokenizer_word(t, best[i].id));
        printf("  ");
        put_fitted(stdout, token, columns, false);
        if (times)
            printf("  %11zu", times[best[i].id]);
        if (i)
            printf("  %6.3f", best[i].value);
        putchar('\n');
    }
}

void near_print(Pretrained *model, const Choice *choice, int rows)
{
    const Tokenizer *t = &model->tokenizer;
    TrainingText text = training_text_open(model, choice->text);
    const int V = tokenizer_size(t), id = token_of(t, choice->near);
    AUTOFREE double *cosines = memory_new((size_t)V, sizeof *cosines, "the vocabulary");
    AUTOFREE Ranked *best = memory_new((size_t)V, sizeof *best, "the vocabulary");
    AUTOFREE size_t *times = NULL; /* (V) how often the text has each token, if it is known */
    if (text.there)
        times = memory_new((size_t)V, sizeof *times, "the counts");
    for (size_t i = 0; times && i < text.corpus.ids.count; i++)
        times[ids_at(&text.corpus.ids, i)]++;
    find_cosines(&model->gpt, id, cosines);
    cosines[id] = INFINITY; /* the first one, without a cosine */
    const int count = rank_best(best, min_int(rows, V - 1) + 1, cosines, V);
    if (choice->json)
        put_all_json(t, times, best, count);
    else
        put_all(t, times, best, count);
    training_text_free(&text);
}
