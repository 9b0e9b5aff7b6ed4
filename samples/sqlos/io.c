/* SPDX-License-Identifier: MIT
 *
 * io.c - asynchronous transfers: devices that make them, and waits on the scheduler's I/O list.
 *
 * A worker yields with its transfer, and posting it is a step of the scheduler's housekeeping: so
 * the worker has left when the transfer begins, and a scheduler has no more of them under way than
 * its depth.
 * A device is a plain thread that makes synchronous calls at a position. It marks the request
 * complete; the scheduler notices in its housekeeping. A worker that calls ReadFile itself is
 * noticed by UMS and does no harm either, but its wait is one in the kernel, without a name.
 */
#include "sqlos_private.h"

enum { DEVICES = 2 };

typedef struct DEVICE {
    SLIST_HEADER requests;
    HANDLE thread, work;
} DEVICE;

static DEVICE s_devices[DEVICES];
static volatile LONG s_turn, s_stopping;

static VOID Transfer(SOS_IO *io)
{
    OVERLAPPED at = {0};
    SOS_SCHEDULER *scheduler = io->scheduler;
    BOOL good;

    at.Offset = (DWORD)io->offset;
    at.OffsetHigh = (DWORD)(io->offset >> 32);
    good = io->write ? WriteFile(io->file, io->buffer, io->bytes, &io->done, &at)
                     : ReadFile(io->file, io->buffer, io->bytes, &io->done, &at);
    io->error = good ? 0 : GetLastError();
    io->completed = Now();
    InterlockedExchange(&io->complete, TRUE); /* the last touch: it lies on its worker's stack */
    InterlockedIncrement(&scheduler->ioCompleted);
    WakeScheduler(scheduler);
}

static DWORD WINAPI DeviceThread(LPVOID param)
{
    DEVICE *device = (DEVICE *)param;

    while (WaitForSingleObject(device->work, INFINITE) == WAIT_OBJECT_0) {
        SLIST_ENTRY *entry = FetchAll(&device->requests);

        if (!entry && s_stopping)
            break;
        while (entry) {
            SOS_IO *io = CONTAINING_RECORD(entry, SOS_IO, link);

            entry = entry->Next;
            Transfer(io);
        }
    }
    return 0;
}

BOOL IoStart(VOID)
{
    int i;

    s_stopping = FALSE;
    for (i = 0; i < DEVICES; i++) {
        InitializeSListHead(&s_devices[i].requests);
        s_devices[i].work = CreateEvent(NULL, FALSE, FALSE, NULL);
        if (!s_devices[i].work)
            return FALSE;
        s_devices[i].thread = CreateThread(NULL, 0, DeviceThread, &s_devices[i], 0, NULL);
        if (!s_devices[i].thread)
            return FALSE;
    }
    return TRUE;
}

VOID IoStop(VOID)
{
    int i;

    InterlockedExchange(&s_stopping, TRUE);
    for (i = 0; i < DEVICES; i++) {
        DEVICE *device = &s_devices[i];

        if (device->thread) {
            SetEvent(device->work);
            WaitForSingleObject(device->thread, INFINITE);
            CloseHandle(device->thread);
        }
        if (device->work)
            CloseHandle(device->work);
        device->thread = device->work = NULL;
    }
}

VOID IoPost(SOS_IO *io)
{
    DEVICE *device = &s_devices[(DWORD)InterlockedIncrement(&s_turn) % DEVICES];

    InterlockedPushEntrySList(&device->requests, &io->link);
    SetEvent(device->work);
}

static SOS_STATUS LeaveToScheduler(SOS_IO *io, DWORD *done)
{
    SOS_WORKER *worker = WorkerInside();
    SOS_STATUS status;

    if (worker->task->aborted)
        return SOS_ABORTED;
    io->scheduler = worker->scheduler;
    worker->io = io;
    PrepareWait(worker, SOS_WAIT_IO_COMPLETION, NULL, INFINITE, FALSE);
    status = WaitNow(worker, YIELD_IO);
    worker->io = NULL;
    if (done)
        *done = io->done;
    if (io->error)
        SetLastError(io->error);
    return status;
}

SOS_STATUS SosReadFile(HANDLE file, ULONGLONG offset, PVOID buffer, DWORD bytes, DWORD *done)
{
    SOS_IO io = {0};

    io.file = file;
    io.offset = offset;
    io.buffer = buffer;
    io.bytes = bytes;
    return LeaveToScheduler(&io, done);
}

SOS_STATUS SosWriteFile(HANDLE file, ULONGLONG offset, const void *buffer, DWORD bytes, DWORD *done)
{
    SOS_IO io = {0};

    io.file = file;
    io.offset = offset;
    io.buffer = (PVOID)buffer;
    io.bytes = bytes;
    io.write = TRUE;
    return LeaveToScheduler(&io, done);
}
