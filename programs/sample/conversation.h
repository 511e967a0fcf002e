/* conversation.h: answers a person at a terminal, prompt by prompt, and obeys commands between
 * them. */
#ifndef PULGA_CONVERSATION_H
#define PULGA_CONVERSATION_H

#include "base/field.h"
#include "programs/answer/answer_print.h"
#include "choice.h"

/* The prompts that a person has typed, kept for the next time: one a line, in a file that only its
 * owner can read. */

/* The file: $PULGA_HISTORY, else pulga/history in $XDG_STATE_HOME or in ~/.local/state. The caller
 * frees. NULL if $PULGA_HISTORY is empty: then nothing is kept; or, with a warning, if there is no
 * home. */
char *history_path(void);

/* Gives libedit the last lines of the file, at most KEPT_PROMPTS. If the file is there but cannot
 * be read, warns and returns false. */
enum { KEPT_PROMPTS = 1000 };
bool history_read(const char *path);

/* Adds a line to the file and makes the file, and folders above it, if need be. If that fails,
 * warns and returns false. */
bool history_add(const char *path, const char *line);

/* Completes an answer that was begun and prints it, or why there is none. Returns the first
 * continuation that is printed, or NULL.
 *
 * For a person the table is printed first, since the continuations may take a while; on a terminal
 * these grow word by word where they will stand, and a single one also does so in a pipe. Nothing
 * that was printed moves, so nothing flickers, and the terminal wraps the lines. A line with gaps
 * is shown in the status line while it is filled. Only if some of several turn out to be equal,
 * they are taken back and printed once, with their number. A program gets all of it in one line of
 * JSON. */
const Continuation *answer_show(Answerer *answerer, Answer *answer, const Screen *screen);

/* What a person types at the prompt line after a colon: one of some commands, such as :again, or
 * an option and its new value, as :temperature 0.7. A name may be cut as long as only one begins
 * with it. A command is a field without a member, whose offset is this; what may follow it is its
 * value. */
#define COMMAND (FIELD_NONE - 1)

typedef struct {
    const Field *meant; /* NULL at a mistake */
    const char *value;  /* what follows the name and spaces, in the line; "" if there is nothing */
    char *wrong;        /* the mistake, in one line that the caller frees; else NULL */
} CommandLine;

/* Reads a line, without its colon. Spaces at its end are removed. `names` is an stb_ds array. */
CommandLine command_read(const Field *const *names, char *line);

/* Until the person leaves. The options may change meanwhile, and the answerer with them. */
void converse(Answerer *answerer, const Screen *screen, Choice *choice, ChoiceDecided *decided);

#endif
