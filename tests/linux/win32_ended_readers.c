/* SPDX-License-Identifier: MIT
 *
 * win32_ended_readers.c - threads that wait for one pipe at the same time, and are ended or cancelled
 * there: the others go on, and the pipe is closed with its last handle.
 *
 * modes: ways, UMSSHIM_DETECT=0
 * with: ../api/named_pipes.c
 */
#include "../api/named_pipes.h"

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <dirent.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LIMIT_MS = 10000,
    MESSAGES = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE,
    CODE = 7,
    PROGRAMS_NUMBERS = 256
};

struct caller {
    HANDLE end, thread;
    BOOL writes, done;
    DWORD error, moved;
    char byte;
};

static char much[1 << 20];

static DWORD WINAPI calls(LPVOID arg)
{
    struct caller *self = arg;

    self->done = self->writes ? WriteFile(self->end, much, sizeof much, &self->moved, NULL)
                              : ReadFile(self->end, &self->byte, 1, &self->moved, NULL);
    self->error = GetLastError();
    return 0;
}

/* Returns when the thread waits: CancelSynchronousIo and the kernel's state cannot tell that of a
 * second caller, so it is given time. A caller that comes later changes no result. */
static void start(struct caller *self, HANDLE end, BOOL writes)
{
    *self = (struct caller){.end = end, .writes = writes};
    self->thread = CreateThread(NULL, 0, calls, self, 0, NULL);
    ASSERT_NE(self->thread, NULL);
    Sleep(30);
}

static bool ends(struct caller *self)
{
    bool over = WaitForSingleObject(self->thread, LIMIT_MS) == WAIT_OBJECT_0;

    EXPECT_OK(over);
    EXPECT_OK(CloseHandle(self->thread));
    return over;
}

static void cancelled(struct caller *self)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;

    while (!CancelSynchronousIo(self->thread) && GetTickCount64() < limit)
        Sleep(1);
    if (!ends(self))
        return;
    EXPECT_EQ(self->done, FALSE);
    EXPECT_EQ(self->error, ERROR_OPERATION_ABORTED);
}

static void terminated(struct caller *self)
{
    EXPECT_OK(TerminateThread(self->thread, CODE));
    ends(self);
}

static void got(struct caller *self)
{
    if (!ends(self))
        return;
    EXPECT_EQ(self->done, TRUE);
    EXPECT_EQ(self->moved, 1);
    EXPECT_EQ(self->byte, 'x');
}

/* The second reader goes, and the first one gets what comes. */
static void second_goes(void (*goes)(struct caller *))
{
    struct caller first, second;
    HANDLE both[2];

    ASSERT_OK(pipe_pair(both, 0, MESSAGES));
    start(&first, both[0], FALSE);
    start(&second, both[0], FALSE);
    goes(&second);
    pipe_write(both[1], "x");
    got(&first);
    pipe_close(both);
}

TEST(Win32EndedReaders, the_second_is_cancelled)
{
    second_goes(cancelled);
}

TEST(Win32EndedReaders, the_second_is_terminated)
{
    second_goes(terminated);
}

static void first_goes(void (*goes)(struct caller *))
{
    struct caller first, second, third;
    HANDLE both[2];

    ASSERT_OK(pipe_pair(both, 0, MESSAGES));
    start(&first, both[0], FALSE);
    start(&second, both[0], FALSE);
    goes(&first);
    pipe_write(both[1], "x");
    got(&second);
    start(&third, both[0], FALSE);
    pipe_write(both[1], "x");
    got(&third);
    pipe_close(both);
}

TEST(Win32EndedReaders, the_first_is_cancelled)
{
    first_goes(cancelled);
}

TEST(Win32EndedReaders, the_first_is_terminated)
{
    first_goes(terminated);
}

/* Reads until the writer has written all. */
static void drain(HANDLE end, const struct caller *writer)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;
    char bytes[4096];
    DWORD count = 0;

    while (WaitForSingleObject(writer->thread, 0) != WAIT_OBJECT_0 && GetTickCount64() < limit)
        if (PeekNamedPipe(end, NULL, 0, NULL, &count, NULL) && count)
            ReadFile(end, bytes, sizeof bytes, &count, NULL);
        else
            Sleep(1);
}

