/* heads.c: runs the model once over the whole text, forward only, and asks it for its attention
 * maps. Each chosen head then points into these maps and lists the ranges of keys of its queries;
 * the summaries are sums over those. */
#include "heads.h"

#include <assert.h>
#include <stb/stb_ds.h>

#include "base/numbers/elementary.h"
#include "base/numbers/random.h"
#include "base/utf8.h"
#include "model/gpt.h"
#include "text/corpus/batches.h"

/* One forward pass over one sequence. */
static void forward(Real *maps, Gpt *gpt, const Sequence *sequence)
{
    const int T = sequence->rows;
    const Batch batch = {.rows = T,
                         .sequences = 1,
                         .start = (const int[]){0, T},
                         .tokens = sequence->tokens,
                         .prefix = &sequence->prefix};
    gpt_forward(gpt, &batch, maps, (Dropout){0});
}

void head_set_pattern(Head *head, Pattern pattern, int length, int prefix)
{
    head->pattern = pattern;
    head->ranges = NULL;
    head->first = memory_new((size_t)length + 1, sizeof *head->first, "the ranges of keys");
    AUTOFREE bool *keys = memory_new((size_t)length + 1, sizeof *keys, "the ranges of keys");
    for (int i = 0; i < length; i++) {
        memset(keys, 0, (size_t)length);
        pattern_mark(pattern, i, key_limit(i, prefix), keys);
        for (int j = 0; j < length; j++)
            if (keys[j] && (!j || !keys[j - 1]))
                arrput(head->ranges, ((KeyRange){j, j + 1, 1}));
            else if (keys[j])
                arrlast(head->ranges).end = j + 1;
        head->first[i + 1] = (int)arrlen(head->ranges);
    }
}

Heads heads_read(Gpt *gpt, const Tokenizer *tokenizer, const Sequence *sequence, Range layers,
                 Range heads)
{
    const GptConfig *config = &gpt->config;
    const int count = sequence->rows, *tokens = sequence->tokens;
    const size_t T = (size_t)count, all = (size_t)config->layers * (size_t)config->heads;
    /* The row of [sep] is the first that counts. */
    const bool has_source = sequence->first && sequence->first < count;
    assert(count > 0 && count <= config->context);
    Heads read = {.layers = layers.end - layers.from,
                  .heads = heads.end - heads.from,
                  .count = (layers.end - layers.from) * (heads.end - heads.from),
                  .length = count,
                  .prefix = sequence->prefix,
                  .source = has_source ? sequence->first + 1 : 0,
                  .begun = tokenizer->bos >= 0 && tokens[0] == tokenizer->bos,
                  .tokens = memory_new(T, sizeof *read.tokens, "the tokens"),
                  .display = memory_new(T, sizeof *read.display, "the tokens"),
                  .head = memory_new(all, sizeof *read.head, "the heads"),
                  .maps = memory_new(all * T * T, sizeof(Real), "the attention of all heads")};
    for (int i = 0; i < count; i++) {
        read.tokens[i] = format_text("%s", tokenizer_word(tokenizer, tokens[i]));
        read.display[i] = display_token(read.tokens[i]);
    }
    /* The model gives the maps of all its heads, (L, H, T, T); those that were not chosen stay in
     * this memory unused. */
    forward(read.maps, gpt, sequence);
    Head *head = read.head;
    for (int l = layers.from; l < layers.end; l++)
        for (int h = heads.from; h < heads.end; h++, head++) {
            const size_t index = (size_t)l * (size_t)config->heads + (size_t)h;
            *head = (Head){.layer = l, .head = h, .map = read.maps + index * T * T};
            head_set_pattern(head, pattern_at(config->patterns, (int)index), count,
                             sequence->prefix);
        }
    return read;
}

void heads_free(Heads *heads)
{
    for (int i = 0; i < heads->length; i++) {
        free(heads->tokens[i]);
        free(heads->display[i]);
    }
    for (int i = 0; i < heads->count; i++) {
        arrfree(heads->head[i].ranges);
        free(heads->head[i].first);
    }
    free(heads->tokens);
    free(heads->display);
    free(heads->head);
    free(heads->maps);
}

