/* SPDX-License-Identifier: MIT
 *
 * verdict.c - replays the journal and says whether what must hold for any UMS program held here.
 */
#include "tour.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    LONG_BLOCK_MS = 5, /* far longer than a spinner's turn: others must have run meanwhile */
    STALL_US = 500     /* on a machine that has a processor for us nothing is delayed for so long */
};

enum state { UNBORN, READY, RUNNING, BLOCKED, ENDED };

struct account {
    enum state state;
    unsigned long executions;
    unsigned long yields;
    unsigned long blocks;   /* Blocked activations, the one at its end included */
    unsigned long arrivals; /* after the first */
    uint64_t since_ns;      /* of the state */
    uint64_t run_ns;
    uint64_t blocked_ns;
    bool others_ran; /* since it blocked */
};

struct ledger {
    struct account accounts[MAX_WORKERS];
    unsigned long startups;
    unsigned long wrong_steps;    /* what no worker can do: run while blocked, arrive while ready */
    unsigned long wrong_payloads; /* of Yield and Blocked activations */
    unsigned long long_blocks;
    unsigned long long_blocks_idle; /* of them without anybody else executed */
    unsigned long failures;
    unsigned long stalls; /* times that the machine had no processor for us */
    uint64_t entered_ns;  /* 0: the scheduler has waited since */
    uint64_t waits_ns;    /* since when the scheduler waits; 0: it does not */
};

/* A piece of work that waits for nothing took this long. Did another process have the processor
 * meanwhile? */
static void look_for_stall(struct ledger *ledger, uint64_t took_ns, uint64_t takes_us)
{
    ledger->stalls += took_ns > (takes_us + STALL_US) * 1000;
}

static void move(struct ledger *ledger, const struct event *event, enum state from, enum state to)
{
    struct account *account = &ledger->accounts[event->worker];

    if (account->state != from)
        ledger->wrong_steps++;
    if (account->state == RUNNING)
        account->run_ns += event->at_ns - account->since_ns;
    if (account->state == BLOCKED)
        account->blocked_ns += event->at_ns - account->since_ns;
    account->state = to;
    account->since_ns = event->at_ns;
}

static void replay_enter(struct ledger *ledger, const struct event *event)
{
    struct account *account = &ledger->accounts[event->worker < 0 ? 0 : event->worker];

    ledger->entered_ns = event->at_ns;
    if (event->reason == UmsSchedulerStartup) {
        ledger->startups++;
        return;
    }
    if (event->worker < 0) {
        ledger->wrong_steps++;
        return;
    }
    look_for_stall(ledger, event->at_ns - account->since_ns,
                   tour.workers[event->worker].computes ? SPIN_US : 0);
    if (event->reason == UmsSchedulerThreadYield) {
        account->yields++;
        move(ledger, event, RUNNING, READY);
        if (event->payload != (ULONG_PTR)tour.workers[event->worker].context ||
            event->param != (PVOID)account->yields)
            ledger->wrong_payloads++;
    } else {
        account->blocks++;
        account->others_ran = false;
        move(ledger, event, RUNNING, BLOCKED);
        if (event->payload > 1 || event->param != NULL)
            ledger->wrong_payloads++;
    }
}

static void replay_execute(struct ledger *ledger, const struct event *event)
{
    if (ledger->entered_ns)
        look_for_stall(ledger, event->at_ns - ledger->entered_ns, 0);
    ledger->accounts[event->worker].executions++;
    move(ledger, event, READY, RUNNING);
    for (int i = 0; i < tour.worker_count; i++)
        ledger->accounts[i].others_ran |= i != event->worker;
}

/* No wait of the scheduler takes longer than the one for the holder's pipe, unless a feeder or a
 * timer is late. */
static void replay_end_of_wait(struct ledger *ledger, const struct event *event)
{
    if (ledger->waits_ns)
        look_for_stall(ledger, event->at_ns - ledger->waits_ns, HOLD_MS * UINT64_C(1000));
    ledger->waits_ns = 0;
}

static void replay_arrival(struct ledger *ledger, const struct event *event, enum state to)
{
    struct account *account = &ledger->accounts[event->worker];

    account->arrivals++;
    if (event->at_ns - account->since_ns >= LONG_BLOCK_MS * UINT64_C(1000000)) {
        ledger->long_blocks++;
        ledger->long_blocks_idle += !account->others_ran;
    }
    move(ledger, event, BLOCKED, to);
}

static void replay(struct ledger *ledger)
{
    for (unsigned i = 0; i < tour.journal.count; i++) {
        const struct event *event = &tour.journal.events[i];

        replay_end_of_wait(ledger, event);
        switch (event->kind) {
        case EVENT_ENTER:
            replay_enter(ledger, event);
            break;
        case EVENT_NEW:
            move(ledger, event, UNBORN, READY);
            break;
        case EVENT_UNBLOCKED:
            replay_arrival(ledger, event, READY);
            break;
        case EVENT_ENDED:
            replay_arrival(ledger, event, ENDED);
            break;
        case EVENT_EXECUTE:
            replay_execute(ledger, event);
            break;
        case EVENT_FAILED:
            ledger->failures++;
            break;
        case EVENT_WAIT:
            ledger->entered_ns = 0;
            ledger->waits_ns = event->at_ns;
            break;
        case EVENT_LEAVE:
            break;
        }
    }
}

