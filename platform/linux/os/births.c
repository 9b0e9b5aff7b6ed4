/* SPDX-License-Identifier: MIT
 *
 * births.c - see births.h.
 *
 * Each side stores one of `closed` and the count, and then loads the other, in the one order that
 * all threads see:
 *     creator   count up;      then: is it closed? count down again and wait
 *     change    closed = true; then: is the count 0?
 */
#include "platform/linux/os/births.h"

#include <limits.h>
#include <string.h>

#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

static struct {
    _Alignas(64) _Atomic uint32_t
        in_between; /* futex: the last birth wakes the thread that has closed the gate */
} places[PROGRAM_THREAD_PLACES];

static _Atomic uint32_t closed; /* futex */
static PLAT_LOCK(BIRTHS) closing;

void birth_over(unsigned at)
{
    _Atomic uint32_t *count = &places[at].in_between;
    plat_written(count);
    if (atomic_fetch_sub_explicit(count, 1, memory_order_seq_cst) == 1 &&
        atomic_load_explicit(&closed, memory_order_seq_cst))
        futex_wake(count, INT_MAX);
}

void birth_begins(unsigned at)
{
    for (;;) {
        plat_written(&places[at]);
        atomic_fetch_add_explicit(&places[at].in_between, 1, memory_order_seq_cst);
        if (plat_tls.locks || !atomic_load_explicit(&closed, memory_order_seq_cst))
            break;
        birth_over(at);
        futex_wait(&closed, 1);
    }
    plat_tls.locks++;
}

void birth_made(unsigned at, int error)
{
    plat_tls.locks--;
    if (error)
        birth_over(at);
}

void births_stop(void)
{
    plat_lock(&closing);
    atomic_store_explicit(&closed, 1, memory_order_seq_cst);
    for (unsigned at = 0; at < PROGRAM_THREAD_PLACES; at++)
        for (uint32_t n;
             (n = atomic_load_explicit(&places[at].in_between, memory_order_seq_cst)) != 0;)
            futex_wait(&places[at].in_between, n);
}

void births_go_on(void)
{
    atomic_store_explicit(&closed, 0, memory_order_seq_cst);
    futex_wake(&closed, INT_MAX);
    plat_unlock(&closing);
}

void births_forget(void)
{
    memset(places, 0, sizeof places);
    atomic_store_explicit(&closed, 0, memory_order_relaxed);
    plat_lock_forget(&closing);
}
