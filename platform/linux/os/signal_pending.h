/* SPDX-License-Identifier: MIT
 *
 * signal_pending.h - taking out of the kernel a signal that is pending for the process or for the
 * calling kernel thread, which has it blocked.
 *
 * By rt_sigtimedwait; where a sandbox refuses that, by a signalfd, whose record says the same of a
 * signal in another form. Any thread; no heap, no lock.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SIGNAL_PENDING_H
#define UMSSHIM_PLATFORM_LINUX_OS_SIGNAL_PENDING_H

#include <signal.h>
#include <stdint.h>

/* One of the set, as soon as there is one: its number, or -errno. */
long signal_await(uint64_t set, siginfo_t *info);
/* -EAGAIN: there is none. */
long signal_take_pending(uint64_t set, siginfo_t *info);

#endif
