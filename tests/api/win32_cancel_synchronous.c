/* SPDX-License-Identifier: MIT
 *
 * win32_cancel_synchronous.c - CancelSynchronousIo: the call in which another thread waits ends
 * there, whatever it waits for.
 *
 * Not on Windows: Wine 8 cancels no call that the server of a pipe or a socket waits in.
 *
 * modes: ways, UMSSHIM_DETECT=0
 * with: named_pipes.c, sockets.c, folder.c
 * where: UNIX
 */
#include "sockets.h"

#include "folder.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "named_pipes.h"

#include <string.h>
#include <sys/stat.h>

/* A call that waits, and what it waits for. */
struct waiting {
    BOOL (*call)(struct waiting *self); /* on the thread that waits */
    HANDLE one, other;
    SOCKET socket;
    const struct sockaddr_in *address;
    const char *name;
    enum kind kind;
    int thread; /* its id */
    int over;   /* the call is */
    DWORD moved;
    char room[4096];
};

static void blocks(void *arg)
{
    struct waiting *self = arg;

    flag_set(&self->thread, (int)GetCurrentThreadId());
    EXPECT_FAILS(self->call(self), ERROR_OPERATION_ABORTED);
    flag_set(&self->over, 1);
}

static HANDLE thread_of(struct waiting *self)
{
    if (!wait_until(&self->thread, 10000))
        return NULL;
    return OpenThread(THREAD_ALL_ACCESS, FALSE, (DWORD)flag_get(&self->thread));
}

/* A worker waits, and one request is enough. Another thread may not wait yet, or may make a call that need not. */
static void cancels(void *arg)
{
    struct waiting *self = arg;
    HANDLE thread = thread_of(self);
    ULONGLONG limit = GetTickCount64() + 10000;
    int done = 0;

    ASSERT_NE(thread, NULL);
    do {
        if (CancelSynchronousIo(thread))
            done++;
        else
            EXPECT_EQ(GetLastError(), ERROR_NOT_FOUND);
    } while (self->kind != KIND_WORKER && !flag_get(&self->over) && GetTickCount64() < limit);
    EXPECT_GE(done, 1);
    EXPECT_OK(CloseHandle(thread));
}

static void cancelled_on(enum kind kind, struct waiting *self)
{
    self->kind = kind;
    flag_set(&self->thread, 0);
    flag_set(&self->over, 0);
    on_kind(kind, blocks, cancels, self);
}

static void cancelled(struct waiting *self)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        cancelled_on(kind, self);
}

/* ---- Files and pipes ------------------------------------------------------------------------- */

static BOOL reads(struct waiting *self)
{
    return ReadFile(self->one, self->room, sizeof self->room, &self->moved, NULL);
}

static BOOL writes_until_full(struct waiting *self)
{
    while (WriteFile(self->other, self->room, 512, &self->moved, NULL))
        continue;
    return FALSE;
}

TEST(Win32CancelSynchronous, reading_a_pipe)
{
    struct waiting self = {.call = reads};
    DWORD count = 0;

    ASSERT_OK(CreatePipe(&self.one, &self.other, NULL, 0));
    cancelled(&self);
    EXPECT_EQ(self.moved, 0);
    EXPECT_OK(WriteFile(self.other, "after", 5, &count, NULL)); /* it can be read as ever */
    EXPECT_OK(reads(&self));
    EXPECT_EQ(self.moved, 5);
    EXPECT_OK(CloseHandle(self.one));
    EXPECT_OK(CloseHandle(self.other));
}

TEST(Win32CancelSynchronous, writing_to_a_full_pipe)
{
    struct waiting self = {.call = writes_until_full};

    ASSERT_OK(CreatePipe(&self.one, &self.other, NULL, 0));
    cancelled(&self);
    EXPECT_OK(CloseHandle(self.one));
    EXPECT_OK(CloseHandle(self.other));
}

static void named(struct waiting *self, DWORD mode)
{
    HANDLE ends[2];

    ASSERT_OK(pipe_pair(ends, 0, mode));
    self->one = ends[0];
    self->other = ends[1];
    cancelled(self);
    pipe_close(ends);
}

