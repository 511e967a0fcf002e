/* chat.h: a conversation with a model of turns: each line that a person says is answered after all
 * that was said before. What is printed is a text of turns, as the model was trained on:
 *
 *     tú: hola
 *     charla: ¡hola! ¿cómo te llamas?
 *
 * With AnswerRules.json each answer is an object of answer_print.h, whose prompt is the
 * conversation with tabs between its turns. */
#ifndef PULGA_CHAT_H
#define PULGA_CHAT_H

#include "programs/answer/answer.h"
#include "programs/terminal/screen.h"

typedef struct {
    char *said;   /* so far, with tabs between the turns; NULL: nothing */
    char *before; /* likewise, before the last answer: it ends with what was answered */
    bool told;    /* that turns were forgotten: once is enough */
} Chat;

void chat_free(Chat *chat);

/* Answers what a person says, which messages call `name`, and keeps both; a blank line begins a new
 * conversation. If the context has no room for all, the oldest turns are forgotten, each with its
 * answer. `typed`: the line is on the screen already. Returns whether there is an answer. */
bool chat_reply(Chat *chat, Answerer *answerer, const Screen *screen, const char *name,
                const char *line, bool typed);

/* Answers the last line again, with other random numbers; false if there is none. */
bool chat_again(Chat *chat, Answerer *answerer, const Screen *screen);

#endif
