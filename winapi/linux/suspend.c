/* SPDX-License-Identifier: MIT
 *
 * suspend.c - suspends, resumes and ends other threads: workers, schedulers, plain threads.
 *
 * The core (umsshim/) has a worker's suspend count, the engine any other thread's. A thread may
 * become a worker or cease to be one, except while its `binding` is held.
 */
#include "umsshim/core.h"
#include "winapi/linux/child_process.h"
#include "winapi/linux/surface.h"

#include "platform/linux/interrupt/stop.h"
#include "platform/linux/start.h"

/* The worker of a thread. The caller holds the thread's binding. NULL: it is no worker. */
static struct ums_context *worker_of(struct plat_thread *thread)
{
    struct plat_context *context = thread->context;
    return context && !context->is_scheduler ? ums__of(context) : NULL;
}

static DWORD refused(DWORD error)
{
    win__fail(error);
    return (DWORD)-1;
}

/* Whether the handle is of a child's thread. Then the whole child stops or goes on
 * (child_process.h). */
static bool is_child(HANDLE handle, DWORD (*act)(struct child_process *), DWORD *before)
{
    struct child_process *child = child_of(handle);
    if (!child)
        return false;
    *before = act(child);
    object_drop(&child->object);
    return true;
}

DWORD WINAPI SuspendThread(HANDLE hThread)
{
    DWORD count;
    if (is_child(hThread, child_suspend, &count))
        return count;
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return (DWORD)-1;
    if (engine_start()) {
        object_drop(&thread->object);
        return refused(ERROR_NOT_ENOUGH_MEMORY);
    }
    struct ums_context *self = ums__current_worker();
    plat_lock(&thread->binding);
    bool ended = thread->ended;
    struct ums_context *worker = worker_of(thread);
    int32_t before = -1;
    if (worker && !ended) {
        before = ums__worker_suspend(worker);
        if (worker != self)
            thread_nudge(thread);
    } else if (!ended) {
        before = thread_suspend(thread);
    }
    plat_unlock(&thread->binding);
    bool myself = thread == plat_tls.thread;
    object_drop(&thread->object);
    if (before < 0)
        return refused(ended ? ERROR_ACCESS_DENIED : ERROR_SIGNAL_REFUSED);
    if (myself && self)
        ums__worker_stop_self(self);
    else if (myself)
        thread_stop_point(plat_tls.thread);
    return (DWORD)before;
}

DWORD WINAPI ResumeThread(HANDLE hThread)
{
    DWORD count;
    if (is_child(hThread, child_resume, &count))
        return count;
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return (DWORD)-1;
    plat_lock(&thread->binding);
    struct ums_context *worker = worker_of(thread);
    DWORD before = worker ? ums__worker_resume(worker) : thread_resume(thread);
    plat_unlock(&thread->binding);
    object_drop(&thread->object);
    return before;
}

BOOL WINAPI TerminateThread(HANDLE hThread, DWORD dwExitCode)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    bool self = thread == plat_tls.thread;
    bool up = self || engine_start() == 0;
    if (!self && up) {
        plat_lock(&thread->binding);
        struct ums_context *worker = worker_of(thread);
        if (worker && !thread->ended) {
            thread->exit_code = dwExitCode;
            ums__worker_terminate(worker);
            thread_nudge(thread);
        } else if (!thread->ended) {
            thread_end(thread, dwExitCode);
        }
        plat_unlock(&thread->binding);
    }
    object_drop(&thread->object);
    if (self)
        ExitThread(dwExitCode);
    return up ? TRUE : win__fail(ERROR_NOT_ENOUGH_MEMORY);
}
