/* SPDX-License-Identifier: MIT
 *
 * call_identity.c - calls that do not wait, but depend on the thread that makes them: a hosted
 * worker goes home first.
 *
 * A worker that is given a token to act as somebody else stays home for as long as it has it: every
 * system call looks at the thread's token. The calls that are known to give a token are below and
 * in call_file.c (a pipe's client). If another call gave one, the system has noted in the TEB that
 * the thread impersonates.
 */
#include "platform/windows/calls/token_pin.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/inplace.h"

static const HANDLE calling_thread = (HANDLE)(LONG_PTR)-2;

/* Takes the calling worker home for a call whose row in calls.def has this place, and returns it;
 * NULL if it did not. `asked`: the arguments ask for home. */
static inline struct plat_context *at_home(enum call_place place, bool asked)
{
    bool wanted = place == CALL_HOME || (place == CALL_ASKED && asked);
    struct plat_context *self = wanted ? call_worker() : NULL;
    if (self)
        inplace_go_home(self);
    return self;
}

/* ---- Mutexes --------------------------------------------------------------------------------- */

HANDLER(NtCreateMutant, HANDLE *handle, ULONG access, OBJECT_ATTRIBUTES *attributes, BOOLEAN owned)
{
    at_home(PLACE_OF_NtCreateMutant, owned);
    return ORIGINAL(NtCreateMutant)(handle, access, attributes, owned);
}

HANDLER(NtReleaseMutant, HANDLE mutant, LONG *previous)
{
    at_home(PLACE_OF_NtReleaseMutant, false);
    return ORIGINAL(NtReleaseMutant)(mutant, previous);
}

/* ---- The thread's own handle ----------------------------------------------------------------- */

HANDLER(NtQueryInformationThread, HANDLE thread, int class, void *information, ULONG length,
        ULONG *returned)
{
    at_home(PLACE_OF_NtQueryInformationThread, thread == calling_thread);
    return ORIGINAL(NtQueryInformationThread)(thread, class, information, length, returned);
}

HANDLER(NtOpenThreadToken, HANDLE thread, ULONG access, BOOLEAN as_self, HANDLE *token)
{
    at_home(PLACE_OF_NtOpenThreadToken, thread == calling_thread);
    return ORIGINAL(NtOpenThreadToken)(thread, access, as_self, token);
}

HANDLER(NtOpenThreadTokenEx, HANDLE thread, ULONG access, BOOLEAN as_self, ULONG attributes,
        HANDLE *token)
{
    at_home(PLACE_OF_NtOpenThreadTokenEx, thread == calling_thread);
    return ORIGINAL(NtOpenThreadTokenEx)(thread, access, as_self, attributes, token);
}

HANDLER(NtSetThreadExecutionState, ULONG state, ULONG *before)
{
    at_home(PLACE_OF_NtSetThreadExecutionState, false);
    return ORIGINAL(NtSetThreadExecutionState)(state, before);
}

/* ---- Children -----------------------------------------------------------------------------------
 *
 * A new thread or process inherits from the thread that makes it. And Wine finds that thread's file
 * descriptors by the id in the TEB. */

HANDLER(NtCreateThreadEx, HANDLE *thread, ULONG access, OBJECT_ATTRIBUTES *attributes,
        HANDLE process, void *start, void *param, ULONG flags, SIZE_T zero_bits, SIZE_T commit,
        SIZE_T reserve, void *list)
{
    at_home(PLACE_OF_NtCreateThreadEx, false);
    return ORIGINAL(NtCreateThreadEx)(thread, access, attributes, process, start, param, flags,
                                      zero_bits, commit, reserve, list);
}

HANDLER(NtCreateUserProcess, HANDLE *process, HANDLE *thread, ULONG process_access,
        ULONG thread_access, OBJECT_ATTRIBUTES *process_attributes,
        OBJECT_ATTRIBUTES *thread_attributes, ULONG process_flags, ULONG thread_flags,
        void *parameters, void *info, void *list)
{
    at_home(PLACE_OF_NtCreateUserProcess, false);
    return ORIGINAL(NtCreateUserProcess)(process, thread, process_access, thread_access,
                                         process_attributes, thread_attributes, process_flags,
                                         thread_flags, parameters, info, list);
}

/* ---- Acting as somebody else ----------------------------------------------------------------- */

/* The context behind a handle, the calling thread's included; NULL if there is none. */
static struct plat_context *context_of(HANDLE thread)
{
    struct plat_context *self = plat_current(), *context = NULL;
    if (thread == calling_thread)
        context = self;
    else if (plat_thread_context(thread, &context) != 0)
        context = NULL;
    return context;
}

/* A worker that has given a token to itself, by any handle, goes home now, so its next call has it.
 * Another worker that runs elsewhere has it when it is next executed. */
static void acts_as_other(HANDLE thread, bool yes)
{
    struct plat_context *context = context_of(thread);
    token_pin(context, yes);
    if (yes && context && context == call_worker())
        inplace_go_home(context);
}

