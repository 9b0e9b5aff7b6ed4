/* SPDX-License-Identifier: MIT
 *
 * run.c - the package's start and end: processors, their threads, and the threads it made.
 */
#include "granted.h"
#include "package.h"

#include <string.h>

struct package ft__package;

struct ft_thread *ft__new_thread(int priority, void (*body)(void *), void *arg)
{
    const struct engine *engine = ft__package.engine;
    struct ft_thread *thread = ft__heap_allocate(sizeof(*thread));
    struct ft_thread *self = ft__self();
    DWORD error = ERROR_NOT_ENOUGH_MEMORY;

    if (thread) {
        thread->body = body;
        thread->arg = arg;
        ft__set_priority(thread, priority);
        error = engine->create(thread, ft__package.stack_bytes);
    }
    if (error) {
        if (thread)
            ft__heap_free(thread, sizeof(*thread));
        SetLastError(error);
        return NULL;
    }
    thread->of_all = atomic_load(&ft__package.all);
    while (!atomic_compare_exchange_weak(&ft__package.all, &thread->of_all, thread))
        ;
    atomic_fetch_add(&ft__package.created, 1);
    if (!engine->arrives && self)
        ft__make_ready(self, thread);
    return thread;
}

/* One that cannot start ends the run for all, and nobody waits for it. */
static DWORD WINAPI processor_main(LPVOID param)
{
    struct processor *self = param;
    DWORD error = 0;

    if (!SetThreadAffinityMask(GetCurrentThread(), self->where))
        error = GetLastError();
    if (!error)
        error = ft__package.engine->loop(self);
    if (error) {
        atomic_store(&ft__package.over, 1);
        atomic_fetch_add(&ft__package.gone, 1);
        ft__wake_all();
    }
    return error;
}

/* Processors are bound one to one while there are enough, then some to the same. */
static DWORD prepare_processors(int count)
{
    DWORD_PTR machine = ft_machine();
    DWORD_PTR bit = 0;

    for (int i = 0; i < count; i++) {
        struct processor *processor = &ft__package.processors[i];

        do
            bit = bit << 1 ? bit << 1 : 1;
        while (!(machine & bit));
        processor->index = i;
        processor->where = bit;
        processor->granted = 1;
        processor->untold = TRUE;
        processor->wake = CreateEventA(NULL, FALSE, FALSE, NULL);
        processor->left = CreateEventA(NULL, FALSE, FALSE, NULL);
        if (!processor->wake || !processor->left)
            return GetLastError();
    }
    return 0;
}

static DWORD run_processors(void)
{
    HANDLE threads[FT_MAX_PROCESSORS];
    DWORD error = 0;
    int made = 0;

    for (; made < ft__package.count && !error; made++) {
        threads[made] = CreateThread(NULL, 0, processor_main, &ft__package.processors[made],
                                     CREATE_SUSPENDED, NULL);
        if (!threads[made])
            error = GetLastError();
    }
    if (error) { /* those that are there leave at once; they must not wait for the rest */
        made--;
        ft__package.count = made;
        atomic_store(&ft__package.over, 1);
    }
    for (int i = 0; i < made; i++)
        ResumeThread(threads[i]);
    if (made > 0)
        WaitForMultipleObjects((DWORD)made, threads, TRUE, INFINITE);
    for (int i = 0; i < made; i++) {
        DWORD code = 0;

        GetExitCodeThread(threads[i], &code);
        if (code)
            error = code;
        CloseHandle(threads[i]);
    }
    return error;
}

static void add_up(struct ft_statistics *sum)
{
    for (int i = 0; i < ft__package.count; i++) {
        const struct processor *processor = &ft__package.processors[i];
        const struct ft_statistics *counts = &processor->counts;

        sum->forks += processor->forks;
        sum->switches += counts->switches;
        sum->steals += counts->steals;
        sum->blocked += counts->blocked;
        sum->preempted += counts->preempted;
        sum->unblocked += counts->unblocked;
        sum->looks += atomic_load(&processor->looks);
        sum->idle += counts->idle;
        sum->recoveries += counts->recoveries;
        sum->returns += counts->returns;
        sum->given_up += counts->given_up;
    }
    sum->created = atomic_load(&ft__package.created);
    sum->raised = atomic_load(&ft__package.raised);
}

static DWORD run_first(void (*first)(void *), void *arg)
{
    struct processor *boot = &ft__package.processors[0];

    ft__package.first = ft__new_thread(0, first, arg);
    if (!ft__package.first)
        return GetLastError();
    if (!ft__package.engine->arrives)
        ft__push_newest(boot, ft__package.first);
    return run_processors();
}

DWORD ft__package_run(const struct engine *engine, const struct ft_options *options,
                      void (*first)(void *), void *arg, struct ft_statistics *statistics)
{
    SIZE_T bytes = (SIZE_T)options->processors * sizeof(struct processor);
    struct ft_thread *all;
    DWORD error;

    memset(&ft__package, 0, sizeof(ft__package));
    ft__package.engine = engine;
    ft__package.count = options->processors;
    ft__package.stack_bytes = ft__stack_bytes(options);
    ft__package.processors = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!ft__package.processors)
        return GetLastError();
    error = prepare_processors(options->processors);
    if (!error)
        error = engine->prepare();
    if (!error && engine->news) {
        error = ft__notice_open();
        if (error)
            engine->destroy(NULL);
    }
    if (!error) {
        ft__share_open(options, ft__usable(), &ft__package_shares);
        ft__rest_is_idle();
        error = run_first(first, arg);
        ft__share_close(statistics);
        if (engine->news)
            ft__notice_close();
        add_up(statistics);
        all = atomic_load(&ft__package.all);
        if (!error)
            error = engine->destroy(all);
    }
    for (int i = 0; i < options->processors; i++) {
        struct processor *processor = &ft__package.processors[i];

        if (processor->wake)
            CloseHandle(processor->wake);
        if (processor->left)
            CloseHandle(processor->left);
    }
    VirtualFree(ft__package.processors, 0, MEM_RELEASE);
    return error;
}
