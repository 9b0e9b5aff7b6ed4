/* SPDX-License-Identifier: MIT
 *
 * ground_user.c - the package on contexts in user mode, as FastThreads was on Topaz's threads.
 *
 * A processor is a thread of the system, and the system knows nothing else: a thread of the package
 * that blocks takes its processor with it, and nobody is told.
 */
#include "package.h"

static DWORD user_prepare(void)
{
    return 0;
}

static void entry(void)
{
    ft__thread_main(ft__self());
}

static DWORD user_create(struct ft_thread *thread, SIZE_T stack_bytes)
{
    return ft__context_make(&thread->saved, stack_bytes, entry);
}

static void user_leave(struct ft_thread *self)
{
    ft__context_switch(&self->saved, &atomic_load(&self->where)->saved);
}

static DWORD user_loop(struct processor *self)
{
    struct ft_thread *thread;
    DWORD error = ft__context_begin(&self->saved);

    if (error)
        return error;
    while ((thread = ft__choose(self))) {
        ft__set_self(thread);
        ft__context_switch(&self->saved, &thread->saved);
        ft__has_left(self, thread);
    }
    ft__context_end();
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

        ft__context_free(&all->saved);
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
