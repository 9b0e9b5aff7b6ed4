/* SPDX-License-Identifier: MIT
 *
 * exceptions.c - structured exceptions beside signals: the program's own handlers, before and
 * after; the filter, and how a process ends.
 *
 * modes: default, UMSSHIM_FSGSBASE=0, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "exception_child.h"

#include <stdlib.h>
#include <unistd.h>

static volatile int *volatile nowhere = (volatile int *)16;
static volatile int calls, filtered, own_calls;
static struct sigaction shown;

/* ---- handlers ---- */

static LONG CALLBACK count(EXCEPTION_POINTERS *exception)
{
    calls++;
    return EXCEPTION_CONTINUE_SEARCH;
}

static LONG CALLBACK pass_over(EXCEPTION_POINTERS *exception)
{
    calls++;
    exception->ContextRecord->Rip += 2;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static LONG WINAPI filter_passes(EXCEPTION_POINTERS *exception)
{
    filtered++;
    exception->ContextRecord->Rip += 2;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static LONG WINAPI filter_says_all(EXCEPTION_POINTERS *exception)
{
    return EXCEPTION_EXECUTE_HANDLER;
}

static LONG WINAPI filter_declines(EXCEPTION_POINTERS *exception)
{
    return EXCEPTION_CONTINUE_SEARCH;
}

static void own_handler(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;

    own_calls++;
    interrupted->uc_mcontext.gregs[REG_RIP] += 2;
}

static void set_own(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    EXPECT_EQ(sigaction(number, &action, &shown), 0);
}

static void divide(void)
{
    int quotient = 5, rest = 0;

    __asm__ volatile("idivl %%ecx" : "+a"(quotient), "+d"(rest) : "c"(0) : "memory");
}

/* ---- beside the program's signals ---- */

static void look(void *arg)
{
    sigaction(SIGSEGV, NULL, &shown);
    EXPECT_EQ(shown.sa_handler, SIG_DFL);
    EXPECT_EQ(SetUnhandledExceptionFilter(NULL), NULL);
    EXPECT_EQ(RemoveVectoredExceptionHandler(NULL), 0);
    sigaction(SIGSEGV, NULL, &shown);
    EXPECT_EQ(shown.sa_handler, SIG_DFL);
    EXPECT_NE(AddVectoredExceptionHandler(TRUE, count), NULL);
    sigaction(SIGSEGV, NULL, &shown);
    EXPECT_NE(shown.sa_handler, SIG_DFL);
}

CALL_TEST(Exceptions, nothing_before_the_first_call, ends_well(look))

/* A handler of SIGFPE was there first, a JVM's say. It gets what no vectored handler takes, and the
 * filter for unhandled exceptions does not see that. */
static void one_that_was_there(void *arg)
{
    set_own(SIGFPE, own_handler);
    AddVectoredExceptionHandler(TRUE, count);
    SetUnhandledExceptionFilter(filter_says_all);
    divide();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(own_calls, 1);
    AddVectoredExceptionHandler(FALSE, pass_over);
    divide();
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(own_calls, 1);
}

CALL_TEST(Exceptions, a_handler_that_was_there_has_the_last_word, ends_well(one_that_was_there))

static void forward(int number, siginfo_t *info, void *context)
{
    own_calls++;
    shown.sa_sigaction(number, info, context);
}

static void one_that_comes_later(void *arg)
{
    AddVectoredExceptionHandler(TRUE, pass_over);
    set_own(SIGFPE, own_handler);
    divide();
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(own_calls, 1);
    sigaction(SIGFPE, &shown, NULL);
    divide();
    EXPECT_EQ(calls, 1);
    set_own(SIGFPE, forward);
    divide();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(own_calls, 2);
}

CALL_TEST(Exceptions, a_handler_that_comes_later_is_first, ends_well(one_that_comes_later))

static LONG CALLBACK says_never(EXCEPTION_POINTERS *exception)
{
    tc_note("never");
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void send_a_fault(void *arg)
{
    AddVectoredExceptionHandler(TRUE, says_never);
    raise(SIGSEGV);
}

CALL_TEST(Exceptions, a_signal_that_is_sent_is_none, ends_by(send_a_fault, SIGSEGV))

/* ---- the filter and the end ---- */

static void filter_goes_on(void *arg)
{
    EXPECT_EQ(SetUnhandledExceptionFilter(filter_declines), NULL);
    EXPECT_EQ(SetUnhandledExceptionFilter(filter_passes), filter_declines);
    AddVectoredExceptionHandler(TRUE, count);
    divide();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(filtered, 1);
}

CALL_TEST(Exceptions, a_filter_that_goes_on, ends_well(filter_goes_on))

static void write_nowhere(LPTOP_LEVEL_EXCEPTION_FILTER filter)
{
    AddVectoredExceptionHandler(TRUE, count);
    SetUnhandledExceptionFilter(filter);
    *nowhere = 1;
    tc_note("never");
}

static void with_filter_that_says_all(void *arg)
{
    write_nowhere(filter_says_all);
}

static void with_filter_that_declines(void *arg)
{
    write_nowhere(filter_declines);
}

static void with_no_filter(void *arg)
{
    write_nowhere(NULL);
}

TEST(Exceptions, an_access_that_nobody_handles)
{
    ends_by(with_no_filter, SIGSEGV);
    ends_by(with_filter_that_declines, SIGSEGV);
    ends_by(with_filter_that_says_all, SIGSEGV);
}

static void breakpoint(void *arg)
{
    SetUnhandledExceptionFilter(filter_declines);
    DebugBreak();
    tc_note("never");
}

CALL_TEST(Exceptions, a_breakpoint_that_nobody_handles, ends_by(breakpoint, SIGTRAP))

static void raise_own(void *arg)
{
    RaiseException(0xE0001234, 0, 0, NULL);
    tc_note("never");
}

static void raise_silently(void *arg)
{
    SetErrorMode(SEM_NOGPFAULTERRORBOX);
    raise_own(NULL);
}

TEST(Exceptions, a_code_of_the_programs_that_nobody_handles)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct child_result told = in_child(raise_own, kind);
        struct child_result silent = in_child(raise_silently, kind);

        EXPECT_CHILD_SIGNAL(told, SIGABRT);
        EXPECT_NE(strstr(told.output, "0xE0001234"), NULL);
        EXPECT_CHILD_SIGNAL(silent, SIGABRT);
        EXPECT_EQ(strstr(silent.output, "0xE0001234"), NULL);
        EXPECT_EQ(strstr(told.output, "never"), NULL);
    }
}

static void raise_a_division(void *arg)
{
    RaiseException((DWORD)EXCEPTION_INT_DIVIDE_BY_ZERO, 0, 0, NULL);
}

CALL_TEST(Exceptions, a_raised_fault_ends_as_the_fault, ends_by(raise_a_division, SIGFPE))

static LONG CALLBACK always_on(EXCEPTION_POINTERS *exception)
{
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void raise_for_good(void *arg)
{
    AddVectoredExceptionHandler(TRUE, always_on);
    RaiseException(0xE0000001, EXCEPTION_NONCONTINUABLE, 0, NULL);
    tc_note("never");
}

CALL_TEST(Exceptions, what_cannot_go_on_does_not, ends_by(raise_for_good, SIGABRT))

static void ask_the_filter(void *arg)
{
    EXCEPTION_RECORD record = {.ExceptionCode = 0xE0000001};
    CONTEXT context = {0};
    EXCEPTION_POINTERS exception = {&record, &context};

    EXPECT_EQ(UnhandledExceptionFilter(&exception), EXCEPTION_EXECUTE_HANDLER);
    SetUnhandledExceptionFilter(filter_declines);
    EXPECT_EQ(UnhandledExceptionFilter(&exception), EXCEPTION_EXECUTE_HANDLER);
    SetUnhandledExceptionFilter(filter_passes);
    EXPECT_EQ(UnhandledExceptionFilter(&exception), EXCEPTION_CONTINUE_EXECUTION);
    EXPECT_EQ(context.Rip, 2);
}

CALL_TEST(Exceptions, the_filters_answer, ends_well(ask_the_filter))
