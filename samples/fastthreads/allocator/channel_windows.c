/* SPDX-License-Identifier: MIT
 *
 * channel_windows.c - channels as named pipes that keep messages apart.
 *
 * The system closes a pipe's end with its process, however that ends, and the name goes with the
 * last end: nothing is left behind by a crash. Every call on a pipe is overlapped. Those that are
 * not to wait take back what could not be done at once; receiving waits for its event, and for the
 * one that ends it.
 */
#include "channel.h"

#include <windows.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 4096, NAME_BYTES = 200, BUSY_MS = 2000 };

#define PIPES "\\\\.\\pipe\\"
#define EVENTS "Local\\"

struct channel {
    HANDLE pipe;
    HANDLE shut; /* an event: receiving is over */
    HANDLE read;
    uint64_t usable;
};

struct line {
    HANDLE pipe;
    OVERLAPPED read;
    struct channel_hint hint;
    BOOL here; /* connected, and a read is under way */
};

struct exchange {
    char name[NAME_BYTES];
    HANDLE stop; /* an event of the pipe's name; whoever sets it ends the exchange */
    struct line lines[CHANNEL_MAX_PROGRAMS];
    struct line next; /* listens; its `read` is the connecting */
    int first;        /* asked first next time, so that nobody is passed over */
};

static HANDLE ended_by_user; /* Ctrl-C and its like end the exchange that was opened last */

static BOOL name_of(const char *kind, const char *name, char *path)
{
    int length = snprintf(path, NAME_BYTES, "%sfastthreads-%s", kind, name);

    if (length > 0 && length < NAME_BYTES)
        return TRUE;
    errno = ENAMETOOLONG;
    return FALSE;
}

/* Writes the message at once or not at all. */
static bool write_now(HANDLE pipe, const void *message, DWORD bytes)
{
    OVERLAPPED write = {.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL)};
    DWORD written = 0;
    BOOL done = FALSE;

    if (!write.hEvent)
        return false;
    if (WriteFile(pipe, message, bytes, NULL, &write)) {
        done = GetOverlappedResult(pipe, &write, &written, TRUE);
    } else if (GetLastError() == ERROR_IO_PENDING) {
        CancelIoEx(pipe, &write);
        done =
            GetOverlappedResult(pipe, &write, &written, TRUE); /* it may have been done meanwhile */
    }
    CloseHandle(write.hEvent);
    return done && written == bytes;
}

/* ---- A program's side ------------------------------------------------------------------------ */

/* Between two connections nobody listens for a moment: then the pipe is busy. */
static HANDLE connect_to(const char *path)
{
    ULONGLONG until = GetTickCount64() + BUSY_MS;
    HANDLE pipe;

    do {
        pipe = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                           FILE_FLAG_OVERLAPPED, NULL);
    } while (pipe == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
             WaitNamedPipeA(path, BUSY_MS) && GetTickCount64() < until);
    return pipe;
}

struct channel *channel_open(const char *name, uint64_t usable)
{
    char path[NAME_BYTES];
    DWORD messages = PIPE_READMODE_MESSAGE;
    struct channel *channel = calloc(1, sizeof(*channel));

    if (!channel)
        return NULL;
    channel->usable = usable;
    channel->pipe = name_of(PIPES, name, path) ? connect_to(path) : INVALID_HANDLE_VALUE;
    channel->shut = CreateEventA(NULL, TRUE, FALSE, NULL);
    channel->read = CreateEventA(NULL, TRUE, FALSE, NULL);
    if (channel->pipe == INVALID_HANDLE_VALUE || !channel->shut || !channel->read ||
        !SetNamedPipeHandleState(channel->pipe, &messages, NULL, NULL)) {
        channel_close(channel);
        return NULL;
    }
    return channel;
}

bool channel_hint(struct channel *channel, struct channel_hint *hint)
{
    hint->usable = channel->usable;
    return write_now(channel->pipe, hint, sizeof(*hint));
}

