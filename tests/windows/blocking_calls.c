/* SPDX-License-Identifier: MIT
 *
 * blocking_calls.c - each kind of call that waits: another worker of the same scheduler runs
 * meanwhile and ends the wait (BL-1), and what the call returns is intact (BL-6).
 */
#include <winsock2.h>

#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT_MS = 10000, PORT_KEY = 77, SENTINEL = 0x1234 };

struct meeting {
    void (*block)(struct meeting *);
    void (*complete)(struct meeting *); /* NULL: time completes it */
    int entered;
    int returned;
    HANDLE a, b;
    volatile LONG word;
    SOCKET listener, client;
    struct sockaddr_in address;
};

static void blocked_worker(struct worker *self)
{
    struct meeting *meeting = self->arg;

    flag_set(&meeting->entered, 1);
    meeting->block(meeting);
    flag_set(&meeting->returned, 1);
}

static void completing_worker(struct worker *self)
{
    struct meeting *meeting = self->arg;

    if (!yield_until(&meeting->entered))
        return;
    EXPECT_EQ(flag_get(&meeting->returned), 0); /* else we ran after it, not meanwhile */
    if (meeting->complete)
        meeting->complete(meeting);
}

static void meet(struct meeting *meeting)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, blocked_worker, meeting);
    fleet_add(fleet, completing_worker, meeting);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(meeting->returned, 1);
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 2); /* the call, and its end */
    fleet_destroy(fleet);
    if (meeting->a)
        EXPECT_OK(CloseHandle(meeting->a));
    if (meeting->b)
        EXPECT_OK(CloseHandle(meeting->b));
}

/* ---- Pipes --------------------------------------------------------------------------------------- */

static void read_pipe(struct meeting *meeting)
{
    char text[8] = "";
    DWORD got = 0;

    EXPECT_OK(ReadFile(meeting->a, text, sizeof text, &got, NULL));
    EXPECT_EQ(got, 5);
    EXPECT_STREQ(text, "hello");
}

static void write_pipe(struct meeting *meeting)
{
    DWORD written = 0;

    EXPECT_OK(WriteFile(meeting->b, "hello", 5, &written, NULL));
    EXPECT_EQ(written, 5);
}

TEST(BlockingCalls, read_of_an_empty_pipe)
{
    struct meeting meeting = {.block = read_pipe, .complete = write_pipe};

    ASSERT_OK(CreatePipe(&meeting.a, &meeting.b, NULL, 0));
    meet(&meeting);
}

static void close_writer(struct meeting *meeting)
{
    EXPECT_OK(CloseHandle(meeting->b));
    meeting->b = NULL;
}

static void read_broken_pipe(struct meeting *meeting)
{
    char text[8];
    DWORD got = 1;

    EXPECT_FAILS(ReadFile(meeting->a, text, sizeof text, &got, NULL), ERROR_BROKEN_PIPE);
    EXPECT_EQ(got, 0);
}

TEST(BlockingCalls, read_of_a_pipe_that_breaks)
{
    struct meeting meeting = {.block = read_broken_pipe, .complete = close_writer};

    ASSERT_OK(CreatePipe(&meeting.a, &meeting.b, NULL, 0));
    meet(&meeting);
}

/* ---- The registry -------------------------------------------------------------------------------- */

static HKEY watched_key;

static void wait_for_change(struct meeting *meeting)
{
    (void)meeting;
    EXPECT_EQ(RegNotifyChangeKeyValue(watched_key, FALSE, REG_NOTIFY_CHANGE_LAST_SET, NULL, FALSE),
              ERROR_SUCCESS);
}

/* The call is under way before the system knows of it: so until it has come back. */
static void change_often(struct meeting *meeting)
{
    ULONGLONG end = GetTickCount64() + LIMIT_MS;

    for (DWORD i = 0; !flag_get(&meeting->returned) && GetTickCount64() < end; i++) {
        EXPECT_EQ(RegSetValueExA(watched_key, "value", 0, REG_DWORD, (const BYTE *)&i, sizeof i),
                  ERROR_SUCCESS);
        Sleep(1);
    }
}

