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
void *front_named_in_libc(const char *name);
/* libc's constructor has run: from now on all the above may be called. Before, only front_next. */
void front_libc_started(void);

static inline void *front_next(enum front which)
{
    void *next = atomic_load_explicit(&front_behind[which], memory_order_relaxed);
    return __builtin_expect(next != 0, 1) ? next : front_find_behind(which);
}

struct plat_context;
struct lane;
/* front.c: a system call of a worker, which leaves its scheduler in user mode if it has to wait; as libc's
 * functions return. */
long front_wait(struct plat_context *self, long nr, const long args[6]);
/* The same for a home_function (calls.h), args[0]: its result. */
long front_at_home(struct plat_context *self, struct lane *lane, const long args[5]);

/* unseen.c: the calling worker, if no listener sees its calls, and what sees it through; else NULL. */
struct plat_context *unseen_worker(struct lane **lane);
int unseen_clock_sleep(struct plat_context *self, clockid_t clock, int flags, const struct timespec *request,
                 struct timespec *remain); /* 0 or the error */
/* Functions that stand before libc's only where there is no listener. */
struct unseen_row {
    const char *name;
    void *ours;
    void *libcs; /* found when they are put there */
};
extern struct unseen_row unseen_rows[]; /* ends with one that has no name */

/* outside_front.c: libc's, made where its thread does no harm. */
int timer_create_libcs(clockid_t clock, struct sigevent *event, timer_t *timer);

#define LIBC_AS(function, type) ((__typeof__(&type))front_next(FRONT_##function))
#define LIBC(name) LIBC_AS(name, name)

#endif