size_t heads_pairs(const Heads *heads)
{
    size_t pairs = 0;
    EACH_HEAD (head, heads)
        for (int i = 0; i < heads->length; i++)
            EACH_RANGE (keys, head, i)
                pairs += (size_t)(keys->end - keys->from);
    return pairs;
}

/* With p the weights of row i: its entropy is −Σ p·log2 p (a p of 0 adds nothing), its mean
 * distance Σ p·|i − j|. The others read single cells, which are 0 outside the pattern. */
HeadSummary head_summary(const Heads *heads, const Head *head)
{
    const int T = heads->length, ahead = heads->prefix - 1; /* queries that see the next token */
    HeadSummary sum = {0};
    for (int i = 0; i < T; i++) {
        const Real *row = ROW(head->map, i, T);
        EACH_KEY (j, head, i) {
            const double p = (double)row[j];
            sum.entropy -= p > 0 ? p * elementary_log(p) / M_LN2 : 0;
            sum.distance += p * abs(i - j);
        }
        sum.itself += (double)row[i];
        sum.before += i ? (double)row[i - 1] : 0;
        sum.after += i < ahead ? (double)row[i + 1] : 0;
        sum.bos += i ? (double)row[0] : 0;
    }
    return (HeadSummary){
        .entropy = fmax(sum.entropy / T, 0), /* a weight rounded above 1 would give -0.00 */
        .distance = sum.distance / T,
        .itself = sum.itself / T,
        .before = T > 1 ? sum.before / (T - 1) : (double)NAN,
        .after = ahead > 0 ? sum.after / ahead : (double)NAN,
        .bos = T > 1 && heads->begun ? sum.bos / (T - 1) : (double)NAN};
}

/* ---- .npy ---- */

/* 10 bytes, then the header's text, for example
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (4, 4, 9, 9), }
 *
 * padded with spaces and a line end, so that the numbers begin on a multiple of 64 bytes. */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's numbers are little-endian");

/* Not as one string: gettext's tools refuse strings that are not UTF-8. */
const char NPY_BEGIN[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', '\0'};

void npy_begin(FILE *out, const int shape[4])
{
    char header[256];
    const int size =
        snprintf(header, sizeof header,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }", shape[0],
                 shape[1], shape[2], shape[3]);
    const uint16_t padded = (uint16_t)((10 + size + 1 + 63) / 64 * 64 - 10);
    fputs(NPY_BEGIN, out);
    fwrite("\1\0", 1, 2, out); /* version 1.0 of the format */
    fwrite(&padded, sizeof padded, 1, out);
    fprintf(out, "%-*s\n", padded - 1, header);
}

void npy_numbers(FILE *out, const Real *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float number = (float)numbers[i]; /* also in the double build */
        fwrite(&number, sizeof number, 1, out);
    }
}

void numbers_npy(FILE *out, const Heads *heads)
{
    const int T = heads->length;
    npy_begin(out, (const int[]){heads->layers, heads->heads, T, T});
    EACH_HEAD (head, heads)
        npy_numbers(out, head->map, (size_t)T * (size_t)T);
}

/* ---- .csv ---- */

void numbers_csv(FILE *out, const Heads *heads)
{
    fputs(NUMBERS_CSV_HEADER, out);
    EACH_HEAD (head, heads)
        for (int i = 0; i < heads->length; i++)
            EACH_KEY (j, head, i) {
                fprintf(out, "%d,%d,%d,%d,", head->layer + 1, head->head + 1, i + 1, j + 1);
                put_csv(out, heads->display[i]);
                fputc(',', out);
                put_csv(out, heads->display[j]);
                fprintf(out, ",%.9g\n", (double)ROW(head->map, i, heads->length)[j]);
            }
}

/* ---- .json ---- */

/* A map's numbers are printed with nine digits, which give back the same float; the summaries with
 * six. Each of the following writes one thing about one head; put_heads collects them. */
static void put_pattern(FILE *out, const Heads *heads, const Head *head)
{
    (void)heads;
    char text[PATTERN_TEXT];
    put_json(out, pattern_text(head->pattern, text));
}

