/* SPDX-License-Identifier: MIT
 *
 * stopping_soon.c - a worker that loops over calls of the library's, so that a stop signal hardly
 * ever meets it outside, stops at the next of them. The test counts the calls that it makes after
 * it was asked to stop.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "hosted_worker.h"
#include "ums_kit.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Only signals that happen to find the worker outside had it make hundreds of thousands of rounds
 * in most tries. Of the tries the middle one counts. */
enum { LIMIT_MS = 8000, CODE = 7, TRIES = 7, WARM = 5, MOST_ROUNDS = 5000 };

static int rounds;
static int zeros, nothing, both[2];
static HANDLE event, never, semaphore, mutex, port;
static CRITICAL_SECTION section;
static SRWLOCK lock;
static CONDITION_VARIABLE changed;
static HANDLE server, client;
static PUMS_COMPLETION_LIST list;

/* ---- The calls ---- */

static void switch_thread(void)
{
    SwitchToThread();
}

static void enter_and_leave(void)
{
    EnterCriticalSection(&section);
    LeaveCriticalSection(&section);
}

static void lock_and_release(void)
{
    AcquireSRWLockExclusive(&lock);
    ReleaseSRWLockExclusive(&lock);
}

static void set_and_wait(void)
{
    SetEvent(event);
    WaitForSingleObject(event, INFINITE);
}

static void look_at_event(void)
{
    WaitForSingleObject(never, 0);
}

static void look_at_events(void)
{
    HANDLE two[] = {never, event};

    WaitForMultipleObjects(2, two, TRUE, 0);
}

static void release_and_wait(void)
{
    ReleaseSemaphore(semaphore, 1, NULL);
    WaitForSingleObject(semaphore, 0);
}

static void own_and_release(void)
{
    WaitForSingleObject(mutex, INFINITE);
    ReleaseMutex(mutex);
}

static void post_and_take(void)
{
    DWORD bytes;
    ULONG_PTR key;
    LPOVERLAPPED overlapped;

    PostQueuedCompletionStatus(port, 1, 2, NULL);
    GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, INFINITE);
}

static void create_and_close(void)
{
    CloseHandle(CreateEventA(NULL, FALSE, FALSE, NULL));
}

/* Others may hold the lock or wake the waiter whenever this one stops. */
static void wait_for_change(void)
{
    AcquireSRWLockExclusive(&lock);
    SleepConditionVariableSRW(&changed, &lock, 0, 0);
    ReleaseSRWLockExclusive(&lock);
}

static void send_and_receive(void)
{
    DWORD bytes;
    char byte = 0;

    EXPECT_OK(WriteFile(server, &byte, 1, &bytes, NULL));
    EXPECT_OK(ReadFile(client, &byte, 1, &bytes, NULL));
}

static void write_away(void)
{
    EXPECT_EQ(write(nothing, "", 1), 1);
}

static void read_zero(void)
{
    char byte;

    EXPECT_EQ(read(zeros, &byte, 1), 1);
}

static void write_and_read_at(void)
{
    char byte = 0;

    EXPECT_EQ(pwrite64(nothing, &byte, 1, 0), 1);
    EXPECT_EQ(pread64(zeros, &byte, 1, 0), 1);
}

static void write_and_read(void)
{
    char byte;

    EXPECT_EQ(write(both[1], "", 1), 1);
    EXPECT_EQ(read(both[0], &byte, 1), 1);
}

static void read_badly(void)
{
    char byte;

    EXPECT_EQ(read(-1, &byte, 1), -1);
}

static void write_and_read_by_number(void)
{
    char byte;

    EXPECT_EQ(syscall(SYS_write, both[1], "", 1), 1);
    EXPECT_EQ(syscall(SYS_read, both[0], &byte, 1), 1);
}

static void wait_for_other_value(void)
{
    static int word;

    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static void look_at_clock(void)
{
    GetTickCount64();
}

static void look_at_clock_of_posix(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
}

static void look_at_own_time(void)
{
    struct timespec used;

    EXPECT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used), 0);
}

static void count_own_cycles(void)
{
    ULONG64 cycles;

    EXPECT_OK(QueryThreadCycleTime(GetCurrentThread(), &cycles));
}

static void look_at_own_times(void)
{
    FILETIME made, ended, kernel, user;

    EXPECT_OK(GetThreadTimes(GetCurrentThread(), &made, &ended, &kernel, &user));
}

static const struct call {
    const char *name;
    void (*make)(void);
} calls[] = {{"SwitchToThread", switch_thread},
             {"a critical section", enter_and_leave},
             {"an SRW lock", lock_and_release},
             {"SetEvent and a wait", set_and_wait},
             {"WaitForSingleObject(0)", look_at_event},
             {"WaitForMultipleObjects(0)", look_at_events},
             {"ReleaseSemaphore and a wait", release_and_wait},
             {"ReleaseMutex and a wait", own_and_release},
             {"a completion port", post_and_take},
             {"CreateEvent and CloseHandle", create_and_close},
             {"a condition variable", wait_for_change},
             {"WriteFile and ReadFile", send_and_receive},
             {"write", write_away},
             {"read", read_zero},
             {"pwrite64 and pread64", write_and_read_at},
             {"a pipe", write_and_read},
             {"read of a bad descriptor", read_badly},
             {"syscall(SYS_write), syscall(SYS_read)", write_and_read_by_number},
             {"a futex that need not wait", wait_for_other_value},
             {"GetTickCount64", look_at_clock},
             {"a clock of POSIX", look_at_clock_of_posix},
             {"the thread's own clock", look_at_own_time},
             {"QueryThreadCycleTime", count_own_cycles},
             {"GetThreadTimes", look_at_own_times}};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- The threads ---- */

