/* SPDX-License-Identifier: MIT
 *
 * completion_port.c - CreateIoCompletionPort, GetQueuedCompletionStatus and their kin.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/packet_memory.h"
#include "platform/linux/dispatch/port.h"
#include "winapi/linux/overlapped.h"
#include "winapi/linux/processors.h"

/* Gives a file or a socket its port, which it keeps. */
static int associate(HANDLE handle, struct object *port, ULONG_PTR key)
{
    struct object *object = handle_object(handle);
    struct file *file = (struct file *)object;
    int error = 0;
    if (!object || object->type != OBJECT_FILE) {
        error = ERROR_INVALID_HANDLE;
    } else {
        plat_lock(&file->pending_lock);
        if (!file->overlapped || atomic_load_explicit(&file->port, memory_order_relaxed) ||
            atomic_load_explicit(&file->sink, memory_order_relaxed)) {
            error = ERROR_INVALID_PARAMETER;
        } else {
            file->key = key;
            object_hold(port);
            atomic_store_explicit(&file->port, port, memory_order_release);
        }
        plat_unlock(&file->pending_lock);
    }
    if (object)
        object_drop(object);
    return error;
}

/* The port of a handle, with a reference, or NULL. */
static struct object *port_of(HANDLE handle)
{
    struct object *object = handle_object(handle);
    if (!object || object->type == OBJECT_PORT)
        return object;
    object_drop(object);
    return NULL;
}

static uint32_t limit_of(DWORD threads)
{
    return threads ? threads : (uint32_t)CPU_COUNT(win__system_set());
}

HANDLE WINAPI CreateIoCompletionPort(HANDLE FileHandle, HANDLE ExistingCompletionPort,
                                     ULONG_PTR CompletionKey, DWORD NumberOfConcurrentThreads)
{
    void *handle = ExistingCompletionPort;
    if (FileHandle == INVALID_HANDLE_VALUE && ExistingCompletionPort) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    struct object *port = ExistingCompletionPort ? port_of(ExistingCompletionPort)
                                                 : port_create(limit_of(NumberOfConcurrentThreads));
    int error = 0;
    if (!port)
        error = ExistingCompletionPort ? ERROR_INVALID_HANDLE : ERROR_NOT_ENOUGH_MEMORY;
    if (!error && FileHandle != INVALID_HANDLE_VALUE)
        error = associate(FileHandle, port, CompletionKey);
    if (!error && !ExistingCompletionPort)
        error = handle_create(port, &handle);
    if (port)
        object_drop(port);
    win__result(error);
    return error ? NULL : handle;
}

STOP_LOOKS BOOL WINAPI PostQueuedCompletionStatus(HANDLE CompletionPort,
                                                  DWORD dwNumberOfBytesTransferred,
                                                  ULONG_PTR dwCompletionKey,
                                                  LPOVERLAPPED lpOverlapped)
{
    struct packet *packet = malloc(sizeof *packet);
    if (!packet)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    *packet = (struct packet){
        .key = dwCompletionKey, .overlapped = lpOverlapped, .bytes = dwNumberOfBytesTransferred};
    int error = port_post(CompletionPort, packet);
    if (error)
        free(packet);
    return win__acted(error);
}

static int take_error(uint32_t result)
{
    switch (result) {
    case 0:
        return 0;
    case WAITED_TIMEOUT:
        return WAIT_TIMEOUT;
    case WAITED_APC:
        return WAIT_IO_COMPLETION;
    case PORT_CLOSED:
        return ERROR_ABANDONED_WAIT_0;
    case WAITED_NO_MEMORY:
        return ERROR_NOT_ENOUGH_MEMORY;
    default:
        return ERROR_INVALID_HANDLE;
    }
}

STOP_LOOKS BOOL WINAPI GetQueuedCompletionStatus(HANDLE CompletionPort, LPDWORD lpNumberOfBytes,
                                                 PULONG_PTR lpCompletionKey,
                                                 LPOVERLAPPED *lpOverlapped, DWORD dwMilliseconds)
{
    if (!lpNumberOfBytes || !lpCompletionKey || !lpOverlapped)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct packet *packet = NULL;
    *lpOverlapped = NULL; /* NULL tells the program that the call failed, not an operation */
    int error =
        take_error(port_take(CompletionPort, 1, win__deadline(dwMilliseconds), false, &packet));
    if (error)
        return win__acted(error);
    *lpNumberOfBytes = packet->bytes;
    *lpCompletionKey = packet->key;
    *lpOverlapped = packet->overlapped;
    error = (int)packet->error;
    packet_free(thread_current(), packet);
    return win__acted(error);
}

STOP_LOOKS BOOL WINAPI GetQueuedCompletionStatusEx(HANDLE CompletionPort,
                                                   LPOVERLAPPED_ENTRY lpCompletionPortEntries,
                                                   ULONG ulCount, PULONG ulNumEntriesRemoved,
                                                   DWORD dwMilliseconds, BOOL fAlertable)
{
    if (!lpCompletionPortEntries || !ulCount || !ulNumEntriesRemoved)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct packet *packets = NULL;
    int error = take_error(
        port_take(CompletionPort, ulCount, win__deadline(dwMilliseconds), fAlertable, &packets));
    *ulNumEntriesRemoved = 0;
    struct plat_thread *self = thread_current();
    while (packets) {
        struct packet *packet = packets;
        packets = packet->next;
        lpCompletionPortEntries[(*ulNumEntriesRemoved)++] =
            (OVERLAPPED_ENTRY){.lpCompletionKey = packet->key,
                               .lpOverlapped = packet->overlapped,
                               .Internal = overlapped_status(packet->error),
                               .dwNumberOfBytesTransferred = packet->bytes};
        packet_free(self, packet);
    }
    return win__acted(error);
}
