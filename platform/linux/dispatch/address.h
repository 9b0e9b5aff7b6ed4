/* SPDX-License-Identifier: MIT
 *
 * address.h - waiting for a change at an address. Deadlines and results are those of wait.h.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_ADDRESS_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Waits until address_wake, if still(arg) says under the lock of the address that there is
 * something to wait for. Calls `queued` (unless NULL) once the wait is in place and the lock is
 * released, so that this wait does not miss a wake-up which `queued` brings about. `queued` may run
 * on the scheduler, so it uses no heap and does not block. 0, WAITED_TIMEOUT, or WAITED_SIGNAL: a
 * worker has handled a signal, and was not woken. */
uint32_t address_wait(const volatile void *address, bool (*still)(void *), void (*queued)(void *),
                      void *arg, uint64_t deadline);

/* Wakes at most `most` of the waiters there, the oldest first. Before any of them runs it calls
 * `woken` under that lock, with their number and whether more are left. */
void address_wake(const volatile void *address, unsigned most,
                  void (*woken)(void *arg, unsigned count, bool more), void *arg);

#endif
