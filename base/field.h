/* field.h: members of a struct that have a name, limits and a default: options and settings.
 *
 * A program lists the members of its struct in a table of fields. The command line, --help,
 * config.json and a resumed run all go through that table. Code names a member as the compiler
 * knows it, never by a string: settings->batch, DECIDED(decided, batch). */
#ifndef PULGA_FIELD_H
#define PULGA_FIELD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    FIELD_WHOLE,  /* int: digits only                                      */
    FIELD_NUMBER, /* double                                                */
    FIELD_CHOICE, /* an enum: the index of one of the choices              */
    FIELD_FLAG,   /* bool: on or off; on if only the name is given         */
    FIELD_TEXT,   /* char *, NULL if not given: any text but an empty one  */
} FieldKind;

/* Whether a run keeps the value of a setting. */
typedef enum {
    LIFE_CALL,       /* no: it is for one call only                                      */
    LIFE_RUN,        /* yes: config.json holds it, and a resumed run cannot change it    */
    LIFE_MAY_CHANGE, /* config.json holds it, but a resumed run may be given a new value */
} FieldLife;

typedef struct {
    const char *name; /* of the option, without its dashes */
    FieldLife life;
    FieldKind kind;
    size_t offset;              /* of the member in its struct; or FIELD_NONE */
    const char *const *choices; /* of a FIELD_CHOICE: the name of each value, ended by NULL */
    const char *preset;         /* the default as one would type it, or NULL */
    const char *value;          /* what --help calls the value: "N" (of a choice: its names) */
    double min, max;            /* of a FIELD_WHOLE or a FIELD_NUMBER */
    const char *help;
} Field;

/* The offset of no member: that of a heading of --help. (A table ends with a field without a
 * name.) */
#define FIELD_NONE ((size_t)-1)
#define FIELD_HEADING(title)                  \
    {                                         \
        .name = (title), .offset = FIELD_NONE \
    }

/* What a row has of a member of FIELD_STRUCT, which the file with the table defines, from its kind
 * to its limits. The compiler checks that the member has the type of its kind. A table:
 *
 *     #define FIELD_STRUCT Settings
 *     static const Field TABLE[] = {
 *         FIELD_HEADING("The model"),
 *         {"layers", LIFE_RUN, WHOLE_FIELD(layers, "4", "N", 1, 1000), "layers of the model"},
 *         {"norm", LIFE_RUN, CHOICE_FIELD(norm, NORMS, "pre"), "..."},
 *         {.name = NULL},
 *     }; */
#define FIELD_ROW(kind, member, Type, choices, preset, value, min, max)                      \
    (kind), offsetof(FIELD_STRUCT, member) + FIELD_CHECK(((FIELD_STRUCT *)0)->member, Type), \
        (choices), (preset), (value), (min), (max)
#define FIELD_CHECK(member, Type) ((size_t)0 * _Generic((member), Type : 1))
#define WHOLE_FIELD(member, preset, value, min, max) \
    FIELD_ROW(FIELD_WHOLE, member, int, NULL, preset, value, min, max)
#define NUMBER_FIELD(member, preset, value, min, max) \
    FIELD_ROW(FIELD_NUMBER, member, double, NULL, preset, value, min, max)
#define CHOICE_FIELD(member, names, preset) \
    FIELD_ROW(FIELD_CHOICE, member, unsigned, names, preset, NULL, 0, 0) /* an enum */
#define FLAG_FIELD(member) FIELD_ROW(FIELD_FLAG, member, bool, NULL, NULL, NULL, 0, 0)
#define TEXT_FIELD(member, value) FIELD_ROW(FIELD_TEXT, member, char *, NULL, NULL, value, 0, 0)

/* Which members of a struct were given or taken over, so that they are not chosen again: one bool
 * for each byte of the struct; a member uses the one at its offset. */
#define DECIDED_OF(Struct)        \
    union {                       \
        bool at[sizeof(Struct)];  \
        Struct of_this_type_only; \
    }
#define DECIDED(decided, member) \
    ((decided)->at[offsetof(__typeof__((decided)->of_this_type_only), member)])

/* The next field that is not a heading, from this one on; NULL at the end of the table. */
const Field *field_next(const Field *field);
#define EACH_FIELD(field, table) \
    for (const Field *(field) = field_next(table); (field); (field) = field_next((field) + 1))

/* The field of the member at this offset, which the table must have. */
const Field *field_at(const Field *table, size_t offset);

/* Sets every field that has a default to it. */
void fields_preset(const Field *table, void *into);

/* Frees the texts. */
void fields_free(const Field *table, void *into);

/* Copies the value of one field between two structs. */
void field_copy(const Field *field, void *into, const void *from);

/* Whether the values of one field in two structs are equal. */
bool field_equal(const Field *field, const void *a, const void *b);

/* Whether an option needs no more than its name: a flag, which is then on, or a choice whose first
 * value is "off", which then has the second one. */
bool field_stands_alone(const Field *field);

/* Sets one field from its text; "" is an option's name without a value. If the field cannot have
 * that value, the first returns false and changes nothing; the second ends in a usage error. */
bool field_try(const Field *field, void *into, const char *text);
void field_set(const Field *field, void *into, const char *text);

/* The names of a choice with a separator between them; the caller frees them. */
char *field_choices(const Field *field, const char *separator);

/* What field_try needs instead of this text, which may be NULL, such as "a whole number from 1 to
 * 1000"; the caller frees it. */
char *field_needs(const Field *field, const char *text);

/* The value as one would type it (a flag as true or false; nothing as ""); the caller frees it. */
char *field_text(const Field *field, const void *from);

#endif
