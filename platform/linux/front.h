/* SPDX-License-Identifier: MIT
 *
 * front.h - functions that stand before libc's (front.def), and how they reach what is behind them.
 *
 * For a thread that is not a scheduler's or a worker each of them does what libc's does and nothing
 * else: it ends in LIBC(name)(...), which is a jump. So the errors, the cancellation points and the
 * price are libc's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_FRONT_H

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

/* For a definition that no header of libc's declares. */
#define FRONT_EXPORT __attribute__((visibility("default")))

enum front {
#define FRONT(name) FRONT_##name,
#define FRONT_VERSION(name, version) FRONT_##name,
#define FRONT_OLD(name, version, function) FRONT_##function,
#define FRONT_SAME(name, version)
#include "platform/linux/front.def"
#undef FRONT
#undef FRONT_VERSION
#undef FRONT_OLD
#undef FRONT_SAME
    FRONTS
};

struct front_row {
    const char *name;
    const char *version; /* NULL: any */
    void *ours;
};
extern const struct front_row front_rows[]; /* front_table.S, in the order of front.def */

/* The next definition behind ours: as a rule libc's own. Filled in when the library is loaded, or by
 * the first call before that. */
extern _Atomic(void *) front_behind[FRONTS];
void *front_find_behind(enum front which);
/* The definition that dlsym finds there, in the row's version. */
void *front_look_up(void *where, const struct front_row *row);
/* libc's own, whoever else there is. */
void *front_in_libc(enum front which);

static inline void *front_next(enum front which)
{
    void *next = atomic_load_explicit(&front_behind[which], memory_order_relaxed);
    return __builtin_expect(next != 0, 1) ? next : front_find_behind(which);
}

/* outside_front.c: libc's, made where its thread does no harm. */
int timer_create_libcs(clockid_t clock, struct sigevent *event, timer_t *timer);

#define LIBC_AS(function, type) ((__typeof__(&type))front_next(FRONT_##function))
#define LIBC(name) LIBC_AS(name, name)

#endif
