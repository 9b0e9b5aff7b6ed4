/* SPDX-License-Identifier: MIT
 *
 * thread_control.c - system calls that end, suspend and resume threads. For a worker or a scheduler
 * the library acts instead of the system, or beside it.
 *
 * The library hooks the system calls, so that it sees each call: of a program, linked or not, and
 * of kernel32. If NtTerminateThread cannot be hooked, DLL_THREAD_DETACH takes its place for workers
 * that end; a scheduler that ends its thread then keeps its context.
 */
#include "platform/windows/engine.h"
#include "platform/windows/os/hooks.h"
#include "platform/windows/os/late_ends.h"
#include "platform/windows/os/looking.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/thread_handle.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/stop.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/scheduler.h"
#include "platform/windows/switch/short_calls.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/waits/user_wait.h"
#include "platform/windows/worker.h"
#include "winapi/windows/surface.h"
#include "winapi/windows/thread_control.h"

#define STATUS_TOO_MANY_SUSPENDS ((NTSTATUS)0xC000004A)

static NTSTATUS(NTAPI *terminate_process)(HANDLE, NTSTATUS);

static void exit_running(struct plat_context *worker)
{
    ums__worker_exit(ums__of(worker));
}

/* The context of a thread; NULL: it has none. Another thread's is held until thread_map_release. */
static struct plat_context *context_behind(HANDLE thread, bool *self)
{
    DWORD error = GetLastError();
    DWORD id =
        !thread || thread == GetCurrentThread() ? GetCurrentThreadId() : thread_handle_id(thread);
    SetLastError(error);
    *self = id == GetCurrentThreadId();
    if (*self)
        return thread_map_find(id);
    return id ? thread_map_hold(id) : NULL;
}

/* Ends another thread that is no worker or no longer one. Stops it first: a thread that is just
 * ending may hold locks of the system's or the engine's. */
static NTSTATUS end_by_system(struct plat_context *scheduler, HANDLE thread, NTSTATUS status)
{
    ULONG before;
    stop_by_system(scheduler, thread, &before);
    return nt.NtTerminateThread(thread, status);
}

/* Stops the worker that runs on a scheduler, if there is one. Returns a handle by which the caller
 * resumes the worker's thread, or NULL. Raises the worker's suspend count only for this moment, so
 * that worker_nudge tells the engine whether the worker runs. What the caller suspends or ends is
 * the scheduler, not the worker. */
static void *guest_stopped(struct plat_context *scheduler, struct plat_context **guest)
{
    *guest = __atomic_load_n(&scheduler->guest, __ATOMIC_ACQUIRE);
    if (!*guest || ums__worker_suspend(ums__of(*guest)) < 0)
        return NULL;
    void *thread = stop_guest(scheduler, *guest);
    ums__worker_resume(ums__of(*guest));
    return thread;
}

static NTSTATUS end_scheduler(struct plat_context *scheduler, HANDLE handle, NTSTATUS status)
{
    struct plat_context *guest = __atomic_load_n(&scheduler->guest, __ATOMIC_ACQUIRE);
    if (guest && ums__worker_suspend(ums__of(guest)) >= 0) {
        bool told = stop_detach_hosted(scheduler, guest, (uint32_t)status);
        ums__worker_resume(ums__of(guest));
        if (told)
            return 0;
    }
    void *thread = guest_stopped(scheduler, &guest);
    if (!thread)
        return end_by_system(scheduler, handle, status);
    stop_detach(scheduler, guest, thread, (uint32_t)status);
    return 0;
}

static NTSTATUS NTAPI on_terminate_thread(HANDLE thread, NTSTATUS status)
{
    bool self;
    struct plat_context *context = context_behind(thread, &self);
    if (!context)
        return self ? nt.NtTerminateThread(thread, status) : end_by_system(NULL, thread, status);
    if (self && context->is_scheduler)
        scheduler_exits(context, (uint32_t)status);
    if (self)
        worker_last_call(context, (uint32_t)status, exit_running);
    if (context->is_scheduler) {
        NTSTATUS result = end_scheduler(context, thread, status);
        thread_map_release(context);
        return result;
    }
    context->exit_code = (uint32_t)status;
    ums__worker_terminate(ums__of(context));
    thread_map_release(context); /* it may end by itself now, or stop_enforce ends it */
    stop_enforce(context);
    return 0;
}

/* Stops also the worker that runs on the scheduler. */
static NTSTATUS suspend_scheduler(struct plat_context *scheduler, HANDLE thread, ULONG *previous)
{
    struct plat_context *guest;
    ULONG before;
    NTSTATUS status = stop_by_system(scheduler, thread, &before);
    if (status == 0 && before == 0)
        scheduler->held = guest_stopped(scheduler, &guest);
    if (status == 0 && previous)
        *previous = before;
    return status;
}

static NTSTATUS resume_scheduler(struct plat_context *scheduler, HANDLE thread, ULONG *previous)
{
    ULONG before;
    NTSTATUS status = nt.NtResumeThread(thread, &before);
    if (status == 0 && before == 1 && scheduler->held) {
        short_call_release(scheduler->guest);
        nt.NtResumeThread(scheduler->held, NULL);
        CloseHandle(scheduler->held);
        scheduler->held = NULL;
    }
    if (status == 0 && previous)
        *previous = before;
    return status;
}