HANDLER(NtSetInformationThread, HANDLE thread, int class, const void *information, ULONG length)
{
    enum { IMPERSONATION_TOKEN = 5, ZERO_TLS_CELL = 10 };
    at_home(PLACE_OF_NtSetInformationThread, thread == calling_thread && class != ZERO_TLS_CELL);
    if (class == ZERO_TLS_CELL)
        teb_fence_raise();
    NTSTATUS status = ORIGINAL(NtSetInformationThread)(thread, class, information, length);
    if (class == ZERO_TLS_CELL)
        teb_fence_lower();
    if (class == IMPERSONATION_TOKEN && status >= 0)
        acts_as_other(thread, *(const HANDLE *)information != NULL);
    return status;
}

HANDLER(NtImpersonateThread, HANDLE thread, HANDLE as, void *quality)
{
    at_home(PLACE_OF_NtImpersonateThread, thread == calling_thread || as == calling_thread);
    NTSTATUS status = ORIGINAL(NtImpersonateThread)(thread, as, quality);
    if (status >= 0)
        acts_as_other(thread, true);
    return status;
}

HANDLER(NtImpersonateAnonymousToken, HANDLE thread)
{
    at_home(PLACE_OF_NtImpersonateAnonymousToken, thread == calling_thread);
    NTSTATUS status = ORIGINAL(NtImpersonateAnonymousToken)(thread);
    if (status >= 0)
        acts_as_other(thread, true);
    return status;
}

HANDLER(NtImpersonateClientOfPort, HANDLE port, void *message)
{
    struct plat_context *self = at_home(PLACE_OF_NtImpersonateClientOfPort, false);
    NTSTATUS status = ORIGINAL(NtImpersonateClientOfPort)(port, message);
    if (status >= 0)
        token_pin(self, true);
    return status;
}

HANDLER(NtAlpcImpersonateClientOfPort, HANDLE port, void *message, void *flags)
{
    struct plat_context *self = at_home(PLACE_OF_NtAlpcImpersonateClientOfPort, false);
    NTSTATUS status = ORIGINAL(NtAlpcImpersonateClientOfPort)(port, message, flags);
    if (status >= 0)
        token_pin(self, true);
    return status;
}

HANDLER(NtAlpcImpersonateClientContainerOfPort, HANDLE port, void *message, ULONG flags)
{
    struct plat_context *self = at_home(PLACE_OF_NtAlpcImpersonateClientContainerOfPort, false);
    NTSTATUS status = ORIGINAL(NtAlpcImpersonateClientContainerOfPort)(port, message, flags);
    if (status >= 0)
        token_pin(self, true);
    return status;
}

/* ---- APCs ------------------------------------------------------------------------------------ */

HANDLER(NtQueueApcThread, HANDLE thread, void *routine, void *a, void *b, void *c)
{
    at_home(PLACE_OF_NtQueueApcThread, thread == calling_thread);
    return ORIGINAL(NtQueueApcThread)(thread, routine, a, b, c);
}

HANDLER(NtQueueApcThreadEx, HANDLE thread, HANDLE reserve, void *routine, void *a, void *b, void *c)
{
    at_home(PLACE_OF_NtQueueApcThreadEx, thread == calling_thread);
    return ORIGINAL(NtQueueApcThreadEx)(thread, reserve, routine, a, b, c);
}

HANDLER(NtQueueApcThreadEx2, HANDLE thread, HANDLE reserve, ULONG flags, void *routine, void *a,
        void *b, void *c)
{
    at_home(PLACE_OF_NtQueueApcThreadEx2, thread == calling_thread);
    return ORIGINAL(NtQueueApcThreadEx2)(thread, reserve, flags, routine, a, b, c);
}

/* Registers a port that is told of the end of the calling thread. */
HANDLER(NtRegisterThreadTerminatePort, HANDLE port)
{
    at_home(PLACE_OF_NtRegisterThreadTerminatePort, false);
    return ORIGINAL(NtRegisterThreadTerminatePort)(port);
}

HANDLER(NtTestAlert, void)
{
    at_home(PLACE_OF_NtTestAlert, false);
    return ORIGINAL(NtTestAlert)();
}

HANDLER(NtSetTimer, HANDLE timer, LARGE_INTEGER *due, void *routine, void *context, BOOLEAN resume,
        LONG period, BOOLEAN *before)
{
    at_home(PLACE_OF_NtSetTimer, routine != NULL);
    return ORIGINAL(NtSetTimer)(timer, due, routine, context, resume, period, before);
}

HANDLER(NtSetTimerEx, HANDLE timer, int class, void *information, ULONG length)
{
    at_home(PLACE_OF_NtSetTimerEx, false);
    return ORIGINAL(NtSetTimerEx)(timer, class, information, length);
}

HANDLER(NtCancelIoFile, HANDLE file, IO_STATUS_BLOCK *iosb)
{
    at_home(PLACE_OF_NtCancelIoFile, false);
    return ORIGINAL(NtCancelIoFile)(file, iosb);
}
