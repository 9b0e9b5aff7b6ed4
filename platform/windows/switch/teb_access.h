/* SPDX-License-Identifier: MIT
 *
 * teb_access.h - moving the contents of the calling thread's TEB (teb.h) to and from contexts.
 *
 * All of it runs on a scheduler's own stack or on a home's, while nothing else of the program runs on
 * the thread; between the steps the TEB belongs to nobody, so no system call, no exception and no
 * growth of a stack may come in between.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_ACCESS_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_ACCESS_H

#include <stdatomic.h>

#include "platform/check.h"
#include "platform/windows/switch/teb.h"

#define TEB_HERE(type, offset) (*(volatile type __seg_gs *)(uintptr_t)(offset))
#define TEB_THERE(teb, type, offset) (*(volatile type *)((char *)(teb) + (offset)))

/* teb.c: found out at the start. */
extern struct teb_rare teb_usual;       /* what most threads have */
extern uint32_t teb_activation;         /* offset of what moves of the stack of contexts */
extern const uint64_t *teb_slots_in_use; /* a bit for each of the first 64 slots */

static inline void *teb_here(void)
{
    return (void *)TEB_HERE(uint64_t, 0x30);
}

/* The kernel thread's own id, whoever runs on it. */
static inline uint32_t teb_kernel_id(void)
{
    return (uint32_t)TEB_HERE(uint64_t, 0x7e0);
}

/* The id that calls on this thread give for themselves; returns the one before. */
static inline uint32_t teb_set_id(uint32_t id)
{
    uint32_t before = (uint32_t)TEB_HERE(uint64_t, 0x48);
    TEB_HERE(uint64_t, 0x48) = id;
    return before;
}

void teb_save_rare(struct teb_rare *rare);
void teb_load_rare(const struct teb_values *values);

/* Spare frames of the stack of activation contexts: the list's head, if there are any. */
static inline uint64_t teb_frames_here(void)
{
    uint64_t next = TEB_HERE(uint64_t, TEB_ACTIVATION_LIST);
    return next == TEB_HERE(uint64_t, 0x30) + TEB_ACTIVATION_LIST ? 0 : next;
}

static inline bool teb_rare_here(void)
{
    uint64_t differs = teb_frames_here();
#define DIFFERS(type, name, theirs, offset, source, why)                                           \
    differs |= (uint64_t)(type)(TEB_HERE(type, offset) ^ teb_usual.name);
    TEB_RARE(DIFFERS)
#undef DIFFERS
    return differs != 0;
}

/* The context that runs here stops to: keep its part. */
static inline void teb_save(struct teb_values *values)
{
#define SAVE(type, name, theirs, offset, source, why) values->name = TEB_HERE(type, offset);
    TEB_OWN(SAVE)
#undef SAVE
    values->activation = TEB_HERE(uint64_t, teb_activation);
    values->is_rare = teb_rare_here();
    if (UMS_UNLIKELY(values->is_rare))
        teb_save_rare(&values->rare);
}

/* And another begins. was_rare: is_rare of the one before. */
static inline void teb_load(const struct teb_values *values, bool was_rare)
{
#define LOAD(type, name, theirs, offset, source, why) TEB_HERE(type, offset) = values->name;
    TEB_OWN(LOAD)
#undef LOAD
    TEB_HERE(uint64_t, teb_activation) = values->activation;
    if (UMS_UNLIKELY(was_rare | values->is_rare))
        teb_load_rare(values);
}

/* Exchanges what two TEBs have of SWAP: of the calling thread and of one that stands still. */
static inline void teb_swap(void *other)
{
#define SWAP(type, name, theirs, offset, source, why)                                              \
    {                                                                                              \
        type here = TEB_HERE(type, offset);                                                        \
        TEB_HERE(type, offset) = TEB_THERE(other, type, offset);                                   \
        TEB_THERE(other, type, offset) = here;                                                     \
    }
    TEB_SWAP(SWAP)
    for (uint64_t left = *(const volatile uint64_t *)teb_slots_in_use; left; left &= left - 1) {
        uint64_t offset = TEB_SLOTS + 8 * (uint64_t)__builtin_ctzll(left);
        SWAP(uint64_t, , , offset, , )
    }
#undef SWAP
}

/* On each worker's own thread and each scheduler's, before anything of it moves. */
void teb_use_own_parts(void);

/* Holds the table against this system. NULL: it is right; else what is not. Any thread, once. */
const char *teb_check(void);

#endif