/* A mean that is NAN is written as null. */
void put_summary(FILE *out, const Heads *heads, const Head *head)
{
    const HeadSummary s = head_summary(heads, head);
    const char *const names[] = {"entropy_bits", "back", "itself", "before", "after", "bos"};
    const double means[] = {s.entropy, s.distance, s.itself, s.before, s.after, s.bos};
    for (int i = 0; i < 6; i++) {
        fprintf(out, "%s\"%s\": ", i ? ", " : "{", names[i]);
        if (isnan(means[i]))
            fputs("null", out);
        else
            fprintf(out, "%.6g", means[i]);
    }
    fputc('}', out);
}

/* [[[1,1]], [[1,2]], …]: for each query a list of [first, last] keys, counted from 1. */
void put_key_ranges(FILE *out, const Heads *heads, const Head *head)
{
    for (int i = 0; i < heads->length; i++) {
        fputs(i ? ",[" : "[[", out);
        const char *comma = "";
        EACH_RANGE (keys, head, i) {
            fprintf(out, "%s[%d,%d]", comma, keys->from + 1, keys->end);
            comma = ",";
        }
        fputc(']', out);
    }
    fputc(']', out);
}

/* The whole square, so that it is easy to use: 0 for a key that is not attended to. */
static void put_map(FILE *out, const Heads *heads, const Head *head)
{
    const int T = heads->length;
    for (int i = 0; i < T; i++) {
        fputs(i ? ",[" : "[[", out);
        for (int j = 0; j < T; j++)
            fprintf(out, "%s%.9g", j ? "," : "", (double)ROW(head->map, i, T)[j]);
        fputc(']', out);
    }
    fputc(']', out);
}

/* "name": [[…, …], [… , …]]: something of each head, a list for each layer. */
static void put_heads(FILE *out, const char *name, const Heads *heads,
                      void (*put)(FILE *out, const Heads *heads, const Head *head))
{
    fprintf(out, ",\n\"%s\": ", name);
    EACH_HEAD (head, heads) {
        const int place = (int)(head - heads->head);
        fputs(!place ? "[[" : place % heads->heads ? ", " : "], [", out);
        put(out, heads, head);
    }
    fputs("]]", out);
}

/* ,"name": [from + 1, from + 2, …]: which layers or heads these are, as a person counts. */
static void put_count(FILE *out, const char *name, int from, int count)
{
    fprintf(out, ",\n\"%s\": [", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? ", " : "", from + i + 1);
    fputc(']', out);
}

void numbers_json(FILE *out, const Heads *heads)
{
    fputs("{\"run\": ", out);
    put_json(out, heads->run);
    fputs(",\n\"text\": ", out);
    put_json(out, heads->text);
    fputs(",\n\"tokens\": [", out);
    for (int i = 0; i < heads->length; i++) {
        fputs(i ? ", " : "", out);
        put_json(out, heads->tokens[i]);
    }
    fprintf(out, "],\n\"source\": %d", heads->source);
    put_count(out, "layers", heads->head->layer, heads->layers);
    put_count(out, "heads", heads->head->head, heads->heads);
    put_heads(out, "patterns", heads, put_pattern);
    put_heads(out, "summary", heads, put_summary);
    put_heads(out, "ranges", heads, put_key_ranges);
    put_heads(out, "weights", heads, put_map);
    fputs("\n}\n", out);
}

/* ---- What a head is good for ---- */

/* A head is taken out of the model's weights, which are copied back afterwards. The random tokens
 * of a sequence are all different, so that each has one place where it came first. */

/* Sequences of random tokens, and the most different tokens in one. */
enum { SEQUENCES = 8, MOST_HALF = 25 };

/* ---- The loss ---- */

/* The sum of the losses over a part of a corpus, read in batches of `rows` rows at most. *count
 * receives the number of tokens it is over. */
