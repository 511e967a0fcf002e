/* quotes.c: a suffix automaton of the tokens reads the text. After each symbol it knows how many of
 * the last symbols stand together among the tokens. One reading tells which pieces of the tokens
 * the text has, a second one how often and where. */
#include "quotes.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"
#include "counts.h"

/* ---- Symbols ---- */

/* Whether a symbol is a byte of a character, but not its first. */
static bool is_rest(const Tokenizer *t, int symbol)
{
    return t->kind == TOKENIZER_BPE && symbol < 256 && (symbol & 0xC0) == 0x80;
}

/* The first code point of a token, or that of the character that a byte is of. -1: it has none. */
static int32_t code_point_at(const Tokenizer *t, const int *symbols, int count, int at)
{
    char bytes[4];
    int size = 0;
    if (t->kind != TOKENIZER_BPE) {
        const char *word = tokenizer_is_text(t, symbols[at]) ? tokenizer_word(t, symbols[at]) : "";
        return *word ? utf8_next(&word, word + strlen(word)) : -1;
    }
    while (at && is_rest(t, symbols[at]))
        at--;
    do
        bytes[size++] = (char)symbols[at];
    while (++at < count && size < 4 && is_rest(t, symbols[at]));
    const char *begin = bytes;
    return symbols[at - size] < 256 ? utf8_next(&begin, bytes + size) : -1;
}

/* Whether a word, or a character, goes on from the symbol before a place to the one there. */
static bool is_inside(const Tokenizer *t, const int *symbols, int count, int at)
{
    return is_rest(t, symbols[at]) || (is_word_letter(code_point_at(t, symbols, count, at - 1)) &&
                                       is_word_letter(code_point_at(t, symbols, count, at)));
}

/* ---- The automaton ---- */

/* State 0 is the empty piece. Every other state is the set of the pieces that end at the same
 * places of the symbols: ends of each other, the longest of which has `length` symbols. `link`
 * leads to the state of the next shorter end, which also has other places. */
typedef struct {
    int length, link;
    int edge;    /* the first of its edges, or -1 */
    int longest; /* symbols of its longest piece that the text has; 0: it has none */
    int quote;   /* the number of a quote in this state, or -1 */
    int above;   /* the first state with a quote on the way of links, from here; 0: none */
} State;

typedef struct {
    int symbol, to;
    int next; /* of the same state, or -1 */
} Edge;

typedef struct {
    State *states; /* stb_ds arrays */
    Edge *edges;
    int *first; /* (alphabet) where a symbol leads from state 0; 0: nowhere */
} Automaton;

/* The edges of a state. (Without an edge there is no list of them: analysers ask for that.) */
#define EACH_EDGE(i, a, state) \
    for (int(i) = (a)->states[state].edge; (i) >= 0 && (a)->edges; (i) = (a)->edges[i].next)

/* Where a symbol leads; 0: nowhere. Most of the text's are looked for in state 0. */
static int next_state(const Automaton *a, int state, int symbol)
{
    if (!state)
        return a->first[symbol];
    EACH_EDGE (i, a, state)
        if (a->edges[i].symbol == symbol)
            return a->edges[i].to;
    return 0;
}

static void set_next(Automaton *a, int state, int symbol, int to)
{
    if (!state) {
        a->first[symbol] = to;
        return;
    }
    EACH_EDGE (i, a, state)
        if (a->edges[i].symbol == symbol) {
            a->edges[i].to = to;
            return;
        }
    arrput(a->edges, ((Edge){symbol, to, a->states[state].edge}));
    a->states[state].edge = (int)arrlen(a->edges) - 1;
}

static int new_state(Automaton *a, int length)
{
    arrput(a->states, ((State){.length = length, .link = -1, .edge = -1, .quote = -1}));
    return (int)arrlen(a->states) - 1;
}

/* A copy of a state for the shorter of its pieces, which now end at one more place. */
static int split_state(Automaton *a, int from, int length)
{
    const int copy = new_state(a, length);
    a->states[copy].link = a->states[from].link;
    EACH_EDGE (i, a, from)
        set_next(a, copy, a->edges[i].symbol, a->edges[i].to);
    return copy;
}

/* Adds a symbol after those whose state is `last`; returns the state of all of them (Blumer et al.
 * 1985). */
