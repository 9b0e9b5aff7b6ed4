/* SPDX-License-Identifier: MIT
 *
 * kernel_share.c - what a program on kernel threads does with a grant of the allocator, and what it
 * wants.
 *
 * The system schedules the threads, so the program keeps to what it was granted by the affinity of
 * the process. An affinity cannot be empty. Where the program has no processor at all, the agent
 * stops every thread.
 *
 * A stopped thread may be inside anything, and what it holds is not to be had until it is
 * continued. So the agent takes the guard of the list first and leaves it after the last thread was
 * continued: no stopped thread can be inside, a thread that begins meanwhile waits there, and
 * between the two the agent only receives from its channel, for which it allocates nothing.
 *
 * Wanted are processors for the threads that run or could run: those that were forked and have not
 * ended, without those that wait in a join or for a condition. A thread that waits in the system is
 * counted, for nothing here sees it: that is what the kernel's activations tell the other grounds.
 * One that waits for a lock is counted as well: it has it soon as a rule, and two messages would
 * take longer.
 */
#include "kernel_share.h"

#include "processor_share.h"

static SRWLOCK guard = SRWLOCK_INIT;
static struct kernel_member *members;
static volatile LONG busy;
static BOOL shared;
static DWORD_PTR machine;
static int processors;

/* The agent's. */
static DWORD_PTR has;
static unsigned long given_up;

static int wanted(void)
{
    LONG now = busy;

    return now < processors ? (int)now : processors;
}

/* The first processors of those. */
static DWORD_PTR some_of(DWORD_PTR offered)
{
    DWORD_PTR some = 0;

    for (int i = 0; i < processors && offered; i++) {
        some |= offered & -offered;
        offered &= offered - 1;
    }
    return some;
}

static void stop_all(void)
{
    AcquireSRWLockExclusive(&guard);
    for (struct kernel_member *member = members; member; member = member->next)
        SuspendThread(member->handle);
}

static void continue_all(void)
{
    for (struct kernel_member *member = members; member; member = member->next)
        ResumeThread(member->handle);
    ReleaseSRWLockExclusive(&guard);
}

static void granted(DWORD_PTR mask)
{
    DWORD_PTR now = some_of(mask & machine);
    DWORD_PTR before = has;

    if (now == before)
        return;
    has = now;
    given_up += (unsigned long)__builtin_popcountll(before & ~now);
    if (now)
        SetProcessAffinityMask(GetCurrentProcess(), now);
    if (!now)
        stop_all();
    else if (!before)
        continue_all();
}

static const struct ft__sharer sharer = {.wanted = wanted, .granted = granted};

BOOL ft__kernel_share_open(const struct ft_options *options)
{
    machine = ft_machine();
    processors = options->processors;
    busy = 0;
    members = NULL;
    given_up = 0;
    has = some_of(machine);
    if (!SetProcessAffinityMask(GetCurrentProcess(), has))
        return FALSE;
    shared = options->allocator != NULL;
    ft__share_open(options, machine, &sharer);
    return TRUE;
}

void ft__kernel_share_close(struct ft_statistics *statistics)
{
    ft__share_close(statistics);
    statistics->given_up = given_up;
    SetProcessAffinityMask(GetCurrentProcess(), machine);
}

void ft__kernel_busy(void)
{
    if (!shared)
        return;
    InterlockedIncrement(&busy);
    ft__share_tell();
}

void ft__kernel_rests(void)
{
    if (!shared)
        return;
    InterlockedDecrement(&busy);
    ft__share_tell();
}

BOOL ft__kernel_enter(struct kernel_member *self)
{
    HANDLE process = GetCurrentProcess();

    if (!shared || !DuplicateHandle(process, GetCurrentThread(), process, &self->handle, 0, FALSE,
                                    DUPLICATE_SAME_ACCESS))
        return FALSE;
    AcquireSRWLockExclusive(&guard);
    self->before = NULL;
    self->next = members;
    if (members)
        members->before = self;
    members = self;
    ReleaseSRWLockExclusive(&guard);
    return TRUE;
}

void ft__kernel_leave(struct kernel_member *self)
{
    AcquireSRWLockExclusive(&guard);
    if (self->before)
        self->before->next = self->next;
    else
        members = self->next;
    if (self->next)
        self->next->before = self->before;
    ReleaseSRWLockExclusive(&guard);
    CloseHandle(self->handle);
}
