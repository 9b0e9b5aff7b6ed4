// SPDX-License-Identifier: MIT
//
// fiber_exceptions.cc - C++ exceptions in fibers: what is being handled belongs to the fiber, on a plain thread
// and in a worker, and wherever the fiber goes on.
//
// modes: default
#include "fleet.h"
#include "gtest_c.h"

#include <exception>
#include <stdexcept>
#include <string>

namespace {

void *base;

VOID CALLBACK catches_and_switches(LPVOID param)
{
    for (;;) {
        try {
            throw std::runtime_error("the fiber's");
        } catch (const std::exception &) {
            SwitchToFiber(base); // in the middle of a handler
            try {
                throw; // what is being handled here, not what the other one handles
            } catch (const std::exception &again) {
                *static_cast<std::string *>(param) = again.what();
            }
        }
        SwitchToFiber(base);
    }
}

void handle_crosswise()
{
    std::string seen;
    base = ConvertThreadToFiber(nullptr);
    void *other = CreateFiber(256 * 1024, catches_and_switches, &seen);
    for (int i = 0; i < 10; i++) {
        try {
            throw std::logic_error("the thread's");
        } catch (const std::exception &) {
            SwitchToFiber(other);
            SwitchToFiber(other);
            EXPECT_STREQ(seen.c_str(), "the fiber's");
            try {
                throw;
            } catch (const std::exception &again) {
                EXPECT_STREQ(again.what(), "the thread's");
            }
        }
        EXPECT_OK(!std::current_exception());
        EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
    DeleteFiber(other);
    EXPECT_OK(ConvertFiberToThread());
}

void in_worker(struct worker *)
{
    handle_crosswise();
}

} // namespace

TEST(FiberExceptions, belong_to_the_fiber)
{
    handle_crosswise();
}

TEST(FiberExceptions, belong_to_the_fiber_of_a_worker)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, nullptr);
    fleet_add(fleet, in_worker, nullptr);
    fleet_run(fleet);
    fleet_destroy(fleet);
}
