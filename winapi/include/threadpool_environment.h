/* SPDX-License-Identifier: MIT
 *
 * threadpool_environment.h - what Wine's headers lack of the thread pool: the callback
 * environment's inline functions, and a declaration.
 *
 * Included by <windows.h>. The environment is plain data of the program's: these fill it in.
 */
#ifndef UMSSHIM_THREADPOOL_ENVIRONMENT_H
#define UMSSHIM_THREADPOOL_ENVIRONMENT_H

#ifdef __cplusplus
extern "C" {
#endif

BOOL WINAPI CallbackMayRunLong(PTP_CALLBACK_INSTANCE pci);

static inline VOID InitializeThreadpoolEnvironment(PTP_CALLBACK_ENVIRON pcbe)
{
    TP_CALLBACK_ENVIRON empty = {0};
    *pcbe = empty;
    pcbe->Version = 1;
}

static inline VOID DestroyThreadpoolEnvironment(PTP_CALLBACK_ENVIRON pcbe)
{
    (void)pcbe;
}

static inline VOID SetThreadpoolCallbackPool(PTP_CALLBACK_ENVIRON pcbe, PTP_POOL ptpp)
{
    pcbe->Pool = ptpp;
}

static inline VOID SetThreadpoolCallbackCleanupGroup(PTP_CALLBACK_ENVIRON pcbe,
                                                     PTP_CLEANUP_GROUP ptpcg,
                                                     PTP_CLEANUP_GROUP_CANCEL_CALLBACK pfng)
{
    pcbe->CleanupGroup = ptpcg;
    pcbe->CleanupGroupCancelCallback = pfng;
}

static inline VOID SetThreadpoolCallbackRunsLong(PTP_CALLBACK_ENVIRON pcbe)
{
    pcbe->u.s.LongFunction = 1;
}

#ifdef __cplusplus
}
#endif
#endif