static NTSTATUS suspend_plain(HANDLE thread, ULONG *previous)
{
    ULONG before;
    NTSTATUS status = stop_by_system(NULL, thread, &before);
    if (status >= 0 && previous)
        *previous = before;
    return status;
}

static NTSTATUS NTAPI on_suspend_thread(HANDLE thread, ULONG *previous)
{
    bool self;
    struct plat_context *context = context_behind(thread, &self);
    if (self && (!context || context->is_scheduler))
        return nt.NtSuspendThread(thread, previous);
    if (!context)
        return suspend_plain(thread, previous);
    if (context->is_scheduler) {
        NTSTATUS status = suspend_scheduler(context, thread, previous);
        thread_map_release(context);
        return status;
    }
    int32_t before = ums__worker_suspend(ums__of(context));
    if (!self)
        thread_map_release(context);
    if (before < 0)
        return STATUS_TOO_MANY_SUSPENDS;
    stop_enforce(context);
    if (previous)
        *previous = (ULONG)before;
    return 0;
}

static NTSTATUS NTAPI on_resume_thread(HANDLE thread, ULONG *previous)
{
    bool self;
    struct plat_context *context = context_behind(thread, &self);
    NTSTATUS status = 0;
    if (!context || (self && context->is_scheduler))
        return nt.NtResumeThread(thread, previous);
    if (context->is_scheduler) {
        status = resume_scheduler(context, thread, previous);
    } else {
        /* The worker's count, never the system's count of its thread: that is not 0 only while the
         * engine has stopped the thread. */
        uint32_t before = ums__worker_resume(ums__of(context));
        if (previous)
            *previous = before;
    }
    if (!self)
        thread_map_release(context);
    return status;
}

/* The call with a NULL process ends all other threads, schedulers among them. From then on the
 * caller must not tell a scheduler that it waits.
 *
 * A hosted worker first goes home to its own thread. Otherwise that thread would end with the
 * others, and the system would free its stack, on which the worker runs, and its TEB. The
 * scheduler's thread, which waits then, ends instead.
 *
 * If another thread has stopped this one for a moment, that thread has to resume it first
 * (looking_is_over).
 *
 * A thread that ends while it has a lock of the library's would never release it, and exit handlers
 * may need the lock. So the caller holds these locks while the other threads end, as ntdll does
 * with its own. */
static NTSTATUS end_other_threads(NTSTATUS status)
{
    struct plat_context *self = call_worker();
    if (self)
        inplace_go_home(self);
    late_ends_wait();
    looking_is_over(teb_kernel_id());
    plat_lock(&wait_lock);
    thread_map_lock();
    atomic_store_explicit(&engine_over, true, memory_order_relaxed);
    status = terminate_process(NULL, status);
    thread_map_unlock();
    plat_unlock(&wait_lock);
    return status;
}

static NTSTATUS NTAPI on_terminate_process(HANDLE process, NTSTATUS status)
{
    if (!process && !atomic_load_explicit(&engine_over, memory_order_relaxed))
        return end_other_threads(status);
    if (!process || process == GetCurrentProcess())
        atomic_store_explicit(&engine_over, true, memory_order_relaxed);
    return terminate_process(process, status);
}

struct hook thread_control_hooks[] = {
    {.name = "NtTerminateThread",
     .handler = on_terminate_thread,
     .original = (void **)&nt.NtTerminateThread},
    {.name = "NtSuspendThread",
     .handler = on_suspend_thread,
     .original = (void **)&nt.NtSuspendThread},
    {.name = "NtResumeThread",
     .handler = on_resume_thread,
     .original = (void **)&nt.NtResumeThread},
    {.name = "NtTerminateProcess",
     .handler = on_terminate_process,
     .original = (void **)&terminate_process},
};
enum { HOOKS = sizeof thread_control_hooks / sizeof thread_control_hooks[0] };
const size_t thread_control_hook_count = HOOKS;

int thread_control_install(void)
{
    return hooks_install(thread_control_hooks, HOOKS);
}

void thread_control_remove(void)
{
    hooks_remove(thread_control_hooks, HOOKS);
}

static void return_activation(struct plat_context *self)
{
    if (self && engine_in_place)
        teb_return_activation(&self->values);
}

void thread_control_process_ends(void)
{
    return_activation(plat_current());
}

void thread_control_detach(void)
{
    struct plat_context *self = plat_current();
    /* A worker that runs on its scheduler's thread may call ExitThread: then the worker's own
     * thread has to end. ntdll first asks for its thread by a call that brings the worker home
     * (NtQueryInformationThread, calls.def), but that is not documented. */
    if (self && !self->is_scheduler)
        inplace_go_home(self);
    return_activation(self);
    if (self && !self->is_scheduler && thread_control_hooks[0].state != HOOK_APPLIED)
        worker_detach(self, exit_running);
}
