/* choice.c: the table of the options; a list of those that would have no effect together; defaults
 * that depend on other options and on the model. */
#include "choice.h"

#include <limits.h>

#include "base/base.h"
#include "base/language.h"
#include "base/utf8.h"

#define FIELD_STRUCT Choice

enum { BEAM_MOST = 1000 };

static const char *const EACH_NAMES[] = {
    [EACH_OFF] = "off", [EACH_TOKEN] = "token", [EACH_WORD] = "word", NULL};

static const char *const ROUNDING_NAMES[] = {
    [ROUNDING_NONE] = "f32", [ROUNDING_BF16] = "bf16", [ROUNDING_Q8] = "q8", NULL};

/* In the order of --help. Some defaults depend on other options and on the model:
 * choice_rules() chooses them. */
const Field CHOICES[] = {
    FIELD_HEADING("Answers:"),
    {"count", LIFE_CALL, WHOLE_FIELD(rules.count, NULL, "N", 0, 100000),
     N_("how many continuations [3; 1 with --greedy]; for pairs, hopeless ones are left out unless "
        "N is given")},
    {"words", LIFE_CALL, WHOLE_FIELD(rules.words, NULL, "N", 1, 1 << 20),
     N_("tokens in each, at most [50; 100 subwords, 300 characters]")},
    {"temperature", LIFE_CALL, NUMBER_FIELD(rules.sampling.temperature, "1", "T", 0, 1000),
     N_("below 1: safer and more repetitive; above 1: more varied; 0 = --greedy; a conversation "
        "has 0.3 unless T is given")},
    {"top-k", LIFE_CALL, WHOLE_FIELD(rules.sampling.top_k, "0", "K", 0, 1 << 30),
     N_("draw from the K most probable tokens; 0 = all")},
    {"top-p", LIFE_CALL, NUMBER_FIELD(rules.sampling.top_p, "1", "P", 0, 1),
     N_("draw from the most probable tokens that together reach P; 0 = only from the first")},
    {"repetition-penalty", LIFE_CALL, NUMBER_FIELD(rules.penalty, "1", "R", 0.01, 100),
     N_("above 1: tokens that are already in the text become less probable (logits are divided by "
        "R if positive, else multiplied); below 1: more")},
    {"greedy", LIFE_CALL, FLAG_FIELD(greedy), N_("always take the most probable token")},
    {"beam", LIFE_CALL, WHOLE_FIELD(rules.beam, NULL, "K", 0, BEAM_MOST),
     N_("search for the most probable continuations and keep the K best at each token; finished "
        "ones still compete, and as longer ones are less probable, short ones are favoured; 0 = "
        "off [5 for pairs, unless they are drawn; else 0]")},
    {"seed", LIFE_CALL, WHOLE_FIELD(rules.seed, "1", "N", 0, 2147483647),
     N_("the same seed draws the same words, with any number of threads")},
    {"sources", LIFE_CALL, FLAG_FIELD(rules.sources),
     N_("for each continuation, the longest pieces that stand in the training text, and where")},
    {"stop", LIFE_CALL, TEXT_FIELD(rules.stop, N_("TEXT")),
     N_("end a continuation where it would write TEXT, which is left out")},
    {"table", LIFE_CALL, WHOLE_FIELD(rules.table, NULL, N_("ROWS"), 0, 1 << 30),
     N_("rows of the table of next tokens [10, without those that would show 0.000; for pairs 0]")},

    FIELD_HEADING("Other options:"),
    {"chat", LIFE_CALL, FLAG_FIELD(chat),
     N_("keep a conversation: each line is a turn, which is answered, and a blank line begins a "
        "new "
        "one [on without a PROMPT for a model of turns]; one with ChatML's tokens <|im_start|> and "
        "<|im_end|> is talked to by these")},
    {"text", LIFE_CALL, TEXT_FIELD(text, N_("FILE")),
     N_("the text to count in, if the run holds no copy of the one it was trained on")},
    {"share", LIFE_CALL, NUMBER_FIELD(share, NULL, N_("SHARE"), 0, 1),
     N_("of a run that was trained with --counts: the share of counting in all probabilities; 0 = "
        "the model alone, 1 = counting alone [what the run has learnt]")},
    {"score", LIFE_CALL, TEXT_FIELD(score, N_("FILE")),
     N_("print the loss and perplexity of each line of FILE and of the whole, and the bits per "
        "byte of the whole; no continuations")},
    {"each", LIFE_CALL, CHOICE_FIELD(each, EACH_NAMES, NULL),
     N_("with --score: print a row for each token, or for each word, which may have several: its "
        "probability, surprise in bits and rank, the entropy of what was predicted, the most "
        "probable token, and how often the training text goes on so; --each is --each=token "
        "[off]")},
    {"csv", LIFE_CALL, FLAG_FIELD(csv), N_("print these rows as CSV, for R or Python")},
    {"near", LIFE_CALL, TEXT_FIELD(near, N_("WORD")),
     N_("print the tokens whose embeddings are most like that of WORD, as many as --table says; no "
        "continuations")},
    {"without", LIFE_CALL, TEXT_FIELD(without, N_("LIST")),
     N_("answer without some heads or layers, such as L2H3,L1: these add nothing")},
    {"json", LIFE_CALL, FLAG_FIELD(json),
     N_("print one JSON object per prompt, or per row, each on a line (JSON Lines)")},
    {"decode", LIFE_CALL, FLAG_FIELD(decode),
     N_("print the text of each prompt, which is a list of ids of tokens, such as 0 2 5")},
    {"weights", LIFE_CALL, CHOICE_FIELD(weights, ROUNDING_NAMES, "f32"),
     N_("keep the weights as they are, or rounded to 16 or 9 bits each: so a large model "
        "takes less memory and writes faster")},
    {"threads", LIFE_CALL, WHOLE_FIELD(threads, NULL, "N", 1, 1024),
     N_("processors to use [suits the model]")},
    {.name = NULL},
};