static DWORD WINAPI make_for_ever(LPVOID call)
{
    for (;;) {
        flag_add(&rounds, 1);
        ((const struct call *)call)->make();
    }
    return 0;
}

static void await_rounds(int more)
{
    struct timespec some = {0, 200000};
    long long started = now_ms();
    int before = flag_get(&rounds);

    while (flag_get(&rounds) - before < more && elapsed_ms(started) < LIMIT_MS)
        nanosleep(&some, NULL);
    EXPECT_GE(flag_get(&rounds) - before, more);
}

/* Suspends the thread, and counts its rounds until there are no more. The asking thread may lose
 * its processor before it has asked. */
static int suspend(HANDLE thread)
{
    struct timespec some = {0, 4000000};
    long long started = now_ms();
    int asked, before;

    EXPECT_EQ(SuspendThread(thread), 0);
    asked = flag_get(&rounds);
    do {
        before = flag_get(&rounds);
        nanosleep(&some, NULL);
    } while (flag_get(&rounds) != before && elapsed_ms(started) < LIMIT_MS);
    EXPECT_LT(elapsed_ms(started), LIMIT_MS);
    EXPECT_EQ(ResumeThread(thread), 1);
    return before - asked;
}

static int terminate(HANDLE thread)
{
    DWORD code;
    int asked;

    EXPECT_OK(TerminateThread(thread, CODE));
    asked = flag_get(&rounds);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code) && code == CODE);
    return flag_get(&rounds) - asked;
}

static void prepare(void)
{
    char name[64];

    snprintf(name, sizeof name, "\\\\.\\pipe\\stopping-soon-%d", getpid());
    InitializeCriticalSection(&section);
    InitializeSRWLock(&lock);
    ASSERT_NE(event = CreateEventA(NULL, FALSE, FALSE, NULL), NULL);
    ASSERT_NE(never = CreateEventA(NULL, TRUE, FALSE, NULL), NULL);
    ASSERT_NE(semaphore = CreateSemaphoreA(NULL, 0, 1000, NULL), NULL);
    ASSERT_NE(mutex = CreateMutexA(NULL, FALSE, NULL), NULL);
    ASSERT_NE(port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0), NULL);
    make_pipe(both);
    server = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX, 0, 1, 0, 0, 0, NULL);
    ASSERT_NE(server, INVALID_HANDLE_VALUE);
    client = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    ASSERT_GE(zeros = open("/dev/zero", O_RDONLY), 0);
    ASSERT_GE(nothing = open("/dev/null", O_WRONLY), 0);
}

/* What the ended worker held is lost: each has its own. */
static void clean_up(void)
{
    HANDLE objects[] = {event, never, semaphore, mutex, port, server, client};

    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++)
        CloseHandle(objects[i]);
    close(both[0]);
    close(both[1]);
    close(zeros);
    close(nothing);
}

static DWORD WINAPI send_to_pipe(LPVOID unused)
{
    DWORD bytes;

    (void)unused;
    EXPECT_OK(WriteFile(server, "", 1, &bytes, NULL));
    return 0;
}

/* The library's own locks are given back before the worker ends. */
static void try_to_send(void)
{
    HANDLE thread = CreateThread(NULL, 0, send_to_pipe, NULL, 0, NULL);

    ASSERT_NE(thread, NULL);
    ASSERT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(thread);
}

static void try_once(const struct call *call, int *suspended, int *ended)
{
    PUMS_CONTEXT context;
    HANDLE scheduler, thread;

    prepare();
    ASSERT_OK(CreateUmsThreadContext(&context));
    thread = ums_thread(&(UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, context, list}, make_for_ever,
                        (void *)call, 0, NULL);
    ASSERT_NE(thread, NULL);
    ASSERT_NE(scheduler = CreateThread(NULL, 0, host_thread, list, 0, NULL), NULL);
    await_rounds(WARM);
    *suspended = suspend(thread);
    await_rounds(WARM);
    *ended = terminate(thread);
    ASSERT_EQ(WaitForSingleObject(scheduler, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(scheduler);
    CloseHandle(thread);
    WakeAllConditionVariable(&changed);
    try_to_send();
    clean_up();
}

static int by_size(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

enum { PARTS = 4 }; /* tests, which have a limit each */

static void try_part(int part)
{
    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = part; i < CALLS && !tc_failures(); i += PARTS) {
        int suspended[TRIES] = {0}, ended[TRIES] = {0};

        for (int t = 0; t < TRIES && !tc_failures(); t++)
            try_once(&calls[i], &suspended[t], &ended[t]);
        qsort(suspended, TRIES, sizeof *suspended, by_size);
        qsort(ended, TRIES, sizeof *ended, by_size);
        EXPECT_THAT(suspended[TRIES / 2] <= MOST_ROUNDS, "%s: %d rounds until it is suspended",
                    calls[i].name, suspended[TRIES / 2]);
        EXPECT_THAT(ended[TRIES / 2] <= MOST_ROUNDS, "%s: %d rounds until it ends", calls[i].name,
                    ended[TRIES / 2]);
    }
    EXPECT_OK(DeleteUmsCompletionList(list));
}

CALL_TEST(StoppingSoon, workers_in_calls_1, try_part(0))
CALL_TEST(StoppingSoon, workers_in_calls_2, try_part(1))
CALL_TEST(StoppingSoon, workers_in_calls_3, try_part(2))
CALL_TEST(StoppingSoon, workers_in_calls_4, try_part(3))
