/* prompt.c: a prompt is cut into the parts between tabs or gaps, and each part is cleaned and
 * encoded by itself. */
#include "prompt.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"
#include "encoder.h"

/* The id of the lower-case form of a token that is not known itself; -1 if that is not known either
 * or is a special token. text_clean() may refuse even a clean token, since NFC can turn one mark
 * into two. */
static int find_lower(const Tokenizer *t, Span token)
{
    char *lower;
    size_t size;
    char *wrong =
        text_clean("", token.begin, (size_t)(token.end - token.begin), TEXT_LOWER, &lower, &size);
    if (wrong) {
        free(wrong);
        return -1;
    }
    const int id = vocabulary_find(&t->vocabulary, lower, size);
    free(lower);
    return id >= 0 && vocabulary_is_special(&t->vocabulary, id) ? -1 : id;
}

static void note_lowered(Encoding *e, Span word)
{
    enum { MOST = 10 };
    if (e->lowered_count > MOST)
        return;
    extend_text(&e->lowered, e->lowered ? ", " : "");
    if (e->lowered_count++ == MOST)
        extend_text(&e->lowered, "…");
    else
        extend_text(&e->lowered, "%.*s", (int)(word.end - word.begin), word.begin);
}

/* Appends the ids of a clean part of a prompt, or says in e->wrong why that is not possible. */
static void encode_clean(const Tokenizer *t, Encoding *e, const char *name, Span text)
{
    Encoder *encoder = encoder_new(t, (size_t)(text.end - text.begin), -1);
    for (Span unknown; !e->wrong && !encoder_add(encoder, text, &e->ids, &unknown);) {
        int id = find_lower(t, unknown);
        if (id >= 0)
            note_lowered(e, unknown);
        id = id < 0 ? t->unk : id;
        if (id < 0)
            e->wrong = tokenizer_unknown(t, name, unknown);
        arrput(e->ids, id);
        text.begin = unknown.end;
    }
    encoder_free(encoder);
}

/* The ids of any part, which is cleaned first. */
static void encode_part(const Tokenizer *t, Encoding *e, const char *name, Span part)
{
    const size_t size = (size_t)(part.end - part.begin);
    char *clean = NULL;
    size_t clean_size;
    int id;
    if (e->wrong)
        return;
    e->wrong = text_clean(name, part.begin, size, t->form, &clean, &clean_size);
    if (!e->wrong && (vocabulary_find_reserved(&t->vocabulary, part.begin, size, &id) ||
                      vocabulary_find_reserved(&t->vocabulary, clean, clean_size, &id)))
        e->wrong = tokenizer_reserved(t, name, id);
    if (!e->wrong)
        encode_clean(t, e, name, (Span){clean, clean + clean_size});
    free(clean);
}

/* A prompt of pairs is a source, which may be followed by a tab and the beginning of its target. */
static void encode_pair(const Tokenizer *t, Encoding *e, const char *name, Span prompt)
{
    const char *tab = memchr(prompt.begin, '\t', (size_t)(prompt.end - prompt.begin));
    const Span source = {prompt.begin, tab ? tab : prompt.end};
    const Span target = {tab ? tab + 1 : prompt.end, prompt.end};
    Span rest = prompt, line;
    int lines = 0;
    while (split_part(&rest.begin, rest.end, CUT_LINES, &line))
        lines++;
    if (is_blank(source))
        e->wrong =
            format_text(_("%s has no source; write one before the tab (at the prompt line: before "
                          "->)"),
                        name);
    else if (lines > 1)
        e->wrong = format_text(_("%s has two lines; give one"), name);
    else if (memchr(target.begin, '\t', (size_t)(target.end - target.begin)))
        e->wrong = format_text(_("%s has two tabs; one stands between source and target"), name);
    encode_part(t, e, name, source);
    arrput(e->ids, t->sep);
    encode_part(t, e, name, target);
}

static const char MASK[] = "[mask]"; /* what a gap is in a prompt, whatever the vocabulary has */

/* Where the next gap of a prompt begins, or NULL. */
static const char *find_gap(Span text)
{
    return memmem(text.begin, (size_t)(text.end - text.begin), MASK, strlen(MASK));
}

/* A prompt with gaps is a whole line. A subword has the space before it, so spaces before a gap
 * belong to the gap. */
static void encode_gaps(const Tokenizer *t, Encoding *e, const char *name, Span rest)
{
    for (const char *gap; (gap = find_gap(rest)); rest.begin = gap + strlen(MASK)) {
        Span part = {rest.begin, gap};
        while (t->kind == TOKENIZER_BPE && part.end > part.begin && part.end[-1] == ' ')
            part.end--;
        encode_part(t, e, name, part);
        arrput(e->ids, t->mask);
    }
    encode_part(t, e, name, rest);
    if (t->eos >= 0)
        arrput(e->ids, t->eos);
}

Encoding prompt_encode(const Tokenizer *t, const char *name, const char *bytes, size_t size)
{
    Encoding e = {0};
    const Span prompt = {bytes, bytes + size};
    if (t->bos >= 0)
        arrput(e.ids, t->bos);
    if (t->objective == OBJECTIVE_MASKED)
        encode_gaps(t, &e, name, prompt);
    else if (find_gap(prompt))
        e.wrong = format_text(_("%s has %s, but the model was not trained to fill gaps; train one "
                                "with --objective masked"),
                              name, MASK);
    else if (t->objective == OBJECTIVE_PAIRS)
        encode_pair(t, &e, name, prompt);
    else
        encode_part(t, &e, name, prompt);
    e.count = e.wrong ? 0 : (int)arrlen(e.ids);
    if (e.wrong)
        text_sanitize(e.wrong);
    return e;
}

void encoding_free(Encoding *e)
{
    arrfree(e->ids);
    free(e->wrong);
    free(e->lowered);
}