bool channel_receive(struct channel *channel, struct channel_grant *grant)
{
    OVERLAPPED read = {.hEvent = channel->read};
    HANDLE either[2] = {channel->shut, channel->read};
    DWORD got = 0;

    if (!ReadFile(channel->pipe, grant, sizeof(*grant), NULL, &read) &&
        GetLastError() != ERROR_IO_PENDING)
        return false;
    if (WaitForMultipleObjects(2, either, FALSE, INFINITE) == WAIT_OBJECT_0)
        CancelIoEx(channel->pipe, &read);
    return GetOverlappedResult(channel->pipe, &read, &got, TRUE) && got == sizeof(*grant);
}

void channel_shut(struct channel *channel)
{
    SetEvent(channel->shut);
}

void channel_close(struct channel *channel)
{
    if (!channel)
        return;
    if (channel->pipe != INVALID_HANDLE_VALUE)
        CloseHandle(channel->pipe);
    if (channel->shut)
        CloseHandle(channel->shut);
    if (channel->read)
        CloseHandle(channel->read);
    free(channel);
}

/* ---- The allocator's side -------------------------------------------------------------------- */

static BOOL WINAPI end(DWORD why)
{
    UNREFERENCED_PARAMETER(why);
    return SetEvent(ended_by_user);
}

/* Connecting is under way, or done already: then its event is set as well. A client may even have
 * come and gone (ERROR_NO_DATA); the first read says so. */
static BOOL listen_next(struct exchange *exchange)
{
    struct line *next = &exchange->next;

    next->pipe = CreateNamedPipeA(exchange->name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED,
                                  PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_WAIT |
                                      PIPE_REJECT_REMOTE_CLIENTS,
                                  PIPE_UNLIMITED_INSTANCES, ROOM, ROOM, 0, NULL);
    ResetEvent(next->read.hEvent);
    if (next->pipe == INVALID_HANDLE_VALUE)
        return FALSE;
    if (ConnectNamedPipe(next->pipe, &next->read))
        return SetEvent(next->read.hEvent);
    switch (GetLastError()) {
    case ERROR_IO_PENDING:
        return TRUE;
    case ERROR_PIPE_CONNECTED:
    case ERROR_NO_DATA:
        return SetEvent(next->read.hEvent);
    }
    CloseHandle(next->pipe);
    next->pipe = INVALID_HANDLE_VALUE;
    return FALSE;
}

/* Whether nobody else has the name. */
static BOOL own_name(struct exchange *exchange, const char *name)
{
    char event[NAME_BYTES];

    if (!name_of(PIPES, name, exchange->name) || !name_of(EVENTS, name, event))
        return FALSE;
    exchange->stop = CreateEventA(NULL, TRUE, FALSE, event);
    if (exchange->stop && GetLastError() != ERROR_ALREADY_EXISTS)
        return TRUE;
    errno = EADDRINUSE;
    return FALSE;
}

static BOOL make_events(struct exchange *exchange)
{
    exchange->next.pipe = INVALID_HANDLE_VALUE;
    exchange->next.read.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++) {
        exchange->lines[i].pipe = INVALID_HANDLE_VALUE;
        exchange->lines[i].read.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
        if (!exchange->lines[i].read.hEvent)
            return FALSE;
    }
    return exchange->next.read.hEvent != NULL;
}

struct exchange *exchange_open(const char *name)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    int error;

    if (!exchange)
        return NULL;
    errno = EIO;
    if (make_events(exchange) && own_name(exchange, name) && listen_next(exchange)) {
        ended_by_user = exchange->stop;
        if (SetConsoleCtrlHandler(end, TRUE))
            return exchange;
    }
    error = errno;
    exchange_close(exchange);
    errno = error;
    return NULL;
}

/* The line's next message. At once or later its event is set. */
static BOOL read_next(struct line *line)
{
    ResetEvent(line->read.hEvent);
    return ReadFile(line->pipe, &line->hint, sizeof(line->hint), NULL, &line->read) ||
           GetLastError() == ERROR_IO_PENDING;
}

