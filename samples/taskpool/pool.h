/* SPDX-License-Identifier: MIT
 *
 * pool.h - a pool that runs each task as a UMS worker of its own, on one scheduler thread.
 *
 * Submit may be called by any thread, tasks included. A future is waited for with an event: a task
 * that waits leaves the scheduler to the others. The pool's destructor waits for all tasks.
 */
#ifndef TASKPOOL_POOL_H
#define TASKPOOL_POOL_H

#include "ums.h"

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

template <class Value> class Future {
public:
    struct State {
        Event done;
        std::optional<Value> value;
        std::exception_ptr error;
    };

    explicit Future(std::shared_ptr<State> state) : m_state(std::move(state)) {}

    /* The task's result; or its exception, thrown again here. */
    Value Get(DWORD limit = 5000) const
    {
        if (!m_state->done.Wait(limit))
            throw std::runtime_error("a task did not end in time");
        if (m_state->error)
            std::rethrow_exception(m_state->error);
        return *m_state->value;
    }

private:
    std::shared_ptr<State> m_state;
};

class TaskPool {
public:
    TaskPool();
    ~TaskPool();
    TaskPool(const TaskPool &) = delete;
    TaskPool &operator=(const TaskPool &) = delete;

    template <class Task> auto Submit(Task task) -> Future<decltype(task())>
    {
        using State = typename Future<decltype(task())>::State;
        auto state = std::make_shared<State>();

        Start([state, task = std::move(task)]() mutable {
            try {
                state->value.emplace(task());
            } catch (...) {
                state->error = std::current_exception();
            }
            state->done.Set();
        });
        return Future<decltype(task())>(state);
    }

    LONG Activations() const { return m_activations; }

private:
    /* A task while it lives. The ready queue is a chain of slots: the scheduler needs no heap. */
    struct Slot {
        volatile LONG taken = 0;
        std::function<void()> body;
        std::optional<Worker> worker;
        Slot *next = nullptr;
    };

    void Start(std::function<void()> body);
    bool Schedule();
    void Drain(PUMS_CONTEXT chain);
    void PushReady(Slot *slot);
    static DWORD WINAPI TaskMain(LPVOID param);
    static DWORD WINAPI SchedulerMain(LPVOID param);
    static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param);

    CompletionList m_list;
    Event m_close;
    std::array<Slot, 64> m_slots;
    volatile LONG m_alive = 0;

    /* The scheduler's own: nobody else looks, so no lock. */
    Slot *m_first = nullptr;
    Slot *m_last = nullptr;
    bool m_closing = false;
    volatile LONG m_activations = 0;

    Handle m_thread; /* last: it uses all of the above */
};

#endif
