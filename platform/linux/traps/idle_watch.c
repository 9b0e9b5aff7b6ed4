/* SPDX-License-Identifier: MIT
 *
 * idle_watch.c - see idle_watch.h.
 *
 * When a carrier sleeps in a fault or a steady call, the kernel looks for another thread for the
 * processor. This thread keeps to the lane's processor, has the lowest scheduling class
 * (SCHED_IDLE) and is always ready. So it runs when the processor has nothing else to do, some
 * microseconds after the carrier has gone to sleep, and hardly ever while a worker computes. It
 * looks at the lane's carriers:
 *
 *     one sleeps unseen          this thread calls the watch (fault_watch.c), and goes on as below
 *     one sleeps otherwise       this thread naps, longer each time. But if other threads have run
 *                                since it looked, it looks again, unless that was the watch, which
 *                                could do nothing
 *     all could run              this thread yields
 *     the lane shows none        this thread waits, and lane_show wakes it
 *
 * It may stand still at any instruction for as long as other threads compute. So it takes no lock,
 * and leaves all work to the watch.
 */
#include "platform/linux/traps/idle_watch.h"

#include <sched.h>
#include <time.h>

#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/switch/lane_parts.h"
#include "platform/linux/traps/fault_place.h"
#include "platform/linux/traps/fault_watch.h"
#include "platform/platform.h"

enum { STACK_BYTES = 128 << 10, FIRST_NAP_NS = 50000, LONGEST_NAP_NS = 1000000, STALE_NS = 20000 };

/* Returns the kind of sleep that matters most, of all carriers that the lane shows. *any: the lane
 * shows some. */
static enum sleep_kind look(const struct lane *lane, struct fault_files *files, bool *any)
{
    enum sleep_kind found = SLEEP_NONE;
    struct fault_place place;
    *any = false;
    for (unsigned i = 0; i < LANE_SHOWS; i++) {
        pid_t tid = atomic_load(&lane->idle_watch.shown[i]);
        enum sleep_kind kind = tid ? fault_place_find(files, tid, &place) : SLEEP_NONE;
        *any |= tid != 0;
        if (kind == SLEEP_UNSEEN)
            return SLEEP_UNSEEN;
        if (kind != SLEEP_NONE)
            found = SLEEP_CALL;
    }
    return found;
}

static bool any_shown(const struct lane *lane)
{
    for (unsigned i = 0; i < LANE_SHOWS; i++)
        if (atomic_load(&lane->idle_watch.shown[i]))
            return true;
    return false;
}

/* The order of these two accesses and of lane_show's two is total: so one of the two threads sees
 * the other. */
static void wait_for_one(struct lane *lane)
{
    atomic_store(&lane->idle_watch.waits, 1);
    if (any_shown(lane))
        atomic_store(&lane->idle_watch.waits, 0);
    else
        futex_wait(&lane->idle_watch.waits, 1);
}

static void *idle_watch_main(void *arg)
{
    kthread_name("ums:idle");
    const struct sched_param none = {0};
    struct lane *lane = arg;
    long nap = FIRST_NAP_NS;
    plat_tls.counting.counted = true;
    lane_bind(lane);
    if (RAW3(SYS_sched_setscheduler, 0, SCHED_IDLE, &none) < 0) {
        atomic_store_explicit(&lane->idle_watch.watched_over, false, memory_order_release);
        return NULL; /* in any other class this thread would take the processor from others */
    }
    for (;;) {
        bool any;
        enum sleep_kind kind = look(lane, lane->idle_watch.files, &any);
        uint64_t looked = plat_now();
        if (kind == SLEEP_UNSEEN)
            fault_watch_call(lane->cpu);
        if (!any) {
            wait_for_one(lane);
        } else if (kind == SLEEP_NONE) {
            nap = FIRST_NAP_NS;
            RAW0(SYS_sched_yield);
        } else if (plat_now() - looked > STALE_NS &&
                   !(kind == SLEEP_UNSEEN && fault_watch_in_vain())) {
            nap = FIRST_NAP_NS; /* other threads have had the processor meanwhile */
        } else {
            const struct timespec time = {0, nap};
            RAW2(SYS_nanosleep, &time, 0);
            nap = nap * 2 < LONGEST_NAP_NS ? nap * 2 : LONGEST_NAP_NS;
        }
    }
    return NULL;
}

/* Call this only if the lane's carriers keep to its processor. Else this thread could have a
 * processor to itself, and use it up. */
void idle_watch_start(struct lane *lane)
{
    pthread_t thread;
    lane->idle_watch.files = plat_reserve(sizeof *lane->idle_watch.files);
    if (!lane->idle_watch.files)
        return;
    atomic_store_explicit(&lane->idle_watch.watched_over, true, memory_order_release);
    if (kthread_create(&thread, STACK_BYTES, idle_watch_main, lane))
        atomic_store_explicit(&lane->idle_watch.watched_over, false, memory_order_release);
}

void idle_watch_forget(struct lane *lane)
{
    if (lane->idle_watch.files)
        fault_files_close(lane->idle_watch.files);
}
