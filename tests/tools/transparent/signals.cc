// SPDX-License-Identifier: MIT
//
// signals.cc - signals that a process sends to itself.
#include "observe.h"

#include <csignal>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace {

OBSERVE(raised)
{
    struct sigaction action {};
    action.sa_sigaction = [](int s, siginfo_t *info, void *) {
        say("%d code %d self %d main %d", s, info->si_code, info->si_pid == getpid(),
            gettid() == getpid());
    };
    action.sa_flags = SA_SIGINFO;
    for (int s : {SIGUSR1, SIGTERM, SIGRTMAX}) {
        sigaction(s, &action, nullptr);
        say("raise %d", raise(s));
        say("kill %d", kill(getpid(), s));
        say("pthread_kill %d", pthread_kill(pthread_self(), s));
        std::thread([s] { say("raise %d", raise(s)); }).join();
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    raise(SIGUSR1);
    sigpending(&set);
    say("pending %d", sigismember(&set, SIGUSR1));
    int s = 0;
    say("sigwait %d", sigwait(&set, &s));
    say("%d", s);
    return 0;
}

OBSERVE(killed_by_signal)
{
    std::thread([] { pause_ms(10000); }).detach();
    kill(getpid(), SIGTERM);
    pause_ms(10000);
    return 0;
}

} // namespace