TEST(Win32CancelSynchronous, named_pipes)
{
    for (int messages = 0; messages < 2; messages++) {
        DWORD mode = messages ? PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE : PIPE_TYPE_BYTE;
        struct waiting in = {.call = reads}, out = {.call = writes_until_full};

        named(&in, mode);
        named(&out, mode);
    }
}

static BOOL connects(struct waiting *self)
{
    return ConnectNamedPipe(self->one, NULL);
}

static BOOL waits_for_an_instance(struct waiting *self)
{
    return WaitNamedPipeA(self->name, NMPWAIT_WAIT_FOREVER);
}

TEST(Win32CancelSynchronous, waiting_for_a_client_and_for_an_instance)
{
    char name[PIPE_NAME_ROOM];
    struct waiting server = {.call = connects}, client = {.call = waits_for_an_instance};
    HANDLE end;

    pipe_new_name(name);
    client.name = name;
    server.one = pipe_server(name, 0, PIPE_TYPE_BYTE, 1);
    ASSERT_NE(server.one, INVALID_HANDLE_VALUE);
    cancelled(&server);
    end = pipe_client(name, 0);
    ASSERT_NE(end, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(ConnectNamedPipe(server.one, NULL), ERROR_PIPE_CONNECTED);
    cancelled(&client);
    EXPECT_OK(CloseHandle(end));
    EXPECT_OK(CloseHandle(server.one));
}

static BOOL locks(struct waiting *self)
{
    OVERLAPPED range = {0};

    return LockFileEx(self->one, LOCKFILE_EXCLUSIVE_LOCK, 0, 10, 0, &range);
}

static BOOL watches(struct waiting *self)
{
    return ReadDirectoryChangesW(self->one, self->room, sizeof self->room, FALSE,
                                 FILE_NOTIFY_CHANGE_FILE_NAME, &self->moved, NULL, NULL);
}

static BOOL opens(struct waiting *self)
{
    return CreateFileA(self->name, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                       OPEN_EXISTING, 0, NULL) != INVALID_HANDLE_VALUE;
}

TEST(Win32CancelSynchronous, locks_folders_and_fifos)
{
    struct waiting lock = {.call = locks}, watch = {.call = watches}, fifo = {.call = opens};
    DWORD shares = FILE_SHARE_READ | FILE_SHARE_WRITE;

    folder_make();
    const char *path = in_folder("locked");
    lock.one = CreateFileA(path, GENERIC_WRITE, shares, NULL, CREATE_ALWAYS, 0, NULL);
    lock.other = CreateFileA(path, GENERIC_WRITE, shares, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_NE(lock.other, INVALID_HANDLE_VALUE);
    EXPECT_OK(LockFile(lock.other, 0, 0, 10, 0));
    cancelled(&lock);
    EXPECT_OK(UnlockFile(lock.other, 0, 0, 10, 0));
    EXPECT_OK(LockFile(lock.one, 0, 0, 10, 0)); /* nothing was left behind */
    cancelled(&lock);                           /* the lock in the way is of the same handle */
    EXPECT_OK(UnlockFile(lock.one, 0, 0, 10, 0));
    EXPECT_FAILS(UnlockFile(lock.one, 0, 0, 10, 0), ERROR_NOT_LOCKED);
    EXPECT_OK(CloseHandle(lock.one));
    EXPECT_OK(CloseHandle(lock.other));

    watch.one = CreateFileA(in_folder(""), FILE_LIST_DIRECTORY, shares, NULL, OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS, NULL);
    ASSERT_NE(watch.one, INVALID_HANDLE_VALUE);
    cancelled(&watch);
    EXPECT_OK(CloseHandle(watch.one));

    fifo.name = in_folder("fifo");
    ASSERT_EQ(mkfifo(fifo.name, 0600), 0);
    cancelled(&fifo);
    folder_remove("locked", "fifo", NULL);
}

/* ---- Sockets --------------------------------------------------------------------------------- */

static BOOL receives(struct waiting *self)
{
    return recv(self->socket, self->room, 1, 0) != SOCKET_ERROR;
}

static BOOL sends_until_full(struct waiting *self)
{
    while (send(self->socket, self->room, sizeof self->room, 0) != SOCKET_ERROR)
        continue;
    return FALSE;
}

static BOOL accepts(struct waiting *self)
{
    return accept(self->socket, NULL, NULL) != INVALID_SOCKET;
}

TEST(Win32CancelSynchronous, sockets)
{
    struct waiting in = {.call = receives}, out = {.call = sends_until_full};
    struct waiting listener = {.call = accepts};
    struct sockaddr_in address;
    SOCKET pair[2];

    ASSERT_OK(winsock_start());
    ASSERT_OK(socket_pair(pair));
    in.socket = pair[0];
    cancelled(&in);
    EXPECT_EQ(send(pair[1], "x", 1, 0), 1);
    EXPECT_EQ(recv(pair[0], in.room, 1, 0), 1);
    out.socket = pair[0];
    cancelled(&out);
    socket_close(pair[0]);
    socket_close(pair[1]);
    ASSERT_OK(socket_listener(&listener.socket, &address));
    cancelled(&listener);
    socket_close(listener.socket);
    winsock_stop();
}

static BOOL connects_to(struct waiting *self)
{
    SOCKET one = socket(AF_INET, SOCK_STREAM, 0);
    int failed = connect(one, (const struct sockaddr *)self->address, sizeof *self->address);
    DWORD error = GetLastError();

    closesocket(one);
    SetLastError(error);
    return !failed;
}

/* A listener whose queue is full lets clients wait. */
TEST(Win32CancelSynchronous, connecting)
{
    enum { CLIENTS = 4 };
    struct waiting self = {.call = connects_to};
    struct sockaddr_in address;
    SOCKET listener, clients[CLIENTS];
    u_long on = 1;

    ASSERT_OK(winsock_start());
    ASSERT_OK(socket_bound(SOCK_STREAM, &listener, &address));
    ASSERT_EQ(listen(listener, 0), 0);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(ioctlsocket(clients[i], FIONBIO, &on), 0);
        EXPECT_WSA(connect(clients[i], (const struct sockaddr *)&address, sizeof address),
                   WSAEWOULDBLOCK);
    }
    self.address = &address;
    cancelled(&self);
    for (int i = 0; i < CLIENTS; i++)
        socket_close(clients[i]);
    socket_close(listener);
    winsock_stop();
}

/* ---- Nothing to cancel ----------------------------------------------------------------------- */

static void sleeps(void *arg)
{
    struct waiting *self = arg;

    flag_set(&self->thread, (int)GetCurrentThreadId());
    EXPECT_EQ(WaitForSingleObject(self->one, 10000), WAIT_OBJECT_0);
}

static void finds_nothing(void *arg)
{
    struct waiting *self = arg;
    HANDLE thread = thread_of(self);

    ASSERT_NE(thread, NULL);
    EXPECT_FAILS(CancelSynchronousIo(thread), ERROR_NOT_FOUND);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(SetEvent(self->one));
}

TEST(Win32CancelSynchronous, a_wait_is_none)
{
    struct waiting self = {.one = CreateEventA(NULL, FALSE, FALSE, NULL)};

    for (enum kind kind = 0; kind < KINDS; kind++) {
        flag_set(&self.thread, 0);
        on_kind(kind, sleeps, finds_nothing, &self);
    }
    EXPECT_OK(CloseHandle(self.one));
}

static DWORD WINAPI ends_at_once(LPVOID unused)
{
    (void)unused;
    return 0;
}

TEST_IN_EACH_KIND(Win32CancelSynchronous, what_is_no_thread_in_a_call)
{
    HANDLE thread = CreateThread(NULL, 0, ends_at_once, NULL, 0, NULL);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    EXPECT_FAILS(CancelSynchronousIo(thread), ERROR_NOT_FOUND);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_FAILS(CancelSynchronousIo(thread), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CancelSynchronousIo(event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CancelSynchronousIo(NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CancelSynchronousIo(GetCurrentProcess()), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CancelSynchronousIo(GetCurrentThread()), ERROR_NOT_FOUND);
    EXPECT_OK(CloseHandle(event));
}
