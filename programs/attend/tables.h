/* tables.h: attention maps on a terminal or in plain text: a line of numbers for each head, and
 * tables whose rows are queries and whose columns are keys. */
#ifndef PULGA_TABLES_H
#define PULGA_TABLES_H

#include "programs/attend/heads/figure.h"
#include "programs/attend/heads/heads.h"
#include "programs/terminal/screen.h"

/* A line for each chosen head: its means over the queries. */
void tables_summarise(const Heads *heads);

/* A table for each chosen head: the weights in percent, shaded; as many columns as fit on the
 * screen. If a query cannot attend to a key, that cell is empty. Several tables that would fill
 * many screens are not printed; one line says what to do instead. */
void tables_show(const Heads *heads, const Screen *screen);

/* The cosine of two position vectors by their distance: a line for each distance, or for some. */
void tables_positions(const Positions *positions);

/* The loss of the text, and a line for each head and each layer. */
void tables_effects(const Effects *effects, const GptConfig *config, ObjectiveKind objective);

#endif
