/* sample.c: prints which tokens a trained model expects after a prompt or in its gaps, and
 * continues the prompt or fills them. Prompts come from the command line, from a person at a
 * terminal, or from a pipe. */
#include <errno.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/parallel/threads.h"
#include "base/utf8.h"
#include "model/gpt.h"
#include "programs/sample/chat.h"
#include "programs/sample/choice.h"
#include "programs/sample/near.h"
#include "programs/sample/prompt_line.h"
#include "programs/sample/score.h"
#include "programs/sample/show.h"
#include "programs/terminal/options.h"
#include "programs/terminal/process.h"

static const Program PROGRAM = {
    .fields = CHOICES,
    .first = "count,words,temperature,top-p,greedy,seed,score,sources,near,json",
    .arguments = N_("RUN [PROMPT...]"),
    .summary = N_("Continues PROMPT with the model in the directory RUN, or in a .zip of it. "
                  "Without a prompt it asks for "
                  "prompts; in a pipe each line is a prompt."),
    .notes = N_(
        "To a model of pairs PROMPT is a source; a tab (at the prompt line ->) and the beginning "
        "of its target may follow. The most probable targets are printed. To a model of masked "
        "tokens PROMPT is a line with [mask] for each token that is missing. What may stand there "
        "is printed, and the line filled: first the gap of which the model is surest, then, after "
        "reading again, the next. To a model of turns a prompt is what a person says, and without "
        "PROMPT the conversation goes on from line to line.\n\n"
        "Beside each probability stands how often the training text continues in that way, if the "
        "text is at hand. If the model's tokens are subwords, the table shows whole words: how the "
        "text may go on up to the next space or mark, whatever tokens that takes. [bos] and other "
        "special tokens may have a probability but are never written. \"\" is an empty prompt.\n\n"
        "At the prompt line :help lists commands, and :OPTION VALUE changes an option; Ctrl-C "
        "stops an answer or empties the line. Prompts are kept for the next time in the file that "
        "PULGA_HISTORY names, nowhere if that is empty, by default in pulga/history in "
        "XDG_STATE_HOME or ~/.local/state.\n\n"
        "Examples:\n"
        "  sample runs/perro un gato            continue a prompt\n"
        "  sample runs/perro                    ask for prompts\n"
        "  sample runs/perro un --greedy        the most probable words only\n"
        "  sample runs/perro --json <lines.txt  answer each line of a file\n"
        "  sample runs/pairs $'el gato\\tthe'    a tab, and how the target begins\n"),
};

/* A token takes some fifty products, one after the other. On a virtual machine it takes about 50 us
 * to wake a thread between two of them, so here threads wait ten times as long before they sleep as
 * base/parallel/threads.c has it. Measured beside eight busy loops, that costs nothing. */
__attribute__((constructor(101))) static void wait_longer(void)
{
    setenv("GOMP_SPINCOUNT", "5000", 0);
}

/* ---- Prompts, from three places ---- */

/* Prints the text of a prompt of ids, numbers with blanks between them, as a line or as
 * {"prompt":"0 2 5","text":"el gato"}; or why it has none. */
static bool decode_prompt(const Answerer *a, const char *name, const char *prompt)
{
    const Tokenizer *t = &a->model->tokenizer;
    const int V = tokenizer_size(t);
    AUTOFREE char *wrong = NULL, *text = NULL;
    int *ids = NULL;
    for (const char *at = prompt + strspn(prompt, " "); *at && !wrong; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        const bool number = strspn(at, "0123456789") == length && length < 10;
        arrput(ids, number ? (int)strtol(at, NULL, 10) : V);
        if (arrlast(ids) >= V)
            wrong = format_text(_("%s: '%.*s' is no token's id, a number from 0 to %d"), name,
                                (int)length, at, V - 1);
        at += length;
    }
    if (!wrong)
        text = tokenizer_decode(t, ids, (int)arrlen(ids));
    arrfree(ids);
    if (a->rules.json) {
        printf("{\"prompt\":");
        put_json(stdout, prompt);
        printf(wrong ? ",\"error\":" : ",\"text\":");
        put_json(stdout, wrong ? wrong : text);
        printf("}\n");
    } else if (wrong)
        warn("%s", wrong);
    else
        printf("%s\n", text);
    fflush(stdout);
    return !wrong;
}

/* Answers one prompt; returns whether it has an answer. Messages call it `name`. */
static bool answer_prompt(Answerer *answerer, const Screen *screen, const char *name,
                          const char *prompt, size_t size)
{
    if (answerer->rules.decode)
        return decode_prompt(answerer, name, prompt);
    Answer answer = answer_begin(answerer, name, prompt, size);
    const bool good = !answer.encoding.wrong;
    answer_show(answerer, &answer, screen);
    answer_free(&answer);
    return good;
}

/* Bytes of a line that comes from a pipe. */
enum { PROMPT_MOST = 1 << 20 };

/* The next line of standard input, without its line end, which is LF or CRLF; NULL at the end. It
 * is read byte by byte, so that a line without an end is refused before it fills the memory. A line
 * may hold 0 bytes, and the last one may lack its line end. */
static char *read_line(size_t *size)
{
    char *line;
    int c;
    FILE *out = memory_stream(&line, size);
    for (size_t length = 0; (c = getchar()) != EOF && c != '\n'; length++) {
        if (length == PROMPT_MOST)
            die("standard input has a line of more than %d bytes: that is no prompt", PROMPT_MOST);
        putc(c, out);
    }
    fclose(out);
    if (ferror(stdin))
        die("cannot read standard input: %s", reason(errno));
    if (c == EOF && !*size) {
        free(line);
        return NULL;
    }
    if (*size && line[*size - 1] == '\r')
        line[--*size] = 0;
    return line;
}

