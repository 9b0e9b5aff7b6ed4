// SPDX-License-Identifier: MIT
//
// peers_boost.cpp - the peers that switch in user mode: boost.fiber and boost.context.
//
// Fibers run on boost.fiber's default scheduler (round robin) with stacks as large as the workers'.
// No fiber blocks in the kernel anywhere here: one that did would stop all others.
#include "probes_peers.h"

#include "peers_boost.hpp"

#include <boost/context/continuation.hpp>
#include <boost/fiber/operations.hpp>

#include <utility>
#include <vector>

namespace {

struct turns {
    std::uint64_t warm = 0;
    std::uint64_t rounds = 0;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    bool stop = false;
};

void lead(turns &turns)
{
    for (std::uint64_t i = 0; i < turns.warm; i++)
        boost::this_fiber::yield();
    turns.start_ns = bench_now_ns();
    for (std::uint64_t i = 0; i < turns.rounds; i++)
        boost::this_fiber::yield();
    turns.end_ns = bench_now_ns();
    turns.stop = true;
}

void follow(turns &turns)
{
    while (!turns.stop)
        boost::this_fiber::yield();
}

// The same game as the workers play: see yield.c.
void take_turns(unsigned fibers, std::uint64_t yields)
{
    turns turns;
    std::vector<boost::fibers::fiber> all;

    turns.rounds = yields / fibers;
    turns.warm = turns.rounds / 10 + 2;
    all.push_back(launch([&turns] { lead(turns); }));
    for (unsigned i = 1; i < fibers; i++)
        all.push_back(launch([&turns] { follow(turns); }));
    for (auto &fiber : all)
        fiber.join();
    bench_emit("yield", static_cast<double>(turns.end_ns - turns.start_ns) /
                            static_cast<double>(turns.rounds * fibers));
}

} // namespace

void peer_fiber_yield_two(const bench_scale *scale)
{
    take_turns(2, scale->yields);
}

void peer_fiber_yield_crowd(const bench_scale *scale)
{
    take_turns(scale->crowd, scale->yields);
}

// One switch, without any scheduling: the floor for everything that switches stacks.
void peer_context_switch(const bench_scale *scale)
{
    bool stop = false;
    boost::context::continuation other =
        boost::context::callcc([&stop](boost::context::continuation &&back) {
            while (!stop)
                back = back.resume();
            return std::move(back);
        });
    std::uint64_t rounds = scale->yields / 2;

    for (std::uint64_t i = 0; i < rounds / 10; i++)
        other = other.resume();
    std::uint64_t start = bench_now_ns();
    for (std::uint64_t i = 0; i < rounds; i++)
        other = other.resume();
    bench_emit("switch",
               static_cast<double>(bench_now_ns() - start) / static_cast<double>(rounds * 2));
    stop = true;
    other.resume();
}

void peer_create_fiber(const bench_scale *scale)
{
    std::uint64_t warm = scale->creates / 10 + 1;
    std::uint64_t ran = 0;
    std::uint64_t start = 0;

    for (std::uint64_t i = 0; i < warm + scale->creates; i++) {
        if (i == warm)
            start = bench_now_ns();
        launch([&ran] { ran++; }).join();
    }
    bench_emit("create", static_cast<double>(bench_now_ns() - start) / 1000.0 /
                             static_cast<double>(scale->creates));
    if (ran != warm + scale->creates)
        bench_fail("not every fiber ran", 0);
}

void peer_footprint_fiber(const bench_scale *scale)
{
    // Never destroyed: the parked fibers do not end, and a joinable fiber's destructor terminates.
    auto &all = *new std::vector<boost::fibers::fiber>;
    unsigned parked = 0;

    all.reserve(scale->crowd);
    bench_footprint_read();
    bench_footprint before = bench_footprint_read();
    for (unsigned i = 0; i < scale->crowd; i++) {
        all.push_back(launch([&parked] {
            parked++;
            for (;;)
                boost::this_fiber::yield();
        }));
    }
    while (parked < scale->crowd)
        boost::this_fiber::yield();
    bench_footprint_emit(&before, scale->crowd);
}
