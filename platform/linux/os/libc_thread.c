/* SPDX-License-Identifier: MIT
 *
 * libc_thread.c - see libc_thread.h.
 */
#include <stdatomic.h>

#include "platform/linux/os/libc_thread.h"
#include "platform/linux/os/front_behind.h"

/* Looks the function up once and keeps it. Two threads may do so at once and find the same. */
static void *kept(_Atomic(void *) *function, const char *name)
{
    void *found = atomic_load_explicit(function, memory_order_relaxed);
    if (!found) {
        found = front_named_in_libc(name);
        atomic_store_explicit(function, found, memory_order_relaxed);
    }
    return found;
}

int libc_thread_join(pthread_t thread, void **result)
{
    static _Atomic(void *) join;
    return ((__typeof__(&pthread_join))kept(&join, "pthread_join"))(thread, result);
}

int libc_thread_detach(pthread_t thread)
{
    static _Atomic(void *) detach;
    return ((__typeof__(&pthread_detach))kept(&detach, "pthread_detach"))(thread);
}
