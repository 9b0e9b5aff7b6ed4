// SPDX-License-Identifier: MIT
//
// errors.cc - errors of libc's functions, their errno and their texts.
#include "observe.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

extern char **environ;

namespace {

char some[64];

template <typename Result> void outcome(const char *what, Result result)
{
    say("%s %lld errno %d", what, static_cast<long long>(result), errno);
    errno = 0;
}

OBSERVE(errors)
{
    iovec bad = {nullptr, static_cast<size_t>(-1)};
    void *volatile nowhere = nullptr; // the compiler is not to know better
    volatile int minus_one = -1;
    msghdr message{};
    sigset_t set;
    sigemptyset(&set);
    errno = 0;
    outcome("read", read(-1, some, 1));
    outcome("read, no address", read(open("/dev/zero", O_RDONLY), nowhere, 1));
    outcome("write", write(-1, some, 1));
    outcome("readv", readv(0, &bad, minus_one));
    outcome("writev", writev(-1, &bad, 1));
    outcome("recv", recv(0, some, 1, MSG_DONTWAIT));
    outcome("send", send(-1, some, 1, 0));
    outcome("recvfrom", recvfrom(-1, some, 1, 0, nullptr, nullptr));
    outcome("sendto", sendto(-1, some, 1, 0, nullptr, 0));
    outcome("recvmsg", recvmsg(-1, &message, 0));
    outcome("sendmsg", sendmsg(-1, &message, 0));
    outcome("pthread_sigmask", pthread_sigmask(99, &set, nullptr));
    outcome("sigprocmask", sigprocmask(99, &set, nullptr));
    outcome("raise", raise(99));
    outcome("gsignal", gsignal(-1));
    outcome("pthread_kill", pthread_kill(pthread_self(), 99));
    outcome("popen", popen("true", "nonsense") != nullptr);
    outcome("system(NULL)", system(nullptr));
    pid_t pid;
    char *arguments[] = {const_cast<char *>("none"), nullptr};
    outcome("posix_spawn", posix_spawn(&pid, "/nonexistent", nullptr, nullptr, arguments, environ));
    outcome("posix_spawnp",
            posix_spawnp(&pid, "nonexistent-program", nullptr, nullptr, arguments, environ));
    outcome("dlopen", dlopen("libnonexistent.so", RTLD_NOW) != nullptr);
    say("%s", dlerror());
    outcome("dlopen, a path", dlopen("/nonexistent/lib.so", RTLD_NOW) != nullptr);
    say("%s", dlerror());
    outcome("dlopen, bad mode", dlopen("libm.so.6", 0x4000) != nullptr);
    say("%s", dlerror());
    outcome("dlsym", dlsym(RTLD_DEFAULT, "no_such_function") != nullptr);
    say("%s", dlerror());
    say("%s", dlerror() ? "still" : "over");
    outcome("dlsym", dlsym(RTLD_DEFAULT, "read") != nullptr);
    outcome("dlsym", dlsym(dlopen(nullptr, RTLD_NOW), "write") != nullptr);
    return 0;
}

OBSERVE(overflow_is_detected)
{
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    auto checked = (ssize_t(*)(int, void *, size_t, size_t))dlsym(RTLD_DEFAULT, "__read_chk");
    int zero = open("/dev/zero", O_RDONLY);
    say("%zd", checked(zero, some, 4, 8));
    checked(zero, some, 8, 4);
    return 0;
}

} // namespace
