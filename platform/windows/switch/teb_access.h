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
extern struct teb_rare teb_usual;        /* what most threads have; before anything moves */
extern bool teb_contexts_stay;           /* ntdll looks for them in the TEB only */
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

/* The id that calls on this thread give for themselves. */
static inline uint32_t teb_id(void)
{
    return (uint32_t)TEB_HERE(uint64_t, 0x48);
}

/* Sets it; returns the one before. */
static inline uint32_t teb_set_id(uint32_t id)
{
    uint32_t before = teb_id();
    TEB_HERE(uint64_t, 0x48) = id;
    return before;
}

void teb_save_rare(struct teb_rare *rare);
void teb_load_rare(const struct teb_values *values);

static inline bool teb_rare_here(void)
{
    uint64_t differs = 0;
#define DIFFERS(type, name, theirs, offset, source, why)                                           \
    differs |= (uint64_t)(type)(TEB_HERE(type, offset) ^ teb_usual.name);
#define BITS_DIFFER(type, name, theirs, offset, source, why)                                       \
    differs |= (uint64_t)((TEB_HERE(type, offset) ^ teb_usual.name) & (type)~TEB_BITS_KEPT);
    TEB_RARE(DIFFERS)
    TEB_BITS(BITS_DIFFER)
#undef DIFFERS
#undef BITS_DIFFER
    return differs != 0;
}

/* The stack of activation contexts goes from the TEB into the values, which lead to it from then on; or, where
 * contexts stay, with each switch into the values and out of them. */
void teb_take_activation(struct teb_values *values);
void teb_put_activation(const struct teb_values *values);
/* And back: before the calling thread, whose values these are, is an ordinary one or ends. ntdll may give a
 * stack back that is not its thread's own. */
void teb_return_activation(struct teb_values *values);

static inline void teb_save_own(struct teb_values *values)
{
#define SAVE(type, name, theirs, offset, source, why) values->name = TEB_HERE(type, offset);
    TEB_OWN(SAVE)
#undef SAVE
    values->is_rare = teb_rare_here();
}

static inline void teb_load_own(const struct teb_values *values)
{
#define LOAD(type, name, theirs, offset, source, why) TEB_HERE(type, offset) = values->name;
    TEB_OWN(LOAD)
#undef LOAD
}

/* Whether the stack of activation contexts, as saved, is the one in the TEB. */
static inline bool teb_has_activation(const struct teb_values *values)
{
    return teb_contexts_stay || values->activation == TEB_HERE(uint64_t, 0x30) + TEB_ACTIVATION;
}

/* The context that runs here stops to: keep its part. */
static inline void teb_save(struct teb_values *values)
{
    teb_save_own(values);
    if (UMS_UNLIKELY(teb_has_activation(values)))
        teb_take_activation(values);
    if (UMS_UNLIKELY(values->is_rare))
        teb_save_rare(&values->rare);
}

/* And another begins, whatever ran here before. */
static inline void teb_load(const struct teb_values *values)
{
    teb_load_own(values);
    if (UMS_UNLIKELY(teb_contexts_stay))
        teb_put_activation(values);
    teb_load_rare(values);
}

/* What is seldom moved, after the rest. */
void teb_exchange_seldom(struct teb_values *from, const struct teb_values *to);

/* Both at once. */
static inline void teb_exchange(struct teb_values *from, const struct teb_values *to)
{
    teb_save_own(from);
    teb_load_own(to);
    if (UMS_UNLIKELY(teb_has_activation(from) | from->is_rare | to->is_rare))
        teb_exchange_seldom(from, to);
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

/* On a worker's own thread, before anything of it moves: the first one has what is usual. */
void teb_learn_usual(void);

/* Holds the table against this system. NULL: it is right; else what is not. Any thread, once. */
const char *teb_check(void);

#endif
