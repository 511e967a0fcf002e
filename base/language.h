/* language.h: the language of what is printed for a person.
 *
 * Texts are written in English where they are used, and each is its own key in the catalogue of
 * another language, base/po/es.po. Programs read English in --json, in files and in the names of
 * their columns: those are not translated. */
#ifndef PULGA_LANGUAGE_H
#define PULGA_LANGUAGE_H

/* The text in the language that the environment asks for, or itself if there is no translation.
 * The translation of a format takes the same arguments. Nothing is allocated. */
const char *translated(const char *english) __attribute__((format_arg(1)));

/* gettext's names, which its tools look for: _() translates a text; N_() marks one that is
 * translated later, where it is printed. */
#define _(english) translated(english)
#define N_(english) english

/* The locale that the environment names for LC_MESSAGES or another category, which need not be
 * installed: LC_ALL comes before the category, and that before LANG. "" if there is none. */
const char *locale_named(const char *category);

/* What errno means: strerror(), translated. */
const char *reason(int error);

#endif
