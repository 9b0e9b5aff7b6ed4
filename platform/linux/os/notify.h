/* SPDX-License-Identifier: MIT
 *
 * notify.h - the ioctls of a listener; each gives 0 or -errno.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_NOTIFY_H
#define UMSSHIM_PLATFORM_LINUX_OS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notification {
    uint64_t id;
    uint32_t tid;
    int nr;
    long args[6];
    uintptr_t behind; /* the instruction after the `syscall` */
};
int notify_receive(int listener, struct notification *n);
int notify_continue(int listener, uint64_t id);
bool notify_valid(int listener, uint64_t id); /* its thread still waits in the call */
bool notify_refused(void);                    /* a sandbox refuses these ioctls */
int notify_sync_wakeup(int listener);

#endif