/* From a pipe: each line is a prompt, which a terminal shows before its answer. Returns whether
 * all have one. */
static bool answer_lines(Answerer *answerer, const Screen *screen)
{
    bool good = true;
    size_t size, number = 0;
    Chat chat = {.said = NULL};
    for (char *line; (line = read_line(&size)); free(line)) {
        AUTOFREE char *name = format_text(_("standard input:%zu"), ++number),
                      *shown = display_text(line);
        if (answerer->rules.chat) {
            good &= chat_reply(&chat, answerer, screen, name, line, false);
            continue;
        }
        if (screen->terminal && !answerer->rules.json)
            printf("> %s\n", shown);
        fflush(stdout); /* the next line may go to standard error */
        good &= answer_prompt(answerer, screen, name, line, size);
    }
    chat_free(&chat);
    return good;
}

/* Answers the prompt that the words of the command line are, or those of a person or of a pipe;
 * returns whether all of them have an answer. The training text is read only to count in it. */
static bool sample(Pretrained *model, CountMixture *counts, Choice *choice, ChoiceDecided *decided,
                   char **words)
{
    const Screen screen = screen_open();
    TrainingText text = training_text_open(model, choice->text);
    if (choice->rules.sources && !text.there)
        usage_error("--sources needs the text that %s was trained on; name it with --text FILE",
                    model->directory.path);
    Answerer answerer =
        answerer_new(model, &text, choice_rules(choice, decided, &model->tokenizer));
    answerer.counts = counts;
    bool good = true;
    if (*words && choice->chat) {
        AUTOFREE char *prompt = words_together(words);
        Chat chat = {.said = NULL};
        good = chat_reply(&chat, &answerer, &screen, _("the prompt"), prompt, false);
        chat_free(&chat);
    } else if (*words) {
        AUTOFREE char *prompt = words_together(words);
        good = answer_prompt(&answerer, &screen, _("the prompt"), prompt, strlen(prompt));
    } else if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !choice->decode)
        prompt_line(&answerer, &screen, choice, decided);
    else
        good = answer_lines(&answerer, &screen);
    answerer_free(&answerer);
    training_text_free(&text);
    return good;
}

/* Ends in a usage error if the options contradict each other or the model, if that is known. */
static void check(const Choice *choice, const ChoiceDecided *decided, const Tokenizer *tokenizer)
{
    char *wrong = choice_wrong(choice, decided, tokenizer);
    if (wrong)
        usage_error("%s", wrong);
}

/* A model of turns is talked to unless it gets one prompt; one that has ChatML's tokens, only with
 * --chat. */
static void begin_chat(Pretrained *model, Choice *choice, const char *prompt)
{
    const bool turns = model->tokenizer.objective == OBJECTIVE_TURNS;
    if (choice->chat && !turns && !pretrained_take_chatml(model))
        usage_error(
            "--chat is for a model of conversations, and %s is not: it was not trained with "
            "--objective turns, and does not have the tokens <|im_start|> and <|im_end|>",
            model->directory.path);
    choice->chat |= turns && !prompt && !choice->score && !choice->near && !choice->decode;
}

/* The words of the command line are RUN and those of a prompt. The status is 1 if some prompt has
 * no answer. */
int main(int argc, char **argv)
{
    process_prepare();
    Choice choice = {0};
    ChoiceDecided decided = {{0}};
    AUTOFREE char **words = options_read(&PROGRAM, argc, argv, &choice, decided.at);
    if (!words[0])
        usage_error("give a RUN to sample from; see --help");
    if (choice.score && words[1])
        usage_error("--score reads a text from a file, so a prompt would have no effect");
    if (choice.near && words[1])
        usage_error("--near prints which tokens are alike, so a prompt would have no effect");
    check(&choice, &decided, NULL);
    process_start_threads(choice.threads);

    options_check_path(words[0], "runs");
    Pretrained model = pretrained_open_rounded(words[0], choice.weights);
    warn_of_newer(&model, words[0]);
    bool good = true;
    begin_chat(&model, &choice, words[1]);
    check(&choice, &decided, &model.tokenizer);
    if (choice.without)
        pretrained_without(&model, choice.without);
    if (!choice.threads) /* a step is a piece of the text, or a token that is written */
        thread_set_limit(
            threads_for_step(choice.score ? model.gpt.config.context : 1, model.gpt.size));
    CountMixture counts = {0};
    Corpus counted;
    const bool mixed = !choice.near && counted_read(&model, &counted, &counts);
    if (mixed) {
        model.gpt.mixture = count_mixture_of(&counts);
        corpus_free(&counted);
    }
    if (DECIDED(&decided, share) && !mixed)
        usage_error("--share is for a run with --counts, which learns its share when train ends; "
                    "%s has none",
                    words[0]);
    if (DECIDED(&decided, share))
        counts.share = choice.share;
    if (choice.score)
        score_text(&model, mixed ? &counts : NULL, &choice);
    else if (choice.near)
        near_print(&model, &choice, DECIDED(&decided, rules.table) ? choice.rules.table : 10);
    else
        good = sample(&model, mixed ? &counts : NULL, &choice, &decided, words + 1);

    count_mixture_free(&counts);
    pretrained_close(&model);
    fields_free(CHOICES, &choice);
    return good ? 0 : 1;
}
