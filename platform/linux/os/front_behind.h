/* SPDX-License-Identifier: MIT
 *
 * front_behind.h - the definition behind each function of front.def.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_FRONT_BEHIND_H
#define UMSSHIM_PLATFORM_LINUX_OS_FRONT_BEHIND_H

#include <stdatomic.h>

/* For a definition that no header of libc's declares. */
#define FRONT_EXPORT __attribute__((visibility("default")))

enum front {
#define FRONT(name) FRONT_##name,
#define FRONT_VERSION(name, version) FRONT_##name,
#define FRONT_OLD(name, version, function) FRONT_##function,
#define FRONT_SAME(name, version)
#include "platform/linux/os/front.def"
#undef FRONT
#undef FRONT_VERSION
#undef FRONT_OLD
#undef FRONT_SAME
    FRONTS
};

struct front_row {
    const char *name;
    const char *version; /* NULL: any */
};
extern const struct front_row front_rows[]; /* in the order of front.def */
/* front_table.S: our definition of each. */
extern void *const front_ours[] __attribute__((visibility("hidden")));

/* The next definition behind ours: as a rule libc's own. A call before the library's constructor
 * fills it in from the modules' tables. The constructor sets it to the definition that the dynamic
 * linker finds. */
extern _Atomic(void *) front_behind[FRONTS];
void *front_find_behind(enum front which);
void front_settle(enum front which);
/* libc's own definition, by its tables. NULL: the tables are not where they are expected. */
void *front_by_tables(enum front which);
/* The functions below ask the dynamic linker. They are not called before libc's constructor has
 * run, nor from an allocator.
 *
 * The definition that dlsym finds in `where`, in the row's version if there is that. */
void *front_look_up(void *where, const struct front_row *row);
/* libc's own definition, whatever other libraries define. */
void *front_in_libc(enum front which);
void *front_named_in_libc(const char *name);

static inline void *front_next(enum front which)
{
    void *next = atomic_load_explicit(&front_behind[which], memory_order_relaxed);
    return __builtin_expect(next != 0, 1) ? next : front_find_behind(which);
}

#define LIBC_AS(function, type) ((__typeof__(&type))front_next(FRONT_##function))
#define LIBC(name) LIBC_AS(name, name)

#endif
