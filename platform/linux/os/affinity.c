/* SPDX-License-Identifier: MIT
 *
 * affinity.c - see affinity.h.
 */
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

static cpu_set_t first_affinity;

static __attribute__((constructor)) void remember_affinity(void)
{
    RAW3(SYS_sched_getaffinity, 0, sizeof first_affinity, &first_affinity);
}

static _Atomic unsigned age;

void affinity_change(const cpu_set_t *set)
{
    first_affinity = *set;
    atomic_fetch_add_explicit(&age, 1, memory_order_seq_cst);
}

unsigned affinity_age(void)
{
    return atomic_load_explicit(&age, memory_order_seq_cst);
}

const cpu_set_t *affinity_of_process(void)
{
    return &first_affinity;
}

bool affinity_is_only(int processor)
{
    return CPU_COUNT(&first_affinity) == 1 && CPU_ISSET(processor, &first_affinity);
}

unsigned processors_at_start(void)
{
    return (unsigned)CPU_COUNT(&first_affinity);
}

/* For a scheduler and its workers it is their lane's processor, even if the lane is not bound to
 * it. */
unsigned plat_processor(void)
{
    struct plat_context *self = plat_tls.current;
    if (self && !self->is_scheduler)
        self = self->scheduler;
    return (unsigned)(self && self->lane ? plat_lane_cpu(self->lane) : sched_getcpu());
}

void affinity_reset(void)
{
    RAW3(SYS_sched_setaffinity, 0, sizeof first_affinity, &first_affinity);
}
