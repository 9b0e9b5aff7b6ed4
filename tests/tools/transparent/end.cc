// SPDX-License-Identifier: MIT
//
// end.cc - how a process ends, and what still runs then.
#include "observe.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
#include <threads.h>
#include <time.h>
#include <unistd.h>

namespace {

void at_end()
{
    say("atexit handler on the main thread: %d", gettid() == getpid());
}

struct Farewell {
    const char *name;
    ~Farewell() { say("destructor of %s", name); }
};

OBSERVE(main_leaves_std_thread)
{
    std::thread([] {
        until_ended(getpid());
        say("std::thread went on");
    }).detach();
    pthread_exit(nullptr);
}

OBSERVE(main_leaves_two_generations)
{
    atexit(at_end);
    std::thread([] {
        until_ended(getpid());
        std::thread([first = gettid()] {
            until_ended(first);
            say("second generation went on");
        }).detach();
        say("first generation ends");
    }).detach();
    pthread_exit(nullptr);
}

OBSERVE(main_leaves_c11_thread)
{
    thrd_t thread;
    say("%d", thrd_create(
                  &thread,
                  [](void *) {
                      until_ended(getpid());
                      say("C11 thread went on");
                      return 7;
                  },
                  nullptr));
    thrd_detach(thread);
    thrd_exit(3);
}

OBSERVE(main_leaves_and_thread_exits)
{
    atexit(at_end);
    std::thread([] {
        until_ended(getpid());
        exit(43);
    }).detach();
    pthread_exit(nullptr);
}

OBSERVE(main_is_cancelled)
{
    static pthread_t main_thread = pthread_self();
    std::thread([] {
        pause_ms(20);
        say("cancel %d", pthread_cancel(main_thread));
        void *result = nullptr;
        say("join %d", pthread_join(main_thread, &result));
        say("cancelled %d", result == PTHREAD_CANCELED);
    }).detach();
    for (;;)
        pause();
}

OBSERVE(main_alone_leaves)
{
    atexit(at_end);
    pthread_exit(nullptr);
}

OBSERVE(order_of_the_end)
{
    static Farewell at_exit{"a static object"};
    static thread_local Farewell of_thread{"a thread-local object"};
    pthread_key_t key;
    pthread_key_create(&key, [](void *name) { say("destructor of %s", (char *)name); });
    pthread_setspecific(key, "the main thread's key");
    atexit(at_end);
    say("%p%p", (void *)nullptr, (void *)(at_exit.name == of_thread.name ? &key : nullptr));
    std::thread([key] {
        static thread_local Farewell own{"the other thread's object"};
        pthread_setspecific(key, "the other thread's key");
        until_ended(getpid());
        say("other thread ends%s", own.name ? "" : ".");
    }).detach();
    pthread_exit(nullptr);
}

OBSERVE(timer_thread_keeps_the_process)
{
    static std::atomic<int> calls{0};
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) {
        if (++calls == 3) {
            say("third call of the timer");
            _exit(44);
        }
    };
    timer_t timer;
    say("timer_create %d", timer_create(CLOCK_MONOTONIC, &event, &timer));
    itimerspec every = {{0, 20000000}, {0, 20000000}};
    timer_settime(timer, 0, &every, nullptr);
    pthread_exit(nullptr);
}

OBSERVE(uncaught_exception)
{
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::thread([] { throw 1; }).join();
    return 0;
}

OBSERVE(quick_end)
{
    at_quick_exit(at_end);
    std::thread([] { pause_ms(1000); }).detach();
    quick_exit(9);
}

} // namespace
