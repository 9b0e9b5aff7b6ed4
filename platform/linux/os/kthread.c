/* SPDX-License-Identifier: MIT
 *
 * kthread.c - creating kernel threads for the engine, and their signal masks and rseq areas.
 *
 * Signals that arrive from outside must not interrupt a carrier: the handler would run on whatever
 * stack is loaded. All engine threads block them; the signal thread takes them (signal_thread.c).
 * They do not block these: the signals of faults, so that a crash in a worker is reported on the
 * worker's own stack; SIGABRT, so that abort works; the signal that stops workers, which only this
 * library sends (stop.c); libc's signal for changes of ids (credentials.c).
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <unistd.h>
#include <fcntl.h>

#include "platform/linux/os/fault_points.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/os/static_tls.h"
#include "platform/linux/os/under_tool.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

int stop_signal;

static void engine_set(sigset_t *set)
{
    sigfillset(set);
    set->__val[0] &= ~SIGNALS_OF_FAULTS;
    if (stop_signal)
        sigdelset(set, stop_signal);
    set->__val[0] |= SIGNAL_BIT(SIGNAL_CANCEL); /* which libc's own sigfillset leaves out */
    set->__val[0] &= ~SIGNAL_BIT(SIGNAL_SETXID);
}

uint64_t signals_of_engine(void)
{
    sigset_t set;
    uint64_t word;
    engine_set(&set);
    memcpy(&word, &set, sizeof word);
    return word;
}

void signals_block(sigset_t *old)
{
    sigset_t all;
    engine_set(&all);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &all, old, 8);
}

void signals_restore(const sigset_t *old)
{
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, old, 0, 8);
}

static int create(pthread_t *thread, int detach_state, size_t stack_bytes, void *(*main)(void *),
                  void *arg)
{
    pthread_attr_t attr;
    sigset_t old;
    if (thread_sanitizer_found())
        return EPERM;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, detach_state);
    if (stack_bytes < (size_t)PTHREAD_STACK_MIN)
        stack_bytes = (size_t)PTHREAD_STACK_MIN;
    if (stack_bytes > SIZE_MAX / 2)
        stack_bytes = SIZE_MAX / 2; /* libc refuses this; a larger one might wrap round */
    own_files_room();
    if (!plat_tls.counting.masked)
        signals_block(&old);
    stack_bytes = (stack_bytes + static_tls_bytes() + 4095) & ~(size_t)4095;
    pthread_attr_setstacksize(&attr, stack_bytes);
    SANITIZER_WRAP(main, arg, stack_bytes);
    int error = fault_asked(FAULT_THREAD, 0);
    if (!error)
        error = LIBC(pthread_create)(thread, &attr, main, arg);
    if (error)
        SANITIZER_NOT_STARTED(main, arg);
    if (!plat_tls.counting.masked)
        signals_restore(&old);
    pthread_attr_destroy(&attr);
    return error;
}

int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg)
{
    return create(thread, PTHREAD_CREATE_DETACHED, stack_bytes, main, arg);
}

int program_kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg)
{
    return create(thread, PTHREAD_CREATE_JOINABLE, stack_bytes, main, arg);
}

static char programs_name[16];

void kthread_name(const char *name)
{
    RAW5(SYS_prctl, PR_SET_NAME, name, 0, 0, 0);
}

void kthread_name_begin(void)
{
    RAW5(SYS_prctl, PR_GET_NAME, programs_name, 0, 0, 0);
}

void kthread_name_reset(void)
{
    kthread_name(programs_name);
}

const char *kthread_failure(int error)
{
    switch (error) {
    case EAGAIN: /* libc gives this for a stack that cannot be mapped, too */
        return "the limit on threads or memory is reached; raise it (ulimit -u, "
               "kernel.threads-max, pids.max, ulimit -v)";
    case EPERM:
        return "the system does not allow it";
    default:
        return strerror(error);
    }
}

/* A registered rseq area belongs to a kernel thread and lies in the TCB. A TCB that moves to
 * another kernel thread would give glibc the wrong processor number. So the library unregisters it,
 * for which the kernel asks for the length that was registered. That is 32 bytes before glibc 2.41,
 * and since then the kernel's own length, if that is more. 0: there is no area, or none that we can
 * unregister. */
static uint32_t rseq_bytes;

static void *rseq_area(void)
{
    return (char *)__builtin_thread_pointer() + __rseq_offset;
}

static bool rseq_unregister(uint32_t bytes)
{
    return RAW4(SYS_rseq, rseq_area(), bytes, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0;
}

void rseq_find(void)
{
    enum { FEATURE_SIZE = 27, ALIGN = 28, FIRST_SIZE = 32 }; /* AT_RSEQ_..., since Linux 6.3 */
    uint32_t advertised = (uint32_t)getauxval(FEATURE_SIZE), align = (uint32_t)getauxval(ALIGN);
    if (!__rseq_size)
        return;
    if (align)
        advertised = (advertised + align - 1) / align * align;
    const uint32_t wrong = trial_misled("rseq") ? 1 : 0;
    const uint32_t lengths[] = {FIRST_SIZE + wrong, __rseq_size + wrong, advertised + wrong};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths && !rseq_bytes; i++)
        if (lengths[i] >= FIRST_SIZE && rseq_unregister(lengths[i]))
            rseq_bytes = lengths[i];
    rseq_join();
    if (!rseq_bytes)
        plat_log(
            "this C library registers restartable sequences in a way that is not known here: in a "
            "worker sched_getcpu may name a processor that it has left. Start the program with "
            "GLIBC_TUNABLES=glibc.pthread.rseq=0 where that matters");
}

void rseq_leave(void)
{
    if (!rseq_bytes || !rseq_unregister(rseq_bytes))
        return;
    struct rseq *rseq = rseq_area();
    __atomic_store_n(&rseq->cpu_id, (uint32_t)RSEQ_CPU_ID_REGISTRATION_FAILED, __ATOMIC_RELAXED);
}

void rseq_join(void)
{
    if (rseq_bytes)
        RAW4(SYS_rseq, rseq_area(), rseq_bytes, 0, RSEQ_SIG);
}
