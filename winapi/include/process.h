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

/* The handle is the caller's to close. 0: none, errno says why. */
uintptr_t _beginthreadex(void *security, unsigned stack_size, _beginthreadex_proc_type start,
                         void *argument, unsigned flags, unsigned *thread_id);
/* The thread closes its handle itself. -1: none, errno says why. */
uintptr_t _beginthread(_beginthread_proc_type start, unsigned stack_size, void *argument);
__attribute__((noreturn)) void _endthreadex(unsigned code);
__attribute__((noreturn)) void _endthread(void);

#ifdef __cplusplus
}
#endif

static inline int _getpid(void)
{
    return getpid();
}

#endif
#endif /* _MSC_VER */
