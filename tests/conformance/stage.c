/* SPDX-License-Identifier: MIT
 *
 * stage.c - the scheduler that writes down what it sees. No heap and no stdio in its entry point,
 * and nothing that the stack of a later activation would miss.
 */
#include "host.h"
#include "rig.h"

#include <string.h>
#include <xmmintrin.h>

/* One for each scheduler thread: SP-5 is what makes this work. */
static DWORD slot;

__attribute__((constructor)) static void make_slot(void)
{
    slot = TlsAlloc();
}

void stage_ready(struct stage *stage, PUMS_CONTEXT context)
{
    if (EXPECT(stage->ready_count < MAX_READY))
        stage->ready[stage->ready_count++] = context;
}

void stage_take(struct stage *stage, PUMS_COMPLETION_LIST list, DWORD milliseconds)
{
    PUMS_CONTEXT context = NULL;

    dequeued(list, milliseconds, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        stage->arrived++;
        if (is_terminated(context))
            stage->ends--;
        else
            stage_ready(stage, context);
        context = next;
    }
}

static void write_down(struct stage *stage, const struct entry *entry)
{
    if (stage->entries < MAX_ENTRIES)
        stage->log[stage->entries] = *entry;
    stage->entries++;
    switch (entry->reason) {
    case UmsSchedulerStartup:
        stage->startups++;
        break;
    case UmsSchedulerThreadBlocked:
        stage->blocked++;
        stage->traps += !(entry->payload & 1);
        break;
    case UmsSchedulerThreadYield:
        stage->yields++;
        stage_ready(stage, (PUMS_CONTEXT)entry->payload);
        break;
    default:
        FAIL("TY-3: a reason that does not exist");
    }
}

static PUMS_CONTEXT next_one(struct stage *stage)
{
    PUMS_CONTEXT first = stage->ready[0];

    stage->ready_count--;
    if (!stage->in_turn)
        return stage->ready[stage->ready_count];
    memmove(stage->ready, stage->ready + 1, (size_t)stage->ready_count * sizeof first);
    return first;
}

static VOID NTAPI stage_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    volatile char here = 0;
    unsigned mxcsr = _mm_getcsr();
    struct stage *stage = TlsGetValue(slot);
    struct entry entry = {reason,
                          payload,
                          param,
                          stage->executed,
                          GetCurrentUmsThread(),
                          GetCurrentThreadId(),
                          (PVOID)&here,
                          mxcsr,
                          stage->alive};

    stage->alive++;
    write_down(stage, &entry);
    if (stage->hook)
        stage->hook(stage, &entry);
    while (!stage->leave) {
        if (!stage->blind)
            stage_take(stage, stage->list, 0);
        if (stage->other)
            stage_take(stage, stage->other, 0);
        if (stage->ready_count > 0) {
            PUMS_CONTEXT context = next_one(stage);

            stage->executed = context;
            stage->alive--;
            EXPECT_EQ(execute(context), ERROR_SUCCESS); /* does not come back */
            stage->alive++;
            break;
        }
        if (stage->ends <= 0 || stage->blind || GetTickCount64() > stage->deadline)
            break;
        stage_take(stage, stage->list, stage->other ? 1 : 20);
    }
    stage->alive--;
}

bool stage_run(struct stage *stage)
{
    bool ok;

    stage->deadline = GetTickCount64() + 2 * patience_ms();
    EXPECT_OK(TlsSetValue(slot, stage));
    ok = EXPECT_OK(ums_enter(stage->list, stage_proc, stage));
    return ok && EXPECT_EQ(stage->alive, 0) && (stage->leave || EXPECT_LE(stage->ends, 0));
}

bool stage_solo(struct stage *stage, struct worker *worker, LPTHREAD_START_ROUTINE routine,
                void *argument)
{
    stage->list = make_list();
    stage->ends = 1;
    return stage->list && make_worker(worker, stage->list, routine, argument, 0) &&
           stage_run(stage);
}

bool drive(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *held, int count, int ends)
{
    static _Thread_local struct stage stage; /* too big for a stack */

    memset(&stage, 0, sizeof stage);
    stage.list = list;
    stage.ends = ends;
    stage.in_turn = true;
    for (int i = 0; i < count; i++)
        stage_ready(&stage, held[i]);
    return stage_run(&stage);
}

bool make_ended(PUMS_COMPLETION_LIST list, struct worker *workers, int count)
{
    static struct stage stage;
    bool ok = true;

    for (int i = 0; i < count && ok; i++)
        ok = make_arrived(&workers[i], list, routine_return, NULL);
    for (int i = 0; i < count && ok; i++) {
        stage = (struct stage){.list = list, .blind = true};
        stage_ready(&stage, workers[i].context);
        ok = stage_run(&stage) &&
             EXPECT_EQ(WaitForSingleObject(workers[i].thread, patience_ms()), WAIT_OBJECT_0);
        if (host_is_oracle())
            Sleep(20);
    }
    return ok;
}

void drop_workers(PUMS_COMPLETION_LIST list, struct worker *workers, int count)
{
    for (int i = 0; i < count; i++)
        drop_worker(&workers[i]);
    drop_list(list);
}
