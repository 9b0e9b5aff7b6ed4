/* SPDX-License-Identifier: MIT
 *
 * preempt.c - taking a processor back from a thread that computes.
 *
 * A thread that computes never comes to its processor's loop by itself. SuspendThread takes it off:
 * its scheduler is called (Blocked, payload bit 0 clear: not by a system call), and the loop does
 * there what it does between any two threads. ResumeThread then has the thread arrive like one that
 * has unblocked, for whichever processor looks first. It may have been inside one of the package's
 * critical sections; spin.c deals with that.
 *
 * The thread may leave the processor by itself before the suspension reaches it, and go on
 * elsewhere. Then it is stopped there, arrives as well, and costs nothing but its turn; here the
 * loop has run, which is all that was wanted. Runs on plain threads only: a thread of the package
 * might stop itself.
 */
#include "package.h"

/* How long the stopper sleeps before it looks again. The loop sets `left` only for a thread that
 * was stopped; only a look finds one that has left by itself. */
enum { LOOK_MS = 1 };

void ft__stop_thread(struct processor *processor, struct ft_thread *thread)
{
    atomic_store(&processor->awaited, 1);
    atomic_store(&thread->stopped, 1);
    if (atomic_load(&processor->current) == thread && SuspendThread(thread->handle) != (DWORD)-1) {
        while (atomic_load(&processor->current) == thread && !atomic_load(&ft__package.over))
            WaitForSingleObject(processor->left, LOOK_MS);
        ResumeThread(thread->handle);
    }
    atomic_store(&processor->awaited, 0);
}

void ft__take_back(struct processor *processor)
{
    while (!atomic_load(&processor->granted) && !atomic_load(&processor->away) &&
           !atomic_load(&ft__package.over)) {
        struct ft_thread *thread = atomic_load(&processor->current);

        if (thread && !thread->handle)
            return; /* on the ground user nobody can stop it */
        if (thread)
            ft__stop_thread(processor, thread);
        else
            WaitForSingleObject(processor->left, LOOK_MS); /* its loop is about to see it */
    }
}
