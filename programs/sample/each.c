/* each.c: the rows of a line are collected; tokens that make up a word are joined; then they are
 * printed. On a terminal with colours, the line stands above its rows with each word shaded. */
#include "each.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/numbers/elementary.h"
#include "base/system/system.h"
#include "base/utf8.h"
#include "programs/pictures/colours.h"
#include "text/corpus/counts.h"
#include "text/subwords/bpe.h"

/* ---- Suffixes ---- */

/* At the end of the text a place has fewer tokens than others; it comes before those that go on. */

/* By the tokens, and of places that have the same ones by where they are. */
static int compare_places(const void *a, const void *b, void *context)
{
    const Suffixes *s = context;
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const size_t later = one > other ? one : other;
    for (size_t i = 0; i < (size_t)s->longest && later + i < s->ids->count; i++) {
        const int x = ids_at(s->ids, one + i), y = ids_at(s->ids, other + i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return one == other ? 0 : one == later ? -1 : 1; /* the later one has fewer tokens */
}

Suffixes suffixes_new(const Corpus *corpus, int longest)
{
    Suffixes s = {.ids = &corpus->ids, .longest = longest};
    s.places = memory_new(corpus->ids.count, sizeof *s.places, "the places of the text");
    for (size_t i = 0; i < corpus->ids.count; i++)
        s.places[i] = i;
    system_sort(s.places, corpus->ids.count, sizeof *s.places, compare_places, &s);
    return s;
}

void suffixes_free(Suffixes *s)
{
    free(s->places);
}

/* Whether a place comes before all places with these tokens: below 0; after them: above 0; or has
 * them: 0. */
static int compare_tokens(const Suffixes *s, size_t place, const int *tokens, int count)
{
    for (size_t i = 0; i < (size_t)count; i++) {
        const int id = place + i < s->ids->count ? ids_at(s->ids, place + i) : -1;
        if (id != tokens[i])
            return id < tokens[i] ? -1 : 1;
    }
    return 0;
}

/* How many places come before those with these tokens or, if `with`, before or among them. */
static size_t places_before(const Suffixes *s, const int *tokens, int count, bool with)
{
    size_t from = 0, end = s->ids->count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (compare_tokens(s, s->places[middle], tokens, count) < with)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

size_t suffixes_count(const Suffixes *s, const int *tokens, int count)
{
    return places_before(s, tokens, count, true) - places_before(s, tokens, count, false);
}

/* A shorter end goes on wherever a longer one does, so a binary search finds the longest. If the
 * text ends with one, nothing follows there. */
int suffixes_longest(const Suffixes *s, const int *tokens, int count, size_t *times)
{
    int longest = 0, most = count;
    *times = s->ids->count;
    while (longest < most) {
        const int length = most - (most - longest) / 2;
        const int *end = tokens + count - length;
        size_t found = suffixes_count(s, end, length);
        if (found && !compare_tokens(s, s->ids->count - (size_t)length, end, length))
            found--;
        if (found) {
            longest = length;
            *times = found;
        } else
            most = length - 1;
    }
    return longest;
}

/* CSV and the table show tokens by base/utf8.h; JSON's strings hold any text. */
enum { NAME = 13 }; /* columns of a token in the table */

static const char *column(const Choice *choice)
{
    return choice->each == EACH_WORD ? "word" : "token";
}

bool row_in_table(const Choice *choice)
{
    return !choice->csv && !choice->json;
}

void row_put_head(const Choice *choice, TokenizerKind kind, bool in_parts, bool counted)
{
    if (choice->csv)
        printf("line,position,%s,probability,surprise,rank,entropy,best,best_probability,count,of,"
               "model,counting\n",
               column(choice));
    if (!row_in_table(choice))
        return;
    put_fitted(stdout, translated(choice->each == EACH_WORD ? N_("word") : tokenizer_unit(kind)),
               NAME, false);
    /* translators: the head of a table; keep the widths */
    printf("%s%s%s\n", _("      p     bits   rank  entropy  most probable      p"),
           in_parts ? _("   model  counting") : "", counted ? _("  in the text") : "");
}

/* el             0.667    0.585      1    0.918  el             0.667  6 of 9
 *
 * The probabilities by the model and by counting alone, if there are any, come before "6 of 9". */
static void put_in_table(const Row *row, const char *text, const char *best)
{
    put_fitted(stdout, text, NAME, false);
    printf("  %5.3f  %7.3f  %5d  %7.3f  ", row->probability, row->surprise, row->rank,
           row->entropy);
    put_fitted(stdout, best, NAME, false);
    printf("  %5.3f", row->best_p);
    if (row->in_parts)
        printf("  %6.3f  %8.3f", row->parts[0], row->parts[1]);
    if (row->of)
        printf(_("  %zu of %zu"), row->count, row->of);
    putchar('\n');
}

/* 1,2,"el",0.667,0.585,1,0.918,"el",0.667,6,9,,
 *
 * 15 digits of the surprise: so the rows add up to the loss. */
static void put_as_csv(const Row *row, const char *text, const char *best)
{
    printf("%zu,%zu,", row->line, row->position);
    put_csv(stdout, text);
    printf(",%.9g,%.15g,%d,%.9g,", row->probability, row->surprise, row->rank, row->entropy);
    put_csv(stdout, best);
    printf(row->of ? ",%.9g,%zu,%zu" : ",%.9g,,", row->best_p, row->count, row->of);
    printf(row->in_parts ? ",%.9g,%.9g\n" : ",,\n", row->parts[0], row->parts[1]);
}

/* {"line":1,"position":2,"token":"el","probability":0.667, ... ,"model":null,"counting":null} */
static void put_as_json(const Row *row, const char *name)
{
    printf("{\"line\":%zu,\"position\":%zu,\"%s\":", row->line, row->position, name);
    put_json(stdout, row->text);
    printf(",\"probability\":%.9g,\"surprise\":%.15g,\"rank\":%d,\"entropy\":%.9g,\"best\":",
           row->probability, row->surprise, row->rank, row->entropy);
    put_json(stdout, row->best);
    printf(row->of ? ",\"best_probability\":%.9g,\"count\":%zu,\"of\":%zu"
                   : ",\"best_probability\":%.9g,\"count\":null,\"of\":null",
           row->best_p, row->count, row->of);
    printf(row->in_parts ? ",\"model\":%.9g,\"counting\":%.9g}\n"
                         : ",\"model\":null,\"counting\":null}\n",
           row->parts[0], row->parts[1]);
}

void row_put(const Choice *choice, const Row *row)
{
    if (choice->json) {
        put_as_json(row, column(choice));
        return;
    }
    char *text = display_token(row->text), *best = display_token(row->best);
    if (choice->csv)
        put_as_csv(row, text, best);
    else
        put_in_table(row, text, best);
    free(text);
    free(best);
}

/* A token that was predicted. */
typedef struct {
    size_t at;   /* its place in the corpus */
    Piece piece; /* what the model read */
    Prediction prediction;
    double parts[2]; /* −ln p by the model alone and by counting alone, if there are both */
} Predicted;

struct Each {
    const Choice *choice;
    const Tokenizer *tokenizer;
    const Corpus *corpus;
    Predicted *line; /* stb_ds array */
    bool in_parts;   /* whether there are predictions by the model and counting alone */
    Shades shades;
    double most; /* bits of the deepest shade: the surprise of a token drawn at random */
    TrainingText text;
    Suffixes suffixes; /* of that; not if tokens are hidden */
    size_t *times;     /* (V) of tokens in a gap, if they are */
    int *read;         /* (T + 1) what the model has read before a token, and that token */
};

static bool hides(const Each *e)
{
    return e->corpus->objective.kind == OBJECTIVE_MASKED;
}

Each *each_begin(Pretrained *model, const Corpus *corpus, const Choice *choice, bool in_parts)
{
    const Screen screen = screen_open();
    Each *e = memory_new(1, sizeof *e, "the rows");
    *e = (Each){.choice = choice,
                .tokenizer = &model->tokenizer,
                .corpus = corpus,
                .in_parts = in_parts,
                .shades = shades_of(&screen),
                .most = elementary_log(tokenizer_size(&model->tokenizer)) / M_LN2,
                .text = training_text_open(model, choice->text)};
    e->read = memory_new((size_t)corpus->context + 1, sizeof *e->read, "the rows");
    if (e->text.there && hides(e))
        e->times = memory_new((size_t)tokenizer_size(e->tokenizer), sizeof *e->times, "the rows");
    else if (e->text.there)
        e->suffixes = suffixes_new(&e->text.corpus, corpus->context + 1);
    row_put_head(choice, e->tokenizer->kind, in_parts, e->text.there);
    return e;
}

/* A hidden token is in a sequence of its own, the whole piece. */
void each_add(Each *e, Piece piece, const Batch *batch, const Prediction *together,
              const Prediction *model, const Prediction *counting)
{
    const size_t ahead = (size_t)objective_ahead(&e->corpus->objective);
    for (int s = 0, n = 0; s < batch->sequences; s++)
        for (int i = batch->start[s]; i < batch->start[s + 1]; i++) {
            if (batch->targets[i] < 0)
                continue;
            Predicted row = {.at = piece.from + (size_t)(i - batch->start[s]) + ahead,
                             .piece = piece,
                             .prediction = together[n]};
            if (model) {
                row.parts[0] = model[n].loss;
                row.parts[1] = counting[n].loss;
            }
            arrput(e->line, row);
            n++;
        }
}

/* ---- Words ---- */

static int id_at(const Each *e, size_t at)
{
    return ids_at(&e->corpus->ids, at);
}

/* The bytes of the tokens [from, end) as they are in the vocabulary; the caller frees. */
static char *bytes_of(const Each *e, size_t from, size_t end)
{
    char *bytes = format_text("%s", "");
    for (size_t at = from; at < end; at++)
        extend_text(&bytes, "%s", tokenizer_word(e->tokenizer, id_at(e, at)));
    return bytes;
}

/* Where the word ends that begins at a row of the line: as bpe.h cuts what the model has
 * read as one piece. A special token is a word. */
static ptrdiff_t end_of_word(const Each *e, ptrdiff_t row)
{
    const Predicted *first = &e->line[row];
    size_t end = first->at;
    for (ptrdiff_t i = row; i < arrlen(e->line) && e->line[i].piece.from == first->piece.from;
         i++, end++)
        if (!tokenizer_is_text(e->tokenizer, id_at(e, end)))
            break;
    char *bytes = bytes_of(e, first->at, end);
    const char *at = bytes;
    Span word = {bytes, bytes};
    byte_level_word(&at, bytes + strlen(bytes), &word);
    ptrdiff_t after = row;
    for (size_t size = 0; size < (size_t)(word.end - bytes); after++)
        size += strlen(tokenizer_word(e->tokenizer, id_at(e, e->line[after].at)));
    free(bytes);
    return after > row ? after : row + 1;
}

/* Where the tokens end that are printed as one. */
static ptrdiff_t end_of_row(const Each *e, ptrdiff_t row)
{
    const bool whole = e->choice->each == EACH_TOKEN || tokenizer_has_words(e->tokenizer);
    return whole ? row + 1 : end_of_word(e, row);
}

/* The losses of the rows [row, end) together; of part 0 or 1, by the model or counting alone. */
static double loss_of(const Each *e, ptrdiff_t row, ptrdiff_t end, int part)
{
    double loss = 0;
    for (; row < end; row++)
        loss += part < 0 ? e->line[row].prediction.loss : e->line[row].parts[part];
    return loss;
}

/* ---- Counts ---- */

/* A hidden token stands between others. */
static void count_hidden(Each *e, Row *row, const Predicted *one)
{
    const int V = tokenizer_size(e->tokenizer), mask = e->tokenizer->mask;
    ids_read(&e->corpus->ids, one->piece.from, one->piece.length, e->read);
    e->read[one->at - one->piece.from] = mask;
    row->of = counts_gaps(&e->text.corpus, e->times, V, e->read, (int)one->piece.length, mask);
    row->count = e->times[one->prediction.target];
}

static void count_next(Each *e, Row *row, const Predicted *first, int tokens)
{
    const int read = (int)(first->at - first->piece.from);
    ids_read(&e->corpus->ids, first->piece.from, (size_t)read + (size_t)tokens, e->read);
    const int matched = suffixes_longest(&e->suffixes, e->read, read, &row->of);
    row->count = suffixes_count(&e->suffixes, e->read + read - matched, matched + tokens);
}

/* ---- Lines ---- */

/* The tokens [at, end) as the text has them, with the white space before the first unless that is
 * at `from`; the caller frees. */
static char *text_of(const Each *e, size_t from, size_t at, size_t end)
{
    const int before = at > from ? id_at(e, at - 1) : -1;
    int *ids = memory_take((end - at) * sizeof *ids);
    ids_read(&e->corpus->ids, at, end - at, ids);
    char *text = tokenizer_decode_after(e->tokenizer, before, ids, (int)(end - at));
    free(ids);
    return text;
}

/* A part of a line, shaded by its surprise, but not the spaces and line ends before it; below 0:
 * not shaded. */
static void put_shaded(const Each *e, const char *text, double surprise)
{
    const bool shaded = e->shades.palette && surprise >= 0;
    char *shown = display_part(text);
    const int blanks = shown[0] && shown[1] ? (int)strspn(shown, " \n") : 0;
    printf("%.*s", blanks, shown);
    if (shaded)
        shade_begin(e->shades, surprise / e->most);
    fputs(shown + blanks, stdout);
    if (shaded)
        shade_end();
    free(shown);
}

/* Whether a token begins with the middle of a UTF-8 character. */
static bool within_character(const Each *e, size_t at)
{
    return (tokenizer_word(e->tokenizer, id_at(e, at))[0] & 0xC0) == 0x80;
}

/* The line with the tokens [from, end). What is not predicted, such as a source, has no shade;
 * [eos], which is no text, stands as its name. Tokens that make up a character have one shade. */
static void put_line(const Each *e, size_t number, size_t from, size_t end)
{
    ptrdiff_t row = 0;
    printf("\n%3zu  ", number);
    for (size_t at = from, after; at < end; at = after) {
        const ptrdiff_t first = row, rows = arrlen(e->line);
        if (row < rows && e->line[row].at == at)
            row = end_of_row(e, row);
        after = at + (row > first ? (size_t)(row - first) : 1);
        for (; after < end && within_character(e, after); after++)
            row += row < rows && e->line[row].at == after;
        char *text = text_of(e, from, at, after);
        if (row > first && !*text) {
            free(text);
            text = format_text(" %s", tokenizer_word(e->tokenizer, id_at(e, at)));
        }
        put_shaded(e, text, row > first ? loss_of(e, first, row, -1) / M_LN2 : -1);
        free(text);
    }
    putchar('\n');
}

/* A word is printed without the space before it. */
static const char *named(const Each *e, const char *text)
{
    return text + (e->choice->each == EACH_WORD && text[0] == ' ' && text[1]);
}

/* Prints the rows [i, end) of a line, whose first token is at `from`, as one. */
static void put_row(Each *e, size_t number, size_t from, ptrdiff_t i, ptrdiff_t end)
{
    const Predicted *first = &e->line[i];
    const double loss = loss_of(e, i, end, -1);
    char *text = bytes_of(e, first->at, first->at + (size_t)(end - i));
    Row row = {.line = number,
               .position = first->at - from + 1,
               .text = named(e, text),
               .probability = elementary_exp(-loss),
               .surprise = loss / M_LN2,
               .rank = first->prediction.rank,
               .entropy = first->prediction.entropy / M_LN2,
               .best = named(e, tokenizer_word(e->tokenizer, first->prediction.best)),
               .best_p = first->prediction.best_p,
               .in_parts = e->in_parts};
    if (e->text.there && !hides(e))
        count_next(e, &row, first, (int)(end - i));
    else if (e->text.there && end == i + 1)
        count_hidden(e, &row, first);
    for (int part = 0; part < 2; part++)
        row.parts[part] = elementary_exp(-loss_of(e, i, end, part));
    row_put(e->choice, &row);
    free(text);
}

void each_end_line(Each *e, size_t number, size_t from, size_t end)
{
    if (row_in_table(e->choice))
        put_line(e, number, from, end);
    for (ptrdiff_t i = 0, next; i < arrlen(e->line); i = next) {
        next = end_of_row(e, i);
        put_row(e, number, from, i, next);
    }
    arrsetlen(e->line, 0);
}

void each_end(Each *e)
{
    enum { STEPS = 4 };
    if (row_in_table(e->choice) && e->shades.palette) {
        printf(_("\nsurprise in bits: "));
        for (int i = 0; i <= STEPS; i++) {
            shade_begin(e->shades, (double)i / STEPS);
            printf(" %.1f ", e->most * i / STEPS);
            shade_end();
        }
        putchar('\n');
    }
    suffixes_free(&e->suffixes);
    free(e->times);
    training_text_free(&e->text);
    arrfree(e->line);
    free(e->read);
    free(e);
}
