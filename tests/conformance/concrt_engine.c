/* SPDX-License-Identifier: MIT
 *
 * concrt_engine.c - the primaries of concrt.h.
 */
#include "concrt.h"

#include <string.h>

struct concrt concrt;

static void lock(atomic_flag *flag)
{
    for (int i = 0; atomic_flag_test_and_set(flag); i++)
        if (i % 64 == 63)
            SwitchToThread();
}

static void put(atomic_flag *flag, struct proxy **queue, int *count, struct proxy *proxy)
{
    lock(flag);
    if (*count < MAX_PROXIES)
        queue[(*count)++] = proxy;
    else
        FAIL("a proxy is on a queue twice");
    atomic_flag_clear(flag);
}

static struct proxy *get(atomic_flag *flag, struct proxy **queue, int *count)
{
    struct proxy *proxy = NULL;

    lock(flag);
    if (*count > 0) {
        proxy = queue[0];
        memmove(queue, queue + 1, (size_t)-- * count * sizeof *queue);
    }
    atomic_flag_clear(flag);
    return proxy;
}

void concrt_hand_out(struct proxy *proxy)
{
    struct primary *owner = atomic_load(&proxy->bound);

    if (atomic_load(&proxy->critical))
        owner = atomic_load(&proxy->on);
    else if (!atomic_load(&proxy->at_main))
        owner = concrt_engine();
    if (owner) {
        put(&owner->lock, owner->queue, &owner->queued, proxy);
        EXPECT_OK(SetEvent(owner->wake));
        return;
    }
    put(&concrt.lock, concrt.ready, &concrt.ready_count, proxy);
    for (int i = 1; i <= PROCESSORS; i++)
        EXPECT_OK(SetEvent(concrt.primaries[i].wake));
}

/* A sweep hands on: an arrival may be another's. */
static void sweep(struct primary *self)
{
    PUMS_CONTEXT context = NULL;

    dequeued(self->list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        PVOID proxy = NULL;

        EXPECT_OK(
            QueryUmsThreadInformation(context, UmsThreadUserContext, &proxy, sizeof proxy, NULL));
        if (is_terminated(context)) {
            EXPECT_OK(DeleteUmsThreadContext(context));
            atomic_fetch_add(&concrt.ended, 1);
        } else {
            concrt_hand_out(proxy);
        }
        context = next;
    }
}

/* Does not return, unless the proxy is suspended: then it is polled (EX-11). */
static void dispatch(struct primary *self, struct proxy *proxy)
{
    struct proxy *before = self->current;
    DWORD error;

    atomic_store(&proxy->on, self);
    if (!proxy->first)
        proxy->first = self;
    self->current = proxy;
    atomic_fetch_add(&self->executes, 1);
    error = execute(proxy->worker.context);
    self->current = before;
    atomic_fetch_sub(&self->executes, 1);
    EXPECT_EQ(error, ERROR_INVALID_PARAMETER);
    EXPECT_EQ(is_terminated(proxy->worker.context), false);
    atomic_fetch_add(&proxy->refusals, 1);
    concrt_hand_out(proxy);
    Sleep(1);
}

static void poll(struct primary *self)
{
    if (self->kind == PROCESSOR)
        sweep(self);
}

static void wait_for_work(struct primary *self)
{
    HANDLE both[2] = {self->wake, self->completed};
    DWORD which = WaitForMultipleObjects(2, both, FALSE, 20);

    EXPECT_NE(which, WAIT_FAILED);
    if (which == WAIT_OBJECT_0 + 1)
        sweep(self);
}

/* CX-2: the primary waits until exactly this proxy is back, and runs nobody else. */
static void wait_for(struct primary *self, struct proxy *proxy)
{
    atomic_fetch_add(&self->critical_blocks, 1);
    while (GetTickCount64() < concrt.deadline) {
        struct proxy *back;

        poll(self);
        back = get(&self->lock, self->queue, &self->queued);
        if (back) {
            EXPECT_EQ(back, proxy);
            dispatch(self, back);
        } else {
            wait_for_work(self);
        }
    }
    FAIL("a worker in a critical region did not come back");
}

static bool is_over(struct primary *self)
{
    return self->retire || atomic_load(&concrt.ended) >= concrt.count ||
           GetTickCount64() > concrt.deadline;
}

static void yielded(struct primary *self, struct proxy *proxy, enum request request)
{
    EXPECT_EQ(proxy, self->current);
    switch (request) {
    case AT_MAIN:
        EXPECT_EQ(self->kind, ENGINE);
        atomic_store(&proxy->at_main, 1);
        break;
    case BE_A_THREAD:
        atomic_store(&proxy->bound, concrt_private());
        break;
    case RETIRE:
        self->retire = true;
        atomic_store(&proxy->bound, concrt_engine()); /* which sees it to its end */
        break;
    case LET_OTHERS:
        break;
    }
    concrt_hand_out(proxy);
}

