/* SPDX-License-Identifier: MIT
 *
 * jump_trial.c - tries out libc's thread handles and jump buffers. These trials need no thread.
 */
#pragma GCC visibility push(default)
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/platform.h"

/* Whether libc has left two words of the set alone. The set has room for 1024 signals, of which
 * libc writes only what it needs. signal_jump.c uses these words, in both kinds of buffer. */
static bool leaves_words(const sigset_t *room, unsigned first)
{
    const unsigned long *words = (const unsigned long *)room;
    return words[first] == ~0ul && words[first + 1] == ~0ul;
}

static __attribute__((noinline)) bool jump_buffers_have_room(unsigned first)
{
    sigjmp_buf buffer;
    ucontext_t context;
    memset(buffer, -1, sizeof buffer);
    memset(&context.uc_sigmask, -1, sizeof context.uc_sigmask);
    (void)__sigsetjmp(buffer, 1); /* the front, which notes nothing yet; no thread jumps there */
    getcontext(&context);
    return leaves_words(&buffer->__saved_mask, first) && leaves_words(&context.uc_sigmask, first);
}

void libc_try(void)
{
    uintptr_t handle = (uintptr_t)LIBC(pthread_self)() + trial_misled("handle");
    libc_knowledge.handle = handle == thread_pointer();
    if (!libc_knowledge.handle)
        plat_log(
            "this C library's thread handles are not known here: pthread_kill and pthread_cancel "
            "do not reach workers");
    libc_knowledge.jump = jump_buffers_have_room(trial_misled("jump") ? 0 : JUMP_MARK_AT);
    if (!libc_knowledge.jump)
        plat_log("this C library's jump buffers are not known here: in a worker siglongjmp and "
                 "setcontext do not bring the signal mask back");
}
