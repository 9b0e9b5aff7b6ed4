/* SPDX-License-Identifier: MIT
 *
 * matrix.c - schedulers by workers by lists: random work with what must hold for any program.
 *
 * Schedulers take workers from one ready queue, so workers migrate all the time. The clauses here
 * are the kit's own, named MX: what they assert are BL-4, BL-5, EX-12, EX-13, DQ-10 and YD-8 at once.
 */
#include "rig.h"

#include <string.h>

enum { MAX_SCHEDULERS = 4, MAX_WORKERS = 32, ROUNDS = 40 };
enum lists { SHARED, OWN, FOREIGN };

struct member {
    struct worker worker;
    struct scheduler *_Atomic on; /* that executed it last */
    atomic_int inside, twice, rounds, arrived, astray, blocked, yields;
};

struct scheduler {
    PUMS_COMPLETION_LIST names;  /* what it gave to EnterUmsSchedulingMode */
    PUMS_COMPLETION_LIST serves; /* what its workers are created with; it dequeues from both */
    struct member *current;
    HANDLE thread;
};

static struct {
    struct member members[MAX_WORKERS];
    struct scheduler schedulers[MAX_SCHEDULERS];
    int workers;
    atomic_int ended;
    atomic_flag lock; /* of the ready queue: schedulers only */
    PUMS_CONTEXT ready[MAX_WORKERS];
    int head, count;
    ULONGLONG deadline;
    HANDLE event;
} crew;
static DWORD slot;

static void lock(void)
{
    for (int i = 0; atomic_flag_test_and_set(&crew.lock); i++)
        if (i % 64 == 63)
            SwitchToThread();
}

static void push(PUMS_CONTEXT context)
{
    lock();
    if (crew.count < MAX_WORKERS)
        crew.ready[(crew.head + crew.count++) % MAX_WORKERS] = context;
    else
        FAIL("more are ready than there are workers");
    atomic_flag_clear(&crew.lock);
}

static PUMS_CONTEXT pop(void)
{
    PUMS_CONTEXT context = NULL;

    lock();
    if (crew.count > 0) {
        context = crew.ready[crew.head];
        crew.head = (crew.head + 1) % MAX_WORKERS;
        crew.count--;
    }
    atomic_flag_clear(&crew.lock);
    return context;
}

static struct member *member_of(PUMS_CONTEXT context)
{
    PVOID member = NULL;

    EXPECT_OK(
        QueryUmsThreadInformation(context, UmsThreadUserContext, &member, sizeof member, NULL));
    return member;
}

static bool belongs(struct member *member, PUMS_COMPLETION_LIST list)
{
    struct scheduler *last = atomic_load(&member->on);

    return list == (last ? by_rule(last->names, member->worker.list) : member->worker.list);
}

static void take(PUMS_COMPLETION_LIST list, DWORD milliseconds)
{
    PUMS_CONTEXT context = NULL;

    dequeued(list, milliseconds, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        struct member *member = member_of(context);

        atomic_fetch_add(&member->astray, !belongs(member, list));
        atomic_fetch_add(&member->arrived, 1);
        if (is_terminated(context))
            atomic_fetch_add(&crew.ended, 1);
        else
            push(context);
        context = next;
    }
}

static VOID NTAPI crew_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct scheduler *self = TlsGetValue(slot);

    (void)param;
    if (reason == UmsSchedulerThreadYield) {
        EXPECT_EQ(payload, self->current->worker.context);
        atomic_fetch_add(&self->current->yields, 1);
        push((PUMS_CONTEXT)payload);
    } else if (reason == UmsSchedulerThreadBlocked) {
        atomic_fetch_add(&self->current->blocked, 1);
    }
    while (atomic_load(&crew.ended) < crew.workers && GetTickCount64() < crew.deadline) {
        PUMS_CONTEXT context;

        take(self->serves, 0);
        if (self->names != self->serves)
            take(self->names, 0);
        context = pop();
        if (context) {
            self->current = member_of(context);
            atomic_store(&self->current->on, self);
            EXPECT_EQ(execute(context), ERROR_SUCCESS);
            return;
        }
        take(self->names, 2);
    }
}

static DWORD WINAPI schedule(LPVOID param)
{
    struct scheduler *self = param;

    EXPECT_OK(TlsSetValue(slot, self));
    EXPECT_OK(ums_enter(self->names, crew_proc, NULL));
    return 0;
}

static void enter_work(struct member *self)
{
    if (atomic_fetch_add(&self->inside, 1))
        atomic_fetch_add(&self->twice, 1);
}

