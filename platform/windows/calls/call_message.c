/* SPDX-License-Identifier: MIT
 *
 * call_message.c - local procedure calls (RPC on one machine, and much of Win32, is made of them),
 * and changes of the registry. Workers wait for both in the same way; neither can be tried first.
 */
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/waits/direct_signal.h"

#define LEAVE_AND_CALL(call)                                                                       \
    struct plat_context *self = call_worker();                                                     \
    if (self)                                                                                      \
        call_note(self, CALL_OF_HANDLER, 0);                                                       \
    if (UMS_LIKELY(!self) || !call_leave(self, CALL_MESSAGE))                                      \
        return call;                                                                               \
    NTSTATUS status = call;                                                                        \
    call_return(self);                                                                             \
    return status

HANDLER(NtAlpcSendWaitReceivePort, HANDLE port, ULONG flags, void *send, void *send_attributes,
        void *receive, SIZE_T *length, void *receive_attributes, LARGE_INTEGER *timeout)
{
    if (!receive) /* sends, and waits for no answer */
        return ORIGINAL(NtAlpcSendWaitReceivePort)(port, flags, send, send_attributes, receive,
                                                   length, receive_attributes, timeout);
    LEAVE_AND_CALL(ORIGINAL(NtAlpcSendWaitReceivePort)(port, flags, send, send_attributes, receive,
                                                       length, receive_attributes, timeout));
}

HANDLER(NtRequestWaitReplyPort, HANDLE port, void *request, void *reply)
{
    LEAVE_AND_CALL(ORIGINAL(NtRequestWaitReplyPort)(port, request, reply));
}

HANDLER(NtReplyWaitReceivePort, HANDLE port, void **context, void *reply, void *receive)
{
    LEAVE_AND_CALL(ORIGINAL(NtReplyWaitReceivePort)(port, context, reply, receive));
}

HANDLER(NtReplyWaitReceivePortEx, HANDLE port, void **context, void *reply, void *receive,
        LARGE_INTEGER *timeout)
{
    LEAVE_AND_CALL(ORIGINAL(NtReplyWaitReceivePortEx)(port, context, reply, receive, timeout));
}

HANDLER(NtReplyWaitReplyPort, HANDLE port, void *reply)
{
    LEAVE_AND_CALL(ORIGINAL(NtReplyWaitReplyPort)(port, reply));
}

/* ---- Connections, which the server has to accept --------------------------------------------- */

HANDLER(NtConnectPort, HANDLE *port, void *name, void *quality, void *write, void *read,
        ULONG *length, void *information, ULONG *information_length)
{
    LEAVE_AND_CALL(ORIGINAL(NtConnectPort)(port, name, quality, write, read, length, information,
                                           information_length));
}

HANDLER(NtSecureConnectPort, HANDLE *port, void *name, void *quality, void *write, void *sid,
        void *read, ULONG *length, void *information, ULONG *information_length)
{
    LEAVE_AND_CALL(ORIGINAL(NtSecureConnectPort)(port, name, quality, write, sid, read, length,
                                                 information, information_length));
}

HANDLER(NtAlpcConnectPort, HANDLE *port, void *name, void *object, void *attributes, ULONG flags,
        void *sid, void *message, SIZE_T *length, void *out_attributes, void *in_attributes,
        LARGE_INTEGER *timeout)
{
    LEAVE_AND_CALL(ORIGINAL(NtAlpcConnectPort)(port, name, object, attributes, flags, sid, message,
                                               length, out_attributes, in_attributes, timeout));
}

HANDLER(NtAlpcConnectPortEx, HANDLE *port, void *connection, void *client, void *attributes,
        ULONG flags, void *requirements, void *message, SIZE_T *length, void *out_attributes,
        void *in_attributes, LARGE_INTEGER *timeout)
{
    LEAVE_AND_CALL(ORIGINAL(NtAlpcConnectPortEx)(port, connection, client, attributes, flags,
                                                 requirements, message, length, out_attributes,
                                                 in_attributes, timeout));
}

/* ---- The registry: a request belongs to the thread that makes it, and ends with that thread -- */

/* A request that does not wait is made at home. */
static void ask_at_home(void)
{
    struct plat_context *self = call_worker();
    if (self)
        inplace_go_home(self);
}

HANDLER(NtNotifyChangeKey, HANDLE key, HANDLE event, void *apc, void *context,
        IO_STATUS_BLOCK *iosb, ULONG filter, BOOLEAN tree, void *buffer, ULONG size,
        BOOLEAN asynchronous)
{
    direct_share(event);
    if (asynchronous) {
        ask_at_home();
        return ORIGINAL(NtNotifyChangeKey)(key, event, apc, context, iosb, filter, tree, buffer,
                                           size, asynchronous);
    }
    LEAVE_AND_CALL(ORIGINAL(NtNotifyChangeKey)(key, event, apc, context, iosb, filter, tree, buffer,
                                               size, asynchronous));
}

HANDLER(NtNotifyChangeMultipleKeys, HANDLE key, ULONG count, void *objects, HANDLE event, void *apc,
        void *context, IO_STATUS_BLOCK *iosb, ULONG filter, BOOLEAN tree, void *buffer, ULONG size,
        BOOLEAN asynchronous)
{
    direct_share(event);
    if (asynchronous) {
        ask_at_home();
        return ORIGINAL(NtNotifyChangeMultipleKeys)(key, count, objects, event, apc, context, iosb,
                                                    filter, tree, buffer, size, asynchronous);
    }
    LEAVE_AND_CALL(ORIGINAL(NtNotifyChangeMultipleKeys)(
        key, count, objects, event, apc, context, iosb, filter, tree, buffer, size, asynchronous));
}
