/* SPDX-License-Identifier: MIT
 *
 * fault_place.h - whether a thread sleeps in a page fault, or in a call that the filter does not
 * stop, and whether a signal ends that sleep. The files of /proc/self/task/N tell.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_PLACE_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_PLACE_H

#include <sys/types.h>

#include "platform/linux/plat_types.h"

enum sleep_kind {
    SLEEP_NONE, /* the thread runs, or is ready to run */
    SLEEP_CALL,
    SLEEP_UNSEEN, /* in a fault, or a steady or lent call (calls.def), with its place */
    SLEEP_UNKNOWN
};

/* Open files of one name, for up to 16 threads. One thread uses them. */
struct fault_files {
    struct {
        pid_t tid;
        int fd;
    } files[16];
};

enum sleep_kind fault_place_find(struct fault_files *syscalls, pid_t tid,
                                 struct fault_place *place);
/* Whether no signal ends the thread's sleep, and the thread does not block `signal`. With `pending`
 * the signal has to be pending, too. */
bool fault_sleep_lasts(struct fault_files *states, pid_t tid, int signal, bool pending);
/* Whether the thread sleeps in a fault that userfaultfd handles. Any signal ends such a sleep, and
 * has no other effect. The effect of a signal on other faults is unknown: a FUSE server may give
 * up, and the program gets a SIGBUS. */
bool fault_sleep_yields(struct fault_files *wchans, pid_t tid);
static inline bool fault_place_same(const struct fault_place *a, const struct fault_place *b)
{
    return a->code == b->code && a->stack == b->stack && a->call == b->call;
}
void fault_files_close(struct fault_files *files);

#endif
