/* SPDX-License-Identifier: MIT
 *
 * completion_port.c - completion ports.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/port.h"
#include "winapi/linux/surface.h"

/* No file here completes its operations through a port. */
static int association_error(HANDLE file)
{
    struct object *object = handle_object(file);
    if (!object)
        return ERROR_INVALID_HANDLE;
    bool is_file = object->type == OBJECT_FILE;
    object_drop(object);
    return is_file ? ERROR_INVALID_PARAMETER : ERROR_INVALID_HANDLE;
}

HANDLE WINAPI CreateIoCompletionPort(HANDLE FileHandle, HANDLE ExistingCompletionPort,
                                     ULONG_PTR CompletionKey, DWORD NumberOfConcurrentThreads)
{
    (void)CompletionKey, (void)NumberOfConcurrentThreads;
    int error = 0;
    if (FileHandle == INVALID_HANDLE_VALUE)
        error = ExistingCompletionPort ? ERROR_INVALID_PARAMETER : 0;
    else if (ExistingCompletionPort && !is_port(ExistingCompletionPort))
        error = ERROR_INVALID_HANDLE;
    else
        error = association_error(FileHandle);
    struct object *port = error ? NULL : port_create();
    void *handle = NULL;
    if (!error && !port)
        error = ERROR_NOT_ENOUGH_MEMORY;
    if (!error)
        error = handle_create(port, &handle);
    if (port)
        object_drop(port);
    win__result(error);
    return handle;
}

BOOL WINAPI PostQueuedCompletionStatus(HANDLE CompletionPort, DWORD dwNumberOfBytesTransferred,
                                       ULONG_PTR dwCompletionKey, LPOVERLAPPED lpOverlapped)
{
    struct packet *packet = malloc(sizeof *packet);
    if (!packet)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    *packet = (struct packet){
        .key = dwCompletionKey, .overlapped = lpOverlapped, .bytes = dwNumberOfBytesTransferred};
    int error = port_post(CompletionPort, packet);
    if (error)
        free(packet);
    return win__result(error);
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

BOOL WINAPI GetQueuedCompletionStatus(HANDLE CompletionPort, LPDWORD lpNumberOfBytes,
                                      PULONG_PTR lpCompletionKey, LPOVERLAPPED *lpOverlapped,
                                      DWORD dwMilliseconds)
{
    if (!lpNumberOfBytes || !lpCompletionKey || !lpOverlapped)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct packet *packet = NULL;
    *lpOverlapped = NULL; /* how a failed operation is told from a failed call */
    int error =
        take_error(port_take(CompletionPort, 1, win__deadline(dwMilliseconds), false, &packet));
    if (error)
        return win__fail((DWORD)error);
    *lpNumberOfBytes = packet->bytes;
    *lpCompletionKey = packet->key;
    *lpOverlapped = packet->overlapped;
    error = (int)packet->error;
    free(packet);
    return win__result(error);
}

BOOL WINAPI GetQueuedCompletionStatusEx(HANDLE CompletionPort,
                                        LPOVERLAPPED_ENTRY lpCompletionPortEntries, ULONG ulCount,
                                        PULONG ulNumEntriesRemoved, DWORD dwMilliseconds,
                                        BOOL fAlertable)
{
    if (!lpCompletionPortEntries || !ulCount || !ulNumEntriesRemoved)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct packet *packets = NULL;
    int error = take_error(
        port_take(CompletionPort, ulCount, win__deadline(dwMilliseconds), fAlertable, &packets));
    *ulNumEntriesRemoved = 0;
    while (packets) {
        struct packet *packet = packets;
        packets = packet->next;
        lpCompletionPortEntries[(*ulNumEntriesRemoved)++] =
            (OVERLAPPED_ENTRY){.lpCompletionKey = packet->key,
                               .lpOverlapped = packet->overlapped,
                               .Internal = packet->error,
                               .dwNumberOfBytesTransferred = packet->bytes};
        free(packet);
    }
    return win__result(error);
}
