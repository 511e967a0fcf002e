/* chat.c: the conversation is one prompt, which is read again for each answer. */
#include "chat.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/language.h"
#include "base/utf8.h"
#include "show.h"

void chat_free(Chat *chat)
{
    free(chat->said);
    free(chat->before);
    *chat = (Chat){.told = chat->told};
}

/* What a line says in words that the model knows; `why` names those that it does not. NULL if it
 * knows none, or if the line cannot be read. The caller frees both. */
static char *known_words(const Tokenizer *t, const char *name, const char *line, char **why)
{
    Encoding e = prompt_encode(t, name, line, strlen(line));
    char *text = e.wrong ? NULL : format_text("%s", line);
    int known = 0, words = 0;
    *why = e.wrong;
    e.wrong = NULL;
    for (int i = 0; *why && e.known && i < arrlen(e.ids); i++)
        if (e.ids[i] >= 0) {
            words += tokenizer_is_text(t, e.ids[i]);
            e.ids[known++] = e.ids[i];
        }
    if (words) /* without the mark of the model's turn */
        text = tokenizer_decode(t, e.ids, known - 1);
    encoding_free(&e);
    return text;
}

/* What follows the first two turns; NULL if nothing does. */
static const char *after_exchange(const char *said)
{
    const char *tab = strchr(said, '\t');
    tab = tab ? strchr(tab + 1, '\t') : NULL;
    return tab ? tab + 1 : NULL;
}

/* Forgets the oldest turns of a conversation until it has room for an answer. */
static void forget(Chat *chat, const Answerer *a)
{
    const int context = a->model->gpt.config.context;
    const int most = context - min_int(a->rules.words, context / 4);
    const char *kept = chat->before, *rest;
    for (bool fits = false; !fits && (rest = after_exchange(kept));) {
        Encoding e = prompt_encode(&a->model->tokenizer, "", kept, strlen(kept));
        fits = e.wrong || e.count <= most;
        kept = fits ? kept : rest;
        encoding_free(&e);
    }
    if (kept == chat->before)
        return;
    if (!chat->told)
        warn("the context of %d tokens is full: from now on the oldest turns are forgotten",
             context);
    chat->told = true;
    char *shorter = format_text("%s", kept);
    free(chat->before);
    chat->before = shorter;
}

/* The text of an answer, without the prompt; what no turn can have, a tab or a byte that is not
 * UTF-8, is a space or a question mark. The caller frees. */
static char *answer_alone(const Answerer *a, const Continuation *c)
{
    char *text = tokenizer_decode(&a->model->tokenizer, c->tokens, c->count);
    char *end = text + strlen(text) - c->cut;
    *end = 0;
    for (const char *at = text, *from = at; at < end; from = at) {
        const int32_t letter = utf8_next(&at, end);
        if (letter < 0 || letter == '\t')
            text[from - text] = letter < 0 ? '?' : ' ';
    }
    return text;
}

/* Answers chat->before. A turn without an answer is not kept. */
static bool answer_turn(Chat *chat, Answerer *a, const Screen *screen, const char *name, char *why)
{
    forget(chat, a);
    Answer answer = answer_begin(a, name, chat->before, strlen(chat->before));
    answer.unknown = why;
    const Continuation *first = answer_show(a, &answer, screen);
    if (first) {
        AUTOFREE char *text = answer_alone(a, first);
        free(chat->said);
        chat->said = format_text("%s\t%s", chat->before, text);
    } else {
        free(chat->before);
        chat->before = NULL;
    }
    answer_free(&answer);
    return first;
}

bool chat_reply(Chat *chat, Answerer *a, const Screen *screen, const char *name, const char *line,
                bool typed)
{
    char *why;
    const bool prints = !typed && !a->rules.json;
    AUTOFREE char *shown = display_text(line);
    if (is_blank((Span){line, line + strlen(line)})) {
        chat_free(chat);
        printf("%s", prints ? "\n" : typed ? _("  (a new conversation)\n") : "");
        return true;
    }
    if (prints)
        printf("%s: %s\n", _("you"), shown);
    fflush(stdout); /* the next line may go to standard error */
    AUTOFREE char *words = known_words(&a->model->tokenizer, name, line, &why);
    const char *turn = words ? words : line; /* which answer_begin() refuses */
    char *before =
        format_text("%s%s%s", chat->said ? chat->said : "", chat->said ? "\t" : "", turn);
    free(chat->before);
    chat->before = before;
    return answer_turn(chat, a, screen, name, why);
}

bool chat_again(Chat *chat, Answerer *a, const Screen *screen)
{
    return chat->before && answer_turn(chat, a, screen, _("the prompt"), NULL);
}
