/* SPDX-License-Identifier: MIT
 *
 * fiber.c - see fiber.h.
 */
#include "platform/linux/switch/fiber.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "platform/linux/os/memcheck.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/os/teb.h"
#include "platform/linux/os/unwinding.h"
#include "platform/linux/os/vector_state.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/frame.h"
#include "platform/linux/switch/switch.h"

enum { PAGE = 4096, COLOURS = 64 }; /* cache lines at which a stack may begin, as in home.c */

/* These exist if any module of the process was compiled for the address sanitizer. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **shadow, const void *low,
                                                          size_t bytes);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *shadow, const void **low,
                                                           size_t *bytes);

/* ---- Making and unmaking --------------------------------------------------------------------- */

static bool stack_make(struct fiber_stack *stack, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return false;
    stack->bytes = (bytes + PAGE - 1) / PAGE * PAGE + 2 * PAGE; /* for guard page and colour */
    void *memory = mmap(NULL, stack->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    if (mprotect(memory, PAGE, PROT_NONE)) {
        munmap(memory, stack->bytes);
        return false;
    }
    SANITIZER_FRESH(memory, stack->bytes);
    stack->memory = memory;
    stack->memcheck =
        memcheck_stack_begins((uintptr_t)memory + PAGE, (uintptr_t)memory + stack->bytes);
    return true;
}

static void stack_free(struct fiber_stack *stack)
{
    if (stack->memory) {
        memcheck_stack_ends(stack->memcheck);
        munmap(stack->memory, stack->bytes);
    }
    *stack = (struct fiber_stack){0};
}

struct fiber *fiber_create(size_t stack_bytes, void (*first)(struct fiber *))
{
    static _Atomic uint32_t colour;
    struct fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber || !stack_make(&fiber->stack, stack_bytes)) {
        free(fiber);
        return NULL;
    }
    size_t offset = atomic_fetch_add_explicit(&colour, 1, memory_order_relaxed) % COLOURS * 64;
    fiber->low = (uintptr_t)fiber->stack.memory + PAGE;
    fiber->high = (uintptr_t)fiber->stack.memory + fiber->stack.bytes - offset;
    fiber->sp = first_frame((void *)fiber->high, (void (*)(void *))first, fiber);
    return fiber;
}

struct fiber *fiber_adopt(void)
{
    struct fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber)
        return NULL;
    struct plat_teb *teb = teb_current();
    fiber->low = teb->stack_limit;
    fiber->high = teb->stack_base;
    fiber->stack = plat_tls.adopted;
    plat_tls.adopted = (struct fiber_stack){0};
    atomic_store_explicit(&fiber->runs_on, &plat_tls, memory_order_relaxed);
    plat_tls.fiber = fiber;
    teb->fiber_data = fiber;
    return fiber;
}

__attribute__((noinline)) void fiber_call(struct fiber *fiber, void (*unwound)(void))
{
    unwinding_calls(UNWINDING_FIBER, unwound);
    UNWINDING_RUNS(fiber_personality);
    fiber->start(fiber->data);
    __asm__ volatile(""); /* keeps the call from becoming a jump */
}

void fiber_abandon(struct fiber *fiber)
{
    plat_tls.adopted = fiber->stack;
    plat_tls.fiber = NULL;
    plat_tls.teb.fiber_data = (void *)TEB_NO_FIBER;
    free(fiber);
}

void fiber_destroy(struct fiber *fiber)
{
    stack_free(&fiber->stack);
    free(fiber);
}

/* ---- Switching ------------------------------------------------------------------------------- */

static bool holds(const struct fiber *fiber, const void *sp)
{
    return (uintptr_t)sp > fiber->low && (uintptr_t)sp <= fiber->high;
}

bool fiber_is_elsewhere(const struct plat_context *scheduler)
{
    const struct fiber *fiber = plat_tls.fiber;
    return fiber && !holds(fiber, scheduler->sp);
}

/* Tells the engine of a UMS thread's new stack: where a worker's rewritten calls may use it
 * (site_slots.S), or that a scheduler cannot execute on it. */
static void tell_engine(struct plat_context *self, const struct fiber *to)
{
    if (!self->is_scheduler) {
        plat_tls.room.low = to->low + vector_state_call_bytes();
        plat_tls.room.high = to->high;
    } else if (!holds(to, self->sp)) {
        atomic_store_explicit(&self->stop_due, true, memory_order_relaxed);
    }
}

static inline void swap_cxx(uintptr_t *words, struct fiber *from, const struct fiber *to)
{
    from->cxx[0] = words[0];
    from->cxx[1] = words[1];
    words[0] = to->cxx[0];
    words[1] = to->cxx[1];
}

/* After ctx_switch the function may run on another thread, so it uses nothing of the first
 * one's. */
__attribute__((noinline)) void fiber_switch(struct fiber *from, struct fiber *to)
{
    plat_tls.fiber = to;
    plat_tls.teb.fiber_data = to;
    plat_tls.teb.stack_limit = to->low;
    plat_tls.teb.stack_base = to->high;
    if (plat_tls.current)
        tell_engine(plat_tls.current, to);
    if (plat_tls.cxx_exceptions)
        swap_cxx(plat_tls.cxx_exceptions, from, to);
    atomic_store_explicit(&to->runs_on, &plat_tls, memory_order_relaxed);
    atomic_store_explicit(&from->runs_on, NULL, memory_order_release);
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&from->shadow, (void *)to->low, to->high - to->low);
    ctx_switch(&from->sp, to->sp);
    fiber_arrived(from);
}

void fiber_arrived(struct fiber *fiber)
{
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fiber->shadow, NULL, NULL);
}

/* ---- The end of a thread --------------------------------------------------------------------- */

/* A fiber with a stack of its own is not freed here: the program may delete it later. */
void fiber_thread_ended(void)
{
    struct fiber *fiber = plat_tls.fiber;
    stack_free(&plat_tls.adopted);
    if (!fiber)
        return;
    plat_tls.fiber = NULL;
    bool known = fiber->stack.memory && !fiber->deleted;
    stack_free(&fiber->stack);
    atomic_store_explicit(&fiber->runs_on, FIBER_ENDED, memory_order_release);
    if (!known)
        free(fiber);
}
