// SPDX-License-Identifier: MIT
//
// boost.cpp - the same by boost.fiber, in a program that this library is not linked to.
#include <boost/fiber/all.hpp>

#include <thread>
#include <vector>

#include "items.h"

static void processor()
{
    std::vector<boost::fibers::fiber> units;
    for (int i = 0; i < UNITS; i++)
        units.emplace_back([] {
            while (items_take()) {
                items_run_one();
                boost::this_fiber::yield();
            }
        });
    for (auto &unit : units)
        unit.join();
}

static void boost_fibers(const struct plan *plan)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < plan->processors; i++)
        threads.emplace_back(processor);
    for (auto &thread : threads)
        thread.join();
}

int main(int argc, char **argv)
{
    static const struct ground grounds[] = {{"boost.fiber", boost_fibers}};
    return items_main(grounds, 1, argc, argv);
}