static int extend(Automaton *a, int last, int symbol)
{
    const int all = new_state(a, a->states[last].length + 1);
    int state = last, next = 0;
    for (; state >= 0 && !(next = next_state(a, state, symbol)); state = a->states[state].link)
        set_next(a, state, symbol, all);
    if (state < 0) {
        a->states[all].link = 0;
        return all;
    }
    const int length = a->states[state].length + 1;
    if (a->states[next].length > length) {
        const int whole = next;
        next = split_state(a, whole, length);
        for (; state >= 0 && next_state(a, state, symbol) == whole; state = a->states[state].link)
            set_next(a, state, symbol, next);
        a->states[whole].link = next;
    }
    a->states[all].link = next;
    return all;
}

/* ---- Reading the text ---- */

/* What was read up to a place of the text: the last symbols that stand together among the tokens,
 * by their state and their number. */
typedef struct {
    int state, length;
} Match;

static void read_symbol(const Automaton *a, Match *m, int symbol)
{
    int next;
    while (!(next = next_state(a, m->state, symbol)) && m->state) {
        m->state = a->states[m->state].link;
        m->length = a->states[m->state].length;
    }
    m->state = next;
    m->length = next ? m->length + 1 : 0;
}

/* Called after each symbol of the text, with the token that it is of, and its line. */
typedef void Visit(void *context, Match match, size_t place, size_t line);

static void visit_text(const Automaton *a, const Corpus *corpus, const Tokenizer *t, Visit *visit,
                       void *context)
{
    const bool bytes = t->kind == TOKENIZER_BPE;
    const int line_end = bytes ? '\n' : tokenizer_find(t, "\n");
    const bool counts_ends = corpus->stream && !tokenizer_has_words(t);
    int *symbols = NULL;
    Match m = {0};
    size_t line = counts_ends;
    for (size_t at = 0; at < corpus->ids.count; at++) {
        const int id = ids_at(&corpus->ids, at);
        line += !corpus->stream && corpus_begins_line(corpus, at);
        if (bytes) {
            arrsetlen(symbols, 0);
            put_symbols(&symbols, t, id);
        }
        for (ptrdiff_t i = 0; i < (bytes ? arrlen(symbols) : 1); i++) {
            const int symbol = bytes ? symbols[i] : id;
            read_symbol(a, &m, symbol);
            if (m.state)
                visit(context, m, at, line);
            line += counts_ends && symbol == line_end;
        }
    }
    arrfree(symbols);
}

/* A Visit. */
static void note_longest(void *context, Match m, size_t place, size_t line)
{
    State *state = &((Automaton *)context)->states[m.state];
    state->longest = max_int(state->longest, m.length);
    (void)place;
    (void)line;
}

/* If the text has a piece, it has every end of it. */
static void pass_on(Automaton *a)
{
    const int count = (int)arrlen(a->states);
    AUTOFREE int *order = memory_new((size_t)count, sizeof *order, "the states"),
                 *begin = memory_new((size_t)count + 1, sizeof *begin, "the states");
    for (int i = 0; i < count; i++) /* the longest first; a state has fewer symbols than all */
        begin[count - a->states[i].length]++;
    for (int i = 0; i < count; i++)
        begin[i + 1] += begin[i];
    for (int i = count; i-- > 0;)
        order[--begin[count - a->states[i].length]] = i;
    for (int i = 0; i < count; i++) {
        const State *state = &a->states[order[i]];
        if (state->longest && state->link > 0)
            a->states[state->link].longest = a->states[state->link].length;
    }
}

/* ---- Quotes ---- */

/* Of a quote: its symbols, and the number of the next one in the same state, or -1. */
typedef struct {
    int length, other;
} Extent;

typedef struct {
    Automaton automaton;
    Quote *quotes;   /* stb_ds arrays, ... */
    Extent *extents; /* ... of the same length */
} Finding;

/* A Visit: counts the quotes that end here. */
static void note_quotes(void *context, Match m, size_t place, size_t line)
{
    Finding *f = context;
    const State *states = f->automaton.states;
    for (int state = states[m.state].above; state; state = states[states[state].link].above) {
        const int length = state == m.state ? m.length : states[state].length;
        for (int i = states[state].quote; i >= 0 && f->extents; i = f->extents[i].other) {
            Quote *quote = &f->quotes[i];
            if (f->extents[i].length > length)
                continue;
            if (!quote->times)
                quote->place = place;
            if (quote->times < QUOTE_PLACES)
                quote->line[quote->times] = line;
            quote->times++;
        }
    }
}