static VOID NTAPI primary_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PVOID own = NULL, proxy = NULL;
    struct primary *self;

    if (reason == UmsSchedulerStartup) {
        own = param;
        EXPECT_OK(
            SetUmsThreadInformation(GetCurrentUmsThread(), UmsThreadUserContext, &own, sizeof own));
        EXPECT_EQ(WaitForSingleObject(concrt.start, patience_ms()), WAIT_OBJECT_0);
    }
    EXPECT_OK(QueryUmsThreadInformation(GetCurrentUmsThread(), UmsThreadUserContext, &own,
                                        sizeof own, NULL));
    self = own;
    if (reason == UmsSchedulerStartup) {
        self->told = self == param;
        atomic_fetch_add(&self->startups, 1);
    } else if (reason == UmsSchedulerThreadYield) {
        EXPECT_OK(QueryUmsThreadInformation((PUMS_CONTEXT)payload, UmsThreadUserContext, &proxy,
                                            sizeof proxy, NULL));
        yielded(self, proxy, (enum request)(ULONG_PTR)param);
    } else if (!(payload & 1)) {
        atomic_fetch_add(&self->traps, 1);
        if (atomic_load(&self->current->critical))
            wait_for(self, self->current);
    } else if (atomic_load(&self->current->critical)) {
        wait_for(self, self->current);
    }
    while (!is_over(self)) {
        struct proxy *next;

        poll(self);
        next = get(&self->lock, self->queue, &self->queued);
        if (!next && self->kind == PROCESSOR)
            next = get(&concrt.lock, concrt.ready, &concrt.ready_count);
        if (next)
            dispatch(self, next);
        else
            wait_for_work(self);
    }
}

static DWORD WINAPI primary_main(LPVOID param)
{
    struct primary *self = param;

    EXPECT_OK(ums_enter(self->list, primary_proc, self));
    return 0;
}

void concrt_yield(enum request request)
{
    EXPECT_OK(UmsThreadYield((PVOID)(ULONG_PTR)request));
}

/* A proxy's thread runs up to here on the thread engine, whatever its start has to wait for. */
static DWORD WINAPI proxy_main(LPVOID param)
{
    struct proxy *self = param;

    concrt_yield(AT_MAIN);
    self->body(self);
    return 0;
}

static bool make_proxy(struct proxy *proxy, void (*body)(struct proxy *))
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), concrt.a};
    PVOID value = proxy;

    proxy->body = body;
    proxy->worker = (struct worker){.list = concrt.a, .context = ums.UmsContext};
    EXPECT_OK(SetUmsThreadInformation(ums.UmsContext, UmsThreadUserContext, &value, sizeof value));
    proxy->worker.thread = ums_thread(&ums, proxy_main, proxy, 0, &proxy->worker.id);
    if (!EXPECT_OK(proxy->worker.thread != NULL) || !EXPECT_EQ(arrival(concrt.a), ums.UmsContext))
        return false;
    concrt_hand_out(proxy);
    return true;
}

/* Until all primaries have returned. A proxy that comes back on A is lost, for nobody looks there any
 * more: then there is nothing to wait for. */
static bool see_it_through(void)
{
    HANDLE things[1 + PRIMARIES] = {concrt.astray};
    DWORD limit = 3 * patience_ms();
    DWORD which;

    for (int i = 0; i < PRIMARIES; i++)
        things[1 + i] = concrt.primaries[i].thread;
    for (int left = PRIMARIES; left > 0;) {
        which = WaitForMultipleObjects(1 + (DWORD)left, things, FALSE, limit);
        if (which > WAIT_OBJECT_0 && which <= WAIT_OBJECT_0 + (DWORD)left) {
            things[which - WAIT_OBJECT_0] = things[left--];
        } else if (which != WAIT_OBJECT_0) {
            return FAIL("the primaries did not return");
        } else if (atomic_load(&concrt.deadline) &&
                   !is_empty(concrt.a, 0)) { /* not just a late signal */
            FAIL("a worker that was executed came back on the list of its creation");
            atomic_store(&concrt.deadline, 0);
        }
    }
    return true;
}

bool concrt_run(void (*const bodies[])(struct proxy *), int count)
{
    bool ok = true;

    memset(&concrt, 0, sizeof concrt);
    atomic_store(&concrt.deadline, GetTickCount64() + 2 * patience_ms());
    concrt.count = count;
    concrt.a = make_list();
    concrt.b = make_list();
    concrt.c = make_list();
    concrt.start = make_event(true);
    EXPECT_OK(GetUmsCompletionListEvent(concrt.a, &concrt.astray));
    for (int i = 0; i < PRIMARIES; i++) {
        struct primary *self = &concrt.primaries[i];

        self->kind = i == 0 ? ENGINE : i <= PROCESSORS ? PROCESSOR : PRIVATE;
        self->list = self->kind == PROCESSOR ? concrt.b : concrt.c;
        EXPECT_OK(GetUmsCompletionListEvent(self->list, &self->completed));
        self->wake = make_event(false);
        self->thread = CreateThread(NULL, 0, primary_main, self, 0, NULL);
        ok = EXPECT_OK(self->thread != NULL) && ok;
    }
    for (int i = 0; i < count && ok; i++)
        ok = make_proxy(&concrt.proxies[i], bodies[i]);
    EXPECT_OK(SetEvent(concrt.start));
    ok = see_it_through() && ok;
    return EXPECT_EQ(atomic_load(&concrt.ended), count) && ok;
}

void concrt_clean_up(void)
{
    for (int i = 0; i < concrt.count; i++) {
        EXPECT_EQ(WaitForSingleObject(concrt.proxies[i].worker.thread, patience_ms()),
                  WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(concrt.proxies[i].worker.thread));
    }
    for (int i = 0; i < PRIMARIES; i++) {
        EXPECT_OK(CloseHandle(concrt.primaries[i].wake));
        EXPECT_OK(CloseHandle(concrt.primaries[i].completed));
        EXPECT_OK(CloseHandle(concrt.primaries[i].thread));
    }
    EXPECT_OK(CloseHandle(concrt.astray));
    EXPECT_OK(CloseHandle(concrt.start));
    EXPECT(is_empty(concrt.a, 0));
    EXPECT(is_empty(concrt.b, 0));
    EXPECT(is_empty(concrt.c, 0));
    drop_list(concrt.a);
    drop_list(concrt.b);
    drop_list(concrt.c);
}
