/* SPDX-License-Identifier: MIT
 *
 * vectored.c - the two lists of vectored exception handlers.
 *
 * The lock is held for one step on a list, and never while a handler runs. So a handler may add and
 * remove handlers, and jump out. After each handler the walk goes on behind that handler's place,
 * even if it was removed. Signals are blocked while a thread has the lock, as a signal's handler
 * might have an exception.
 */
#include <pthread.h>
#include <stdlib.h>

#include "winapi/linux/exception.h"

struct vectored {
    struct vectored *next;
    PVECTORED_EXCEPTION_HANDLER handler;
    int64_t place; /* increases along the list */
};

static struct {
    struct vectored *first;
    int64_t low, high; /* the places of the first and last handler */
} lists[2];
static PLAT_LOCK(EXCEPTIONS) lock;

static void enter(sigset_t *mask)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, mask);
    plat_lock(&lock);
}

static void leave(const sigset_t *mask)
{
    plat_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

static PVECTORED_EXCEPTION_HANDLER behind(enum vectored_list list, int64_t *place)
{
    sigset_t mask;
    enter(&mask);
    struct vectored *at = lists[list].first;
    while (at && at->place <= *place)
        at = at->next;
    PVECTORED_EXCEPTION_HANDLER handler = at ? at->handler : NULL;
    *place = at ? at->place : *place;
    leave(&mask);
    return handler;
}

LONG win__vectored_call(enum vectored_list list, EXCEPTION_POINTERS *exception)
{
    int64_t place = INT64_MIN;
    PVECTORED_EXCEPTION_HANDLER handler;
    while ((handler = behind(list, &place)))
        if (handler(exception) == EXCEPTION_CONTINUE_EXECUTION)
            return EXCEPTION_CONTINUE_EXECUTION;
    return EXCEPTION_CONTINUE_SEARCH;
}

void *win__vectored_add(enum vectored_list list, bool first, PVECTORED_EXCEPTION_HANDLER handler)
{
    struct vectored *fresh = malloc(sizeof *fresh);
    if (!fresh) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    sigset_t mask;
    enter(&mask);
    struct vectored **at = &lists[list].first;
    while (!first && *at)
        at = &(*at)->next;
    *fresh = (struct vectored){*at, handler, first ? --lists[list].low : ++lists[list].high};
    *at = fresh;
    leave(&mask);
    return fresh;
}

bool win__vectored_take(enum vectored_list list, const void *handle)
{
    sigset_t mask;
    enter(&mask);
    struct vectored **at = &lists[list].first;
    while (*at && *at != handle)
        at = &(*at)->next;
    struct vectored *found = *at;
    if (found)
        *at = found->next;
    leave(&mask);
    free(found);
    return found != NULL;
}

void vectored_forget(void)
{
    plat_lock_forget(&lock);
}