static void print_table(const struct ledger *ledger)
{
    printf("\n%-10s %10s %7s %7s %9s %10s %11s  %s\n", "worker", "executions", "yields", "blocks",
           "arrivals", "ran ms", "blocked ms", "what it does");
    for (int i = 0; i < tour.worker_count; i++) {
        const struct account *account = &ledger->accounts[i];

        printf("%-10s %10lu %7lu %7lu %9lu %10.1f %11.1f  %s\n", tour.workers[i].name,
               account->executions, account->yields, account->blocks, account->arrivals,
               (double)account->run_ns / 1e6, (double)account->blocked_ns / 1e6,
               tour.workers[i].does);
    }
    printf("\nA worker's end comes as a Blocked activation and an arrival, too.\n\n");
}

static bool check(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool check(bool holds, const char *format, ...)
{
    va_list arguments;

    printf("  %s  ", holds ? "holds" : "FAILS");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    return holds;
}

/* Each worker: all it did is accounted for. */
static int check_workers(const struct ledger *ledger)
{
    int wrong = 0;

    for (int i = 0; i < tour.worker_count; i++) {
        const struct account *account = &ledger->accounts[i];
        const struct worker *worker = &tour.workers[i];
        bool holds = account->state == ENDED && account->blocks == account->arrivals &&
                     account->executions == account->yields + account->blocks &&
                     account->yields == worker->yields_made &&
                     (ledger->stalls || account->blocks >= worker->long_calls + 1) &&
                     worker->exit_code == 100 + (DWORD)i;

        wrong += !check(holds,
                        "%s: %lu executions = %lu yields + %lu blocks, each block one arrival; %lu "
                        "long calls; exit code %lu",
                        worker->name, account->executions, account->yields, account->blocks,
                        worker->long_calls, (unsigned long)worker->exit_code);
    }
    return wrong;
}

/* What times tell, where the machine had a processor for us all the time. */
static bool check_times(const struct ledger *ledger, double wall_ms, double serial_ms)
{
    bool others_ran = ledger->long_blocks > 0 && ledger->long_blocks_idle == 0;

    if (ledger->stalls) {
        printf("  busy   the machine kept the processor from us %lu times: times are not judged\n",
               ledger->stalls);
        return true;
    }
    others_ran = check(others_ran, "others ran in each of the %lu blocks of %d ms or more",
                       ledger->long_blocks, LONG_BLOCK_MS);
    return check(serial_ms > wall_ms * 1.2,
                 "what would take %.1f ms one after another took %.1f ms", serial_ms, wall_ms) &&
           others_ran;
}

/* By the journal, from the first activation to the end of the last: how long a thread takes to
 * start, or to notice that another has ended, is the machine's business. */
static double wall_time_ms(void)
{
    const struct event *events = tour.journal.events;

    return tour.journal.count
               ? (double)(events[tour.journal.count - 1].at_ns - events[0].at_ns) / 1e6
               : 0.0;
}

bool print_verdict(void)
{
    struct ledger ledger = {0};
    double wall_ms = wall_time_ms();
    double serial_ms = 0.0;
    int wrong = 0;

    replay(&ledger);
    print_table(&ledger);
    for (int i = 0; i < tour.worker_count; i++)
        serial_ms += (double)(ledger.accounts[i].run_ns + ledger.accounts[i].blocked_ns) / 1e6;

    wrong += check_workers(&ledger);
    wrong += !check(ledger.startups == 1, "one Startup activation (%lu)", ledger.startups);
    wrong += !check(ledger.wrong_steps == 0,
                    "nobody ran while blocked, arrived while ready or ran twice (%lu times)",
                    ledger.wrong_steps);
    wrong += !check(ledger.wrong_payloads == 0, "payloads and parameters are right (%lu wrong)",
                    ledger.wrong_payloads);
    wrong += !check(ledger.failures == 0 && tour.journal.lost == 0,
                    "no call of the scheduler failed (%lu), no event was lost (%u)",
                    ledger.failures, tour.journal.lost);
    wrong +=
        !check(!tour.data_wrong && tour.collisions == 0,
               "the data read is the data sent, and the mutex kept workers apart (%d times not)",
               tour.collisions);
    wrong += !check_times(&ledger, wall_ms, serial_ms);
    if (wrong == 0)
        printf("\nverdict: OK, %d workers blocked and yielded on one scheduler while the others "
               "went on\n",
               tour.worker_count);
    else
        printf("\nverdict: FAILED, %d of the checks above\n", wrong);
    return wrong == 0;
}
