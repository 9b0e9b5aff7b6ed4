/* SPDX-License-Identifier: MIT
 *
 * worker.h - the arguments for creating a worker's thread, and how a worker's end begins and how it
 * is ended.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WORKER_H
#define UMSSHIM_PLATFORM_WINDOWS_WORKER_H

#include <windows.h>

#include "platform/platform.h"

/* The core passes this on from CreateRemoteThreadEx to plat_worker_create. */
struct plat_thread {
    LPSECURITY_ATTRIBUTES security;
    DWORD flags;                             /* of the creation */
    LPPROC_THREAD_ATTRIBUTE_LIST attributes; /* the list for the system, without the UMS
                                              * attribute */
    HANDLE handle;                           /* out */
    DWORD id;                                /* out */
};

enum last_call {
    LAST_CALL_NONE,   /* the start routine has returned, and plat_worker_exit calls ExitThread */
    LAST_CALL_HOOKED, /* in the hook of NtTerminateThread, called by the worker */
    LAST_CALL_DETACH  /* in our DLL_THREAD_DETACH, to which `sp` leads back */
};

/* The calling worker makes its last system call. exit_running (ums__worker_exit) ends a worker that
 * is still RUNNING for its scheduler. Does not return. */
void worker_last_call(struct plat_context *worker, uint32_t exit_code,
                      void (*exit_running)(struct plat_context *worker));

/* The same from DLL_THREAD_DETACH, if NtTerminateThread is not hooked. Returns. */
void worker_detach(struct plat_context *worker, void (*exit_running)(struct plat_context *worker));

/* For a worker whose thread is frozen. The first stops the worker; the second is called when its
 * thread has ended. */
void worker_stop_by_proxy(struct plat_context *worker);
void worker_gone_by_proxy(struct plat_context *worker);

/* Another thread has ended the calling worker, which parks. */
_Noreturn void worker_killed(struct plat_context *worker);

#endif
