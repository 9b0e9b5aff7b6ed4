/* SPDX-License-Identifier: MIT
 *
 * own_handle.c - libc's handle of the calling thread, for a program that asks for it.
 *
 * A thread that has a handle may act on that handle's thread at any time, even when it has just
 * ended. So the home of a worker that has asked for its handle serves no other worker
 * (threads/home_renewal.c).
 */
#pragma GCC visibility push(default)
#include <pthread.h>
#include <threads.h>
#pragma GCC visibility pop

#include "platform/linux/os/front_behind.h"
#include "platform/linux/plat_types.h"

pthread_t pthread_self(void)
{
    plat_tls.handle_told = true;
    return LIBC(pthread_self)();
}

thrd_t thrd_current(void)
{
    plat_tls.handle_told = true;
    return LIBC(thrd_current)();
}
