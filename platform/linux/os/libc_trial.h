/* SPDX-License-Identifier: MIT
 *
 * libc_trial.h - what the engine takes for granted of the C library's inside, and tries before it
 * relies on it.
 *
 * None of it is promised by glibc. A belief that turns out to be wrong is not relied on, a line on
 * stderr says so, and everything else goes on:
 *
 *   rseq    length of the area for restartable sequences   (kthread.c)
 *           else workers keep their home's
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
 * UMSSHIM_TEST_WRONG names some of these words; each trial then begins with something wrong. It is
 * for the tests.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LIBC_TRIAL_H
#define UMSSHIM_PLATFORM_LINUX_OS_LIBC_TRIAL_H

#include <stdbool.h>
#include <ucontext.h>

/* The test of this trial wants it to fail. */
bool trial_misled(const char *word);

/* jump_trial.c: handle, jump: with the first UMS call. */
void libc_try(void);

struct libc_knowledge {
    bool handle, jump;
};
extern struct libc_knowledge libc_knowledge;

/* cancel_trial.c: cancel: with the first pthread_cancel of a worker. Any thread. */
bool cancellation_known(void);
/* In on_stop: true: the signal was this trial's. */
bool cancellation_trial(ucontext_t *interrupted);

/* Words of a jump buffer's mask for 1024 signals that libc does not use: the first of two
 * (signal_jump.c). */
enum { JUMP_MARK_AT = 10 };

#endif
