/* SPDX-License-Identifier: MIT
 *
 * teb_access.h - moving the contents of the calling thread's TEB (teb.h) to and from contexts.
 *
 * All of it runs on a scheduler's own stack or on a home's, while nothing else of the program runs
 * on the thread. Between the steps the TEB is no context's, so no system call, no exception and no
 * growth of a stack may come in between.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_ACCESS_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_ACCESS_H

#include <stdatomic.h>

#include "platform/check.h"
#include "platform/windows/switch/teb.h"

#define TEB_HERE(type, offset) (*(volatile type __seg_gs *)(uintptr_t)(offset))
#define TEB_THERE(teb, type, offset) (*(volatile type *)((char *)(teb) + (offset)))

/* teb.c finds these out. */
extern struct teb_rare teb_usual;        /* the values of most threads; set before anything moves */
extern bool teb_usual_is_zero;           /* teb_usual is, but for bits that stay */
extern bool teb_moves_wide;              /* the processor and the system have AVX */
extern bool teb_contexts_stay;           /* ntdll uses only the stack in the TEB, not the pointer */
extern const uint64_t *teb_slots_in_use; /* a bit for each of the first 64 slots */

static inline void *teb_here(void)
{
    return (void *)TEB_HERE(uint64_t, 0x30);
}

/* The kernel thread's own id, whatever context runs on it. */
static inline uint32_t teb_kernel_id(void)
{
    return (uint32_t)TEB_HERE(uint64_t, 0x7e0);
}

/* The id that GetCurrentThreadId gives on this thread: the context's. */
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

/* teb.c: whether a RARE field differs from its usual value. teb_rare_here is faster where all usual
 * values are zero. */
bool teb_unusual_here(void);

static inline bool teb_rare_here(void)
{
    if (UMS_UNLIKELY(!teb_usual_is_zero))
        return teb_unusual_here();
    uint64_t some = 0;
    atomic_signal_fence(memory_order_seq_cst); /* the compiler may merge the reads below, but not
                                                * move them up */
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

/* Moves the stack of activation contexts from the TEB into the values; the pointer leads there from
 * then on. With teb_contexts_stay it moves into the values and out of them with each switch. */
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

/* Saves the part of the context that stops running here. */
static inline void teb_save(struct teb_values *values)
{
    teb_save_own(values);
    if (UMS_UNLIKELY(teb_has_activation(values)))
        teb_take_activation(values);
    if (UMS_UNLIKELY(values->is_rare))
        teb_save_rare(&values->rare);
}

/* Loads the part of the context that begins, whatever ran here before. */
static inline void teb_load(const struct teb_values *values)
{
    teb_load_own(values);
    if (UMS_UNLIKELY(teb_contexts_stay))
        teb_put_activation(values);
    teb_load_rare(values);
}

/* Whether there are activation contexts to be moved. Most contexts have none active. With
 * teb_contexts_stay nothing moves between two such. */
static inline bool teb_moves_activation(struct teb_values *from, const struct teb_values *to)
{
    if (!teb_contexts_stay)
        return teb_has_activation(from);
    from->contexts.frame = TEB_HERE(uint64_t, TEB_ACTIVATION);
    return (from->contexts.frame | to->contexts.frame) != 0;
}

/* Moves the parts that seldom move, after the rest. */
void teb_exchange_seldom(struct teb_values *from, const struct teb_values *to);

/* Saves one context's part and loads another's. */
static inline void teb_exchange(struct teb_values *from, const struct teb_values *to)
{
    teb_save_own(from);
    teb_load_own(to);
    if (UMS_UNLIKELY(teb_moves_activation(from, to) | from->is_rare | to->is_rare))
        teb_exchange_seldom(from, to);
}

/* Exchanges a line of eight slots. No caller keeps anything in the upper halves of the registers.
 * The caller executes `vzeroupper` after it. */
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
 * TEB, so a line of free slots need not be exchanged. */
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

/* Exchanges the SWAP fields of two TEBs: the calling thread's, and that of a thread that stands
 * still. */
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

/* On a worker's own thread, before any of its fields move: the first such thread has the usual
 * values. */
void teb_learn_usual(void);

/* Checks the table against this system. Returns NULL, or the part that is wrong. Any thread,
 * once. */
const char *teb_check(void);

#endif
