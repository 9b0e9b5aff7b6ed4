// SPDX-License-Identifier: MIT
//
// processes.cc - children of each kind, and what they inherit.
#include "observe.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace {

const char report[] =
    "grep -E '^(Sig(Blk|Ign|Cgt)|Cpus_allowed:|Seccomp:|NoNewPrivs|Threads)' /proc/self/status; "
    "ls /proc/self/fd | tr '\\n' ' '; echo; ulimit -n; kill -0 $$ && echo alive";

OBSERVE(children)
{
    char *arguments[] = {const_cast<char *>("sh"), const_cast<char *>("-c"),
                         const_cast<char *>(report), nullptr};
    int status = 0;
    pid_t pid;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    say("system %d", system(report));
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    int error = posix_spawn(&pid, "/bin/sh", nullptr, nullptr, arguments, environ);
    waitpid(pid, &status, 0);
    say("spawn %d", error);
    error = posix_spawnp(&pid, "sh", nullptr, nullptr, arguments, environ);
    waitpid(pid, &status, 0);
    say("spawnp %d", error);
    char line[256];
    FILE *stream = popen(report, "r");
    while (fgets(line, sizeof line, stream))
        say("popen: %s", line);
    say("%d", pclose(stream));
    volatile int seen = 0;
    pid = vfork();
    if (pid == 0) {
        seen = 1; // in the parent's memory
        _exit(5);
    }
    waitpid(pid, &status, 0);
    say("vfork: shared %d, status %x", seen, static_cast<unsigned>(status));
    pid = fork();
    if (pid == 0) {
        say("Child: %d", getppid() > 1);
        execl("/bin/sh", "sh", "-c", report, nullptr);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    say("status %x", static_cast<unsigned>(status));
    std::thread([&] {
        pid = fork();
        if (pid == 0) {
            std::thread([] { say("a thread of the child"); }).join();
            pthread_exit(nullptr);
        }
        waitpid(pid, &status, 0);
        say("status %x", static_cast<unsigned>(status));
    }).join();
    return 0;
}

// Noted, and said by one process after the other.
std::string noted;

OBSERVE(fork_handlers)
{
    pthread_atfork([] { noted += " prepare 1"; }, [] { noted += " parent 1"; },
                   [] { noted += " child 1"; });
    pthread_atfork([] { noted += " prepare 2"; }, [] { noted += " parent 2"; },
                   [] { noted += " child 2"; });
    pid_t pid = fork();
    if (pid == 0) {
        say("child:%s", noted.c_str());
        _exit(0);
    }
    waitpid(pid, nullptr, 0);
    say("parent:%s", noted.c_str());
    return 0;
}

// An old way to be a shell script: no line that names the interpreter.
OBSERVE(spawn_of_a_script)
{
    char name[] = "/tmp/observe.XXXXXX";
    int file = mkstemp(name);
    say("%zd", write(file, "echo script ran\n", 16));
    fchmod(file, 0700);
    close(file);
    for (const char *version : {"GLIBC_2.2.5", "GLIBC_2.15"}) {
        auto spawn = (decltype(&posix_spawn))dlvsym(RTLD_DEFAULT, "posix_spawn", version);
        char *arguments[] = {name, nullptr};
        pid_t pid = -1;
        int error = spawn ? spawn(&pid, name, nullptr, nullptr, arguments, environ) : -1;
        if (!error)
            waitpid(pid, nullptr, 0);
        say("%s %d", version, error);
    }
    unlink(name);
    return 0;
}

} // namespace