static DWORD WINAPI work(LPVOID param)
{
    struct member *self = param;
    unsigned state = (unsigned)(self - crew.members) * 7919u + 17u;

    enter_work(self);
    for (int i = 0; i < ROUNDS; i++) {
        state = state * 1664525u + 1013904223u;
        SetLastError(state);
        atomic_fetch_sub(&self->inside, 1);
        switch (state >> 29) {
        case 0:
            Sleep(1);
            break;
        case 1:
            WaitForSingleObject(crew.event, 1);
            break;
        case 2:
            SetEvent(crew.event);
            break;
        default:
            UmsThreadYield(self);
        }
        enter_work(self);
        EXPECT_EQ(GetCurrentUmsThread(), self->worker.context);
        EXPECT_EQ(GetCurrentThreadId(), self->worker.id);
        atomic_fetch_add(&self->rounds, 1);
    }
    return 0;
}

static bool make_crew(int schedulers, int workers, enum lists lists)
{
    memset(&crew, 0, sizeof crew);
    crew.workers = workers;
    crew.event = make_event(false);
    crew.deadline = GetTickCount64() + 2 * patience_ms();
    slot = TlsAlloc();
    for (int i = 0; i < schedulers; i++) {
        struct scheduler *self = &crew.schedulers[i];

        self->names = i && lists == SHARED ? crew.schedulers[0].names : make_list();
        self->serves = lists == FOREIGN ? make_list() : self->names;
    }
    for (int i = 0; i < workers; i++) {
        struct member *member = &crew.members[i];
        PVOID value = member;

        if (!make_worker(&member->worker, crew.schedulers[i % schedulers].serves, work, member,
                         CREATE_SUSPENDED) ||
            !EXPECT_OK(SetUmsThreadInformation(member->worker.context, UmsThreadUserContext, &value,
                                               sizeof value)) ||
            !EXPECT_EQ(ResumeThread(member->worker.thread), 1))
            return false;
    }
    return true;
}

static void judge(int schedulers, enum lists lists)
{
    for (int i = 0; i < crew.workers; i++) {
        struct member *member = &crew.members[i];

        EXPECT_EQ(atomic_load(&member->rounds), ROUNDS);
        EXPECT_EQ(atomic_load(&member->twice), 0);
        EXPECT_EQ(atomic_load(&member->astray), 0);
        EXPECT_EQ(atomic_load(&member->arrived), 1 + atomic_load(&member->blocked));
        drop_worker(&member->worker);
    }
    for (int i = 0; i < schedulers; i++) {
        struct scheduler *self = &crew.schedulers[i];

        if (i && lists == SHARED)
            break;
        EXPECT(is_empty(self->serves, 0));
        if (lists == FOREIGN) {
            EXPECT(is_empty(self->names, 0));
            drop_list(self->serves);
        }
        drop_list(self->names);
    }
    EXPECT_OK(CloseHandle(crew.event));
    EXPECT_OK(TlsFree(slot));
}

static void run(int schedulers, int workers, enum lists lists)
{
    ASSERT_NE(arrival_rule(), NO_RULE);
    REQUIRE(make_crew(schedulers, workers, lists));
    for (int i = 1; i < schedulers; i++) {
        crew.schedulers[i].thread = CreateThread(NULL, 0, schedule, &crew.schedulers[i], 0, NULL);
        ASSERT_OK(crew.schedulers[i].thread != NULL);
    }
    schedule(&crew.schedulers[0]);
    for (int i = 1; i < schedulers; i++) {
        REQUIRE(EXPECT_EQ(WaitForSingleObject(crew.schedulers[i].thread, 2 * patience_ms()),
                          WAIT_OBJECT_0));
        EXPECT_OK(CloseHandle(crew.schedulers[i].thread));
    }
    ASSERT_EQ(atomic_load(&crew.ended), workers);
    judge(schedulers, lists);
}

#define MATRIX(number, schedulers, workers, lists, says)                                           \
    CLAUSE(MX, number, DOC, "U", says)                                                             \
    {                                                                                              \
        run(schedulers, workers, lists);                                                           \
    }

MATRIX(1, 1, 1, SHARED, "One scheduler, one worker")
MATRIX(2, 1, 1, FOREIGN, "One scheduler, one worker, which arrives first on another list")
MATRIX(3, 1, 24, SHARED, "One scheduler, many workers")
MATRIX(4, 1, 24, FOREIGN, "One scheduler, many workers, which arrive first on another list")
MATRIX(5, 3, 1, SHARED, "Three schedulers with one list, one worker")
MATRIX(6, 3, 24, SHARED, "Three schedulers with one list, many workers")
MATRIX(7, 3, 24, OWN, "Three schedulers, each with its list, many workers")
MATRIX(8, 3, 24, FOREIGN, "Three schedulers, workers arrive first on lists that none of them names")
