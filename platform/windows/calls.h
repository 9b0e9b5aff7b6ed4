/* SPDX-License-Identifier: MIT
 *
 * calls.h - a worker's system call that has to wait, from leaving its scheduler to coming back.
 *
 * In a handler:
 *
 *     struct plat_context *self = call_worker();  NULL: hand on to the original at once
 *     ... try it without waiting; if that settles it, return the result ...
 *     if (call_leave(self, CLASS)) { ... the call itself ...; call_return(self); }
 *
 * Between leave and return the scheduler does other things, on another thread: nothing of the
 * program's may be touched but by the call. The worker comes on its completion list in call_return
 * and runs on when it was executed.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_H

#include <windows.h>
#include <winternl.h>

#include "platform/windows/engine.h"
#include "platform/windows/gate.h"
#include "platform/windows/hooks.h"
#include "platform/windows/short_calls.h"

enum call_class { CALL_WAIT, CALL_ALERT, CALL_DELAY, CALL_PORT, CALL_FILE, CALL_MESSAGE,
                  CALL_IDENTITY };
enum call_completion { CALL_OWN_THREAD, CALL_CARRIED, CALL_AT_ONCE };
enum call_place { CALL_HERE, CALL_HOME, CALL_ASKED };

struct call_row {
    enum call_class class;
    enum call_completion completion;
    enum call_place place;
    struct hook hook;
};

extern struct call_row call_rows[];
extern const size_t call_row_count;

/* The copies of the stubs, one for each row. */
enum call_number {
#define CALL(stub, class, completion, place) CALL_##stub,
#include "platform/windows/calls.def"
#undef CALL
    CALL_COUNT
};
extern void *call_originals[CALL_COUNT];

/* Begins the definition of a stub's handler, which has the stub's parameters, and calls what it
 * replaces. */
#define HANDLER(stub, ...)                                                                         \
    NTSTATUS NTAPI call_##stub(__VA_ARGS__);                                                       \
    NTSTATUS NTAPI call_##stub(__VA_ARGS__)
#define ORIGINAL(stub) ((__typeof__(&call_##stub))call_originals[CALL_##stub])

/* Hooks the stubs, once, those of IDENTITY if wanted; how many were refused. */
int calls_install(bool identity);
void calls_remove(void);

/* The registers of a kernel thread, whoever it carries, by the system itself: the engine has stopped the
 * thread, which may hold a lock that a hook needs. Asking waits until it has really stopped. */
bool thread_registers(HANDLE thread, CONTEXT *registers);
bool thread_set_registers(HANDLE thread, const CONTEXT *registers);

/* The calling worker, if its scheduler may be told that it waits. */
static inline struct plat_context *call_worker(void)
{
    struct plat_context *self = plat_current();
    if (UMS_LIKELY(!self || self->is_scheduler || self->inside) ||
        UMS_UNLIKELY(gate_is_mine(self) || short_call_is_made(self)))
        return NULL;
    return UMS_LIKELY(!atomic_load_explicit(&engine_over, memory_order_relaxed)) ? self : NULL;
}

/* Its scheduler is entered with Blocked. False: it cannot be, make the call as it is. */
bool call_leave(struct plat_context *self, enum call_class class);
/* The same, when the scheduler has found itself that the worker's call takes long. */
void call_was_left(struct plat_context *self);
void call_return(struct plat_context *self);

static inline bool call_has_no_time(const LARGE_INTEGER *timeout)
{
    return timeout && timeout->QuadPart == 0;
}

#define CALL_STATUS_TIMEOUT ((NTSTATUS)0x102)
#define CALL_STATUS_FILE_LOCK_CONFLICT ((NTSTATUS)0xC0000054)
#define CALL_STATUS_LOCK_NOT_GRANTED ((NTSTATUS)0xC0000055)

#endif
