// SPDX-License-Identifier: MIT
//
// inside.cc - what a process finds in itself: status, descriptors, maps, keys, signals.
#include "observe.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace {

OBSERVE(status)
{
    static const char *const wanted[] = {
        "Threads", "SigPnd",        "ShdPnd", "SigBlk", "SigIgn", "SigCgt",     "NoNewPrivs",
        "Seccomp", "Cpus_allowed:", "CapEff", "FDSize", "Umask",  "CoreDumping"};
    for (const std::string &line : lines_of("/proc/self/status")) {
        for (const char *name : wanted)
            if (line.compare(0, strlen(name), name) == 0)
                say("%s", line.c_str());
    }
    DIR *folder = opendir("/proc/self/fd");
    for (dirent *entry; (entry = readdir(folder)) != nullptr;)
        say("descriptor %s", entry->d_name);
    closedir(folder);
    for (const std::string &line : lines_of("/proc/self/limits"))
        say("%s", line.c_str());
    for (const std::string &line : lines_of("/proc/self/wchan"))
        say("%s", line.c_str());
    say("name %s", lines_of("/proc/self/comm")[0].c_str());
    return 0;
}

OBSERVE(mapped_files)
{
    std::vector<std::string> names;
    for (const std::string &line : lines_of("/proc/self/maps")) {
        size_t slash = line.find('/');
        std::string name = slash == std::string::npos ? "" : line.substr(slash);
        if (name.find("libumsshim") == std::string::npos &&
            name.find("liburing") == std::string::npos &&
            name.find("/observe") == std::string::npos)
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string &name : names)
        say("%s", name.c_str());
    return 0;
}

OBSERVE(keys)
{
    pthread_key_t key = 0;
    int count = 0;
    int error = pthread_key_create(&key, nullptr);
    say("first %d is %u", error, key);
    while ((error = pthread_key_create(&key, nullptr)) == 0)
        count++;
    say("%d more, then %d", count, error);
    std::thread([] { say("thread"); }).join();
    pthread_exit(nullptr);
}

OBSERVE(signals)
{
    for (int s = 1; s < NSIG; s++) {
        struct sigaction action {};
        int result = sigaction(s, nullptr, &action);
        say("%d: %d %d handler %d flags %x", s, result, result ? errno : 0,
            action.sa_handler == SIG_DFL   ? 0
            : action.sa_handler == SIG_IGN ? 1
                                           : 2,
            static_cast<unsigned>(action.sa_flags));
    }
    sigset_t mask;
    sigset_t pending;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    sigpending(&pending);
    stack_t stack;
    int looked = sigaltstack(nullptr, &stack);
    say("alternate stack %d %d", looked, stack.ss_flags);
    for (int s = 1; s < NSIG; s++)
        say("%d blocked %d pending %d", s, sigismember(&mask, s), sigismember(&pending, s));
    say("real time %d %d", SIGRTMIN, SIGRTMAX);
    return 0;
}

} // namespace
