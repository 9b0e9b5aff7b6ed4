/* SPDX-License-Identifier: MIT
 *
 * calls.c - the public calls: each goes to the ground that the run was started on.
 */
#include "ground.h"

#include <string.h>

static const struct {
    const char *name;
    const struct ft_ground_calls *calls;
} grounds[] = {
    [FT_UMS] = {"ums", &ft__ums},
    [FT_KERNEL] = {"kernel", &ft__kernel},
    [FT_SPIN] = {"spin", &ft__spin},
    [FT_USER] = {"user", &ft__user},
    [FT_PROCESSES] = {"processes", &ft__processes},
};

enum { GROUNDS = sizeof(grounds) / sizeof(grounds[0]) };

static const struct ft_ground_calls *calls;
static volatile LONG running;

const char *ft_ground_name(enum ft_ground ground)
{
    return (unsigned)ground < GROUNDS ? grounds[ground].name : "unknown";
}

BOOL ft_ground_named(const char *name, enum ft_ground *ground)
{
    for (int i = 0; i < GROUNDS; i++) {
        if (strcmp(name, grounds[i].name) == 0) {
            *ground = (enum ft_ground)i;
            return TRUE;
        }
    }
    return FALSE;
}

BOOL ft_ground_here(enum ft_ground ground)
{
    return (unsigned)ground < GROUNDS && grounds[ground].calls->fork != NULL;
}

DWORD_PTR ft_machine(void)
{
    DWORD_PTR process = 0;
    DWORD_PTR system = 0;

    return GetProcessAffinityMask(GetCurrentProcess(), &process, &system) && process ? process : 1;
}

DWORD ft_run(const struct ft_options *options, void (*first)(void *), void *arg,
             struct ft_statistics *statistics)
{
    struct ft_statistics unwanted;
    DWORD error;

    if (!options || !first || (unsigned)options->ground >= GROUNDS || options->processors < 1 ||
        options->processors > FT_MAX_PROCESSORS)
        return ERROR_INVALID_PARAMETER;
    if (InterlockedExchange(&running, 1))
        return ERROR_BUSY;
    if (!statistics)
        statistics = &unwanted;
    memset(statistics, 0, sizeof(*statistics));
    calls = grounds[options->ground].calls;
    error = calls->run(options, first, arg, statistics);
    InterlockedExchange(&running, 0);
    return error;
}

struct ft_thread *ft_fork(void (*body)(void *), void *arg)
{
    return calls->fork(FT__INHERITED, body, arg);
}

struct ft_thread *ft_fork_at(int priority, void (*body)(void *), void *arg)
{
    if (priority < 0 || priority > FT_MAX_PRIORITY) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    return calls->fork(priority, body, arg);
}

void ft_join(struct ft_thread *thread)
{
    calls->join(thread);
}

void ft_yield(void)
{
    calls->yield();
}

void ft_lock_init(struct ft_lock *lock)
{
    memset(lock, 0, sizeof(*lock));
    calls->lock_init(lock);
}

void ft_acquire(struct ft_lock *lock)
{
    calls->acquire(lock);
}

void ft_release(struct ft_lock *lock)
{
    calls->release(lock);
}

void ft_condition_init(struct ft_condition *condition)
{
    memset(condition, 0, sizeof(*condition));
    calls->condition_init(condition);
}

void ft_wait(struct ft_condition *condition, struct ft_lock *lock)
{
    calls->wait(condition, lock);
}

void ft_signal(struct ft_condition *condition)
{
    calls->signal(condition);
}

void ft_broadcast(struct ft_condition *condition)
{
    calls->broadcast(condition);
}

void *ft_allocate(size_t bytes)
{
    return calls->allocate(bytes);
}

void ft_free(void *memory, size_t bytes)
{
    calls->free(memory, bytes);
}

void *ft__heap_allocate(size_t bytes)
{
    return HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes);
}

void ft__heap_free(void *memory, size_t bytes)
{
    UNREFERENCED_PARAMETER(bytes);
    HeapFree(GetProcessHeap(), 0, memory);
}
