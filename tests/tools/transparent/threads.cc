// SPDX-License-Identifier: MIT
//
// threads.cc - threads of POSIX, C11 and C++: attributes, refusals, results.
#include "observe.h"

#include <aio.h>
#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

namespace {

void *settled(void *)
{
    return (void *)"result";
}

OBSERVE(threads_and_their_attributes)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *result;
    pthread_attr_init(&attr);
    for (size_t stack : {static_cast<size_t>(PTHREAD_STACK_MIN), static_cast<size_t>(1) << 20,
                         static_cast<size_t>(1) << 46}) {
        pthread_attr_setstacksize(&attr, stack);
        int created = pthread_create(&thread, &attr, settled, nullptr);
        say("stack %zu: %d", stack, created);
        if (created)
            continue;
        int joined = pthread_join(thread, &result);
        say("join %d %s", joined, (char *)result);
    }
    pthread_attr_setstacksize(&attr, 1 << 20);
    pthread_attr_setguardsize(&attr, 3 << 12);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_attr_setsigmask_np(&attr, &some);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    pthread_attr_setaffinity_np(&attr, sizeof one, &one);
    auto look = [](void *) -> void * {
        pthread_attr_t own;
        size_t size;
        size_t guard;
        sigset_t mask;
        cpu_set_t set;
        char name[16];
        pthread_getattr_np(pthread_self(), &own);
        pthread_attr_getstacksize(&own, &size);
        pthread_attr_getguardsize(&own, &guard);
        pthread_attr_destroy(&own);
        pthread_sigmask(SIG_BLOCK, nullptr, &mask);
        sched_getaffinity(0, sizeof set, &set);
        pthread_getname_np(pthread_self(), name, sizeof name);
        say("stack %zu guard %zu usr2 %d usr1 %d processors %d name %.7s", size, guard,
            sigismember(&mask, SIGUSR2), sigismember(&mask, SIGUSR1), CPU_COUNT(&set), name);
        return nullptr;
    };
    int error = pthread_create(&thread, &attr, look, nullptr);
    say("%d, join %d", error, pthread_join(thread, nullptr));
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    say("%d", pthread_create(&thread, &attr, settled, nullptr));
    sched_param priority = {1};
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
    say("schedparam %d", pthread_attr_setschedparam(&attr, &priority));
    for (int i = 0; i < 200; i++)
        std::thread([] {}).join();
    say("200 threads");
    return 0;
}

OBSERVE(c11_threads)
{
    thrd_t thread;
    int result = 0;
    for (int wanted : {0, 7, -1, INT32_MIN}) {
        say("create %d", thrd_create(
                             &thread, [](void *value) { return *(int *)value; }, &wanted));
        say("join %d", thrd_join(thread, &result));
        say("%d as wanted %d", result, result == wanted);
    }
    int made = thrd_create(
        &thread,
        [](void *) -> int {
            sigset_t mask;
            pthread_sigmask(SIG_BLOCK, nullptr, &mask);
            say("blocked %d", sigismember(&mask, SIGUSR1));
            thrd_exit(12);
        },
        nullptr);
    int joined =
        thrd_join(thread, &result); /* the thread says its line before this one says more */
    say("create %d", made);
    say("join %d", joined);
    say("%d", result);
    return 0;
}

OBSERVE(threads_refused)
{
    rlimit room = {64 << 20, 64 << 20};
    pthread_attr_t attr;
    pthread_t thread;
    thrd_t c11;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1U << 30);
    setrlimit(RLIMIT_AS, &room);
    say("pthread_create %d", pthread_create(&thread, &attr, settled, nullptr));
    pthread_attr_setstacksize(&attr, 1U << 30);
    say("default %d", pthread_setattr_default_np(&attr));
    say("thrd_create %d", thrd_create(
                              &c11, [](void *) { return 0; }, nullptr));
    try {
        std::thread([] {}).join();
        say("std::thread");
    } catch (const std::exception &e) {
        say("std::thread: %s", e.what());
    }
    return 0;
}

OBSERVE(thread_that_has_ended)
{
    static std::atomic<pid_t> tid{0};
    pthread_t thread;
    auto tell_tid = [](void *) -> void * {
        tid = gettid();
        return nullptr;
    };
    pthread_create(&thread, nullptr, tell_tid, nullptr);
    while (!tid)
        pause_ms(1);
    until_ended(tid);
    say("pthread_kill %d", pthread_kill(thread, 0));
    for (const char *version : {"GLIBC_2.2.5", "GLIBC_2.34"}) {
        auto kill_it = (int (*)(pthread_t, int))dlvsym(RTLD_DEFAULT, "pthread_kill", version);
        say("%s %d", version, kill_it ? kill_it(thread, 0) : -1);
    }
    say("signal 65: %d", pthread_kill(thread, 65));
    pthread_join(thread, nullptr);
    return 0;
}

OBSERVE(asynchronous_io)
{
    // libc's own threads make the calls.
    static char some[8];
    aiocb request{};
    const aiocb *list[] = {&request};
    request.aio_fildes = open("/dev/zero", O_RDONLY);
    request.aio_buf = some;
    request.aio_nbytes = 8;
    say("%d", aio_read(&request));
    say("%d", aio_suspend(list, 1, nullptr));
    say("%zd", aio_return(&request));
    pthread_exit(nullptr);
}

} // namespace
