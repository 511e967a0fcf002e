/* try_team.c: a team that talks, for tests/programs/team.bats: what is shared, collected and sent
 * must arrive whole and in order. */
#include <inttypes.h>

#include "base/base.h"
#include "base/numbers/random.h"
#include "programs/train/team/team.h"

enum { LARGE = 40000001 }; /* more than two pieces of team_mpi.c */

static void expect(bool good, const char *what)
{
    if (!good)
        die("%s arrived wrong", what);
}

/* What member m sends to member n as number i. */
static uint32_t word_of(int m, int n, int i)
{
    return (uint32_t)(m * 1000003 + n * 1009 + i);
}

static void try_sharing(size_t size, uint32_t seed)
{
    uint32_t *words = memory_new(size, sizeof *words, "a test");
    for (size_t i = 0; i < size && team_leads(); i++)
        words[i] = seed + (uint32_t)i;
    team_share(words, size * sizeof *words);
    for (size_t i = 0; i < size; i++)
        expect(words[i] == seed + (uint32_t)i, "what was shared");
    free(words);
}

static void try_collecting(void)
{
    int *all = memory_new((size_t)team_size() * 3, sizeof *all, "a test");
    for (int i = 0; i < 3; i++)
        all[team_member() * 3 + i] = team_member() * 7 + i;
    team_collect(all, 3 * sizeof *all);
    for (int m = 0; m < team_size(); m++)
        for (int i = 0; i < 3; i++)
            expect(all[m * 3 + i] == m * 7 + i, "what was collected");
    free(all);
}

/* Everybody sends everybody messages of growing sizes; meanwhile something is shared. */
static void try_sending(int messages, int most)
{
    const int size = team_size(), own = team_member();
    const size_t each = (size_t)messages * (size_t)most;
    uint32_t *out = memory_new(each * (size_t)size, sizeof *out, "a test");
    uint32_t *in = memory_new(each * (size_t)size, sizeof *in, "a test");
    for (int m = 0; m < size; m++)
        for (size_t i = 0; i < each; i++)
            out[(size_t)m * each + i] = word_of(own, m, (int)i);
    for (int k = 0; k < messages; k++)
        for (int m = 0; m < size; m++) {
            const size_t words = (size_t)max_int(1, most * (k + 1) / messages),
                         at = (size_t)m * each + (size_t)k * (size_t)most;
            if (m == own)
                continue;
            team_receive(m, in + at, words * sizeof *in);
            team_send(m, out + at, words * sizeof *out);
        }
    try_sharing(5, 1);
    team_wait();
    for (int k = 0; k < messages; k++)
        for (int m = 0; m < size; m++)
            for (int i = 0; i < max_int(1, most * (k + 1) / messages) && m != own; i++)
                expect(in[(size_t)m * each + (size_t)k * (size_t)most + (size_t)i] ==
                           word_of(m, own, k * most + i),
                       "what was sent");
    free(in);
    free(out);
}

int main(void)
{
    team_start();
    for (uint32_t seed = 0; seed < 100; seed++)
        try_sharing(3, seed);
    try_sharing(LARGE / 4, 7);
    try_collecting();
    for (int i = 0; i < 20; i++)
        try_sending(10, 1000);
    try_sending(1, 6000000); /* two pieces */
    team_await_leader();
    if (team_leads())
        printf("%d members\n", team_size());
    team_end();
    return 0;
}
