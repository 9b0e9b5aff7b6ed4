/* SPDX-License-Identifier: MIT
 *
 * main.c - ft_allocator: a small process that divides the machine's processors among programs.
 *
 * Knows nothing of UMS. Programs register by its name; it ends by SIGINT or SIGTERM.
 */
#include "channel.h"
#include "policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocator {
    struct exchange *exchange;
    struct program programs[CHANNEL_MAX_PROGRAMS];
    uint64_t heard[CHANNEL_MAX_PROGRAMS]; /* the number of a program's last hint */
    uint64_t machine;
    unsigned turn;
    int quantum_ms;
    unsigned memory_ms; /* for feedback; 0: there is none */
    uint64_t charged;   /* up to this moment */
    uint64_t next_turn; /* at this moment, ... */
    bool uneven; /* ... if the processors do not divide, or one waits for others' use to count */
    bool verbose;
};

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--name NAME] [--processors N] [--quantum MS] [--feedback SECONDS] "
            "[--verbose]\n"
            "  --name NAME      what programs call it (default: default)\n"
            "  --processors N   divide the first N, 1 to 64 (default: 64; programs say what they "
            "can use)\n"
            "  --quantum MS     length of a turn where processors do not divide (default 100)\n"
            "  --feedback S     who used less of the last S seconds, 1 to 3600, goes first "
            "(default: all alike)\n"
            "  --verbose        a line for each division, and one at the end\n",
            program);
    return 2;
}

static bool number(const char *text, long low, long high, long *value)
{
    char *end;

    if (!text)
        return false;
    errno = 0;
    *value = strtol(text, &end, 10);
    return end != text && !*end && errno == 0 && *value >= low && *value <= high;
}

/* A machine that the options do not name is what the programs can use, all together. */
static uint64_t machine_of(const struct allocator *allocator)
{
    uint64_t usable = 0;

    for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++)
        if (allocator->programs[i].here)
            usable |= allocator->programs[i].usable;
    return usable & allocator->machine;
}

/* Before a program has or wants something else than until now. */
static void charge(struct allocator *allocator)
{
    uint64_t now = exchange_clock();

    if (allocator->memory_ms)
        policy_charge(allocator->programs, CHANNEL_MAX_PROGRAMS,
                      (unsigned)(now - allocator->charged), allocator->memory_ms);
    allocator->charged = now;
}

static void divide(struct allocator *allocator, int newcomer)
{
    uint64_t before[CHANNEL_MAX_PROGRAMS];
    uint64_t machine = machine_of(allocator);
    bool turns = allocator->uneven;

    for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++)
        before[i] = allocator->programs[i].processors;
    allocator->uneven =
        policy_divide(allocator->programs, CHANNEL_MAX_PROGRAMS, machine, allocator->turn) ||
        (allocator->memory_ms &&
         policy_leaves_wanting(allocator->programs, CHANNEL_MAX_PROGRAMS, machine));
    if (allocator->uneven && !turns)
        allocator->next_turn = exchange_clock() + (uint64_t)allocator->quantum_ms;
    for (int taking = 0; taking < 2; taking++) { /* programs that lose hear it first */
        for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++) {
            struct program *program = &allocator->programs[i];
            struct channel_grant grant = {.processors = program->processors};
            bool gains = (program->processors & ~before[i]) != 0 || i == newcomer;

            if (!program->here || gains != (taking == 1) ||
                (program->processors == before[i] && i != newcomer))
                continue;
            exchange_grant(allocator->exchange, i, &grant);
            if (allocator->verbose) {
                printf("program %d wants %u, has %#llx\n", i, program->wanted,
                       (unsigned long long)program->processors);
                fflush(stdout);
            }
        }
    }
}

static void hear(struct allocator *allocator, int index, const struct channel_hint *hint)
{
    struct program *program = &allocator->programs[index];
    bool newcomer = !program->here;

    if (!newcomer && hint->number < allocator->heard[index])
        return; /* two of its threads spoke at once, and this one was late */
    allocator->heard[index] = hint->number;
    if (!newcomer && program->wanted == hint->wanted && program->usable == hint->usable &&
        program->priority == hint->priority)
        return;
    charge(allocator);
    program->here = true;
    program->wanted = hint->wanted;
    program->usable = hint->usable;
    program->priority = hint->priority;
    divide(allocator, newcomer ? index : -1);
}

/* The turn changes by the clock, however many hints come. Gives the milliseconds until it does, -1
 * for never. */
static int take_turns(struct allocator *allocator)
{
    uint64_t now = exchange_clock();

    if (allocator->uneven && now >= allocator->next_turn) {
        allocator->next_turn = now + (uint64_t)allocator->quantum_ms;
        allocator->turn++;
        charge(allocator);
        divide(allocator, -1);
    }
    return allocator->uneven ? (int)(allocator->next_turn - now) : -1;
}

static void serve(struct allocator *allocator)
{
    for (;;) {
        struct channel_hint hint;
        int index = 0;
        int limit = take_turns(allocator);

        switch (exchange_wait(allocator->exchange, limit, &index, &hint)) {
        case CHANNEL_STOP:
            return;
        case CHANNEL_TIME:
            break;
        case CHANNEL_NEW: /* it has nothing until it says what it can use */
            break;
        case CHANNEL_HINT:
            hear(allocator, index, &hint);
            break;
        case CHANNEL_GONE:
            charge(allocator);
            allocator->programs[index] = (struct program){0};
            divide(allocator, -1);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    static struct allocator allocator = {.machine = ~0ull, .quantum_ms = 100};
    const char *name = "default";

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        long parsed = 0;

        if (strcmp(argv[i], "--verbose") == 0) {
            allocator.verbose = true;
            continue;
        }
        i++;
        if (strcmp(argv[i - 1], "--name") == 0 && value && *value) {
            name = value;
        } else if (strcmp(argv[i - 1], "--processors") == 0 && number(value, 1, 64, &parsed)) {
            allocator.machine = parsed == 64 ? ~0ull : (1ull << parsed) - 1;
        } else if (strcmp(argv[i - 1], "--quantum") == 0 && number(value, 1, 10000, &parsed)) {
            allocator.quantum_ms = (int)parsed;
        } else if (strcmp(argv[i - 1], "--feedback") == 0 && number(value, 1, 3600, &parsed)) {
            allocator.memory_ms = (unsigned)parsed * 1000;
        } else {
            fprintf(stderr, "ft_allocator: cannot make sense of %s %s\n", argv[i - 1],
                    value ? value : "without a value");
            return usage(argv[0]);
        }
    }
    allocator.exchange = exchange_open(name);
    if (!allocator.exchange) {
        fprintf(stderr, "ft_allocator: cannot listen as %s: %s\n", name, strerror(errno));
        return 1;
    }
    printf("ft_allocator: ready as %s\n", name);
    fflush(stdout);
    allocator.charged = exchange_clock();
    serve(&allocator);
    exchange_close(allocator.exchange);
    if (allocator.verbose)
        printf("%s is over\n", name);
    return 0;
}
