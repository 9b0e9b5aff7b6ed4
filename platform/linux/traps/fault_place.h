/* SPDX-License-Identifier: MIT
 *
 * fault_place.h - whether a thread sleeps in a page fault, or in a call that the filter does not stop, and for how
 * long: /proc/self/task/N/syscall and status.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_PLACE_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_PLACE_H

#include <sys/types.h>

#include "platform/linux/plat_types.h"

enum sleep_kind {
    SLEEP_NONE, /* it runs, or could */
    SLEEP_CALL,
    SLEEP_UNSEEN, /* in a fault or a steady call (steady_calls.h), with its place */
    SLEEP_UNKNOWN
};

/* Open files, by thread, all of one name: the reader's own. */
struct fault_files {
    struct {
        pid_t tid;
        int fd;
    } files[16];
};

enum sleep_kind fault_place_find(struct fault_files *syscalls, pid_t tid,
                                 struct fault_place *place);
/* Whether its sleep lasts whatever signals come, with this signal open, and pending if so wanted. */
bool fault_sleep_lasts(struct fault_files *statuses, pid_t tid, int signal, bool pending);
/* Whether its sleep ends with this signal. */
bool fault_sleep_yields(struct fault_files *statuses, pid_t tid, int signal);
void fault_files_close(struct fault_files *files);

#endif
