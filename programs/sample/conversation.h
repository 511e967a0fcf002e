/* conversation.h: answers a person at a terminal, prompt by prompt, and obeys commands (commands.h)
 * between them. */
#ifndef PULGA_CONVERSATION_H
#define PULGA_CONVERSATION_H

#include "choice.h"
#include "growing.h"

/* Until the person leaves. The options may change meanwhile, and the answerer with them. */
void converse(Answerer *answerer, const Screen *screen, Choice *choice, ChoiceDecided *decided);

#endif