TEST(BlockingCalls, change_of_a_registry_key)
{
    struct meeting meeting = {.block = wait_for_change, .complete = change_often};
    char name[64];

    snprintf(name, sizeof name, "Software\\umsshim-test-%lu", (unsigned long)GetCurrentProcessId());
    ASSERT_EQ(RegCreateKeyExA(HKEY_CURRENT_USER, name, 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS,
                              NULL, &watched_key, NULL),
              ERROR_SUCCESS);
    meet(&meeting);
    EXPECT_EQ(RegCloseKey(watched_key), ERROR_SUCCESS);
    EXPECT_EQ(RegDeleteKeyA(HKEY_CURRENT_USER, name), ERROR_SUCCESS);
}

/* ---- Named pipes --------------------------------------------------------------------------------- */

static char pipe_name[64];

static void connect_pipe(struct meeting *meeting)
{
    /* On a busy machine the client may have come before. */
    BOOL connected = ConnectNamedPipe(meeting->a, NULL);

    EXPECT_THAT(connected || GetLastError() == ERROR_PIPE_CONNECTED, "last error %lu",
                GetLastError());
}

static void open_pipe(struct meeting *meeting)
{
    meeting->b = CreateFileA(pipe_name, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    EXPECT_NE(meeting->b, INVALID_HANDLE_VALUE);
}

TEST(BlockingCalls, waiting_for_a_client_of_a_named_pipe)
{
    struct meeting meeting = {.block = connect_pipe, .complete = open_pipe};

    snprintf(pipe_name, sizeof pipe_name, "\\\\.\\pipe\\umsshim-test-%lu", GetCurrentProcessId());
    meeting.a = CreateNamedPipeA(pipe_name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE | PIPE_WAIT, 1, 4096,
                                 4096, 0, NULL);
    ASSERT_NE(meeting.a, INVALID_HANDLE_VALUE);
    meet(&meeting);
}

/* ---- Files --------------------------------------------------------------------------------------- */

static void lock_file(struct meeting *meeting)
{
    OVERLAPPED where = {0};

    EXPECT_OK(LockFileEx(meeting->a, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &where));
    EXPECT_OK(UnlockFileEx(meeting->a, 0, 1, 0, &where));
}

static void unlock_file(struct meeting *meeting)
{
    OVERLAPPED where = {0};

    EXPECT_OK(UnlockFileEx(meeting->b, 0, 1, 0, &where));
}

TEST(BlockingCalls, lock_of_a_file_that_is_locked)
{
    struct meeting meeting = {.block = lock_file, .complete = unlock_file};
    OVERLAPPED where = {0};
    char folder[MAX_PATH], path[MAX_PATH];

    ASSERT_OK(GetTempPathA(sizeof folder, folder));
    ASSERT_OK(GetTempFileNameA(folder, "ums", 0, path));
    meeting.a = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                            NULL, OPEN_EXISTING, 0, NULL);
    meeting.b = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                            NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_OK(LockFileEx(meeting.b, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &where));
    meet(&meeting);
    EXPECT_OK(DeleteFileA(path));
}

/* ---- Objects ------------------------------------------------------------------------------------- */

