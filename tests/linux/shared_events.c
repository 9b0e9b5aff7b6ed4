/* SPDX-License-Identifier: MIT
 *
 * shared_events.c - events that processes share by name: which waiters a signal releases, and which
 * object a name leads to.
 *
 * modes: default, UMSSHIM_DETECT=0
 * with: shared_sync.c
 * options: LIMIT 120
 */
#include <winsock2.h>

#include "fleet.h"
#include "shared_sync.h"

#include <stdio.h>
#include <sys/resource.h>

/* ---- Names ----------------------------------------------------------------------------------- */

static int look_for_kinds(enum kind unused)
{
    const char *event = name_of("event");
    HANDLE found = OpenEventA(EVENT_ALL_ACCESS, FALSE, event);

    (void)unused;
    if (!found)
        return 1;
    if (CreateEventA(NULL, TRUE, TRUE, event) == NULL || GetLastError() != ERROR_ALREADY_EXISTS)
        return 2;
    if (WaitForSingleObject(found, 0) != WAIT_TIMEOUT)
        return 3; /* the arguments of the second do not count */
    if (OpenMutexA(MUTEX_ALL_ACCESS, FALSE, event) || GetLastError() != ERROR_INVALID_HANDLE)
        return 4;
    if (CreateSemaphoreA(NULL, 1, 1, event) || GetLastError() != ERROR_INVALID_HANDLE)
        return 5;
    if (OpenFileMappingA(FILE_MAP_READ, FALSE, event) || GetLastError() != ERROR_INVALID_HANDLE)
        return 6;
    if (OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("Event")) ||
        GetLastError() != ERROR_FILE_NOT_FOUND)
        return 7;
    return 0;
}

static int names(void *unused)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    struct partner partner;

    (void)unused;
    EXPECT_OK(event != NULL);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    partner = partner_start(look_for_kinds, KIND_PLAIN);
    expect_end(&partner, 0);
    EXPECT_OK(CloseHandle(event));
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event")), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, NULL), ERROR_INVALID_PARAMETER);
    return 0;
}

CALL_TEST(SharedEvents, by_names_of_one_name_space, EXPECT_IN_CHILD(names, NULL, LIMIT_MS))

/* A process that can open no more descriptors makes no new name. CreateEvent with a name that it
 * has already still works. */
static int no_descriptor(void *unused)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    HANDLE again;
    struct rlimit limit;

    (void)unused;
    EXPECT_OK(event != NULL);
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 3;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_FAILS(CreateEventA(NULL, FALSE, FALSE, name_of("another")), ERROR_TOO_MANY_OPEN_FILES);
    again = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    EXPECT_OK(again != NULL);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_FAILS(CreateMutexA(NULL, FALSE, name_of("event")), ERROR_INVALID_HANDLE);
    EXPECT_OK(SetEvent(again));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    return 0;
}

CALL_TEST(SharedEvents, are_created_again_without_a_descriptor,
          EXPECT_IN_CHILD(no_descriptor, NULL, LIMIT_MS))

/* ---- Hand-overs ------------------------------------------------------------------------------ */

enum { ROUNDS = 100 };

static void echo(void *unused)
{
    HANDLE ping = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("ping"));
    HANDLE pong = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("pong"));

    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(WaitForSingleObject(ping, SOON), WAIT_OBJECT_0);
        EXPECT_OK(SetEvent(pong));
    }
    EXPECT_OK(CloseHandle(ping));
    EXPECT_OK(CloseHandle(pong));
}

static int run_echo(enum kind kind)
{
    return run_on_kind(kind, echo);
}

static int hand_overs(void *arg)
{
    enum kind kind = *(enum kind *)arg;
    HANDLE ping = CreateEventA(NULL, FALSE, FALSE, name_of("ping"));
    HANDLE pong = CreateEventA(NULL, FALSE, FALSE, name_of("pong"));
    struct partner partner = partner_start(run_echo, kind);

    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_OK(SetEvent(ping));
        EXPECT_EQ(WaitForSingleObject(pong, SOON), WAIT_OBJECT_0);
    }
    expect_end(&partner, 0);
    EXPECT_OK(CloseHandle(ping));
    EXPECT_OK(CloseHandle(pong));
    return 0;
}

