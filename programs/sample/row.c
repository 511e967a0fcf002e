/* row.c: CSV and the table show tokens by base/display.h; JSON's strings hold any text. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/display.h"

enum { NAME = 13 }; /* columns of a token in the table */

static const char *column(const Choice *choice)
{
    return choice->each == EACH_WORD ? "word" : "token";
}

bool row_in_table(const Choice *choice)
{
    return !choice->csv && !choice->json;
}

void row_put_head(const Choice *choice, TokenizerKind kind, bool in_parts, bool counted)
{
    if (choice->csv)
        printf("line,position,%s,probability,surprise,rank,entropy,best,best_probability,count,of,"
               "model,counting\n",
               column(choice));
    if (!row_in_table(choice))
        return;
    put_fitted(stdout, translated(choice->each == EACH_WORD ? N_("word") : tokenizer_unit(kind)),
               NAME, false);
    /* translators: the head of a table; keep the widths */
    printf("%s%s%s\n", _("      p     bits   rank  entropy  most probable      p"),
           in_parts ? _("   model  counting") : "", counted ? _("  in the text") : "");
}

/* el             0.667    0.585      1    0.918  el             0.667  6 of 9
 *
 * The probabilities by the model and by counting alone, if there are any, come before "6 of 9". */
static void put_in_table(const Row *row, const char *text, const char *best)
{
    put_fitted(stdout, text, NAME, false);
    printf("  %5.3f  %7.3f  %5d  %7.3f  ", row->probability, row->surprise, row->rank,
           row->entropy);
    put_fitted(stdout, best, NAME, false);
    printf("  %5.3f", row->best_p);
    if (row->in_parts)
        printf("  %6.3f  %8.3f", row->parts[0], row->parts[1]);
    if (row->of)
        printf(_("  %zu of %zu"), row->count, row->of);
    putchar('\n');
}

/* 1,2,"el",0.667,0.585,1,0.918,"el",0.667,6,9,,
 *
 * 15 digits of the surprise: so the rows add up to the loss. */
static void put_as_csv(const Row *row, const char *text, const char *best)
{
    printf("%zu,%zu,", row->line, row->position);
    put_csv(stdout, text);
    printf(",%.9g,%.15g,%d,%.9g,", row->probability, row->surprise, row->rank, row->entropy);
    put_csv(stdout, best);
    printf(row->of ? ",%.9g,%zu,%zu" : ",%.9g,,", row->best_p, row->count, row->of);
    printf(row->in_parts ? ",%.9g,%.9g\n" : ",,\n", row->parts[0], row->parts[1]);
}

/* {"line":1,"position":2,"token":"el","probability":0.667, ... ,"model":null,"counting":null} */
static void put_as_json(const Row *row, const char *name)
{
    printf("{\"line\":%zu,\"position\":%zu,\"%s\":", row->line, row->position, name);
    put_json(stdout, row->text);
    printf(",\"probability\":%.9g,\"surprise\":%.15g,\"rank\":%d,\"entropy\":%.9g,\"best\":",
           row->probability, row->surprise, row->rank, row->entropy);
    put_json(stdout, row->best);
    printf(row->of ? ",\"best_probability\":%.9g,\"count\":%zu,\"of\":%zu"
                   : ",\"best_probability\":%.9g,\"count\":null,\"of\":null",
           row->best_p, row->count, row->of);
    printf(row->in_parts ? ",\"model\":%.9g,\"counting\":%.9g}\n"
                         : ",\"model\":null,\"counting\":null}\n",
           row->parts[0], row->parts[1]);
}

void row_put(const Choice *choice, const Row *row)
{
    if (choice->json) {
        put_as_json(row, column(choice));
        return;
    }
    char *text = display_token(row->text), *best = display_token(row->best);
    if (choice->csv)
        put_as_csv(row, text, best);
    else
        put_in_table(row, text, best);
    free(text);
    free(best);
}