static double loss_of(Gpt *gpt, const Corpus *corpus, const Part *part, int rows, int *count)
{
    const Objective *objective = &corpus->objective;
    BatchRoom room = batch_room_new(rows);
    BatchPlace place = {0};
    double sum = 0;
    *count = 0;
    for (Batch batch; batch_next(&batch, &room, corpus, part, &place);) {
        bool gap = false; /* of the text itself: it is hidden anyway, and not predicted */
        for (int i = 0; i < batch.rows && objective->kind == OBJECTIVE_MASKED; i++)
            gap |= batch.targets[i] == objective->mask;
        if (gap)
            continue;
        sum += gpt_evaluate(gpt, &batch);
        *count += batch.counted;
    }
    batch_room_free(&room);
    return sum;
}

/* A text as a corpus of one piece, which is what it evaluates. It borrows both. */
static Corpus corpus_of(const Gpt *gpt, const Objective *objective, const int *ids, int length,
                        Piece *piece)
{
    *piece = (Piece){0, (uint64_t)(length - objective_ahead(objective))};
    return (Corpus){.stream = true,
                    .objective = *objective,
                    .store = store_in_memory(),
                    .ids = {ids, sizeof *ids, (size_t)length},
                    .vocabulary = gpt->config.vocabulary,
                    .context = gpt->config.context,
                    .evaluated = {.count = 1, .list = piece, .sample = true}};
}

double effects_loss(Gpt *gpt, const Objective *objective, const int *ids, int length, int *count)
{
    Piece piece;
    const Corpus corpus = corpus_of(gpt, objective, ids, length, &piece);
    return loss_of(gpt, &corpus, &corpus.evaluated, (int)piece.length, count);
}

static void read_rises(Effects *effects, Gpt *gpt, const Corpus *corpus, int rows)
{
    const int H = effects->heads;
    const size_t size = gpt->size * sizeof *gpt->weight_block;
    AUTOFREE Real *kept = memory_new(gpt->size, sizeof *kept, "the weights");
    memcpy(kept, gpt->weight_block, size);
    for (int i = 0, count; i < effects->layers * (H + 1); i++) {
        ablate(gpt, i / (H + 1), i % (H + 1));
        const double without = loss_of(gpt, corpus, &corpus->evaluated, rows, &count) / count;
        effects->rise[i] = without - effects->loss;
        memcpy(gpt->weight_block, kept, size);
    }
}

/* ---- Copying ---- */

/* Brings `half` random ones of these ids to their front. */
static void shuffle(int *ids, int count, int half, uint32_t number)
{
    for (int i = 0; i < half; i++) {
        const Random4 counter = {{(uint32_t)i, number, 0, 0}};
        const int j = i + (int)(random_bits(1, RANDOM_REPEAT, counter) % (uint64_t)(count - i));
        const int id = ids[i];
        ids[i] = ids[j];
        ids[j] = id;
    }
}

/* Adds the means of a map (T, T) whose last 2·half tokens are random ones, twice. */
static void add_scores(double *before, double *induction, const Real *map, int T, int half)
{
    const int from = T - half; /* the second time */
    for (int i = 1; i < T; i++)
        *before += (double)ROW(map, i, T)[i - 1] / (T - 1) / SEQUENCES;
    for (int i = from; i < T; i++)
        *induction += (double)ROW(map, i, T)[i - half + 1] / half / SEQUENCES;
}

static void read_copying(Effects *effects, Gpt *gpt, const Tokenizer *tokenizer)
{
    const int heads = effects->layers * effects->heads;
    const bool begun = !tokenizer->stream && tokenizer->bos >= 0;
    const int V = tokenizer_size(tokenizer);
    AUTOFREE int *ids = memory_new((size_t)V, sizeof *ids, "the vocabulary"); /* of text */
    int count = 0;
    for (int id = 0; id < V; id++)
        if (tokenizer_is_text(tokenizer, id))
            ids[count++] = id;
    const int half = min_int(min_int(MOST_HALF, count), (gpt->config.context - begun) / 2);
    const int T = begun + 2 * half;
    AUTOFREE int *tokens = memory_new((size_t)T + 1, sizeof *tokens, "the tokens");
    AUTOFREE Real *maps = memory_new((size_t)heads * (size_t)T * (size_t)T + 1, sizeof *maps,
                                     "the attention of all heads");
    tokens[0] = tokenizer->bos;
    effects->twice = half > 1 ? half : 0;
    for (uint32_t s = 0; s < SEQUENCES && effects->twice; s++) {
        shuffle(ids, count, half, s);
        for (int i = 0; i < 2 * half; i++)
            tokens[begun + i] = ids[i % half];
        const Batch batch = {
            .rows = T, .sequences = 1, .start = (const int[]){0, T}, .tokens = tokens};
        gpt_forward(gpt, &batch, maps, (Dropout){0});
        for (int h = 0; h < heads; h++)
            add_scores(&effects->before[h], &effects->induction[h],
                       maps + (size_t)h * (size_t)T * (size_t)T, T, half);
    }
}

