/* SPDX-License-Identifier: MIT
 *
 * caps.h - what this machine and this process allow.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CAPS_H
#define UMSSHIM_PLATFORM_LINUX_OS_CAPS_H

#include <stdbool.h>

/* What this machine and this process allow; probed once, printed with UMSSHIM_LOG=caps. */
struct engine_caps {
    bool detect;               /* blocking system calls are seen */
    bool may_listen, may_trap; /* by which of the two filters */
    bool trapped; /* carriers have one: their calls come to the handler of SIGSYS (libc/trap.c) */
    bool fault_stacks; /* while a worker runs, the kernel has our alternate stack, not its own */
    bool guards; /* thread pointers can be guarded: traps are tried first (thread_pointer.h) */
    bool ring;   /* io_uring may be used */
    bool ring_waitid;
    bool ring_futex;
    bool front;       /* libc wrappers try in user mode first */
    bool sites;       /* calls from within libc are led here */
    bool sync_wakeup; /* a listener wakes up on its waker's processor */
    bool emulated;    /* valgrind makes the system calls */
    bool sandboxed;   /* threads have a filter of the program's, which rings must not pass by */
};

extern struct engine_caps engine_caps;

/* Fills in engine_caps; false: UMS cannot be had here. */
bool caps_probe(void);
/* UMSSHIM_LOG=caps: what is found is to be said. */
bool caps_wanted(void);
/* For UMSSHIM_LOG=caps: once, with the first lane. How its calls are seen, and its ring. */
void caps_found(const char *seen, bool ring);

#endif
