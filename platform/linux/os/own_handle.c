/* SPDX-License-Identifier: MIT
 *
 * own_handle.c - libc's handle of the calling thread, for a program that asks for it.
 *
 * A thread that has another's handle may act on that one at any time, also when it has just ended.
 * So a home whose worker has asked for it is no other worker's (threads/home_renewal.c).
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
