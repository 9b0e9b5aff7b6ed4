/* SPDX-License-Identifier: MIT
 *
 * native_windows.c - see native.h: pipes and completion ports, WaitOnAddress, an SRW lock.
 */
#include "native.h"

static SRWLOCK lock = SRWLOCK_INIT;

bool native_open(struct native_channel *channel, bool other_kind)
{
    HANDLE reads, writes;

    channel->other_kind = other_kind;
    if (other_kind) {
        reads = writes = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
        channel->ends[0] = channel->ends[1] = (intptr_t)reads;
        return reads != NULL;
    }
    if (!CreatePipe(&reads, &writes, NULL, 0))
        return false;
    channel->ends[0] = (intptr_t)reads;
    channel->ends[1] = (intptr_t)writes;
    return true;
}

void native_close(struct native_channel *channel)
{
    CloseHandle((HANDLE)channel->ends[0]);
    if (!channel->other_kind)
        CloseHandle((HANDLE)channel->ends[1]);
}

bool native_send(struct native_channel *channel, int value)
{
    DWORD done = 0;

    if (channel->other_kind)
        return PostQueuedCompletionStatus((HANDLE)channel->ends[1], (DWORD)value, 0, NULL);
    return WriteFile((HANDLE)channel->ends[1], &value, sizeof value, &done, NULL) &&
           done == sizeof value;
}

bool native_receive(struct native_channel *channel, int *value)
{
    DWORD done = 0;
    ULONG_PTR key;
    OVERLAPPED *overlapped;

    if (channel->other_kind) {
        bool ok =
            GetQueuedCompletionStatus((HANDLE)channel->ends[0], &done, &key, &overlapped, INFINITE);

        *value = (int)done;
        return ok;
    }
    return ReadFile((HANDLE)channel->ends[0], value, sizeof *value, &done, NULL) &&
           done == sizeof *value;
}

/* A port cannot be looked into: a packet that comes is put back. */
bool native_look(struct native_channel *channel, int milliseconds)
{
    DWORD done = 0;
    ULONG_PTR key;
    OVERLAPPED *overlapped;

    if (!channel->other_kind)
        return PeekNamedPipe((HANDLE)channel->ends[0], NULL, 0, NULL, &done, NULL);
    if (!GetQueuedCompletionStatus((HANDLE)channel->ends[0], &done, &key, &overlapped,
                                   (DWORD)milliseconds))
        return GetLastError() == WAIT_TIMEOUT;
    return PostQueuedCompletionStatus((HANDLE)channel->ends[1], done, 0, NULL);
}

/* Nobody ever wakes this address; the system waits for whole milliseconds. */
bool native_sleep(unsigned nanoseconds)
{
    LONG value = 0, same = 0;

    return !WaitOnAddress(&value, &same, sizeof same, (nanoseconds + 999999) / 1000000) &&
           GetLastError() == ERROR_TIMEOUT;
}

void native_await(int *word)
{
    int zero = 0;

    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
        WaitOnAddress(word, &zero, sizeof zero, INFINITE);
}

void native_wake(int *word)
{
    WakeByAddressAll(word);
}

/* ntdll's lists of waiters for an address are linked through the waiters' stacks, and Wine 8 loses
 * locks of its own with a thread that is ended: while it ends by itself, and while it reads a pipe
 * (docs/windows.md). */
bool native_forgets_waiters(void)
{
    return false;
}

/* The program's own image, which may be paged out. */
bool native_touch_page(void)
{
    const volatile char *image = (const volatile char *)GetModuleHandleA(NULL);

    return image[0] == 'M' && image[1] == 'Z';
}

bool native_fork_works(void)
{
    return true;
}

bool native_lock(void)
{
    AcquireSRWLockExclusive(&lock);
    return true;
}

bool native_unlock(void)
{
    ReleaseSRWLockExclusive(&lock);
    return true;
}

DWORD native_thread_id(void)
{
    return GetCurrentThreadId();
}
