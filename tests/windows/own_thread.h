/* SPDX-License-Identifier: MIT
 *
 * own_thread.h - whether the calling worker is on its own kernel thread.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_OWN_THREAD_H
#define UMSSHIM_TESTS_WINDOWS_OWN_THREAD_H

#include <stdbool.h>
#include <windows.h>

/* The kernel thread's own id, and the one that calls go by. */
static inline bool is_on_its_own_thread(void)
{
    ULONG64 kernel;

    __asm__ volatile("movq %%gs:0x7e0, %0" : "=r"(kernel));
    return kernel == GetCurrentThreadId();
}

#endif
