/* SPDX-License-Identifier: MIT
 *
 * own_memory.c - see own_memory.h.
 */
#include "platform/linux/os/own_memory.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/platform.h"

enum { PAGE = 4096 };

static pid_t without_page;     /* before Linux 4.14, and without memory: then a copy looks like a
                                * vfork's child */
static _Atomic(pid_t *) owner; /* NULL: no engine yet; published when its target is filled */

static pid_t *make_page(void)
{
    pid_t *page = plat_reserve(PAGE);
    if (!page || RAW3(SYS_madvise, page, PAGE, MADV_WIPEONFORK) == 0)
        return page;
    RAW2(SYS_munmap, page, PAGE);
    return NULL;
}

/* The thread that starts the engine calls it, under init_lock. The only thread of a forked child
 * calls it, too (own_memory_forked). So no two threads are in here at once. */
void own_memory_note(void)
{
    pid_t *at = atomic_load_explicit(&owner, memory_order_relaxed);
    if (!at)
        at = make_page();
    if (!at)
        at = &without_page;
    *at = own_pid();
    atomic_store_explicit(&owner, at, memory_order_release);
}

void own_memory_forked(void)
{
    if (atomic_load_explicit(&owner, memory_order_relaxed))
        own_memory_note();
}

bool own_memory_is_anothers(void)
{
    const pid_t *at = atomic_load_explicit(&owner, memory_order_acquire);
    return at && *at && *at != own_pid();
}
