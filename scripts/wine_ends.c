/* SPDX-License-Identifier: MIT
 *
 * wine_ends.c - a thread under Wine that ends itself is not told to end meanwhile. wine.sh builds it, and
 * has programs load it before libc.
 *
 * Wine's server ends a thread by SIGQUIT, and so it ends all others of a process that exits. Wine 8 leaves
 * that signal open in a thread that ends by itself. The server may send it until it sees that the thread
 * has closed its connection. The signal's handler then runs the thread's end once more, in the middle of
 * the first one. The handler reads what is given back already (the process dies of SIGSEGV), or drops a
 * lock of libc's or Wine's that the first one held. In the second case whoever wants that lock waits for
 * good: the exit of the process, which the server kills after half a second (SIGKILL).
 *
 * Wine blocks its other signals as such an end begins, and asks for no mask to be given back later. Nothing
 * else does the latter but the start of a process, which takes the mask back by the same set. So SIGQUIT is
 * added to sets that go without an old one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>

typedef int change_mask(int how, const sigset_t *set, sigset_t *old);

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    static change_mask *of_libc;
    change_mask *change = __atomic_load_n(&of_libc, __ATOMIC_RELAXED);
    sigset_t more;

    if (!change) { /* at the start of the process */
        change = (change_mask *)dlsym(RTLD_NEXT, "pthread_sigmask");
        __atomic_store_n(&of_libc, change, __ATOMIC_RELAXED);
    }
    if (set && !old && how != SIG_SETMASK && sigismember(set, SIGUSR1) == 1) {
        more = *set;
        sigaddset(&more, SIGQUIT);
        set = &more;
    }
    return change(how, set, old);
}
