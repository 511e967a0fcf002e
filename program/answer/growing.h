/* growing.h: continuations appear on the screen word by word, where they will stand, as they are
 * drawn. Nothing that was printed moves, so nothing flickers, and the terminal wraps the lines. */
#ifndef PULGA_GROWING_H
#define PULGA_GROWING_H

#include "answer_print.h"

/* Draws the continuations of an answer and prints them. On a terminal they grow; a single one does
 * so in a pipe, too. A line with gaps is shown in the status line while it is filled. Only if some
 * of several turn out to be equal, they are taken back and printed once, with their number. */
void growing_print(AnswerPrinter *printer, Answer *answer);

#endif
