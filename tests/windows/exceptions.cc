// SPDX-License-Identifier: MIT
//
// exceptions.cc - C++ in workers: exceptions that are thrown, on their way, and handled while other
// workers throw theirs; and thread-local objects.
//
// The hazard: the C++ runtime keeps the exceptions being handled, and the objects to destroy, in a
// list for each thread. Two workers on one kernel thread that shared it would handle each other's
// exceptions, and rethrow the wrong one.
//
// modes: default
#include "again.h"
#include "gtest_c.h"
#include "moving.h"

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

enum { ROUNDS = 20, WORKERS = 4 };

struct Failure {
    int worker;
    int round;
};

// Yields while the stack is unwound, too.
struct Guard {
    explicit Guard(struct worker *owner, int *counter) : self(owner), destroyed(counter) {}
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;
    ~Guard()
    {
        EXPECT_EQ(std::uncaught_exceptions(), 1);
        UmsThreadYield(nullptr);
        EXPECT_EQ(std::uncaught_exceptions(), 1);
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        ++*destroyed;
    }
    struct worker *self;
    int *destroyed;
};

__attribute__((noinline)) void throw_from(struct worker *self, int round, int depth, int *destroyed)
{
    Guard guard(self, destroyed);

    step_aside(self, depth);
    if (depth == 0)
        throw Failure{self->index, round};
    throw_from(self, round, depth - 1, destroyed);
}

void throw_and_catch(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        int destroyed = 0;
        bool caught = false;

        try {
            throw_from(self, i, 3, &destroyed);
        } catch (const Failure &failure) {
            step_aside(self, i);
            EXPECT_EQ(failure.worker, self->index);
            EXPECT_EQ(failure.round, i);
            caught = true;
        }
        EXPECT_OK(caught);
        EXPECT_EQ(destroyed, 4);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
}

// Inside handlers of all workers at once: whose exception is current, and rethrown.
void stay_in_handlers(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        int caught = 0;

        try {
            try {
                throw Failure{self->index, i};
            } catch (const Failure &) {
                step_aside(self, i);
                try {
                    throw std::runtime_error(std::to_string(self->index * 1000 + i));
                } catch (const std::runtime_error &inner) {
                    step_aside(self, i + 1);
                    EXPECT_EQ(std::atoi(inner.what()), self->index * 1000 + i);
                    caught++;
                }
                step_aside(self, i + 2);
                EXPECT_OK(std::current_exception() != nullptr);
                throw; // the outer one, and this worker's
            }
        } catch (const Failure &failure) {
            EXPECT_EQ(failure.worker, self->index);
            EXPECT_EQ(failure.round, i);
            caught++;
        }
        EXPECT_EQ(caught, 2);
        EXPECT_OK(std::current_exception() == nullptr);
    }
}

void schedulers_handle_nothing(const struct activation *, void *)
{
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    EXPECT_OK(std::current_exception() == nullptr);
}

struct Local {
    Local() = default;
    Local(const Local &) = delete;
    Local &operator=(const Local &) = delete;
    ~Local();
    int value = 0;
    DWORD made_by = GetCurrentThreadId();
};

int destroyed_locals;

// MinGW may have given an object's memory back before its destructor runs. So what that is to find is kept
// here: where a worker's object is, and whose.
struct Place {
    const Local *object;
    DWORD owner;
};
Place places[WORKERS];
LONG place_count;

Local::~Local()
{
    // Of the workers alone: this runs at the ends of other threads as well.
    for (const Place &place : places)
        if (place.object == this && place.owner == GetCurrentThreadId())
            flag_add(&destroyed_locals, 1);
}

thread_local Local local;

void have_a_local(struct worker *self)
{
    Local *const mine = &local;

    EXPECT_EQ(mine->value, 0);
    EXPECT_EQ(mine->made_by, self->id);
    places[InterlockedIncrement(&place_count) - 1] = {mine, self->id};
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        local.value = 1000 * (self->index + 1) + i;
        step_aside(self, i);
        EXPECT_EQ(&local, mine);
        EXPECT_EQ(local.value, 1000 * (self->index + 1) + i);
    }
}

void throw_unhandled(struct worker *self)
{
    move_on(self);
    throw Failure{self->index, 0};
}

DWORD terminated_by;

void note_terminate()
{
    std::_Exit(GetCurrentThreadId() == terminated_by ? 55 : 56);
}

} // namespace

TEST(Exceptions, thrown_over_frames_that_yield_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, WORKERS, throw_and_catch, nullptr, schedulers_handle_nothing));
}

TEST(Exceptions, thrown_over_frames_that_yield_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, WORKERS, throw_and_catch, nullptr, schedulers_handle_nothing));
}

TEST(Exceptions, handlers_in_turn_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, WORKERS, stay_in_handlers, nullptr, schedulers_handle_nothing));
}

TEST(Exceptions, handlers_in_turn_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, WORKERS, stay_in_handlers, nullptr, schedulers_handle_nothing));
}

TEST(Exceptions, thread_local_objects)
{
    destroyed_locals = 0;
    ASSERT_OK(run_moving(2, WORKERS, have_a_local, nullptr, nullptr));
    EXPECT_EQ(destroyed_locals, WORKERS);
}

// The handler runs on the thread that threw.
TEST(Exceptions, nobody_catches)
{
    if (again_part()) {
        std::set_terminate(note_terminate);
        run_moving(
            2, 1,
            [](struct worker *self) {
                terminated_by = self->id;
                throw_unhandled(self);
            },
            nullptr, nullptr);
        return;
    }
    EXPECT_EQ(again_run("Exceptions.nobody_catches", "throw"), 55);
}
