/* SPDX-License-Identifier: MIT
 *
 * stop_doubles.h - the neighbours of platform/linux/interrupt/stop.c for its test: what they were asked, and what
 * they answer.
 */
#ifndef UMSSHIM_TESTS_UNIT_STOP_DOUBLES_H
#define UMSSHIM_TESTS_UNIT_STOP_DOUBLES_H

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

struct engine_clock engine_clock;
int stop_signal = 16;

static struct plat_thread thread;
static ucontext_t interrupted;
static unsigned stood, ended;
static bool in_libc;
static jmp_buf at_end;

bool cancellation_trial(ucontext_t *context)
{
    return false;
}

bool helper_interrupted(ucontext_t *context)
{
    return false;
}

bool busy_in_libc(const ucontext_t *context)
{
    return in_libc;
}

bool libc_holds(const void *code)
{
    return in_libc;
}

static bool could_move; /* where the last fault was over */

void fault_over(struct plat_context *worker, ucontext_t *context, bool movable)
{
    could_move = movable;
}

bool fiber_is_elsewhere(const struct plat_context *scheduler)
{
    return false;
}

ucontext_t *registers_stand(struct plat_thread *of, ucontext_t *context)
{
    return NULL;
}

void registers_answer(struct plat_thread *of, const ucontext_t *context)
{
}

static unsigned held_schedulers, home_handled;

void home_signals_hold(struct plat_context *scheduler)
{
    held_schedulers++;
}

void home_signals_met(struct plat_context *scheduler)
{
    home_handled++;
}

bool home_signals_wanted(void)
{
    return false;
}

bool home_signals_aside(struct plat_context *worker)
{
    FAIL("nobody nudges");
    return false;
}

static unsigned left_calls;

void sync_call_leave(const struct plat_thread *of, ucontext_t *context)
{
    EXPECT_EQ((void *)of, (void *)&thread);
    left_calls++;
}

struct signals_ran signals_run(struct plat_context *worker, ucontext_t *context)
{
    (void)worker, (void)context;
    FAIL("no signal is due");
    return (struct signals_ran){false, false};
}

bool own_process_is_another(void)
{
    return false;
}

/* The nudge, which no test here asks for. */
pid_t own_pid(void)
{
    FAIL("no signal is sent");
    return 0;
}

bool wait_interrupt(struct plat_thread *waiter)
{
    FAIL("no wait is let go");
    return false;
}

bool wait_cancel(struct plat_thread *waiter)
{
    FAIL("no wait is let go");
    return false;
}

void call_cancel(struct call *call)
{
    FAIL("no call is let go");
}

bool call_interruptible(const struct call *call)
{
    FAIL("no call is let go");
    return false;
}

void signals_run_interrupted(struct plat_context *worker, ucontext_t *context)
{
}

_Noreturn void plat_scheduler_leave(struct plat_context *scheduler, bool exit_thread)
{
    longjmp(at_end, 1);
}

_Noreturn void thread_exit(uint32_t code)
{
    longjmp(at_end, 1);
}

/* The places of the library's where the program's own calls are made. */
__asm__(".pushsection .text.places, \"ax\"\n"
        ".globl lent_gate, lent_gate_end, raw_syscall_ip, program_gate_behind, open_gate_behind\n"
        "lent_gate: nop\n"
        "lent_gate_end: nop\n"
        "raw_syscall_ip: nop\n"
        "program_gate_behind: nop\n"
        "open_gate_behind: nop\n"
        ".popsection");

static unsigned stopped_workers;
static enum plat_nudge wanted;

static enum plat_nudge nudge_of(struct plat_context *worker)
{
    return wanted;
}

static void stop_it(struct plat_context *worker)
{
    stopped_workers++;
}

static const struct plat_core core = {
    .worker_nudge = nudge_of, .worker_due = nudge_of, .worker_stop = stop_it};
const struct plat_core *engine_core = &core;

#endif
