/* maps.c: fills the lists of ranges and the maps directly, without a model. */
#include "maps.h"
#include "close.h"

#include <stb/stb_ds.h>

static void spread(Heads *heads, const Head *head)
{
    const int T = heads->length, h = head->head;
    Real *map = heads->maps + (size_t)h * (size_t)T * (size_t)T;
    memset(map, 0, (size_t)T * (size_t)T * sizeof *map);
    for (int i = 0; i < T; i++) {
        double sum = 0;
        EACH_KEY (j, head, i)
            sum += exp(4 * sin(i + 7.0 * j + h));
        EACH_KEY (j, head, i)
            ROW(map, i, T)[j] = (Real)(exp(4 * sin(i + 7.0 * j + h)) / sum);
    }
}

Heads maps_new(int length, int heads, const Pattern *patterns, const char *const *words)
{
    const size_t T = (size_t)length, H = (size_t)heads;
    Heads made = {.layers = 1,
                  .heads = heads,
                  .count = heads,
                  .length = length,
                  .begun = true,
                  .tokens = memory_new(T, sizeof *made.tokens, "words"),
                  .display = memory_new(T, sizeof *made.display, "words"),
                  .head = memory_new(H, sizeof *made.head, "heads"),
                  .maps = memory_new(H * T * T, sizeof(Real), "maps"),
                  .run = "run</script>",
                  .text = "<b>\"& x"};
    for (int i = 0; i < length; i++) {
        made.tokens[i] = format_text("%s", words ? words[i] : i % 2 ? "<b>" : "\"&");
        made.display[i] = format_text("%s", made.tokens[i]);
    }
    for (int h = 0; h < heads; h++) {
        made.head[h] = (Head){.head = h, .map = made.maps + (size_t)h * T * T};
        head_set_pattern(&made.head[h], patterns[h], length, 0);
        spread(&made, &made.head[h]);
    }
    return made;
}

void maps_see_prefix(Heads *heads, int index, int prefix)
{
    Head *head = &heads->head[index];
    arrfree(head->ranges);
    free(head->first);
    head_set_pattern(head, (Pattern)W(0), heads->length, prefix);
    spread(heads, head);
}

bool maps_has(const Head *head, int query, int key)
{
    EACH_RANGE (keys, head, query)
        if (key >= keys->from && key < keys->end)
            return true;
    return false;
}

char *maps_written(void (*write)(FILE *out, const Heads *heads), const Heads *heads)
{
    capture_begin();
    write(stdout, heads);
    return capture_end();
}

int count_parts(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}
