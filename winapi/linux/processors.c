/* SPDX-License-Identifier: MIT
 *
 * processors.c - see processors.h.
 */
#include "winapi/linux/processors.h"

#include "platform/linux/os/raw.h"

const cpu_set_t *win__system_set(void)
{
    static cpu_set_t first_set;
    static _Atomic bool known;
    if (!atomic_load_explicit(&known, memory_order_acquire)) {
        RAW3(SYS_sched_getaffinity, 0, sizeof first_set, &first_set);
        atomic_store_explicit(&known, true, memory_order_release);
    }
    return &first_set;
}

DWORD_PTR win__mask_of(const cpu_set_t *set)
{
    DWORD_PTR mask = 0;
    for (int cpu = 0; cpu < 64; cpu++)
        if (CPU_ISSET(cpu, set))
            mask |= (DWORD_PTR)1 << cpu;
    return mask;
}

DWORD_PTR win__system_mask(void)
{
    return win__mask_of(win__system_set());
}
