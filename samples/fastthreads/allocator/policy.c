/* SPDX-License-Identifier: MIT
 *
 * policy.c - which program gets which processors; a function of its arguments and nothing else.
 */
#include "policy.h"

enum { MAX_PROGRAMS = 64 };

static unsigned number_of(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The highest priority below `limit` that somebody has; false: there is none. */
static bool next_priority(const struct program *programs, int count, int64_t limit, int *priority)
{
    bool found = false;

    for (int i = 0; i < count; i++) {
        if (programs[i].here && programs[i].priority < limit &&
            (!found || programs[i].priority > *priority)) {
            *priority = programs[i].priority;
            found = true;
        }
    }
    return found;
}

/* The programs of a priority that want something, in the order of this turn. */
static int line_up(const struct program *programs, int count, int priority, unsigned turn,
                   int *line)
{
    int length = 0;
    int ordered[MAX_PROGRAMS];

    for (int i = 0; i < count; i++)
        if (programs[i].here && programs[i].priority == priority && programs[i].wanted > 0)
            ordered[length++] = i;
    for (int k = 0; k < length; k++)
        line[k] = ordered[(turn + (unsigned)k) % (unsigned)length];
    return length;
}

/* One processor each in turn, until nobody wants or none is left. True: the last round did not
 * reach everybody who wanted. */
static bool deal(const struct program *programs, const int *line, int length, uint64_t machine,
                 unsigned *left, unsigned *shares)
{
    bool uneven = false;

    for (bool any = true; any && *left > 0;) {
        any = false;
        for (int k = 0; k < length; k++) {
            const struct program *program = &programs[line[k]];
            unsigned most = least(program->wanted, number_of(program->usable & machine));

            if (shares[line[k]] >= most)
                continue;
            if (*left == 0) {
                uneven = true; /* somebody before it in line got one this round */
                continue;
            }
            shares[line[k]]++;
            --*left;
            any = true;
        }
    }
    return uneven;
}

/* Up to `wanted` processors of those offered, the lowest first. */
static uint64_t pick(uint64_t offered, unsigned wanted)
{
    uint64_t picked = 0;

    while (offered && wanted > 0) {
        picked |= offered & -offered;
        offered &= offered - 1;
        wanted--;
    }
    return picked;
}

static void assign(struct program *programs, int count, uint64_t machine, const unsigned *shares)
{
    uint64_t before[MAX_PROGRAMS];
    uint64_t unused = machine;

    for (int i = 0; i < count; i++) {
        before[i] = programs[i].here ? programs[i].processors & programs[i].usable : 0;
        programs[i].processors = pick(before[i] & unused, shares[i]);
        unused &= ~programs[i].processors;
    }
    for (int i = 0; i < count; i++) {
        uint64_t more =
            pick(unused & programs[i].usable, shares[i] - number_of(programs[i].processors));

        programs[i].processors |= more;
        unused &= ~more;
    }
    for (int i = 0; i < count; i++) { /* nobody wants these: they stay */
        programs[i].processors |= before[i] & unused;
        unused &= ~before[i];
    }
}

bool policy_divide(struct program *programs, int count, uint64_t machine, unsigned turn)
{
    unsigned shares[MAX_PROGRAMS] = {0};
    unsigned left = number_of(machine);
    int64_t limit = INT64_MAX;
    bool uneven = false;
    int priority = 0;

    if (count > MAX_PROGRAMS)
        count = MAX_PROGRAMS;
    while (left > 0 && next_priority(programs, count, limit, &priority)) {
        int line[MAX_PROGRAMS];
        int length = line_up(programs, count, priority, turn, line);

        uneven = deal(programs, line, length, machine, &left, shares) || uneven;
        limit = priority;
    }
    assign(programs, count, machine, shares);
    return uneven;
}
