/* SPDX-License-Identifier: MIT
 *
 * policy.c - which program gets which processors; a function of its arguments and nothing else.
 */
#include "policy.h"

enum { MAX_PROGRAMS = 64, MAX_PROCESSORS = 64 };

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

static unsigned most_of(const struct program *program, uint64_t machine)
{
    return least(program->wanted, number_of(program->usable & machine));
}

/* The even share: who wants less has what it wants, and all others have this. */
static double even_share(const struct program *programs, const int *line, int length,
                         uint64_t machine, unsigned left)
{
    bool content[MAX_PROGRAMS] = {false};
    double rest = left;
    int others = length;

    for (bool any = true; any && others > 0;) {
        any = false;
        for (int k = 0; k < length; k++) {
            unsigned most = most_of(&programs[line[k]], machine);

            if (content[k] || most * others > rest)
                continue;
            content[k] = any = true;
            rest -= most;
            others--;
        }
    }
    return others > 0 ? rest / others : left;
}

/* A program that wants all it can get, and goes on, comes to use an even share: its level ends in
 * the middle. The way there is longer than the way back, or two programs would change places
 * whenever one of them crossed an edge. */
static void find_level(struct program *program, double even)
{
    const double off = 1.5, back = 1.2;
    bool little = program->use * (program->level == USED_LITTLE ? back : off) < even;
    bool much = program->use > even * (program->level == USED_MUCH ? back : off);

    program->level = little ? USED_LITTLE : much ? USED_MUCH : USED_ITS_SHARE;
}

/* One processor each in turn, until nobody wants, or has all that is allowed, or none is left.
 * True: the last round did not reach everybody who wanted. */
static bool deal(const struct program *programs, const int *line, int length, uint64_t machine,
                 unsigned allowed, unsigned *left, unsigned *shares)
{
    bool uneven = false;

    for (bool any = true; any && *left > 0;) {
        any = false;
        for (int k = 0; k < length; k++) {
            if (shares[line[k]] >= least(allowed, most_of(&programs[line[k]], machine)))
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

/* The line once more, those first that used little. `end[level]` is where those of the next
 * begin. */
static void order_by_use(struct program *programs, const int *line, int length, uint64_t machine,
                         unsigned left, int *ordered, int *end)
{
    double even = even_share(programs, line, length, machine, left);
    int next = 0;

    for (int k = 0; k < length; k++)
        find_level(&programs[line[k]], even);
    for (int level = 0; level < LEVELS; level++) {
        for (int k = 0; k < length; k++)
            if ((int)programs[line[k]].level == level)
                ordered[next++] = line[k];
        end[level] = next;
    }
}

/* To programs of one priority; true: as above. */
static bool deal_by_use(struct program *programs, const int *line, int length, uint64_t machine,
                        unsigned *left, unsigned *shares)
{
    int ordered[MAX_PROGRAMS];
    int end[LEVELS];
    int begin = 0;
    bool uneven;

    order_by_use(programs, line, length, machine, *left, ordered, end);
    uneven = deal(programs, ordered, length, machine, 1, left, shares);
    for (int level = 0; level < LEVELS; level++) {
        uneven = deal(programs, ordered + begin, end[level] - begin, machine, MAX_PROCESSORS, left,
                      shares) ||
                 uneven;
        begin = end[level];
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

        uneven = deal_by_use(programs, line, length, machine, &left, shares) || uneven;
        limit = priority;
    }
    assign(programs, count, machine, shares);
    return uneven;
}

void policy_charge(struct program *programs, int count, unsigned milliseconds, unsigned memory_ms)
{
    double new = (double)milliseconds / ((double)memory_ms + milliseconds);

    for (int i = 0; i < count; i++) {
        struct program *program = &programs[i];

        if (program->here)
            program->use +=
                (least(number_of(program->processors), program->wanted) - program->use) * new;
    }
}

bool policy_leaves_wanting(const struct program *programs, int count, uint64_t machine)
{
    for (int i = 0; i < count; i++)
        if (programs[i].here && number_of(programs[i].processors) < most_of(&programs[i], machine))
            return true;
    return false;
}
