// SPDX-License-Identifier: MIT
//
// peers_fiber_waits.cpp - fibers that hand a turn to each other, fight for a mutex, pass a token
// on, and sleep. All of boost.fiber, on its default scheduler.
#include "probes_peers.h"

#include "peers_boost.hpp"
#include "ring.h"
#include "section.h"
#include "sleepers.h"

#include <boost/fiber/condition_variable.hpp>
#include <boost/fiber/mutex.hpp>
#include <boost/fiber/operations.hpp>

#include <chrono>
#include <mutex>
#include <vector>

namespace {

void join_all(std::vector<boost::fibers::fiber> &all)
{
    for (auto &fiber : all)
        fiber.join();
}

// ---- Two fibers that hand a turn to each other: the game of peers_threads.c ---------------------

struct handover {
    boost::fibers::mutex mutex;
    boost::fibers::condition_variable turned;
    int turn = 0;
};

void take_turns(handover &game, int me, std::uint64_t rounds)
{
    std::unique_lock<boost::fibers::mutex> lock(game.mutex);

    for (std::uint64_t i = 0; i < rounds; i++) {
        while (game.turn != me)
            game.turned.wait(lock);
        game.turn = !me;
        game.turned.notify_one();
    }
}

// ---- A mutex that several fight for -------------------------------------------------------------

boost::fibers::mutex section;

void enter()
{
    section.lock();
}

void leave()
{
    section.unlock();
}

void give_way(void *)
{
    boost::this_fiber::yield();
}

void run_section(const bench_scale *scale, unsigned fibers)
{
    section_game game = {};
    std::vector<boost::fibers::fiber> all;

    section_init(&game, scale->entries, fibers);
    for (unsigned i = 0; i < fibers; i++)
        all.push_back(launch([&game] { section_play(&game, enter, leave, give_way, nullptr); }));
    join_all(all);
    section_emit(&game);
}

// ---- A ring of semaphores -----------------------------------------------------------------------

struct semaphore {
    boost::fibers::mutex mutex;
    boost::fibers::condition_variable released;
    unsigned count = 0;
};

std::vector<semaphore> *semaphores;

void wait_for(unsigned which)
{
    semaphore &mine = (*semaphores)[which];
    std::unique_lock<boost::fibers::mutex> lock(mine.mutex);

    while (mine.count == 0)
        mine.released.wait(lock);
    mine.count--;
}

void release(unsigned which)
{
    semaphore &theirs = (*semaphores)[which];
    std::unique_lock<boost::fibers::mutex> lock(theirs.mutex);

    theirs.count++;
    theirs.released.notify_one();
}

// ---- A crowd asleep -----------------------------------------------------------------------------

void run_sleep(const bench_scale *scale, sleepers_plan plan)
{
    static sleepers sleepers;
    std::vector<boost::fibers::fiber> all;
    boost::fibers::mutex mutex;
    boost::fibers::condition_variable all_back;
    bool over = false;
    unsigned gathered = 0;

    sleepers_init(&sleepers, plan, scale, scale->crowd);
    for (unsigned i = 0; i < scale->crowd; i++) {
        all.push_back(launch([&, i] {
            std::uint64_t due_ns;

            gathered++;
            while (gathered < sleepers.count)
                boost::this_fiber::yield();
            std::uint32_t length = sleepers_lie_down(&sleepers, i, &due_ns);
            boost::this_fiber::sleep_for(std::chrono::milliseconds(length));
            over = sleepers_rise(&sleepers, i, due_ns);
            std::unique_lock<boost::fibers::mutex> lock(mutex);
            if (over)
                all_back.notify_all();
            while (!over)
                all_back.wait(lock);
        }));
    }
    join_all(all);
    sleepers_emit(&sleepers);
}

} // namespace

void peer_fiber_handover(const bench_scale *scale)
{
    handover game;
    std::uint64_t rounds = scale->signals / 2;
    std::uint64_t warm = rounds / 10 + 1;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::vector<boost::fibers::fiber> all;

    all.push_back(launch([&] {
        take_turns(game, 0, warm);
        start = bench_now_ns();
        take_turns(game, 0, rounds);
        end = bench_now_ns();
    }));
    all.push_back(launch([&] { take_turns(game, 1, warm + rounds); }));
    join_all(all);
    bench_emit("signal", static_cast<double>(end - start) / static_cast<double>(rounds * 2));
}

void peer_fiber_section_two(const bench_scale *scale)
{
    run_section(scale, 2);
}

void peer_fiber_section_eight(const bench_scale *scale)
{
    run_section(scale, 8);
}

void peer_fiber_ring(const bench_scale *scale)
{
    ring ring = {};
    std::vector<boost::fibers::fiber> all;

    ring_init(&ring, scale->ring, scale->signals);
    std::vector<semaphore> made(ring.members);
    semaphores = &made;
    made[0].count = 1;
    for (unsigned i = 0; i < ring.members; i++)
        all.push_back(launch([i, &ring] { ring_play(&ring, i, wait_for, release); }));
    join_all(all);
    ring_emit(&ring);
}

void peer_fiber_sleep_alike(const bench_scale *scale)
{
    run_sleep(scale, SLEEP_ALIKE);
}

void peer_fiber_sleep_spread(const bench_scale *scale)
{
    run_sleep(scale, SLEEP_SPREAD);
}

void peer_fiber_sleep_together(const bench_scale *scale)
{
    run_sleep(scale, SLEEP_TOGETHER);
}
