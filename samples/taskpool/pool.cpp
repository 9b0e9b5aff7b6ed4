/* SPDX-License-Identifier: MIT
 *
 * pool.cpp - the pool's scheduler.
 *
 * Nothing in SchedulerProc and below allocates, prints or takes a critical section: a task that was
 * switched away may be in the middle of any of them. A task frees all that it allocated.
 */
#include "pool.h"

#include <stdio.h>

TaskPool::TaskPool() : m_thread(CreateThread(NULL, 0, SchedulerMain, this, 0, NULL))
{
    if (!m_thread.Get())
        Fail("CreateThread");
}

TaskPool::~TaskPool()
{
    m_close.Set();
    if (!m_thread.Wait(5000)) {
        printf("verdict: FAILED, %ld tasks hang\n", (long)m_alive);
        fflush(stdout);
        ExitProcess(1); /* their memory must not be freed under them */
    }
}

void TaskPool::Start(std::function<void()> body)
{
    for (Slot &slot : m_slots) {
        if (InterlockedCompareExchange(&slot.taken, 1, 0) != 0)
            continue;
        slot.body = std::move(body);
        InterlockedIncrement(&m_alive);
        try {
            slot.worker.emplace(&slot);
            slot.worker->Start(m_list, TaskMain, &slot);
        } catch (...) {
            slot.worker.reset();
            InterlockedDecrement(&m_alive);
            InterlockedExchange(&slot.taken, 0);
            throw;
        }
        return;
    }
    throw std::runtime_error("too many tasks at a time");
}

DWORD WINAPI TaskPool::TaskMain(LPVOID param)
{
    std::function<void()> body = std::exchange(static_cast<Slot *>(param)->body, nullptr);

    body();
    return 0;
}

/* ---- The scheduler --------------------------------------------------------------------------- */

DWORD WINAPI TaskPool::SchedulerMain(LPVOID param)
{
    TaskPool *pool = static_cast<TaskPool *>(param);
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, pool->m_list.Get(), SchedulerProc, pool};

    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

/* Only Startup brings the pool along. Later activations find it in the scheduler's own context. */
VOID NTAPI TaskPool::SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT self = GetCurrentUmsThread();

    if (reason == UmsSchedulerStartup)
        SetUmsThreadInformation(self, UmsThreadUserContext, &param, sizeof(param));

    TaskPool *pool = OwnerOf<TaskPool>(self);

    InterlockedIncrement(&pool->m_activations);
    if (reason == UmsSchedulerThreadYield)
        pool->PushReady(OwnerOf<Slot>(reinterpret_cast<PUMS_CONTEXT>(payload)));
    while (pool->Schedule())
        ;
}

/* Runs the first ready task, which does not return; or waits for news. False: all is over. No frame
 * above may have anything to destroy: frames that ExecuteUmsThread leaves behind are not
 * unwound. */
bool TaskPool::Schedule()
{
    HANDLE news[] = {m_list.Arrival(), m_close.Get()};
    PUMS_CONTEXT chain = NULL;

    DequeueUmsCompletionListItems(m_list.Get(), 0, &chain);
    Drain(chain);
    if (m_first) {
        Slot *slot = m_first;

        m_first = slot->next;
        ExecuteUmsThread(slot->worker->Context());
        PushReady(slot); /* only a failure comes here: try again later */
        return true;
    }
    if (m_closing && m_alive == 0)
        return false;
    if (WaitForMultipleObjects(m_closing ? 1 : 2, news, FALSE, INFINITE) == WAIT_OBJECT_0 + 1)
        m_closing = true;
    return true;
}

void TaskPool::Drain(PUMS_CONTEXT chain)
{
    while (chain) {
        PUMS_CONTEXT context = chain;
        Slot *slot = OwnerOf<Slot>(context);

        chain = GetNextUmsListItem(context);
        if (IsTerminated(context)) {
            slot->worker.reset(); /* here the context is deleted */
            InterlockedExchange(&slot->taken, 0);
            InterlockedDecrement(&m_alive);
        } else {
            PushReady(slot);
        }
    }
}

void TaskPool::PushReady(Slot *slot)
{
    slot->next = nullptr;
    if (m_first)
        m_last->next = slot;
    else
        m_first = slot;
    m_last = slot;
}
