/* SPDX-License-Identifier: MIT
 *
 * fault_scenarios.h - programs that run while one of the library's requests fails.
 */
#ifndef UMSSHIM_TESTS_LINUX_FAULT_SCENARIOS_H
#define UMSSHIM_TESTS_LINUX_FAULT_SCENARIOS_H

#include <errno.h>
#include <stdbool.h>

enum { LIMIT_MS = 6000 };

/* Each is run once in a process. False: a Win32 call was refused, with an error that says so. */
bool hello(void);     /* workers that yield */
bool blocks(void);    /* workers that block in libc's calls */
bool objects(void);   /* the dispatcher's objects, and the pool */
bool processes(void); /* signals, fork, threads */
bool memory(void);    /* files, sections, memory, fibers */
bool names(void);     /* objects that processes share */

/* Ends the process: neither the undisturbed result nor a documented refusal. */
_Noreturn void wrong(const char *what, long value, long error);
/* After a Win32 call that failed: false, if its error says that something was not to be had. */
bool refused(const char *call);

#define MADE(call) ((call) ? true : refused(#call))
#define RIGHT(call, value)                                                                         \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long got_ = (long)(call);                                                                  \
        if (got_ != (long)(value))                                                                 \
            wrong(#call, got_, errno);                                                             \
    } while (0)

#endif