TEST(SharedEvents, hand_over_between_processes)
{
    for (int kind = 0; kind < KINDS; kind++) {
        enum kind arg = (enum kind)kind;

        EXPECT_IN_CHILD(hand_overs, &arg, LIMIT_MS);
    }
}

/* ---- All who wait ---------------------------------------------------------------------------- */

enum { TIMES = 20, WAITERS = 2 };

/* `open` is what the waiters wait for; it is no longer signalled when they are looked at. */
static void pass(void *unused)
{
    HANDLE open = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("open"));
    HANDLE waits = OpenSemaphoreA(SEMAPHORE_ALL_ACCESS, FALSE, name_of("waits"));
    HANDLE passed = OpenSemaphoreA(SEMAPHORE_ALL_ACCESS, FALSE, name_of("passed"));
    HANDLE again = OpenSemaphoreA(SEMAPHORE_ALL_ACCESS, FALSE, name_of("again"));

    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        EXPECT_EQ(SignalObjectAndWait(waits, open, SOON, FALSE), WAIT_OBJECT_0);
        EXPECT_EQ(SignalObjectAndWait(passed, again, SOON, FALSE), WAIT_OBJECT_0);
    }
}

static int run_pass(enum kind kind)
{
    return run_on_kind(kind, pass);
}

static int let_all_go(void *arg)
{
    enum kind kind = *(enum kind *)arg;
    HANDLE open = CreateEventA(NULL, TRUE, FALSE, name_of("open"));
    HANDLE waits = CreateSemaphoreA(NULL, 0, WAITERS, name_of("waits"));
    HANDLE passed = CreateSemaphoreA(NULL, 0, WAITERS, name_of("passed"));
    HANDLE again = CreateSemaphoreA(NULL, 0, WAITERS, name_of("again"));
    struct partner partners[WAITERS];

    for (int k = 0; k < WAITERS; k++)
        partners[k] = partner_start(run_pass, kind);
    for (int i = 0; i < TIMES; i++) {
        for (int k = 0; k < WAITERS; k++)
            EXPECT_EQ(WaitForSingleObject(waits, SOON), WAIT_OBJECT_0);
        if (i % 2)
            EXPECT_OK(PulseEvent(open));
        else
            EXPECT_OK(SetEvent(open) && ResetEvent(open));
        for (int k = 0; k < WAITERS; k++)
            EXPECT_EQ(WaitForSingleObject(passed, SOON), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(open, 0), WAIT_TIMEOUT);
        EXPECT_OK(ReleaseSemaphore(again, WAITERS, NULL));
    }
    for (int k = 0; k < WAITERS; k++)
        expect_end(&partners[k], 0);
    return 0;
}

TEST(SharedEvents, let_go_of_all_who_wait)
{
    for (int kind = 0; kind < KINDS; kind++) {
        enum kind arg = (enum kind)kind;

        EXPECT_IN_CHILD(let_all_go, &arg, LIMIT_MS);
    }
}

/* ---- A signal that fails ---------------------------------------------------------------------- */

/* SignalObjectAndWait fails at its signal, so its wait has not begun. A later signal is not for
 * that wait, nor for the thread's next one. */
