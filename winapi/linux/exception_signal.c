/* SPDX-License-Identifier: MIT
 *
 * exception_signal.c - the signal handler for faults, which the first Win32 call that has to do
 * with exceptions sets.
 *
 * The library sets it by sigaction once, as a program sets a handler. So the rules for the
 * program's handlers apply (docs/signals.md): it runs on the thread that has the fault, on that
 * thread's stack or alternate stack, and a worker in it may wait. It blocks no signal. For an
 * exception that no vectored handler takes, it calls the handler that was there before it. If the
 * program sets a handler later, that one replaces it, and gets it as the old action.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "winapi/linux/exception.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { FAULTS = sizeof faults / sizeof *faults };

static struct sigaction earlier[NSIG];
static pthread_once_t begun = PTHREAD_ONCE_INIT;

static bool is_standard(const struct sigaction *action)
{
    return action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN;
}

/* Calls it with the signal mask that the kernel would have set for it. */
static void call_earlier(int number, siginfo_t *info, void *interrupted)
{
    const struct sigaction *action = &earlier[number];
    sigset_t mask = action->sa_mask, before;
    if (!(action->sa_flags & (int)SA_NODEFER))
        sigaddset(&mask, number);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, interrupted);
    else
        action->sa_handler(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Has the default action end the process. `again`: the fault happens again after the return, so a
 * core file has its registers. Else the signal was sent, or is a trap, which does not happen again,
 * so it is sent here. */
static void end_by(int number, bool again, bool silent)
{
    if (silent)
        prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    if (!again)
        raise(number);
}

static void no_exception(int number, siginfo_t *info, void *interrupted)
{
    if (!is_standard(&earlier[number]))
        call_earlier(number, info, interrupted);
    else if (earlier[number].sa_handler == SIG_DFL)
        end_by(number, false, false);
}

static void on_fault(int number, siginfo_t *info, void *interrupted)
{
    int error = errno;
    EXCEPTION_RECORD record;
    if (!win__exception_of_signal(number, info, interrupted, &record)) {
        no_exception(number, info, interrupted);
        errno = error;
        return;
    }
    CONTEXT context;
    EXCEPTION_POINTERS exception = {&record, &context};
    win__registers_told(interrupted, &context);
    context.Rip = (DWORD64)record.ExceptionAddress;
    LONG verdict = win__vectored_call(VECTORED_EXCEPTION, &exception);
    if (verdict != EXCEPTION_CONTINUE_EXECUTION && !is_standard(&earlier[number])) {
        call_earlier(number, info, interrupted);
        errno = error;
        return;
    }
    if (verdict != EXCEPTION_CONTINUE_EXECUTION)
        verdict = win__filter_call(&exception);
    if (verdict != EXCEPTION_CONTINUE_EXECUTION) {
        struct exception_end end = win__exception_end(&record, verdict);
        end_by(number, number != SIGTRAP, end.silent);
        return;
    }
    win__vectored_call(VECTORED_CONTINUE, &exception);
    win__registers_changed(interrupted, &context);
    errno = error;
}

static void begin(void)
{
    struct sigaction own = {.sa_sigaction = on_fault,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    for (int i = 0; i < FAULTS; i++) {
        sigaction(faults[i], NULL, &earlier[faults[i]]);
        sigaction(faults[i], &own, NULL);
    }
}

void win__faults_begin(void)
{
    pthread_once(&begun, begin);
}
