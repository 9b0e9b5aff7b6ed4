/* SPDX-License-Identifier: MIT
 *
 * ground_kernel.c - each thread is a thread of the system, and the system schedules: Topaz threads.
 *
 * The number of processors becomes the process's affinity for as long as the run lasts, or fewer of
 * them where the processor allocator says so (kernel_share.c).
 */
#include "ground.h"
#include "kernel_share.h"

struct ft_thread {
    struct kernel_member member; /* its own, while it runs */
    HANDLE handle;
    void (*body)(void *);
    void *arg;
};

static SIZE_T stack_bytes;
static volatile LONG forks;

static DWORD WINAPI thread_main(LPVOID param)
{
    struct ft_thread *thread = param;
    BOOL known = ft__kernel_enter(&thread->member);

    thread->body(thread->arg);
    if (known)
        ft__kernel_leave(&thread->member);
    ft__kernel_rests();
    return 0;
}

static struct ft_thread *kernel_fork(int priority, void (*body)(void *), void *arg)
{
    struct ft_thread *thread = ft__heap_allocate(sizeof(*thread));

    UNREFERENCED_PARAMETER(priority);
    if (!thread) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    thread->body = body;
    thread->arg = arg;
    ft__kernel_busy();
    thread->handle = CreateThread(NULL, stack_bytes, thread_main, thread,
                                  STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!thread->handle) {
        DWORD error = GetLastError();

        ft__kernel_rests();
        ft__heap_free(thread, sizeof(*thread));
        SetLastError(error);
        return NULL;
    }
    InterlockedIncrement(&forks);
    return thread;
}

static void await_end(struct ft_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    ft__heap_free(thread, sizeof(*thread));
}

static void kernel_join(struct ft_thread *thread)
{
    BOOL waits = WaitForSingleObject(thread->handle, 0) == WAIT_TIMEOUT;

    if (waits)
        ft__kernel_rests();
    await_end(thread);
    if (waits)
        ft__kernel_busy();
}

static void kernel_yield(void)
{
    SwitchToThread();
}

static void kernel_lock_init(struct ft_lock *lock)
{
    InitializeSRWLock((SRWLOCK *)lock->room);
}

static void kernel_acquire(struct ft_lock *lock)
{
    AcquireSRWLockExclusive((SRWLOCK *)lock->room);
}

static void kernel_release(struct ft_lock *lock)
{
    ReleaseSRWLockExclusive((SRWLOCK *)lock->room);
}

static void kernel_condition_init(struct ft_condition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)condition->room);
}

static void kernel_wait(struct ft_condition *condition, struct ft_lock *lock)
{
    ft__kernel_rests();
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition->room, (SRWLOCK *)lock->room,
                              INFINITE, 0);
    ft__kernel_busy();
}

static void kernel_signal(struct ft_condition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)condition->room);
}

static void kernel_broadcast(struct ft_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition->room);
}

static DWORD kernel_run(const struct ft_options *options, void (*first)(void *), void *arg,
                        struct ft_statistics *statistics)
{
    struct ft_thread *thread;
    DWORD error = 0;

    stack_bytes = ft__stack_bytes(options);
    forks = 0;
    if (!ft__kernel_share_open(options))
        return GetLastError();
    thread = kernel_fork(FT__INHERITED, first, arg);
    if (thread)
        await_end(thread);
    else
        error = GetLastError();
    ft__kernel_share_close(statistics);
    statistics->forks = (unsigned long)forks;
    statistics->created = statistics->forks;
    return error;
}

const struct ft_ground_calls ft__kernel = {
    .run = kernel_run,
    .fork = kernel_fork,
    .join = kernel_join,
    .yield = kernel_yield,
    .lock_init = kernel_lock_init,
    .acquire = kernel_acquire,
    .release = kernel_release,
    .condition_init = kernel_condition_init,
    .wait = kernel_wait,
    .signal = kernel_signal,
    .broadcast = kernel_broadcast,
    .allocate = ft__heap_allocate,
    .free = ft__heap_free,
};