/* The text of some symbols; of a special token by itself, its name. */
static char *text_of(const Tokenizer *t, const int *symbols, int count)
{
    const bool bytes = t->kind == TOKENIZER_BPE;
    char *text = bytes ? NULL : tokenizer_decode(t, symbols, count);
    for (int i = 0; bytes && i < count; i++)
        if (symbols[i] < 256)
            extend_text(&text, "%c", symbols[i]);
    if (text && *text)
        return text;
    free(text);
    return format_text("%s", tokenizer_word(t, bytes ? *symbols - 256 : *symbols));
}

/* How many of the symbols the next piece has, and its state: 0 if the text does not have it. */
static int longest_piece(const Automaton *a, const Tokenizer *t, const int *symbols, int count,
                         int *state)
{
    int found = 0;
    *state = 0;
    for (int at = 0, length = 0; length < count; found = length) {
        at = next_state(a, at, symbols[length++]);
        if (!at || a->states[at].longest < length)
            break;
    }
    int length = found;
    while (length && length < count && !tokenizer_has_words(t) &&
           is_inside(t, symbols, count, length))
        length--;
    if (!length) /* the text has less than the word: up to a character's end */
        for (length = found; length && length < count && is_rest(t, symbols[length]);)
            length--;
    if (!length) {
        for (length = 1; length < count && is_rest(t, symbols[length]);)
            length++;
        return length;
    }
    for (int i = 0; i < length; i++)
        *state = next_state(a, *state, symbols[i]);
    return length;
}

static void cut_into_quotes(Finding *f, const Tokenizer *t, const int *symbols, int count)
{
    State *states = f->automaton.states;
    for (int at = 0, state, length; at < count; at += length) {
        length = longest_piece(&f->automaton, t, symbols + at, count - at, &state);
        arrput(f->quotes, ((Quote){.text = text_of(t, symbols + at, length)}));
        arrput(f->extents, ((Extent){length, state ? states[state].quote : -1}));
        if (state)
            states[state].quote = (int)arrlen(f->quotes) - 1;
    }
}

Quote *quotes_of(const Corpus *corpus, const Tokenizer *t, const int *tokens, int count)
{
    Finding f = {.quotes = NULL};
    int *symbols = NULL;
    for (int i = 0; i < count; i++)
        put_symbols(&symbols, t, tokens[i]);
    const int all = (int)arrlen(symbols);
    f.automaton.first =
        memory_new((size_t)tokenizer_size(t) + 256, sizeof *f.automaton.first, "the tokens");
    int last = new_state(&f.automaton, 0);
    for (int i = 0; i < all; i++)
        last = extend(&f.automaton, last, symbols[i]);
    visit_text(&f.automaton, corpus, t, note_longest, &f.automaton);
    pass_on(&f.automaton);
    cut_into_quotes(&f, t, symbols, all);
    State *states = f.automaton.states;
    for (int i = 1, above; i < arrlen(states); i++) {
        for (above = i; above > 0 && states[above].quote < 0;)
            above = states[above].link;
        states[i].above = max_int(above, 0);
    }
    visit_text(&f.automaton, corpus, t, note_quotes, &f);
    arrfree(symbols);
    arrfree(f.extents);
    arrfree(f.automaton.states);
    arrfree(f.automaton.edges);
    free(f.automaton.first);
    return f.quotes;
}

void quotes_free(Quote *quotes)
{
    for (ptrdiff_t i = 0; i < arrlen(quotes); i++)
        free(quotes[i].text);
    arrfree(quotes);
}

/* Whether a line ends with this token, or before it. */
static bool ends_line(const Corpus *corpus, const Tokenizer *t, size_t at)
{
    const int id = ids_at(&corpus->ids, at);
    return !tokenizer_is_text(t, id) || strchr(tokenizer_word(t, id), '\n');
}

char *quote_line(const Corpus *corpus, const Tokenizer *t, size_t place)
{
    enum { MOST = 80 };
    const size_t before = tokenizer_has_words(t) ? 10 : 40;
    int ids[MOST], count = 0;
    size_t from = place - (ends_line(corpus, t, place) && place > 0), to;
    while (from && place - from < before && !ends_line(corpus, t, from - 1))
        from--;
    const bool cut = from && !ends_line(corpus, t, from - 1);
    for (to = from; to < corpus->ids.count && count < MOST && !ends_line(corpus, t, to); to++)
        ids[count++] = ids_at(&corpus->ids, to);
    AUTOFREE char *text = tokenizer_decode(t, ids, count);
    return format_text("%s%s", cut ? "… " : "", text + strspn(text, " "));
}
