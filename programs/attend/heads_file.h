/* heads_file.h: writes attention maps, the cosines of positions, what heads do, or which lines a
 * prediction comes from, into a file, of the kind that the file's ending names. */
#ifndef PULGA_HEADS_FILE_H
#define PULGA_HEADS_FILE_H

#include "programs/attend/because.h"
#include "programs/attend/heads/figure.h"
#include "programs/attend/heads/heads.h"
#include "programs/attend/page/page.h"

/* Whether this is standard output: "-", of the kind .csv, or "-" and an ending. */
bool heads_file_is_output(const char *path);

/* What a file shows. */
typedef enum { SHOWS_HEADS, SHOWS_POSITIONS, SHOWS_BECAUSE, SHOWS_EFFECTS } FileTopic;

/* Ends in a usage error if the ending is unknown, or if such a file cannot show that. Dies if the
 * path is a file that attend has not written, such as config.json or another table. */
void heads_file_check(const char *path, FileTopic topic);

/* Whether the ending is that of a page. */
bool heads_file_is_page(const char *path);

/* Writes the chosen heads; `source` is for a page. Dies if they are too many for that kind of file.
 * If writing fails, warns, leaves no part of the file and returns false. */
bool heads_file_write(const char *path, const Heads *heads, const PageSource *source);
bool heads_file_write_positions(const char *path, const Positions *positions);
bool heads_file_write_because(const char *path, const Because *because);
bool heads_file_write_effects(const char *path, const Effects *effects);

#endif
