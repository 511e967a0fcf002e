/* conversation.h: answers a person at a terminal, prompt by prompt, and obeys commands (commands.h)
 * between them. */
#ifndef PULGA_CONVERSATION_H
#define PULGA_CONVERSATION_H

#include "choice.h"
#include "growing.h"

/* Until the person leaves. The options may change meanwhile, and the printer's answerer with
 * them. */
void converse(const AnswerPrinter *printer, Choice *choice, ChoiceDecided *decided);

#endif
