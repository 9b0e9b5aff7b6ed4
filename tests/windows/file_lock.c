/* SPDX-License-Identifier: MIT
 *
 * file_lock.c - a file that is open for synchronous use, and pending on a read: on Windows every other call on
 * it waits, even the question what it is.
 *
 * The hazard: the engine asks before it knows whether a worker's call may wait. Asked on the scheduler's
 * time, a read that only another worker can satisfy would stop the scheduler for good.
 *
 * Wine takes no such lock, so here its function is made to wait while a thread is known to read.
 *
 * modes: default
 * labels: own_system
 */
#include "fleet.h"
#include "gtest_c.h"

#include <stdio.h>
#include <string.h>

enum { STUB_BYTES = 40, LIMIT_MS = 5000 };

typedef LONG(NTAPI *query_function)(HANDLE, void *, void *, ULONG, int);

static HANDLE server, client;
static int reading, asked;
static query_function query;
static LONG(NTAPI *delay)(BOOLEAN, LARGE_INTEGER *);

/* No hook sees this wait. */
static LONG NTAPI query_when_nobody_reads(HANDLE file, void *iosb, void *to, ULONG bytes, int class)
{
    LARGE_INTEGER moment = {.QuadPart = -10000};

    if (file == server)
        flag_add(&asked, 1);
    for (int i = 0; file == server && flag_get(&reading) && i < LIMIT_MS; i++)
        delay(FALSE, &moment);
    return query(file, iosb, to, bytes, class);
}

/* A stub refers to nothing relative: a copy does the same. */
static void *copy_of(const char *name, unsigned char **stub)
{
    void *copy = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);

    *stub = (unsigned char *)GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
    if (EXPECT_OK(*stub != NULL) && EXPECT_OK(copy != NULL))
        memcpy(copy, *stub, STUB_BYTES);
    return copy;
}

static void be_strict(void)
{
    void *target = (void *)(uintptr_t)query_when_nobody_reads;
    unsigned char *stub;
    DWORD before;

    delay = (LONG(NTAPI *)(BOOLEAN, LARGE_INTEGER *))copy_of("NtDelayExecution", &stub);
    query = (query_function)copy_of("NtQueryInformationFile", &stub);
    ASSERT_OK(VirtualProtect(stub, STUB_BYTES, PAGE_EXECUTE_READWRITE, &before));
    memcpy(stub, "\x48\xB8", 2); /* mov rax, target; jmp rax */
    memcpy(stub + 2, &target, sizeof target);
    memcpy(stub + 10, "\xFF\xE0", 2);
}

static DWORD WINAPI read_first(LPVOID param)
{
    char byte;
    DWORD got;

    flag_set(&reading, 1);
    EXPECT_OK(ReadFile(server, &byte, 1, &got, NULL));
    flag_set(&reading, 0);
    return 0;
}

static void read_second(struct worker *self)
{
    char byte = 0;
    DWORD got = 0;

    EXPECT_OK(ReadFile(server, &byte, 1, &got, NULL));
    EXPECT_EQ(got, 1);
}

static void write_for_both(struct worker *self)
{
    DWORD done;

    EXPECT_EQ(flag_get(&asked), 1); /* the other one is under way */
    EXPECT_EQ(flag_get(&reading), 1);
    EXPECT_OK(WriteFile(client, "xy", 2, &done, NULL));
}

TEST(FileLock, a_file_that_answers_nothing_while_it_is_read)
{
    struct fleet *fleet;
    char name[64];
    HANDLE reader;

    be_strict(); /* before the first UMS call: stubs are as they were */
    fleet = fleet_create(1, 2, 0);
    ASSERT_NE(fleet, NULL);
    snprintf(name, sizeof name, "\\\\.\\pipe\\umsshim-lock-%lu",
             (unsigned long)GetCurrentProcessId());
    server = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX, 0, 1, 64, 64, 0, NULL);
    client = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_OK(server != INVALID_HANDLE_VALUE && client != INVALID_HANDLE_VALUE);
    reader = CreateThread(NULL, 0, read_first, NULL, 0, NULL);
    ASSERT_OK(wait_until(&reading, LIMIT_MS));
    Sleep(20); /* it most likely reads by then */
    fleet_set_limit(fleet, LIMIT_MS);
    ASSERT_OK(fleet_add(fleet, read_second, NULL) && fleet_add(fleet, write_for_both, NULL));
    EXPECT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(reader, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(reader));
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
    fleet_destroy(fleet);
}

/* ---- NtLockFile: its try may wait for the file as well ---------------------------------------------- */

static void lock(struct worker *self)
{
    OVERLAPPED place = {0};

    EXPECT_OK(LockFileEx(server, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &place));
    EXPECT_EQ(flag_get(&reading), 0);
    EXPECT_OK(UnlockFileEx(server, 0, 1, 0, &place));
}

static void let_go(struct worker *self)
{
    EXPECT_EQ(flag_get(&asked), 1);
    flag_set(&reading, 0);
}

TEST(FileLock, the_try_of_a_lock_waits_for_the_file)
{
    struct fleet *fleet;
    char name[64];

    be_strict();
    fleet = fleet_create(1, 2, 0);
    ASSERT_NE(fleet, NULL);
    snprintf(name, sizeof name, "file_lock-%lu.tmp", (unsigned long)GetCurrentProcessId());
    server = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                         FILE_FLAG_DELETE_ON_CLOSE, NULL);
    ASSERT_OK(server != INVALID_HANDLE_VALUE);
    flag_set(&reading, 1);
    fleet_set_limit(fleet, LIMIT_MS);
    ASSERT_OK(fleet_add(fleet, lock, NULL) && fleet_add(fleet, let_go, NULL));
    EXPECT_OK(fleet_run(fleet));
    EXPECT_OK(CloseHandle(server));
    fleet_destroy(fleet);
}
