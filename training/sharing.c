/* sharing.c: structs are shared as they are in memory, since all members are the same program; what
 * they point to follows. */
#include "sharing.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "formats/run/files.h"
#include "training/team/team.h"

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

/* A file that the leader has open. */
typedef struct {
    pid_t process;
    int file;
    dev_t device;
    ino_t number;
    size_t size;
} StorePlace;

static StorePlace place_of(const Store *store)
{
    struct stat status;
    if (fstat(store->file, &status))
        die("cannot read %s", store->path);
    return (StorePlace){getpid(), store->file, status.st_dev, status.st_ino, store->size};
}

/* Opens the leader's file, on whose machine and in whose container /proc has it; returns -1 if this
 * member is on another. */
static int open_there(const StorePlace *place)
{
    struct stat status;
    char *path = format_text("/proc/%d/fd/%d", (int)place->process, place->file);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    if (file < 0)
        return -1;
    if (!fstat(file, &status) && status.st_dev == place->device && status.st_ino == place->number &&
        (size_t)status.st_size == place->size)
        return file;
    close(file);
    return -1;
}

static bool anyone(bool own)
{
    bool *all = memory_new((size_t)team_size(), sizeof *all, "a team");
    all[team_member()] = own;
    team_collect(all, sizeof *all);
    bool any = false;
    for (int m = 0; m < team_size(); m++)
        any |= all[m];
    free(all);
    return any;
}

/* Sends a file through memory, in blocks; members without it write it to one of their own. */
static void send_file(Store *store, size_t size, bool missing)
{
    enum { BLOCK = 1 << 26 };
    const char *bytes = team_leads() ? store_view(store) : NULL;
    char *room = memory_take(BLOCK);
    for (size_t at = 0; at < size; at += BLOCK) {
        const size_t block = size - at < BLOCK ? size - at : BLOCK;
        if (bytes)
            memcpy(room, bytes + at, block);
        team_share(room, block);
        if (missing)
            store_put(store, room, block);
    }
    free(room);
}

/* The store of a large text. */
static void share_file(Store *store)
{
    StorePlace place = {0};
    if (team_leads())
        place = place_of(store);
    team_share(&place, sizeof place);
    bool missing = false;
    if (!team_leads()) {
        const int file = open_there(&place);
        missing = file < 0;
        if (missing)
            *store = store_in_temporary_file(TOKENS_FILE);
        else
            *store =
                (Store){.file = file, .path = format_text("%s", TOKENS_FILE), .size = place.size};
    }
    if (anyone(missing))
        send_file(store, place.size, missing);
}

static void share_store(Store *store)
{
    if (store->file >= 0) {
        share_file(store);
        return;
    }
    size_t size = store->size;
    team_share(&size, sizeof size);
    if (!team_leads())
        *store = (Store){.file = -1, .at = memory_take(size), .size = size, .room = size};
    team_share(store->at, size);
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
