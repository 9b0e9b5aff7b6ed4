/* SPDX-License-Identifier: MIT
 *
 * address.h - waiting for a change at an address. Deadlines and results are those of wait.h.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_ADDRESS_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Waits until address_wake, if still(arg) says under the lock of the address that there is something to
 * wait for. With `queued`, calls it once the wait is in place and the lock released: what it lets
 * happen cannot be missed. For a worker that is on its scheduler: it uses no heap and does not block.
 * 0, or WAITED_TIMEOUT. */
uint32_t address_wait(const volatile void *address, bool (*still)(void *), void (*queued)(void *),
                      void *arg, uint64_t deadline);

/* Lets go at most `most` of the waiters there, first come first served, and tells `woken`, under
 * that lock and before any of them runs, how many those are and whether more are left. */
void address_wake(const volatile void *address, unsigned most,
                  void (*woken)(void *arg, unsigned count, bool more), void *arg);

#endif
