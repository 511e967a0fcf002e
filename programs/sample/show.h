/* show.h: an answer that is printed while it grows. */
#ifndef PULGA_SHOW_H
#define PULGA_SHOW_H

#include "programs/answer/answer_print.h"
#include "programs/terminal/screen.h"

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

#endif
