/* SPDX-License-Identifier: MIT
 *
 * roles.c - see roles.h.
 */
#include <windows.h>

#include "roles.h"
#include "slow_page.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

HANDLE dawn, never, port, mutex;
CRITICAL_SECTION section, other_section;
int pipe_ends[2];
volatile int ready_said;
bool crashes;
long yields_wanted = YIELDS;
int64_t yields_took;
static SRWLOCK lock = SRWLOCK_INIT;
static pthread_mutex_t posix_mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile LONG address_word;
static void *volatile nowhere;
static __thread volatile int own_number;
static volatile int looked;

__attribute__((noinline)) void look_here(int number)
{
    looked = number;
    __asm__ volatile("" ::: "memory");
}

void check(int good, const char *call)
{
    if (good)
        return;
    fprintf(stderr, "zoo: %s failed, last error %lu\n", call, (unsigned long)GetLastError());
    exit(1);
}

static void sleeper(void)
{
    Sleep(3600000);
}

static void event_waiter(void)
{
    WaitForSingleObject(dawn, INFINITE);
}

static void many_waiter(void)
{
    HANDLE both[2] = {dawn, mutex};
    WaitForMultipleObjects(2, both, TRUE, 3600000);
}

static void reader(void)
{
    char buffer[16];
    ssize_t n = read(pipe_ends[0], buffer, sizeof buffer);
    (void)n;
}

static void section_holder(void)
{
    EnterCriticalSection(&section);
    UmsThreadYield(NULL);
}

static void section_wanter(void)
{
    EnterCriticalSection(&section);
}

static void lock_holder(void)
{
    AcquireSRWLockExclusive(&lock);
    UmsThreadYield(NULL);
}

static void lock_wanter(void)
{
    AcquireSRWLockShared(&lock);
}

static void mutex_holder(void)
{
    WaitForSingleObject(mutex, INFINITE);
    UmsThreadYield(NULL);
}

static void mutex_wanter(void)
{
    WaitForSingleObject(mutex, INFINITE);
}

static void address_waiter(void)
{
    LONG zero = 0;
    WaitOnAddress(&address_word, &zero, sizeof zero, INFINITE);
}

static void packet_waiter(void)
{
    DWORD bytes;
    ULONG_PTR key;
    OVERLAPPED *overlapped;
    GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, INFINITE);
}

static __attribute__((noinline)) int descend(volatile int depth)
{
    char marker[16] = "at the bottom";
    volatile int twice = 2 * depth;
    __asm__ volatile("" : : "r"(marker) : "memory"); /* all of it is there to be seen */
    if (depth == 3) {
        UmsThreadYield(NULL);
        return marker[0];
    }
    return descend(depth + 1) + twice;
}

static void yielder(void)
{
    own_number = 4711;
    descend(0);
}

static void ends(void)
{
}

/* The instruction itself: libc's syscall() would have the worker leave in user mode. */
static void bare_sleeper(void)
{
    struct timespec hour = {3600, 0};
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_nanosleep), "D"(&hour), "S"(NULL)
                     : "rcx", "r11", "memory");
    (void)result;
}

static void posix_holder(void)
{
    pthread_mutex_lock(&posix_mutex);
    UmsThreadYield(NULL);
}

static void posix_wanter(void)
{
    pthread_mutex_lock(&posix_mutex);
}

static void first_crossed(void)
{
    EnterCriticalSection(&section);
    UmsThreadYield(&section);
    EnterCriticalSection(&other_section);
}

static void second_crossed(void)
{
    EnterCriticalSection(&other_section);
    UmsThreadYield(&section);
    EnterCriticalSection(&section);
}

static void spinner(void)
{
    ready_said = 1;
    for (;;)
        looked++;
}

static void restless(void)
{
    ready_said = 1;
    for (int turn = 1;; turn++) {
        UmsThreadYield(&section);
        if (turn % 10000 == 0)
            Sleep(1); /* so that the engine's clock goes on */
    }
}

/* The processor time of this kernel thread, of the kernel itself: asking the library for it would have it count. */
static int64_t kernel_thread_ns(void)
{
    struct timespec time;
    long result = SYS_clock_gettime;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"((long)CLOCK_THREAD_CPUTIME_ID), "S"(&time)
                     : "rcx", "r11", "memory");
    check(result == 0, "clock_gettime");
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void yields(void)
{
    int64_t began = kernel_thread_ns();
    for (long i = 0; i < yields_wanted; i++)
        UmsThreadYield(&section);
    yields_took = kernel_thread_ns() - began;
    ready_said = 1;
    WaitForSingleObject(never, INFINITE);
}

/* To close a socket that lingers takes until the other end has read. */
static void unseen(void)
{
    static char data[65536];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct linger linger = {1, 20};
    int listener = socket(AF_INET, SOCK_STREAM, 0), end = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0 &&
              getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
              connect(end, (struct sockaddr *)&address, length) == 0 &&
              setsockopt(end, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0,
          "a connection");
    while (send(end, data, sizeof data, MSG_DONTWAIT) > 0)
        ;
    ready_said = 1;
    close(end);
}

static void faulter(void)
{
    looked = *slow_page;
}

/* The last to run. */
static void runner(void)
{
    look_here(42);
    if (crashes)
        *(volatile int *)nowhere = 1;
    WaitForSingleObject(never, INFINITE);
}

const struct role everybody[] = {
    {"sleeper", sleeper},
    {"event waiter", event_waiter},
    {"mutex holder", mutex_holder},
    {"many waiter", many_waiter},
    {"reader", reader},
    {"section holder", section_holder},
    {"section wanter", section_wanter},
    {"lock holder", lock_holder},
    {"lock wanter", lock_wanter},
    {"mutex wanter", mutex_wanter},
    {"address waiter", address_waiter},
    {"packet waiter", packet_waiter},
    {"yielder", yielder},
    {"ends", ends},
    {NULL, NULL},
};
const struct role kernel[] = {
    {"bare sleeper", bare_sleeper},
    {"posix holder", posix_holder},
    {"posix wanter", posix_wanter},
    {NULL, NULL},
};
const struct role deadlock[] = {
    {"first crossed", first_crossed},
    {"second crossed", second_crossed},
    {NULL, NULL},
};
const struct role spin[] = {{"yielder", yielder}, {"spinner", spinner}, {NULL, NULL}};
const struct role fresh[] = {
    {"spinner", spinner},
    {"section holder", section_holder},
    {"section wanter", section_wanter},
    {NULL, NULL},
};
const struct role starve[] = {{"yielder", yielder}, {"restless", restless}, {NULL, NULL}};
const struct role yielding[] = {{"yields", yields}, {NULL, NULL}};
const struct role asleep[] = {{"yielder", yielder}, {"unseen", unseen}, {NULL, NULL}};
const struct role fault[] = {{"faulter", faulter}, {NULL, NULL}};
const struct role holder[] = {{"section holder", section_holder}, {NULL, NULL}};
const struct role waiter = {"one of many", event_waiter};
const struct role last = {"runner", runner};