/* ---- Contradictions ---- */

#define AT(member) offsetof(Choice, member)

/* What says how continuations are written. */
#define OF_CONTINUATIONS                                                                         \
    AT(rules.count), AT(rules.words), AT(rules.sampling.temperature), AT(rules.sampling.top_k),  \
        AT(rules.sampling.top_p), AT(greedy), AT(rules.beam), AT(rules.seed), AT(rules.penalty), \
        AT(rules.sources), AT(rules.stop)

/* One line if an option was given that would have no effect. Each list ends with FIELD_NONE. */
static char *without_effect(const Choice *choice, const ChoiceDecided *decided, bool gaps)
{
    const struct {
        bool holds;
        const char *why;
        size_t options[16];
    } lists[] = {
        {choice->chat,
         N_("a conversation has one answer to each turn"),
         {AT(rules.count), AT(rules.beam), AT(rules.sources), FIELD_NONE}},
        {choice->chat && !choice->json,
         N_("a conversation shows no table"),
         {AT(rules.table), FIELD_NONE}},
        {choice->score || choice->near || choice->decode,
         N_("only prompts are answered in a conversation"),
         {AT(chat), FIELD_NONE}},
        {choice->score,
         N_("--score writes no continuations"),
         {OF_CONTINUATIONS, AT(rules.table), FIELD_NONE}},
        {choice->score && !choice->each,
         N_("--score counts in no text without --each"),
         {AT(text), FIELD_NONE}},
        {!choice->score, N_("only --score reads a text"), {AT(each), FIELD_NONE}},
        {!choice->each, N_("there are no rows without --each"), {AT(csv), FIELD_NONE}},
        {choice->csv, N_("--csv prints no JSON"), {AT(json), FIELD_NONE}},
        {choice->near,
         N_("--near writes no continuations"),
         {OF_CONTINUATIONS, AT(share), AT(score), FIELD_NONE}},
        {choice->near, N_("--near reads no head or layer"), {AT(without), FIELD_NONE}},
        {choice->near, N_("--near reads the embeddings as they are"), {AT(weights), FIELD_NONE}},
        {choice->decode,
         N_("--decode computes nothing"),
         {OF_CONTINUATIONS, AT(rules.table), AT(share), AT(without), AT(weights), FIELD_NONE}},
        {choice->decode, N_("--decode reads ids"), {AT(score), AT(near), FIELD_NONE}},
        {choice->greedy,
         N_("--greedy always takes the most probable token"),
         {AT(rules.sampling.temperature), AT(rules.sampling.top_k), AT(rules.sampling.top_p),
          AT(rules.beam), FIELD_NONE}},
        {choice->rules.beam,
         N_("--beam searches instead of drawing"),
         {AT(rules.sampling.temperature), AT(rules.sampling.top_k), AT(rules.sampling.top_p),
          FIELD_NONE}},
        {gaps,
         N_("the model puts one token into each gap"),
         {AT(rules.beam), AT(rules.words), AT(rules.penalty), AT(rules.stop), FIELD_NONE}},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const size_t *at = lists[i].options; lists[i].holds && *at != FIELD_NONE; at++)
            if (decided->at[*at])
                return format_text(_("%s, so --%s would have no effect"), translated(lists[i].why),
                                   field_at(CHOICES, *at)->name);
    return NULL;
}

