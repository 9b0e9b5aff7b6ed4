/* SPDX-License-Identifier: MIT
 *
 * why.c - see why.h. Findings come first:
 *
 *   circles     workers and schedulers that wait for each other. A ready worker waits for a
 *               scheduler; a scheduler whose entry point waits for a lock waits for its owner
 *   keepers     a worker that keeps its scheduler while others are ready
 *   forgotten   workers that no scheduler executes, while their scheduler was not entered
 *   holders     owners of objects for which others wait, that do not run
 */
#include "winapi/windows/umsrun/why.h"

#include <stdio.h>
#include <string.h>

#include "winapi/windows/umsrun/target.h"

enum { LOOK_MS = 100, MOST_SAID = 40 };

static struct target before, now;

static const char *label(unsigned number)
{
    static char texts[4][128];
    static unsigned next;
    struct seen *seen = &now.all[number - 1];
    char *text = texts[next++ % 4];
    target_name(seen);
    snprintf(text, sizeof texts[0], "%s %u%s%s%s",
             seen->state == SEEN_SCHEDULER ? "scheduler" : "worker", number,
             seen->name[0] ? " \"" : "", seen->name, seen->name[0] ? "\"" : "");
    return text;
}

static bool waits_to_be_executed(const struct seen *seen)
{
    return seen->state == SEEN_READY || seen->state == SEEN_QUEUED;
}

static unsigned guest_of(unsigned scheduler)
{
    for (unsigned i = 0; i < now.count; i++)
        if (now.all[i].state == SEEN_RUNNING && now.all[i].scheduler == scheduler)
            return i + 1;
    return 0;
}

static bool stood_still(unsigned scheduler)
{
    return scheduler <= before.count && before.all[scheduler - 1].state == SEEN_SCHEDULER &&
           before.all[scheduler - 1].activations == now.all[scheduler - 1].activations;
}

/* A worker belongs to the scheduler that executed it last. It belongs to each scheduler of its list
 * while it is queued. It also does while it is ready, if no scheduler has executed it yet or that
 * scheduler is gone. */
static bool is_of(const struct seen *seen, unsigned scheduler)
{
    if (seen->scheduler == scheduler)
        return true;
    bool nobodys = !seen->scheduler || seen->scheduler > now.count ||
                   now.all[seen->scheduler - 1].state != SEEN_SCHEDULER;
    return seen->list == now.all[scheduler - 1].list &&
           (seen->state == SEEN_QUEUED || (seen->state == SEEN_READY && nobodys));
}

