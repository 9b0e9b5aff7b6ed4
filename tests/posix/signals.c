/* SPDX-License-Identifier: MIT
 *
 * signals.c - actions, masks, waiting for signals, sending them.
 */
#include "assertion.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t signals, nested, deepest, value, code;
static volatile pthread_t handled_by;

static void on_signal(int sig, siginfo_t *info, void *unused)
{
    (void)sig;
    (void)unused;
    signals++;
    value = info->si_value.sival_int;
    code = info->si_code;
    handled_by = pthread_self();
}

static void catch (int sig, int flags)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags};
    CHECK_EQUAL(sigaction(sig, &action, NULL), 0);
}

static void wait_for(int count)
{
    for (int i = 0; i < 5000 && signals < count; i++)
        sleep_ms(1);
    CHECK_EQUAL(signals, count);
}

static sigset_t only(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    return set;
}

static void block(int sig)
{
    sigset_t set = only(sig);
    CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
}

static int is_pending(int sig)
{
    sigset_t set;
    CHECK_EQUAL(sigpending(&set), 0);
    return sigismember(&set, sig);
}

/* ---- actions ---- */

ASSERTION(action_is_told)
{
    struct sigaction action;
    catch (SIGUSR1, SA_RESTART);
    CHECK_EQUAL(sigaction(SIGUSR1, NULL, &action), 0);
    CHECK(action.sa_sigaction == on_signal);
    CHECK_EQUAL(action.sa_flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
    CHECK_FAILS(sigaction(SIGKILL, &action, NULL), EINVAL);
    CHECK_FAILS(sigaction(9999, &action, NULL), EINVAL);
}

ASSERTION(raise_returns_after_the_handler)
{
    catch (SIGUSR1, 0);
    for (int i = 1; i < 20; i++) {
        CHECK_EQUAL(raise(SIGUSR1), 0);
        CHECK_EQUAL(signals, i);
        CHECK(pthread_equal(handled_by, pthread_self()));
    }
    CHECK_FAILS(raise(9999), EINVAL);
}

static void raise_in_handler(int sig)
{
    if (++nested > deepest)
        deepest = nested;
    if (++signals < 3)
        raise(sig);
    nested--;
}

ASSERTION(a_handler_is_not_interrupted_by_its_own_signal)
{
    signal(SIGUSR1, raise_in_handler);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(deepest, 1);
    CHECK_EQUAL(signals, 3);
}

ASSERTION(unless_sa_nodefer_says_so)
{
    struct sigaction action = {.sa_handler = raise_in_handler, .sa_flags = SA_NODEFER};
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(deepest, 3);
}

static void look_at_mask(int sig)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    signals = 1 + (sigismember(&mask, SIGUSR2) == 1) + 2 * (sigismember(&mask, sig) == 1);
}

ASSERTION(sa_mask_is_blocked_in_the_handler)
{
    struct sigaction action = {.sa_handler = look_at_mask};
    sigset_t mask;
    sigaddset(&action.sa_mask, SIGUSR2);
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(signals, 4);
    CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    CHECK(!sigismember(&mask, SIGUSR2));
    CHECK(!sigismember(&mask, SIGUSR1));
}

ASSERTION(a_handler_is_reset_if_asked)
{
    struct sigaction action;
    catch (SIGUSR1, SA_RESETHAND);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(sigaction(SIGUSR1, NULL, &action), 0);
    CHECK(action.sa_handler == SIG_DFL);
}

static void *altstack;
static void on_altstack(int sig)
{
    char here;
    (void)sig;
    signals = &here > (char *)altstack && &here < (char *)altstack + 65536 ? 1 : 2;
}

ASSERTION(a_handler_runs_on_the_alternate_stack)
{
    struct sigaction action = {.sa_handler = on_altstack, .sa_flags = SA_ONSTACK};
    altstack = malloc(65536);
    stack_t stack = {.ss_sp = altstack, .ss_size = 65536}, old;
    CHECK_EQUAL(sigaltstack(&stack, NULL), 0);
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    for (int i = 0; i < 5; i++) {
        sleep_ms(2);
        signals = 0;
        CHECK_EQUAL(raise(SIGUSR1), 0);
        CHECK_EQUAL(signals, 1);
        CHECK_EQUAL(sigaltstack(NULL, &old), 0);
        CHECK(old.ss_sp == altstack);
    }
    stack.ss_size = 16;
    CHECK_FAILS(sigaltstack(&stack, NULL), ENOMEM);
    stack.ss_flags = 77;
    CHECK_FAILS(sigaltstack(&stack, NULL), EINVAL);
    stack.ss_flags = SS_DISABLE;
    CHECK_EQUAL(sigaltstack(&stack, NULL), 0);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(signals, 2);
}