char *choice_wrong(const Choice *choice, const ChoiceDecided *decided, const Tokenizer *t)
{
    const AnswerRules *given = &choice->rules;
    char *wrong = without_effect(choice, decided, t && t->objective == OBJECTIVE_MASKED);
    if (wrong)
        return wrong;
    if (given->stop && !utf8_is_valid(given->stop, strlen(given->stop)))
        return format_text(_("--stop is not UTF-8, so no text has it"));
    if (given->beam && given->count > given->beam)
        return format_text(
            _("--beam %d finds at most so many continuations, so --count %d is too many"),
            given->beam, given->count);
    if (!t)
        return NULL;
    const AnswerRules rules = choice_rules(choice, decided, t);
    if (rules.beam > BEAM_MOST)
        return format_text(_("--count %d is more than the %d that a search can find; "
                             "--temperature 1 draws so many"),
                           rules.count, BEAM_MOST);
    if ((int64_t)rules.beam * tokenizer_size(t) > INT_MAX)
        return format_text(_("--beam %d is too wide for a model of %d tokens"), rules.beam,
                           tokenizer_size(t));
    return NULL;
}

/* ---- Rules ---- */

AnswerRules choice_rules(const Choice *choice, const ChoiceDecided *decided, const Tokenizer *t)
{
    const bool pairs = t->objective == OBJECTIVE_PAIRS, answers = objective_answers(t->objective);
    const bool drawn = DECIDED(decided, greedy) || DECIDED(decided, rules.sampling.temperature) ||
                       DECIDED(decided, rules.sampling.top_k) ||
                       DECIDED(decided, rules.sampling.top_p);
    AnswerRules rules = choice->rules;
    if (choice->greedy)
        rules.sampling.temperature = 0;
    if (!DECIDED(decided, rules.count))
        rules.count = rules.sampling.temperature == 0 ? 1 : 3; /* at 0, all would be equal */
    if (!DECIDED(decided, rules.words))
        rules.words = answer_length(t->kind);
    rules.all_rows = DECIDED(decided, rules.table);
    rules.json = choice->json;
    rules.chat = choice->chat;
    if (rules.chat)
        rules.count = 1;
    if (rules.chat && !drawn)
        rules.sampling.temperature = 0.3;
    rules.decode = choice->decode;
    if (!DECIDED(decided, rules.table)) /* few people want it for pairs */
        rules.table = (answers || rules.chat) && !choice->json ? 0 : 10;
    if (!DECIDED(decided, rules.count) && pairs)
        rules.least = ROW_LEAST;
    if (pairs && !drawn && !DECIDED(decided, rules.beam)) /* targets are searched for */
        rules.beam = max_int(BEAM_OF_PAIRS, rules.count);
    return rules;
}

/* ---- Changing one option ---- */

/* Sets one member, or takes it back to its default, which `presets` has; as in choice_change(),
 * returns what is wrong with the value. A flag that is off is one that was not given. */
static char *set_one(Choice *choice, ChoiceDecided *decided, const Choice *presets,
                     const Field *field, const char *value)
{
    const bool back = !strcmp(value, "default");
    if (back) {
        field_copy(field, choice, presets);
    } else if (!field_try(field, choice, value)) {
        AUTOFREE char *needs = field_needs(field, value);
        return format_text(_(":%s needs %s, not '%s'"), field->name, needs, value);
    }
    const bool off = field->kind == FIELD_FLAG && field_equal(field, choice, presets);
    decided->at[field->offset] = !back && !off;
    return NULL;
}

/* Everything is tried on a copy, which takes the place of the old one only if nothing is wrong. */
char *choice_change(Choice *choice, ChoiceDecided *decided, const Tokenizer *t, const Field *field,
                    const char *value)
{
    Choice next = {0}, presets = {0};
    ChoiceDecided next_decided = *decided;
    fields_preset(CHOICES, &presets);
    EACH_FIELD (each, CHOICES)
        field_copy(each, &next, choice);
    char *wrong = set_one(&next, &next_decided, &presets, field, value);
    AUTOFREE char *clash = wrong ? NULL : choice_wrong(&next, &next_decided, t);
    if (clash) {
        for (char *at = clash; (at = strstr(at, "--"));) { /* --greedy is :greedy here */
            *at++ = ':';
            memmove(at, at + 1, strlen(at));
        }
        wrong = format_text(_("%s; :OPTION default takes an option back"), clash);
    }
    fields_free(CHOICES, &presets);
    if (wrong) {
        fields_free(CHOICES, &next);
        return wrong;
    }
    fields_free(CHOICES, choice);
    *choice = next;
    *decided = next_decided;
    return NULL;
}

char *choice_value(const Choice *choice, const AnswerRules *rules, const Field *field)
{
    Choice shown = *choice;
    shown.rules = *rules;
    AUTOFREE char *text = field_text(field, &shown);
    return format_text("%s", field->kind == FIELD_FLAG ? strcmp(text, "true") ? "off" : "on"
                             : *text                   ? text
                                                       : "default");
}
