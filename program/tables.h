/* tables.h: what heads look at, on a terminal or in plain text: a line for each head, and a table
 * whose rows are queries and whose columns are keys. */
#ifndef PULGA_TABLES_H
#define PULGA_TABLES_H

#include "pictures/heads.h"
#include "screen.h"

/* The summaries of all wanted heads. */
void tables_summarise(const Heads *heads);

/* The weights of one head in percent, shaded; as much of it as fits the screen. A cell that may
 * not be seen is empty. */
void tables_show(const Heads *heads, int layer, int head, const Screen *screen);

/* What cannot be shown in full is said; nothing where all can. */
void tables_note(const Heads *heads, const Screen *screen);

#endif
