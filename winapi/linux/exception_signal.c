/* SPDX-License-Identifier: MIT
 *
 * exception_signal.c - the handler of faults, from the first Win32 call on that has to do with
 * exceptions.
 *
 * It is set by sigaction as a handler of the program's would be, once and for good. So everything
 * that holds for the program's handlers holds for this one (docs/signals.md): it runs on the thread
 * that has the fault, on that thread's stack, or on its alternate one if it has one; a worker in it
 * may leave its scheduler. It blocks no signal. A handler that was there before is called for what
 * no vectored handler has taken. One that the program sets later takes this one's place, and gets
 * it as the old action.
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

/* With the mask that it would have had. */
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

/* Once more by the default action: the fault is made again after the return, so the core file has
 * its registers. What was sent, and a trap, which is over, is sent. */
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
