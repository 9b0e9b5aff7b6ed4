// SPDX-License-Identifier: MIT
//
// thread_local_destructors.cc - objects with thread storage are each worker's own and are destroyed
// at the worker's end, on the worker, also when their destructors block. C++ because C has none.
//
// modes: default
#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace {

int constructed;
int destroyed;
int wrong_place;

class Tracked {
public:
    Tracked() : owner_(gettid()), text_(std::make_unique<std::string>(100, 'x'))
    {
        flag_add(&constructed, 1);
    }
    Tracked(const Tracked &) = delete;
    Tracked &operator=(const Tracked &) = delete;
    ~Tracked()
    {
        if (blocks)
            usleep(1000);
        if (gettid() != owner_ || text_->size() != 100 || count == 0)
            flag_add(&wrong_place, 1);
        flag_add(&destroyed, 1);
    }
    int count = 0;
    static inline bool blocks = false;

private:
    pid_t owner_;
    std::unique_ptr<std::string> text_;
};

thread_local Tracked tracked;

void use(worker *self)
{
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(tracked.count, i);
        tracked.count++;
        if (i % 5 == 4)
            usleep(500);
        else
            UmsThreadYield(self);
    }
}

void run(int schedulers)
{
    enum { WORKERS = 10 };
    struct fleet *fleet = fleet_create(schedulers, WORKERS, FLEET_SHARED_READY);

    ASSERT_NE(fleet, nullptr);
    constructed = destroyed = wrong_place = 0;
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, use, nullptr);
    ASSERT_OK(fleet_run(fleet)); // waits for the thread handles
    EXPECT_EQ(constructed, WORKERS);
    EXPECT_EQ(destroyed, WORKERS);
    EXPECT_EQ(wrong_place, 0);
    fleet_destroy(fleet);
}

} // namespace

TEST(ThreadLocalDestructors, run_at_the_workers_end)
{
    Tracked::blocks = false;
    run(1);
}

TEST(ThreadLocalDestructors, after_migration)
{
    Tracked::blocks = false;
    run(3);
}

TEST(ThreadLocalDestructors, that_block)
{
    Tracked::blocks = true;
    run(2);
}

// An exception is thrown, travels and is caught within one worker, over yields and blocks.
static void throw_and_catch(worker *self)
{
    for (int i = 0; i < 50; i++) {
        try {
            UmsThreadYield(self);
            if (i % 10 == 0)
                usleep(300);
            throw i;
        } catch (int caught) {
            UmsThreadYield(self); // the exception object is alive while others throw
            EXPECT_EQ(caught, i);
        }
    }
}

TEST(ThreadLocalDestructors, exceptions_in_workers)
{
    struct fleet *fleet = fleet_create(2, 8, FLEET_SHARED_READY);

    ASSERT_NE(fleet, nullptr);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, throw_and_catch, nullptr);
    fleet_run(fleet);
    fleet_destroy(fleet);
}
