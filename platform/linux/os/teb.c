/* SPDX-License-Identifier: MIT
 *
 * teb.c - see teb.h.
 */
#include <pthread.h>
#include <unistd.h>

#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/teb.h"
#include "platform/linux/plat_types.h"

void teb_forked(void)
{
    struct plat_teb *teb = &plat_tls.teb;
    teb->process_id = (uintptr_t)getpid();
    teb->thread_id = (uintptr_t)(plat_tls.tid ? plat_tls.tid : own_tid());
}

static void fill(struct plat_teb *teb, pid_t tid, uintptr_t stack_limit, uintptr_t stack_base)
{
    teb->stack_limit = stack_limit;
    teb->stack_base = stack_base;
    teb->fiber_data = (void *)TEB_NO_FIBER;
    teb->process_id = plat_tls.teb.self ? plat_tls.teb.process_id : (uintptr_t)RAW0(SYS_getpid);
    teb->thread_id = (uintptr_t)tid;
    teb->self = teb;
}

void teb_born(struct plat_teb *teb, pid_t tid, uintptr_t stack_limit, uintptr_t stack_base)
{
    fill(teb, tid, (stack_limit + 4095) & ~(uintptr_t)4095, stack_base);
}

/* Fills in the block of a plain thread or a scheduler. libc reads the first thread's stack bounds
 * from /proc, and may not know them. */
static __attribute__((noinline)) void find_out(void)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &bytes);
        pthread_attr_destroy(&attributes);
    }
    fill(&plat_tls.teb, plat_tls.tid ? plat_tls.tid : own_tid(), (uintptr_t)low,
         (uintptr_t)low + bytes);
}

struct plat_teb *teb_current(void)
{
    if (!plat_tls.teb.self)
        find_out();
    return &plat_tls.teb;
}
