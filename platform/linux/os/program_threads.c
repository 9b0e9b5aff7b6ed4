/* SPDX-License-Identifier: MIT
 *
 * program_threads.c - see program_threads.h.
 */
#include "platform/linux/os/program_threads.h"

#include <stdatomic.h>

static _Atomic int program_threads = 1; /* the one that loads this library */

void program_thread_began(void)
{
    atomic_fetch_add_explicit(&program_threads, 1, memory_order_relaxed);
}

void program_thread_failed(void)
{
    atomic_fetch_sub_explicit(&program_threads, 1, memory_order_relaxed);
}

bool program_thread_ended(void)
{
    return atomic_fetch_sub_explicit(&program_threads, 1, memory_order_acq_rel) == 1;
}

bool program_has_threads(void)
{
    return atomic_load_explicit(&program_threads, memory_order_acquire) != 0;
}

void program_threads_reset(void)
{
    atomic_store_explicit(&program_threads, 1, memory_order_relaxed);
}