/* Reads the corpus in batches of `rows` rows at most. */
static Effects effects_of(Gpt *gpt, const Tokenizer *tokenizer, const Corpus *corpus, int rows)
{
    Effects effects = {.layers = gpt->config.layers, .heads = gpt->config.heads};
    const size_t L = (size_t)effects.layers, H = (size_t)effects.heads;
    effects.rise = memory_new(L * (H + 1), sizeof *effects.rise, "the heads");
    effects.before = memory_new(L * H, sizeof *effects.before, "the heads");
    effects.induction = memory_new(L * H, sizeof *effects.induction, "the heads");
    const double sum = loss_of(gpt, corpus, &corpus->evaluated, rows, &effects.count);
    if (effects.count) {
        effects.loss = sum / effects.count;
        read_rises(&effects, gpt, corpus, rows);
    }
    if (corpus->objective.kind == OBJECTIVE_NEXT)
        read_copying(&effects, gpt, tokenizer);
    return effects;
}

Effects effects_read(Gpt *gpt, const Tokenizer *tokenizer, const Objective *objective,
                     const int *ids, int length)
{
    Piece piece;
    const Corpus corpus = corpus_of(gpt, objective, ids, length, &piece);
    return effects_of(gpt, tokenizer, &corpus, (int)piece.length);
}

Effects effects_of_corpus(Gpt *gpt, const Tokenizer *tokenizer, const Corpus *corpus)
{
    Effects effects = effects_of(gpt, tokenizer, corpus, gpt->rows);
    effects.sample = corpus->evaluated.sample;
    return effects;
}

void effects_free(Effects *effects)
{
    free(effects->rise);
    free(effects->before);
    free(effects->induction);
}

void effects_json(FILE *out, const Effects *e)
{
    const int H = e->heads;
    fputs("{\"run\": ", out);
    put_json(out, e->run);
    fputs(e->file ? ",\n\"file\": " : ",\n\"text\": ", out);
    put_json(out, e->file ? e->file : e->text);
    fprintf(out, ",\n\"loss\": %.9g,\n\"tokens\": %d,\n\"effects\": [", e->loss, e->count);
    for (int i = 0; i < e->layers * (H + 1); i++) {
        const int layer = i / (H + 1), head = i % (H + 1), at = layer * H + head;
        fprintf(out, "%s\n{\"layer\": %d, ", i ? "," : "", layer + 1);
        if (head < H)
            fprintf(out, "\"head\": %d, ", head + 1);
        else
            fputs("\"head\": null, ", out);
        fprintf(out, "\"rise\": %.9g, ", e->rise[i]);
        if (head < H && e->twice)
            fprintf(out, "\"previous\": %.9g, \"copies\": %.9g}", e->before[at], e->induction[at]);
        else
            fputs("\"previous\": null, \"copies\": null}", out);
    }
    fputs("]}\n", out);
}

void effects_csv(FILE *out, const Effects *e)
{
    const int H = e->heads;
    fputs(EFFECTS_CSV_HEADER, out);
    for (int i = 0; i < e->layers * (H + 1); i++) {
        const int layer = i / (H + 1), head = i % (H + 1), at = layer * H + head;
        fprintf(out, "%d,", layer + 1);
        if (head < H)
            fprintf(out, "%d", head + 1);
        fprintf(out, ",%.9g,", e->rise[i]);
        if (head < H && e->twice)
            fprintf(out, "%.9g,%.9g\n", e->before[at], e->induction[at]);
        else
            fputs(",\n", out);
    }
}
