/* SPDX-License-Identifier: MIT
 *
 * process.h - threads by the C run-time's names: functions of the library, over CreateThread.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/process.h>
#elif defined(_MSC_VER)
#include_next <process.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <process.h>
#elif !defined(UMSSHIM_PROCESS_H)
#define UMSSHIM_PROCESS_H

#include <stdint.h>
#include <stdlib.h> /* exit, abort, system */
#include <unistd.h>

#include "umsshim_msvc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned (*_beginthreadex_proc_type)(void *);
typedef void (*_beginthread_proc_type)(void *);

/* The caller closes the handle. 0: no thread, errno says why. */
uintptr_t _beginthreadex(void *security, unsigned stack_size, _beginthreadex_proc_type start,
                         void *argument, unsigned flags, unsigned *thread_id);
/* The thread closes its handle itself. -1: no thread, errno says why. */
uintptr_t _beginthread(_beginthread_proc_type start, unsigned stack_size, void *argument);
__attribute__((noreturn)) void _endthreadex(unsigned code);
__attribute__((noreturn)) void _endthread(void);

#define _P_WAIT 0
#define _P_NOWAIT 1
#define _P_OVERLAY 2
#define _P_NOWAITO 3
#define _P_DETACH 4
#define _WAIT_CHILD 0
#define _WAIT_GRANDCHILD 1

/* -1: errno says why. Else with _P_WAIT the exit code, with _P_NOWAIT a handle, which _cwait
 * closes. */
intptr_t _spawnl(int mode, const char *name, const char *first, ...);
intptr_t _spawnle(int mode, const char *name, const char *first, ...);
intptr_t _spawnlp(int mode, const char *name, const char *first, ...);
intptr_t _spawnlpe(int mode, const char *name, const char *first, ...);
intptr_t _spawnv(int mode, const char *name, const char *const *arguments);
intptr_t _spawnve(int mode, const char *name, const char *const *arguments,
                  const char *const *environment);
intptr_t _spawnvp(int mode, const char *name, const char *const *arguments);
intptr_t _spawnvpe(int mode, const char *name, const char *const *arguments,
                   const char *const *environment);
intptr_t _execl(const char *name, const char *first, ...);
intptr_t _execle(const char *name, const char *first, ...);
intptr_t _execlp(const char *name, const char *first, ...);
intptr_t _execlpe(const char *name, const char *first, ...);
intptr_t _execv(const char *name, const char *const *arguments);
intptr_t _execve(const char *name, const char *const *arguments, const char *const *environment);
intptr_t _execvp(const char *name, const char *const *arguments);
intptr_t _execvpe(const char *name, const char *const *arguments, const char *const *environment);
intptr_t _cwait(int *status, intptr_t process, int action);

#ifdef __cplusplus
}
#endif

static inline int _getpid(void)
{
    return getpid();
}

#endif
#endif /* _MSC_VER */
