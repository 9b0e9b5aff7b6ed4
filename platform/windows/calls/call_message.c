/* SPDX-License-Identifier: MIT
 *
 * call_message.c - local procedure calls (RPC on one machine, and much of Win32, is made of them).
 */
#include "platform/windows/switch/call.h"

#define LEAVE_AND_CALL(call)                                                                       \
    struct plat_context *self = call_worker();                                                     \
    if (UMS_LIKELY(!self) || !call_leave(self, CALL_MESSAGE))                                      \
        return call;                                                                               \
    NTSTATUS status = call;                                                                        \
    call_return(self);                                                                             \
    return status

HANDLER(NtAlpcSendWaitReceivePort, HANDLE port, ULONG flags, void *send, void *send_attributes,
        void *receive, SIZE_T *length, void *receive_attributes, LARGE_INTEGER *timeout)
{
    if (!receive) /* sends, and waits for nobody */
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
