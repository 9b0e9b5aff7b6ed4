/* SPDX-License-Identifier: MIT
 *
 * signal_pending.h - taking out of the kernel a signal that is pending for the process or for the
 * calling kernel thread, which has it blocked.
 *
 * By rt_sigtimedwait, or, where a sandbox refuses that, by a signalfd, whose record has the same
 * facts in another form. Any thread; no heap, no lock.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SIGNAL_PENDING_H
#define UMSSHIM_PLATFORM_LINUX_OS_SIGNAL_PENDING_H

#include <signal.h>
#include <stdint.h>

/* Waits for a signal of the set and takes it. Its number, or -errno. */
long signal_await(uint64_t set, siginfo_t *info);
/* Takes a signal of the set without waiting. -EAGAIN: none is pending. */
long signal_take_pending(uint64_t set, siginfo_t *info);

#endif