/* The number of workers in a state, of a scheduler; 0: of all schedulers. */
static unsigned count(enum seen_state state, unsigned scheduler)
{
    unsigned found = 0;
    for (unsigned i = 0; i < now.count; i++)
        found += now.all[i].state == state && (!scheduler || is_of(&now.all[i], scheduler));
    return found;
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* The number of the one for which this one waits: the owner of its object, or the scheduler that
 * has to execute it. */
static unsigned waits_for(unsigned number)
{
    const struct seen *seen = &now.all[number - 1];
    if (waits_to_be_executed(seen))
        return seen->scheduler && now.all[seen->scheduler - 1].state == SEEN_SCHEDULER
                   ? seen->scheduler
                   : 0;
    if (seen->state == SEEN_SCHEDULER)
        return stood_still(number) && !guest_of(number) ? seen->holder : 0;
    return seen->state == SEEN_BLOCKED ? seen->holder : 0;
}

static void say_wait(unsigned number)
{
    const struct seen *seen = &now.all[number - 1];
    unsigned holder = waits_for(number);
    if (waits_to_be_executed(seen))
        printf("      %s has to be executed by %s\n", label(number), label(holder));
    else
        printf("      %s waits for %s, which %s has\n", label(number), seen->object, label(holder));
}

/* Prints the circle that leads back to this one, if there is one and this is its first member. */
static bool say_circle(unsigned number)
{
    unsigned at = number;
    bool has_scheduler = false;
    for (unsigned steps = 0; steps <= now.count; steps++) {
        has_scheduler |= now.all[at - 1].state == SEEN_SCHEDULER;
        at = waits_for(at);
        if (!at || at < number)
            return false;
        if (at == number)
            break;
    }
    if (at != number)
        return false;
    puts(has_scheduler ? "  * a scheduler waits for a worker that only a scheduler can execute:"
                       : "  * a circle: each waits for what the next one has:");
    do {
        say_wait(at);
        at = waits_for(at);
    } while (at != number);
    if (has_scheduler)
        puts(
            "      an entry point must not wait for what a worker may hold: have a plain thread do "
            "it");
    return true;
}

static bool say_keeper(unsigned scheduler)
{
    unsigned guest = guest_of(scheduler), ready = count(SEEN_READY, scheduler),
             queued = count(SEEN_QUEUED, scheduler);
    if (!guest || !stood_still(scheduler) || !(ready + queued))
        return false;
    printf("  * %s keeps %s, while %u workers are ready and %u queued: it computes, or waits where "
           "nobody sees it\n",
           label(guest), label(scheduler), ready, queued);
    return true;
}

static bool say_forgotten(unsigned scheduler)
{
    unsigned ready = count(SEEN_READY, scheduler), queued = count(SEEN_QUEUED, scheduler);
    if (guest_of(scheduler) || !stood_still(scheduler) || !(ready + queued) || waits_for(scheduler))
        return false;
    printf(
        "  * %s is in its entry point and executes nobody: %u workers are ready, %u on its list\n",
        label(scheduler), ready, queued);
    return true;
}

static bool say_holder(unsigned number)
{
    unsigned wanted = 0;
    const struct seen *seen = &now.all[number - 1], *waiter = NULL;
    if (seen->state != SEEN_BLOCKED && !waits_to_be_executed(seen))
        return false;
    for (unsigned i = 0; i < now.count; i++)
        if (now.all[i].state == SEEN_BLOCKED && now.all[i].holder == number) {
            waiter = &now.all[i];
            wanted++;
        }
    if (!wanted)
        return false;
    printf("  * %s has what %u wait for (%s), and is %s\n", label(number), wanted, waiter->object,
           seen->state == SEEN_BLOCKED ? "blocked itself" : "ready: nobody executes it");
    return true;
}

static void say_what_stands_out(void)
{
    bool any = false;
    puts("What stands out:");
    for (unsigned i = 1; i <= now.count; i++)
        if (waits_for(i))
            any |= say_circle(i);
    for (unsigned i = 1; i <= now.count; i++)
        if (now.all[i - 1].state == SEEN_SCHEDULER)
            any |= say_keeper(i) | say_forgotten(i);
    for (unsigned i = 1; i <= now.count; i++)
        any |= say_holder(i);
    if (!any)
        puts("  nothing");
    puts("");
}

/* ---- All schedulers and workers -------------------------------------------------------------- */

static const char *reason_text(const struct seen *scheduler)
{
    static const char *const texts[] = {"it began", "a worker blocked or ended",
                                        "a worker yielded"};
    return scheduler->reason < 3 ? texts[scheduler->reason] : "?";
}

static void say_scheduler(unsigned number)
{
    const struct seen *seen = &now.all[number - 1];
    unsigned guest = guest_of(number);
    printf("%s: thread %lu, list %u, entered %lu times%s, last because %s; ", label(number),
           (unsigned long)seen->thread, seen->list, (unsigned long)seen->activations,
           stood_still(number) ? " and not just now" : "", reason_text(seen));
    if (guest)
        printf("runs %s", label(guest));
    else if (seen->holder)
        printf("waits for %s, which %s has", seen->object, label(seen->holder));
    else
        printf("in its entry point");
    printf("; %u ready, %u queued, %u blocked\n", count(SEEN_READY, number),
           count(SEEN_QUEUED, number), count(SEEN_BLOCKED, number));
}

static void say_worker(unsigned number)
{
    const struct seen *seen = &now.all[number - 1];
    static const char *const states[] = {"", "queued", "ready", "running", "blocked", "stopped"};
    printf("%s: thread %lu, %s", label(number), (unsigned long)seen->thread, states[seen->state]);
    if (seen->state == SEEN_BLOCKED) {
        printf(" for %.1f s in %s", (double)(uint32_t)(GetTickCount() - seen->since) / 1e3,
               seen->call[0] ? seen->call : "a call");
        if (seen->object[0])
            printf(", %s", seen->object);
        if (seen->holder)
            printf(", held by %s", label(seen->holder));
    } else if (seen->state == SEEN_RUNNING && seen->scheduler) {
        printf(" on %s", label(seen->scheduler));
    }
    putchar('\n');
}

const char *why(DWORD process)
{
    const char *problem = target_open(&before, process);
    if (problem)
        return problem;
    now = before;
    if (!target_read(&before))
        return "its memory cannot be read: it may have ended just now";
    Sleep(LOOK_MS);
    if (!target_read(&now))
        return "its memory cannot be read: it may have ended just now";
    target_explain(&now);
    printf("process %lu: %u schedulers; workers: %u running, %u ready, %u queued, %u blocked, %u "
           "suspended\n\n",
           (unsigned long)process, count(SEEN_SCHEDULER, 0), count(SEEN_RUNNING, 0),
           count(SEEN_READY, 0), count(SEEN_QUEUED, 0), count(SEEN_BLOCKED, 0),
           count(SEEN_STOPPED, 0));
    say_what_stands_out();
    for (unsigned i = 1; i <= now.count; i++)
        if (now.all[i - 1].state == SEEN_SCHEDULER)
            say_scheduler(i);
    unsigned said = 0, left = 0;
    for (unsigned i = 1; i <= now.count; i++)
        if (now.all[i - 1].state != SEEN_SCHEDULER && now.all[i - 1].state != SEEN_OTHER) {
            if (said++ < MOST_SAID)
                say_worker(i);
            else
                left++;
        }
    if (left)
        printf("and %u workers more\n", left);
    return NULL;
}
