/* prompt_line.h: answers a person at a terminal, prompt by prompt, and obeys commands between
 * them. */
#ifndef PULGA_PROMPT_LINE_H
#define PULGA_PROMPT_LINE_H

#include "programs/answer/answer.h"
#include "programs/terminal/screen.h"
#include "choice.h"

/* Until the person leaves. The options may change meanwhile, and the answerer with them. */
void prompt_line(Answerer *answerer, const Screen *screen, Choice *choice, ChoiceDecided *decided);

#endif
