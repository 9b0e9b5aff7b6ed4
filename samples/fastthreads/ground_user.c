/* SPDX-License-Identifier: MIT
 *
 * ground_user.c - the package on contexts in user mode, as FastThreads was on Topaz's threads.
 *
 * A processor is a thread of the system, and the system knows nothing else: a thread of the package
 * that blocks takes its processor with it, and nobody is told.
 */
#include "context.h"
#include "package.h"

enum { GUARD_BYTES = 4096 };

static DWORD user_prepare(void)
{
    return 0;
}

static void entry(void)
{
    ft__thread_main(ft__self());
}

/* The lowest page is not to be touched: a thread that needs more stack than it has faults. */
static DWORD user_create(struct ft_thread *thread, SIZE_T stack_bytes)
{
    DWORD before;

    thread->stack_bytes = stack_bytes + GUARD_BYTES;
    thread->stack =
        VirtualAlloc(NULL, thread->stack_bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!thread->stack)
        return GetLastError();
    if (!VirtualProtect(thread->stack, GUARD_BYTES, PAGE_NOACCESS, &before)) {
        VirtualFree(thread->stack, 0, MEM_RELEASE);
        return GetLastError();
    }
    thread->position = ft__context_make(thread->stack, thread->stack_bytes, entry);
    return 0;
}

static void user_leave(struct ft_thread *self)
{
    ft__context_switch(&self->position, atomic_load(&self->where)->position);
}

static DWORD user_loop(struct processor *self)
{
    struct ft_thread *thread;

    while ((thread = ft__choose(self))) {
        ft__set_self(thread);
        ft__context_switch(&self->position, thread->position);
        ft__has_left(self, thread);
    }
    return 0;
}

static void user_arrivals(struct processor *self)
{
    UNREFERENCED_PARAMETER(self); /* the system has no news */
}

static void user_doze(struct processor *self, DWORD milliseconds)
{
    WaitForSingleObject(self->wake, milliseconds);
}

/* They wait for a next body, which will not come: their stacks can go. */
static DWORD user_destroy(struct ft_thread *all)
{
    while (all) {
        struct ft_thread *next = all->of_all;

        VirtualFree(all->stack, 0, MEM_RELEASE);
        ft__heap_free(all, sizeof(*all));
        all = next;
    }
    return 0;
}

static const struct engine engine = {
    .prepare = user_prepare,
    .create = user_create,
    .arrives = FALSE,
    .leave = user_leave,
    .loop = user_loop,
    .arrivals = user_arrivals,
    .doze = user_doze,
    .destroy = user_destroy,
};

static DWORD user_run(const struct ft_options *options, void (*first)(void *), void *arg,
                      struct ft_statistics *statistics)
{
    return ft__package_run(&engine, options, first, arg, statistics);
}

const struct ft_ground_calls ft__user = {.run = user_run, FT__PACKAGE_CALLS};