static void take_mutex(struct meeting *meeting)
{
    EXPECT_EQ(WaitForSingleObject(meeting->a, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(meeting->a)); /* fails for whoever is not the owner */
}

static void free_mutex(struct meeting *meeting)
{
    EXPECT_OK(SetEvent(meeting->b));
}

static DWORD WINAPI own_mutex(LPVOID param)
{
    struct meeting *meeting = param;

    EXPECT_EQ(WaitForSingleObject(meeting->a, LIMIT_MS), WAIT_OBJECT_0);
    flag_set((int *)(void *)&meeting->word, 1);
    EXPECT_EQ(WaitForSingleObject(meeting->b, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(meeting->a));
    return 0;
}

TEST(BlockingCalls, mutex_of_another_thread)
{
    struct meeting meeting = {.block = take_mutex, .complete = free_mutex};
    HANDLE thread;

    meeting.a = CreateMutexA(NULL, FALSE, NULL);
    meeting.b = CreateEventA(NULL, FALSE, FALSE, NULL);
    thread = CreateThread(NULL, 0, own_mutex, &meeting, 0, NULL);
    ASSERT_OK(wait_until((const int *)(const void *)&meeting.word, LIMIT_MS));
    meet(&meeting);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

static void signal_and_wait(struct meeting *meeting)
{
    EXPECT_EQ(SignalObjectAndWait(meeting->a, meeting->b, LIMIT_MS, FALSE), WAIT_OBJECT_0);
}

static void answer_signal(struct meeting *meeting)
{
    EXPECT_EQ(WaitForSingleObject(meeting->a, 0), WAIT_OBJECT_0); /* given before the wait */
    EXPECT_EQ(WaitForSingleObject(meeting->a, 0), WAIT_TIMEOUT);  /* and once */
    EXPECT_OK(SetEvent(meeting->b));
}

TEST(BlockingCalls, signal_and_wait)
{
    struct meeting meeting = {.block = signal_and_wait, .complete = answer_signal};

    meeting.a = CreateEventA(NULL, FALSE, FALSE, NULL);
    meeting.b = CreateEventA(NULL, FALSE, FALSE, NULL);
    meet(&meeting);
}

static void take_packet(struct meeting *meeting)
{
    OVERLAPPED *overlapped = NULL;
    ULONG_PTR key = 0;
    DWORD bytes = 0;

    EXPECT_OK(GetQueuedCompletionStatus(meeting->a, &bytes, &key, &overlapped, LIMIT_MS));
    EXPECT_EQ(bytes, 5);
    EXPECT_EQ(key, PORT_KEY);
    EXPECT_EQ(overlapped, (OVERLAPPED *)16);
}

static void post_packet(struct meeting *meeting)
{
    EXPECT_OK(PostQueuedCompletionStatus(meeting->a, 5, PORT_KEY, (OVERLAPPED *)16));
}

TEST(BlockingCalls, completion_port)
{
    struct meeting meeting = {.block = take_packet, .complete = post_packet};

    meeting.a = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    ASSERT_OK(meeting.a != NULL);
    meet(&meeting);
}

/* ---- Time ---------------------------------------------------------------------------------------- */

static void sleep_a_little(struct meeting *meeting)
{
    ULONGLONG start = stopwatch();

    (void)meeting;
    SetLastError(SENTINEL);
    Sleep(50);
    EXPECT_EQ(GetLastError(), SENTINEL);
    EXPECT_GE(stopwatch() - start, 50 - 16);
}

TEST(BlockingCalls, sleep_and_the_last_error)
{
    struct meeting meeting = {.block = sleep_a_little};

    meet(&meeting);
}

static VOID NTAPI note_apc(ULONG_PTR meeting)
{
    ((struct meeting *)meeting)->word = 2;
}

static void sleep_alertable(struct meeting *meeting)
{
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &meeting->a, 0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_EQ(SleepEx(LIMIT_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(meeting->word, 2);
}

static void queue_apc(struct meeting *meeting)
{
    EXPECT_OK(QueueUserAPC(note_apc, meeting->a, (ULONG_PTR)meeting));
}

TEST(BlockingCalls, alertable_sleep_ended_by_an_apc)
{
    struct meeting meeting = {.block = sleep_alertable, .complete = queue_apc};

    meet(&meeting);
}

/* ---- Locks of user mode -------------------------------------------------------------------------- */

static void wait_on_address(struct meeting *meeting)
{
    LONG zero = 0;

    while (meeting->word == 0)
        EXPECT_OK(WaitOnAddress(&meeting->word, &zero, sizeof zero, LIMIT_MS));
}

static void wake_address(struct meeting *meeting)
{
    meeting->word = 1;
    WakeByAddressSingle((void *)&meeting->word);
}

TEST(BlockingCalls, address)
{
    struct meeting meeting = {.block = wait_on_address, .complete = wake_address};

    meet(&meeting);
}

static void wait_on_address_in_vain(struct meeting *meeting)
{
    LONG zero = 0;

    EXPECT_FAILS(WaitOnAddress(&meeting->word, &zero, sizeof zero, 20), ERROR_TIMEOUT);
}

TEST(BlockingCalls, address_that_times_out)
{
    struct meeting meeting = {.block = wait_on_address_in_vain};

    meet(&meeting);
}

static SRWLOCK srw = SRWLOCK_INIT;
static CONDITION_VARIABLE condition = CONDITION_VARIABLE_INIT;

static void wait_for_condition(struct meeting *meeting)
{
    AcquireSRWLockExclusive(&srw);
    while (meeting->word == 0)
        EXPECT_OK(SleepConditionVariableSRW(&condition, &srw, LIMIT_MS, 0));
    ReleaseSRWLockExclusive(&srw);
}

static void wake_condition(struct meeting *meeting)
{
    AcquireSRWLockExclusive(&srw);
    meeting->word = 1;
    ReleaseSRWLockExclusive(&srw);
    WakeConditionVariable(&condition);
}

TEST(BlockingCalls, condition_variable)
{
    struct meeting meeting = {.block = wait_for_condition, .complete = wake_condition};

    meet(&meeting);
}

/* Two that want one lock, and each gives it up only after a while that it sleeps with it. */
static void take_srw_often(struct worker *self)
{
    int *inside = self->arg;

    for (int i = 0; i < 20; i++) {
        AcquireSRWLockExclusive(&srw);
        EXPECT_EQ(flag_add(inside, 1), 1);
        Sleep(1);
        EXPECT_EQ(flag_add(inside, -1), 0);
        ReleaseSRWLockExclusive(&srw);
    }
}

TEST(BlockingCalls, contended_srw_lock_among_eight)
{
    struct fleet *fleet = fleet_create(2, 8, FLEET_SHARED_READY);
    int inside = 0;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, take_srw_often, &inside);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

/* ---- Sockets ------------------------------------------------------------------------------------- */

static void accept_and_receive(struct meeting *meeting)
{
    SOCKET socket = accept(meeting->listener, NULL, NULL);
    char text[8] = "";

    EXPECT_NE(socket, INVALID_SOCKET);
    EXPECT_EQ(recv(socket, text, sizeof text, 0), 5);
    EXPECT_STREQ(text, "hello");
    EXPECT_EQ(closesocket(socket), 0);
}

static void connect_and_send(struct meeting *meeting)
{
    meeting->client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(meeting->client, (void *)&meeting->address, sizeof meeting->address), 0);
    for (int i = 0; i < 3; i++)
        UmsThreadYield(NULL);
    EXPECT_EQ(send(meeting->client, "hello", 5, 0), 5);
}

TEST(BlockingCalls, accept_and_receive)
{
    struct meeting meeting = {.block = accept_and_receive, .complete = connect_and_send};
    int length = sizeof meeting.address;
    WSADATA data;

    ASSERT_EQ(WSAStartup(MAKEWORD(2, 2), &data), 0);
    meeting.listener = socket(AF_INET, SOCK_STREAM, 0);
    meeting.address.sin_family = AF_INET;
    meeting.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(meeting.listener, (void *)&meeting.address, sizeof meeting.address), 0);
    EXPECT_EQ(getsockname(meeting.listener, (void *)&meeting.address, &length), 0);
    EXPECT_EQ(listen(meeting.listener, 1), 0);
    meet(&meeting);
    EXPECT_EQ(closesocket(meeting.client), 0);
    EXPECT_EQ(closesocket(meeting.listener), 0);
    EXPECT_EQ(WSACleanup(), 0);
}