/* Two writers to a pipe that is full. */
static void a_writer_goes(void (*goes)(struct caller *), bool second_one)
{
    struct caller first, second, *stays = second_one ? &first : &second;
    HANDLE both[2];

    ASSERT_OK(pipe_pair(both, 0, PIPE_TYPE_BYTE));
    start(&first, both[1], TRUE);
    start(&second, both[1], TRUE);
    goes(second_one ? &second : &first);
    drain(both[0], stays);
    ends(stays);
    EXPECT_EQ(stays->moved, sizeof much);
    pipe_close(both);
}

TEST(Win32EndedReaders, the_first_writer_is_terminated)
{
    a_writer_goes(terminated, false);
}

TEST(Win32EndedReaders, the_second_writer_is_cancelled)
{
    a_writer_goes(cancelled, true);
}

/* ---- What the ended thread leaves open ---- */

static void pipe_closes(HANDLE both[2])
{
    struct caller reader;
    DWORD count;

    start(&reader, both[0], FALSE);
    terminated(&reader);
    EXPECT_OK(CloseHandle(both[0]));
    EXPECT_FAILS(WriteFile(both[1], "x", 1, &count, NULL), ERROR_NO_DATA);
    EXPECT_OK(CloseHandle(both[1]));
}

TEST(Win32EndedReaders, an_anonymous_pipe_closes)
{
    HANDLE both[2];

    for (int i = 0; i < 10; i++) {
        ASSERT_OK(CreatePipe(&both[0], &both[1], NULL, 0));
        pipe_closes(both);
    }
}

TEST(Win32EndedReaders, a_named_pipe_closes)
{
    HANDLE both[2];

    ASSERT_OK(pipe_pair(both, 0, MESSAGES));
    pipe_closes(both);
    ASSERT_OK(pipe_pair(both, 0, PIPE_TYPE_BYTE));
    pipe_closes(both);
}

/* The number of the socket that "a" waits in. */
static int socket_with_a(void)
{
    for (int fd = 3; fd < PROGRAMS_NUMBERS; fd++) {
        char byte = 0;

        if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1 && byte == 'a')
            return fd;
    }
    return -1;
}

static void reads(void *arg)
{
    calls(arg);
}

/* Another process, to which the end was given, has such a number. */
static void number_stays_good(enum kind kind)
{
    struct kind_thread thread = {0};
    HANDLE both[2];
    char byte = 0;

    ASSERT_OK(pipe_pair(both, 0, PIPE_TYPE_BYTE));
    struct caller reader = {.end = both[0]};
    ASSERT_OK(kind_start(&thread, kind, reads, &reader));
    Sleep(30);
    EXPECT_OK(TerminateThread(thread.thread, CODE));
    EXPECT_OK(kind_join(&thread));
    pipe_write(both[1], "a");
    int given = dup(socket_with_a());
    EXPECT_OK(CloseHandle(both[0]));
    EXPECT_EQ(recv(given, &byte, 1, MSG_DONTWAIT), 1);
    EXPECT_EQ(send(given, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT), 1);
    close(given);
    pipe_read(both[1], "x");
    EXPECT_OK(CloseHandle(both[1]));
}

TEST(Win32EndedReaders, an_ended_thread_leaves_no_call_behind)
{
    number_stays_good(KIND_PLAIN);
}

TEST(Win32EndedReaders, an_ended_worker_leaves_no_call_behind)
{
    number_stays_good(KIND_WORKER);
}

static int open_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* One end's threads are ended, in a read or in a write that has to wait. */
static void leaves_no_file(unsigned server, DWORD mode, BOOL writes)
{
    struct caller caller;
    HANDLE both[2];

    ASSERT_OK(pipe_pair(both, 0, mode));
    start(&caller, both[server ? 0 : 1], writes);
    terminated(&caller);
    pipe_close(both);
}

TEST(Win32EndedReaders, ended_threads_leave_no_descriptor)
{
    enum { ROUNDS = 20 };

    leaves_no_file(0, MESSAGES, FALSE); /* the engine's own threads and files are there now */
    int before = open_files();
    for (unsigned i = 0; i < ROUNDS; i++)
        leaves_no_file(i & 1, i & 2 ? MESSAGES : PIPE_TYPE_BYTE, i & 4 ? TRUE : FALSE);
    EXPECT_EQ(open_files(), before);
}
