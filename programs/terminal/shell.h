/* shell.h: joins words into one line, quoted for a shell or as they are. */
#ifndef PULGA_SHELL_H
#define PULGA_SHELL_H

/* Words, ended by NULL, as one could type them into a shell, in one line. The caller frees it. */
char *command_line(char *const *words);

/* Words, ended by NULL, as one text with a space between each two. The caller frees it. */
char *words_together(char *const *words);

#endif
