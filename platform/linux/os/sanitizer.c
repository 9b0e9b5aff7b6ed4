/* SPDX-License-Identifier: MIT
 *
 * sanitizer.c - see sanitizer.h. An empty file in other builds.
 */
#include "platform/linux/current.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

#ifdef __SANITIZE_ADDRESS__

extern void *__libc_stack_end; /* of the dynamic linker: the upper end of the first thread's
                                * stack */

/* Called by instrumented code of this library before it calls a function that does not return: the
 * frames above on the stack will not be left one by one. The run time's own version asks libc for
 * the stack's bounds, and libc does not know bare threads. Each thread's stack ends below its
 * thread pointer, libc's as well as ours; only the first thread's ends elsewhere. On a signal's own
 * stack this does nothing: a later frame there sets its own bounds again. */
__attribute__((visibility("hidden"))) void __asan_handle_no_return(void);
__attribute__((no_sanitize("address"))) void __asan_handle_no_return(void)
{
    enum { LARGEST = 64 << 20 };
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), end = thread_pointer();
    if (plat_tls.fiber && here >= plat_tls.teb.stack_limit && here < plat_tls.teb.stack_base)
        end = plat_tls.teb.stack_base;
    uintptr_t first = (uintptr_t)__libc_stack_end;
    if (end > here && end - here < LARGEST)
        __asan_unpoison_memory_region((void *)here, end - here);
    else if (first > here && first - here < LARGEST)
        __asan_unpoison_memory_region((void *)here, first - here);
}

/* This uses no heap: the run time has one heap lock for all threads that it does not know, and does
 * not take it for a fork. */
struct start {
    void *(*main)(void *);
    void *arg;
    size_t stack_bytes;
};
static __thread size_t stack_bytes; /* of a thread that began in `start` */

__attribute__((no_sanitize("address"))) void sanitizer_stack_is_left(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), lowest = thread_pointer() - stack_bytes;
    if (lowest < here && here - lowest < stack_bytes)
        __asan_unpoison_memory_region((void *)lowest, here - lowest);
}

static void *start(void *box)
{
    struct start start = *(struct start *)box;
    RAW2(SYS_munmap, box, sizeof start);
    stack_bytes = start.stack_bytes;
    sanitizer_stack_is_left();
    return start.main(start.arg);
}

void sanitizer_wrap(void *(**main)(void *), void **arg, size_t bytes)
{
    struct start *box = plat_reserve(sizeof *box);
    if (!box)
        return;
    *box = (struct start){*main, *arg, bytes};
    *main = start;
    *arg = box;
}

void sanitizer_not_started(void *(*main)(void *), void *arg)
{
    if (main == start)
        RAW2(SYS_munmap, arg, sizeof(struct start));
}

#endif
