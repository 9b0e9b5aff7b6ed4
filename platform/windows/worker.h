/* SPDX-License-Identifier: MIT
 *
 * worker.h - what creating a worker's thread takes beside the context, and its end seen from
 * outside.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WORKER_H
#define UMSSHIM_PLATFORM_WINDOWS_WORKER_H

#include <windows.h>

#include "platform/platform.h"

/* What the core hands through from CreateRemoteThreadEx to plat_worker_create. */
struct plat_thread {
    LPSECURITY_ATTRIBUTES security;
    DWORD flags;                             /* of the creation */
    LPPROC_THREAD_ATTRIBUTE_LIST attributes; /* the system's, for all but the UMS attribute */
    HANDLE handle;                           /* out */
    DWORD id;                                /* out */
};

enum last_call {
    LAST_CALL_NONE,   /* its start routine has returned: ExitThread is still to come */
    LAST_CALL_HOOKED, /* inside its NtTerminateThread */
    LAST_CALL_DETACH  /* inside our DLL_THREAD_DETACH, where sp leads back to */
};

/* The calling worker makes its last system call. exit_running ends one that its scheduler still
 * believes running (ums__worker_exit). Does not return. */
void worker_last_call(struct plat_context *worker, uint32_t exit_code,
                      void (*exit_running)(struct plat_context *worker));

/* The same from DLL_THREAD_DETACH, where that call is not hooked. Returns. */
void worker_detach(struct plat_context *worker, void (*exit_running)(struct plat_context *worker));

/* For a worker whose thread is frozen: it stops, or its thread has ended. */
void worker_stop_by_proxy(struct plat_context *worker);
void worker_gone_by_proxy(struct plat_context *worker);

/* The calling worker was ended where it parks. */
_Noreturn void worker_killed(struct plat_context *worker);

#endif