static int failed_signal(void *unused)
{
    HANDLE passed = CreateEventA(NULL, TRUE, FALSE, name_of("passed"));
    HANDLE own = CreateMutexA(NULL, FALSE, NULL);

    (void)unused;
    EXPECT_OK(passed != NULL && own != NULL);
    EXPECT_EQ(SignalObjectAndWait(own, passed, SOON, FALSE), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_NOT_OWNER);
    EXPECT_OK(SetEvent(passed) && ResetEvent(passed));
    EXPECT_EQ(WaitForSingleObject(passed, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(passed) && CloseHandle(own));
    return 0;
}

CALL_TEST(SharedEvents, let_go_of_nobody_whose_wait_has_not_begun,
          EXPECT_IN_CHILD(failed_signal, NULL, LIMIT_MS))

/* ---- A child after fork ---------------------------------------------------------------------- */

static HANDLE inherited;

static int wait_for_inherited(enum kind unused)
{
    (void)unused;
    partner_ready();
    return WaitForSingleObject(inherited, SOON) == WAIT_OBJECT_0 ? 0 : 1;
}

static int forked(void *unused)
{
    struct partner partner;

    (void)unused;
    inherited = CreateEventA(NULL, FALSE, FALSE, name_of("inherited"));
    partner = partner_start(wait_for_inherited, KIND_PLAIN);
    expect_ready(&partner);
    EXPECT_OK(SetEvent(inherited));
    expect_end(&partner, 0);
    EXPECT_EQ(WaitForSingleObject(inherited, 0), WAIT_TIMEOUT);
    return 0;
}

CALL_TEST(SharedEvents, are_a_forked_childs_too, EXPECT_IN_CHILD(forked, NULL, LIMIT_MS))

/* The child does nothing with the event itself: what begins resets it, and what ends sets it. */
static int end_with_inherited(enum kind unused)
{
    OVERLAPPED overlapped = {.hEvent = inherited};
    char pipe[NAME_ROOM + 16];
    HANDLE server, client;
    DWORD bytes;

    (void)unused;
    snprintf(pipe, sizeof pipe, "\\\\.\\pipe\\%s", name_of("pipe"));
    server = CreateNamedPipeA(pipe, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED, PIPE_TYPE_BYTE, 1,
                              4096, 4096, 0, NULL);
    if (ConnectNamedPipe(server, &overlapped) || GetLastError() != ERROR_IO_PENDING)
        return 1;
    partner_ready();
    partner_await();
    client = CreateFileA(pipe, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (client == INVALID_HANDLE_VALUE)
        return 2;
    partner_await();
    return GetOverlappedResult(server, &overlapped, &bytes, FALSE) ? 0 : 3;
}

static int seen;

static void CALLBACK see(PVOID unused, BOOLEAN timed_out)
{
    (void)unused;
    flag_set(&seen, timed_out ? 2 : 1);
}

static int watch_inherited(enum kind unused)
{
    HANDLE wait;

    (void)unused;
    if (!RegisterWaitForSingleObject(&wait, inherited, see, NULL, SOON, WT_EXECUTEONLYONCE))
        return 1;
    partner_ready();
    if (!wait_until(&seen, SOON) || seen != 1)
        return 2;
    return UnregisterWaitEx(wait, INVALID_HANDLE_VALUE) ? 0 : 3;
}

static int forked_watch(void *unused)
{
    struct partner partner;

    (void)unused;
    inherited = CreateEventA(NULL, FALSE, FALSE, name_of("inherited"));
    partner = partner_start(watch_inherited, KIND_PLAIN);
    expect_ready(&partner);
    EXPECT_OK(SetEvent(inherited));
    expect_end(&partner, 0);
    EXPECT_EQ(WaitForSingleObject(inherited, 0), WAIT_TIMEOUT);
    return 0;
}

CALL_TEST(SharedEvents, are_watched_by_a_forked_childs_pool,
          EXPECT_IN_CHILD(forked_watch, NULL, LIMIT_MS))

/* The same: a socket that can be written to sets it, and the look at that resets it. */
static int select_inherited(enum kind unused)
{
    WSANETWORKEVENTS events = {0};
    WSADATA data;
    SOCKET socket_;

    (void)unused;
    if (WSAStartup(MAKEWORD(2, 2), &data))
        return 1;
    socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    partner_ready();
    partner_await();
    if (WSAEventSelect(socket_, inherited, FD_WRITE))
        return 2;
    partner_await();
    if (WSAEnumNetworkEvents(socket_, inherited, &events) || events.lNetworkEvents != FD_WRITE)
        return 3;
    return WaitForSingleObject(inherited, 0) == WAIT_TIMEOUT ? 0 : 4;
}

static int forked_operation(void *of_sockets)
{
    struct partner partner;

    inherited = CreateEventA(NULL, TRUE, !of_sockets, name_of("inherited"));
    partner = partner_start(of_sockets ? select_inherited : end_with_inherited, KIND_PLAIN);
    expect_ready(&partner);
    EXPECT_EQ(WaitForSingleObject(inherited, 0), WAIT_TIMEOUT);
    go_on(&partner);
    EXPECT_EQ(WaitForSingleObject(inherited, SOON), WAIT_OBJECT_0);
    go_on(&partner);
    expect_end(&partner, 0);
    return 0;
}

CALL_TEST(SharedEvents, are_of_a_forked_childs_operations,
          EXPECT_IN_CHILD(forked_operation, NULL, LIMIT_MS))

TEST(SharedEvents, are_of_a_forked_childs_sockets)
{
    int of_sockets = 1;

    EXPECT_IN_CHILD(forked_operation, &of_sockets, LIMIT_MS);
}