static sigjmp_buf back;
static void jump(int sig)
{
    siglongjmp(back, sig);
}
ASSERTION(siglongjmp_restores_the_mask)
{
    signal(SIGUSR1, jump);
    for (volatile int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1)) {
            raise(SIGUSR1);
            CHECK(!"no jump");
        }
    }
}

/* ---- masks ---- */

ASSERTION(blocked_signals_are_pending_until_unblocked)
{
    sigset_t set = only(SIGUSR1);
    catch (SIGUSR1, 0);
    block(SIGUSR1);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    sleep_ms(10);
    CHECK_EQUAL(signals, 0);
    CHECK(is_pending(SIGUSR1));
    CHECK_EQUAL(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    CHECK_EQUAL(signals, 1);
    CHECK(!is_pending(SIGUSR1));
    CHECK_EQUAL(pthread_sigmask(77, &set, NULL), EINVAL);
}

ASSERTION(signals_that_cannot_be_blocked_are_not)
{
    sigset_t all, mask;
    sigfillset(&all);
    CHECK_EQUAL(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    CHECK(!sigismember(&mask, SIGKILL));
    CHECK(!sigismember(&mask, SIGSTOP));
    CHECK(sigismember(&mask, SIGUSR1));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
ASSERTION(older_calls_change_the_mask)
{
    catch (SIGUSR1, 0);
    CHECK_EQUAL(sighold(SIGUSR1), 0);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(signals, 0);
    CHECK(is_pending(SIGUSR1));
    CHECK_EQUAL(sigrelse(SIGUSR1), 0);
    CHECK_EQUAL(signals, 1);
    CHECK(sigset(SIGUSR1, SIG_HOLD) != SIG_ERR);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(signals, 1);
}

/* ---- sending and waiting ---- */

ASSERTION(queued_values_come_in_order)
{
    sigset_t set = only(SIGRTMIN);
    siginfo_t info;
    block(SIGRTMIN);
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(sigqueue(getpid(), SIGRTMIN, (union sigval){i}), 0);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(sigwaitinfo(&set, &info), SIGRTMIN);
        CHECK_EQUAL(info.si_value.sival_int, i);
        CHECK_EQUAL(info.si_code, SI_QUEUE);
        CHECK_EQUAL(info.si_pid, getpid());
    }
    CHECK_FAILS(sigqueue(getpid(), 9999, (union sigval){0}), EINVAL);
}

ASSERTION(sigwait_takes_a_pending_signal)
{
    sigset_t set = only(SIGUSR1);
    int sig;
    block(SIGUSR1);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(sigwait(&set, &sig), 0);
    CHECK_EQUAL(sig, SIGUSR1);
    CHECK(!is_pending(SIGUSR1));
    CHECK_EQUAL(kill(getpid(), SIGUSR1), 0);
    CHECK_EQUAL(sigwait(&set, &sig), 0);
    CHECK_EQUAL(sig, SIGUSR1);
}

static pthread_t first;
static int thread_sends;
static void *send_soon(void *unused)
{
    sleep_ms(60);
    if (thread_sends)
        CHECK_EQUAL(pthread_kill(first, SIGUSR1), 0);
    else
        CHECK_EQUAL(kill(getpid(), SIGUSR1), 0);
    return unused;
}

ASSERTION(sigwait_waits_for_a_signal)
{
    sigset_t set = only(SIGUSR1);
    int sig;
    first = pthread_self();
    block(SIGUSR1);
    for (thread_sends = 0; thread_sends < 2; thread_sends++) {
        pthread_t other = start(send_soon, NULL);
        CHECK_EQUAL(sigwait(&set, &sig), 0);
        CHECK_EQUAL(sig, SIGUSR1);
        join(other);
    }
}

ASSERTION(sigtimedwait_times_out)
{
    sigset_t set = only(SIGUSR1);
    block(SIGUSR1);
    long long began = now_on(CLOCK_MONOTONIC);
    CHECK_FAILS(sigtimedwait(&set, NULL, &(struct timespec){0, 60000000}), EAGAIN);
    CHECK(ms_since(began) >= 60);
    CHECK_FAILS(sigtimedwait(&set, NULL, &(struct timespec){0, -1}), EINVAL);
}

ASSERTION(sigsuspend_waits_for_a_handler)
{
    sigset_t none;
    sigemptyset(&none);
    catch (SIGUSR1, 0);
    block(SIGUSR1);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_FAILS(sigsuspend(&none), EINTR); /* pending already */
    CHECK_EQUAL(signals, 1);
    first = pthread_self();
    thread_sends = 1;
    start(send_soon, NULL);
    CHECK_FAILS(sigsuspend(&none), EINTR);
    CHECK_EQUAL(signals, 2);
}

ASSERTION(pause_waits_for_a_handler)
{
    catch (SIGUSR1, SA_RESTART);
    first = pthread_self();
    thread_sends = 1;
    start(send_soon, NULL);
    CHECK_FAILS(pause(), EINTR);
    CHECK_EQUAL(signals, 1);
}

static void interrupts(int flags, int by_thread)
{
    struct timespec left;
    int ends[2];
    char byte;
    CHECK_EQUAL(pipe(ends), 0);
    catch (SIGUSR1, flags);
    first = pthread_self();
    thread_sends = by_thread;
    start(send_soon, NULL);
    CHECK_FAILS(nanosleep(&(struct timespec){5, 0}, &left), EINTR); /* never restarted */
    CHECK(left.tv_sec >= 3);
    CHECK_EQUAL(signals, 1);
    if (flags & SA_RESTART)
        return;
    start(send_soon, NULL);
    CHECK_FAILS(read(ends[0], &byte, 1), EINTR);
    CHECK_EQUAL(signals, 2);
}

ASSERTION(pthread_kill_interrupts_a_call)
{
    interrupts(0, 1);
    CHECK(pthread_equal(handled_by, pthread_self()));
}
ASSERTION(pthread_kill_interrupts_a_sleep_in_spite_of_sa_restart)
{
    interrupts(SA_RESTART, 1);
}
static int ends_of_pipe[2];
static void *signal_then_write(void *unused)
{
    sleep_ms(60);
    CHECK_EQUAL(pthread_kill(first, SIGUSR1), 0);
    sleep_ms(60);
    CHECK_EQUAL(write(ends_of_pipe[1], "x", 1), 1);
    return unused;
}
ASSERTION(sa_restart_restarts_a_read)
{
    char byte;
    CHECK_EQUAL(pipe(ends_of_pipe), 0);
    catch (SIGUSR1, SA_RESTART);
    first = pthread_self();
    pthread_t other = start(signal_then_write, NULL);
    CHECK_EQUAL(read(ends_of_pipe[0], &byte, 1), 1);
    CHECK_EQUAL(signals, 1);
    join(other);
}

static volatile int spinning;
static void *kill_first(void *unused)
{
    CHECK(comes_true(&spinning));
    CHECK_EQUAL(pthread_kill(first, SIGUSR1), 0);
    return unused;
}
ASSERTION(pthread_kill_reaches_one_that_computes)
{
    catch (SIGUSR1, 0);
    first = pthread_self();
    pthread_t other = start(kill_first, NULL);
    __atomic_store_n(&spinning, 1, __ATOMIC_RELEASE);
    long long began = now_on(CLOCK_MONOTONIC);
    while (!signals)
        CHECK(ms_since(began) < 5000);
    CHECK(pthread_equal(handled_by, pthread_self()));
    join(other);
    CHECK_EQUAL(pthread_kill(pthread_self(), 9999), EINVAL);
    CHECK_EQUAL(pthread_kill(pthread_self(), 0), 0);
}

static volatile int child_ready;
static void *wait_blocked(void *unused)
{
    sigset_t set = only(SIGUSR1);
    int sig;
    __atomic_store_n(&child_ready, 1, __ATOMIC_RELEASE);
    CHECK_EQUAL(sigwait(&set, &sig), 0);
    return unused;
}
ASSERTION(a_signal_of_the_process_goes_to_who_waits_for_it)
{
    block(SIGUSR1);
    pthread_t other = start(wait_blocked, NULL);
    CHECK(comes_true(&child_ready));
    CHECK_EQUAL(kill(getpid(), SIGUSR1), 0);
    join(other);
}

ASSERTION(kill_reaches_the_caller_before_it_returns)
{
    /* No other thread has it open: main blocks it before it makes any. */
    catch (SIGUSR1, 0);
    CHECK_EQUAL(kill(getpid(), SIGUSR1), 0);
    wait_for(1);
}
