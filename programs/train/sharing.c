/* sharing.c: structs are shared as they are in memory, since all members are the same program; what
 * they point to follows. */
#include "sharing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "formats/run/log.h"
#include "programs/train/team/team.h"

void share_text(char **text)
{
    size_t size = team_leads() && *text ? strlen(*text) + 1 : 0;
    team_share(&size, sizeof size);
    if (!team_leads())
        *text = size ? memory_take(size) : NULL;
    team_share(*text, size);
}

void share_settings(Settings *settings)
{
    if (!team_leads())
        fields_free(SETTINGS, settings);
    team_share(settings, sizeof *settings);
    EACH_FIELD (field, SETTINGS)
        if (field->kind == FIELD_TEXT)
            share_text((char **)((char *)settings + field->offset));
}

/* ---- The ids ---- */

/* Sends the leader's store through memory, in blocks. A member has the leader's struct so far, and
 * writes the bytes to a store of its own, which is a file too if the leader's is. */
static void share_store(Store *store)
{
    enum { BLOCK = 1 << 26 };
    const size_t size = store->size;
    if (!team_leads())
        *store = store->file < 0 ? store_in_memory() : store_in_temporary_file(TOKENS_FILE);
    const char *bytes = team_leads() ? store_view(store) : NULL;
    char *room = memory_take(size < BLOCK ? size : BLOCK);
    for (size_t at = 0; at < size; at += BLOCK) {
        const size_t block = size - at < BLOCK ? size - at : BLOCK;
        if (bytes)
            memcpy(room, bytes + at, block);
        team_share(room, block);
        if (!bytes)
            store_put(store, room, block);
    }
    free(room);
}

/* The address that has so far the leader's: NULL, or as far from the beginning of the store. */
static const void *moved(const void *address, const char *from, const char *to)
{
    return address ? to + ((uintptr_t)address - (uintptr_t)from) : NULL;
}

void share_corpus(Corpus *c)
{
    team_share(c, sizeof *c);
    const char *from = c->store.at;
    share_store(&c->store);
    if (team_leads())
        return;
    const char *to = store_view(&c->store);
    c->ids.at = moved(c->ids.at, from, to);
    c->train.list = moved(c->train.list, from, to);
    c->aside.list = moved(c->aside.list, from, to);
    c->held_out.list = moved(c->held_out.list, from, to);
    c->evaluated = (Part){0};
}