static enum channel_event take_in(struct exchange *exchange, int *program)
{
    HANDLE pipe = exchange->next.pipe;
    int i = 0;

    while (i < CHANNEL_MAX_PROGRAMS && exchange->lines[i].here)
        i++;
    if (i == CHANNEL_MAX_PROGRAMS) { /* no room: it goes on without an allocator */
        DisconnectNamedPipe(pipe);
        CloseHandle(pipe);
    }
    listen_next(exchange);
    if (i == CHANNEL_MAX_PROGRAMS)
        return CHANNEL_TIME;
    exchange->lines[i].pipe = pipe;
    exchange->lines[i].here = read_next(&exchange->lines[i]);
    if (!exchange->lines[i].here) {
        CloseHandle(pipe);
        return CHANNEL_TIME;
    }
    *program = i;
    return CHANNEL_NEW;
}

/* A message of another size is from a client that speaks something else: as good as gone. */
static enum channel_event hear(struct line *line, struct channel_hint *hint)
{
    DWORD got = 0;

    if (GetOverlappedResult(line->pipe, &line->read, &got, FALSE) && got == sizeof(*hint)) {
        *hint = line->hint;
        if (!read_next(line))
            SetEvent(line->read.hEvent); /* seen as its end next time */
        return CHANNEL_HINT;
    }
    DisconnectNamedPipe(line->pipe);
    CloseHandle(line->pipe);
    line->pipe = INVALID_HANDLE_VALUE;
    line->here = FALSE;
    return CHANNEL_GONE;
}

enum channel_event exchange_wait(struct exchange *exchange, int milliseconds, int *program,
                                 struct channel_hint *hint)
{
    HANDLE set[CHANNEL_MAX_PROGRAMS + 2] = {exchange->stop};
    int whose[CHANNEL_MAX_PROGRAMS + 2];
    DWORD count = 1, which;

    for (int k = 0; k < CHANNEL_MAX_PROGRAMS; k++) {
        int i = (exchange->first + k) % CHANNEL_MAX_PROGRAMS;

        if (exchange->lines[i].here) {
            whose[count] = i;
            set[count++] = exchange->lines[i].read.hEvent;
        }
    }
    if (exchange->next.pipe == INVALID_HANDLE_VALUE) /* it could not be made the last time */
        listen_next(exchange);
    set[count++] = exchange->next.read.hEvent;
    which = WaitForMultipleObjects(count, set, FALSE,
                                   milliseconds < 0 ? INFINITE : (DWORD)milliseconds) -
            WAIT_OBJECT_0;
    if (which >= count)
        return CHANNEL_TIME;
    if (which == 0)
        return CHANNEL_STOP;
    if (which == count - 1)
        return take_in(exchange, program);
    *program = whose[which];
    exchange->first = *program + 1;
    return hear(&exchange->lines[*program], hint);
}

uint64_t exchange_clock(void)
{
    return GetTickCount64();
}

/* A client that does not read for so long that there is no room has to do with what it was told. */
void exchange_grant(struct exchange *exchange, int program, const struct channel_grant *grant)
{
    if (exchange->lines[program].here)
        write_now(exchange->lines[program].pipe, grant, sizeof(*grant));
}

/* What was under way has ended before its memory goes. */
static void close_line(struct line *line)
{
    DWORD unused;

    if (line->pipe != INVALID_HANDLE_VALUE) {
        if (CancelIoEx(line->pipe, &line->read))
            GetOverlappedResult(line->pipe, &line->read, &unused, TRUE);
        CloseHandle(line->pipe);
    }
    if (line->read.hEvent)
        CloseHandle(line->read.hEvent);
}

void exchange_close(struct exchange *exchange)
{
    SetConsoleCtrlHandler(end, FALSE);
    if (exchange->stop)
        CloseHandle(exchange->stop);
    close_line(&exchange->next);
    for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++)
        close_line(&exchange->lines[i]);
    free(exchange);
}
