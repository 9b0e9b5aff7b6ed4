/* SPDX-License-Identifier: MIT
 *
 * libc_trial.h - the engine's assumptions about the inside of the C library, which it tries before
 * it relies on them.
 *
 * glibc promises none of them. If one turns out wrong, a line on stderr says so and the engine does
 * without it:
 *
 *   rseq    length of the area for restartable sequences   (kthread.c)
 *           else workers keep their home's area
 *   tls     _dl_get_tls_static_info's meaning              (static_tls.c)
 *           else the size is measured
 *   text    where libc's and the linker's code lies        (libc_text.c)
 *           else a thread that is ended ends in a system call
 *   thread  a control block's first words, libc's data     (bare_thread.c)
 *           else libc makes carriers and helpers
 *   handle  a pthread_t is the address of a control block  (jump_trial.c)
 *           else no signal by pthread_kill, no cancellation
 *   jump    unused words behind the mask of a jump buffer  (jump_trial.c)
 *           else jumps leave a worker's mask as it is
 *   cancel  the signal and the handler of cancellation     (cancel_trial.c)
 *           else pthread_cancel of a worker fails
 *   modules addresses in a module's dynamic section        (redirect.c)
 *           else modules that libc comes before keep libc's
 *
 * For the tests UMSSHIM_TEST_WRONG names some of these words: their trials then begin with a wrong
 * value.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LIBC_TRIAL_H
#define UMSSHIM_PLATFORM_LINUX_OS_LIBC_TRIAL_H

#include <stdbool.h>
#include <ucontext.h>

/* Whether a test wants this trial to fail. */
bool trial_misled(const char *word);

/* In jump_trial.c. The first UMS call tries "handle" and "jump". */
void libc_try(void);

struct libc_knowledge {
    bool handle, jump;
};
extern struct libc_knowledge libc_knowledge;

/* In cancel_trial.c. The first pthread_cancel of a worker tries "cancel". Any thread. */
bool cancellation_known(void);
/* Whether this is the address behind the system call for all that can be cancelled, whose function
 * looks for a cancellation when the call returns -EINTR. False for every other place of libc's, and
 * before that trial. Any thread. */
bool cancellation_looks(const void *behind);
/* on_stop, the handler of the stop signal, calls it. True: the signal was this trial's. */
bool cancellation_trial(ucontext_t *interrupted);

/* A jump buffer has room for a mask of 1024 signals, and libc leaves some of its words unused. This
 * is the first of the two words that the library uses (signal_jump.c). */
enum { JUMP_MARK_AT = 10 };

#endif
