/* SPDX-License-Identifier: MIT
 *
 * yields.c - a yield and the execute after it: bare, in turn on the documented scheduler, and after
 * a call that asks the kernel about its caller.
 */
#include "windows/probes.h"

#include "rig.h"
#include "turns.h"

/* ---- One worker, whose scheduler does nothing but execute it again
 * --------------------------------- */

static struct {
    uint64_t yields;
    uint64_t start_ns;
    uint64_t end_ns;
    void *scheduler_teb;
    bool call_first;
    bool hosted; /* by its scheduler's kernel thread, when the clock started and when it stopped */
    const char *failure;
} one;

static struct rig one_rig;
static struct rig_worker *one_worker;

/* The address of the running kernel thread's own block: exchanging its contents does not move it.
 * Not to be kept across a yield. */
static void *teb_now(void)
{
    void *teb;

    __asm__ volatile("movq %%gs:0x30, %0" : "=r"(teb));
    return teb;
}

static void do_once(struct rig_worker *self)
{
    if (one.call_first && GetThreadPriority(GetCurrentThread()) == THREAD_PRIORITY_ERROR_RETURN)
        bench_fail("GetThreadPriority", 0);
    rig_yield(self);
}

static void yield_alone(struct rig_worker *self)
{
    for (uint64_t i = 0; i < one.yields / 10 + 1; i++)
        do_once(self);
    one.hosted = teb_now() == one.scheduler_teb;
    one.start_ns = bench_now_ns();
    for (uint64_t i = 0; i < one.yields; i++)
        do_once(self);
    one.end_ns = bench_now_ns();
    one.hosted = one.hosted && teb_now() == one.scheduler_teb;
}

/* Startup, and whenever the worker blocks (it may, before its first instruction and at its end):
 * false when it has ended. */
static bool await_worker(void)
{
    PUMS_CONTEXT context = NULL;
    BOOLEAN terminated = TRUE;

    if (!DequeueUmsCompletionListItems(one_rig.list, INFINITE, &context) ||
        !QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                                   NULL))
        one.failure = "the worker did not arrive";
    return !terminated;
}

static VOID NTAPI execute_again(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        one.scheduler_teb = teb_now();
    if (reason != UmsSchedulerThreadYield && !await_worker())
        return;
    do
        ExecuteUmsThread(one_worker->context);
    while (GetLastError() == ERROR_RETRY);
    one.failure = "ExecuteUmsThread";
}

static void run_alone(uint64_t yields)
{
    one.yields = yields;
    rig_init(&one_rig, 1);
    one_worker = rig_add(&one_rig, yield_alone, NULL);
    if (!ums_enter(one_rig.list, execute_again, NULL))
        bench_fail("EnterUmsSchedulingMode", 0);
    if (one.failure || one.end_ns == 0)
        bench_fail(one.failure ? one.failure : "the worker did not run", 0);
}

static void emit_alone(const char *name)
{
    bench_emit(name, (double)(one.end_ns - one.start_ns) / (double)one.yields);
    bench_emit("hosted", one.hosted);
}

void probe_yield_one(const struct bench_scale *scale)
{
    run_alone(scale->yields);
    emit_alone("yield");
}

/* As in a program of many libraries: each slot that is in use moves with every switch. */
void probe_yield_slots(const struct bench_scale *scale)
{
    enum { SLOTS = 32 };

    for (int i = 0; i < SLOTS; i++)
        if (!TlsSetValue(TlsAlloc(), &one))
            bench_fail("a slot of thread-local storage", 0);
    probe_yield_one(scale);
}

void probe_home(const struct bench_scale *scale)
{
    one.call_first = true;
    run_alone(scale->calls);
    emit_alone("call");
}

/* ---- Several, in turn
 * ------------------------------------------------------------------------------ */

static void run_turns(unsigned workers, const struct bench_scale *scale)
{
    struct turns turns = {0};

    turns_take(&turns, workers, scale->yields);
    turns_emit(&turns);
}

void probe_turns_2(const struct bench_scale *scale)
{
    run_turns(2, scale);
}

void probe_turns_10(const struct bench_scale *scale)
{
    run_turns(10, scale);
}

void probe_turns_100(const struct bench_scale *scale)
{
    run_turns(100, scale);
}

void probe_turns_1000(const struct bench_scale *scale)
{
    run_turns(1000, scale);
}
