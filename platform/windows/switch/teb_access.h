/* SPDX-License-Identifier: MIT
 *
 * teb_access.h - moving the contents of the calling thread's TEB (teb.h) to and from contexts.
 *
 * All of it runs on a scheduler's own stack or on a home's, while nothing else of the program runs
 * on the thread; between the steps the TEB belongs to nobody, so no system call, no exception and
 * no growth of a stack may come in between.
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
extern bool teb_usual_is_zero;           /* all of it but the bits that are kept */
extern bool teb_moves_wide;              /* the processor and the system have AVX */
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

/* The part of the calling thread's stack that is in use: every byte of it can be read. */
static inline void teb_stack_in_use(uintptr_t *low, uintptr_t *high)
{
    *low = TEB_HERE(uint64_t, 0x10);
    *high = TEB_HERE(uint64_t, 0x08);
}

void teb_save_rare(struct teb_rare *rare);
void teb_load_rare(const struct teb_values *values);

/* teb.c: the same where something is usual that is not zero. */
bool teb_unusual_here(void);

static inline bool teb_rare_here(void)
{
    if (UMS_UNLIKELY(!teb_usual_is_zero))
        return teb_unusual_here();
    uint64_t some = 0;
    atomic_signal_fence(memory_order_seq_cst); /* what follows may be folded, but not moved up */
#define SOME(type, name, theirs, offset, source, why)                                              \
    some |= *(const type __seg_gs *)(uintptr_t)(offset);
#define SOME_BITS(type, name, theirs, offset, source, why)                                         \
    some |= *(const type __seg_gs *)(uintptr_t)(offset) & (type)~TEB_BITS_KEPT;
    TEB_RARE(SOME)
    TEB_BITS(SOME_BITS)
#undef SOME
#undef SOME_BITS
    return some != 0;
}

/* The stack of activation contexts goes from the TEB into the values, which lead to it from then
 * on; or, where contexts stay, with each switch into the values and out of them. */
void teb_take_activation(struct teb_values *values);
void teb_put_activation(const struct teb_values *values);
/* Moves the stack of activation contexts back into the TEB, before the calling thread, whose values
 * these are, becomes a plain thread or ends. ntdll may free a stack that is not in its thread's
 * TEB, and must not free these values. */
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

/* Whether there are activation contexts to be moved. Most contexts have none active: where the
 * stack of them stays in the TEB nothing is moved between two such. */
static inline bool teb_moves_activation(struct teb_values *from, const struct teb_values *to)
{
    if (!teb_contexts_stay)
        return teb_has_activation(from);
    from->contexts.frame = TEB_HERE(uint64_t, TEB_ACTIVATION);
    return (from->contexts.frame | to->contexts.frame) != 0;
}

/* What is seldom moved, after the rest. */
void teb_exchange_seldom(struct teb_values *from, const struct teb_values *to);

/* Both at once. */
static inline void teb_exchange(struct teb_values *from, const struct teb_values *to)
{
    teb_save_own(from);
    teb_load_own(to);
    if (UMS_UNLIKELY(teb_moves_activation(from, to) | from->is_rare | to->is_rare))
        teb_exchange_seldom(from, to);
}

/* A line of eight slots. The upper halves of the registers are nobody's at a call: `vzeroupper` is
 * due. */
static inline void teb_swap_wide(void *here, void *there)
{
    __asm__ volatile("vmovdqu (%0), %%ymm0\n\t"
                     "vmovdqu 32(%0), %%ymm1\n\t"
                     "vmovdqu (%1), %%ymm2\n\t"
                     "vmovdqu 32(%1), %%ymm3\n\t"
                     "vmovdqu %%ymm2, (%0)\n\t"
                     "vmovdqu %%ymm3, 32(%0)\n\t"
                     "vmovdqu %%ymm0, (%1)\n\t"
                     "vmovdqu %%ymm1, 32(%1)"
                     :
                     : "r"(here), "r"(there)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
}

static inline void teb_swap_narrow(void *here, void *there)
{
    typedef uint64_t pair __attribute__((vector_size(16), may_alias));
    volatile pair *one = here, *other = there;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        pair ours = one[i];
        one[i] = other[i];
        other[i] = ours;
    }
}

/* Exchanges slots by lines of eight, if one of the eight is in use. A free slot is zero in every
 * TEB, so a line of free ones may stay. */
static inline void teb_swap_slots(void *other)
{
    char *slots = (char *)teb_here() + TEB_SLOTS, *others = (char *)other + TEB_SLOTS;
    uint64_t in_use = *(const volatile uint64_t *)teb_slots_in_use;
    if (UMS_LIKELY(teb_moves_wide)) {
        for (; in_use; in_use >>= 8, slots += 64, others += 64)
            if ((uint8_t)in_use)
                teb_swap_wide(slots, others);
        __asm__ volatile("vzeroupper");
        return;
    }
    for (; in_use; in_use >>= 8, slots += 64, others += 64)
        if ((uint8_t)in_use)
            teb_swap_narrow(slots, others);
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
#undef SWAP
    teb_swap_slots(other);
}

/* On a worker's own thread, before anything of it moves: the first one has what is usual. */
void teb_learn_usual(void);

/* Holds the table against this system. NULL: it is right; else what is not. Any thread, once. */
const char *teb_check(void);

#endif
