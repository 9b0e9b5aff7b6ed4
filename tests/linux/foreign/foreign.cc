// SPDX-License-Identifier: MIT
//
// foreign.cc - a library that was built and linked without umsshim: plain C++ on libstdc++ and libc.
#include "foreign.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

extern char **environ;
extern "C" ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t size);

namespace {

void look(foreign_thread *seen)
{
    char path[64];
    char line[256];
    cpu_set_t set;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &seen->blocked, 8);
    CPU_ZERO(&set);
    syscall(SYS_sched_getaffinity, 0, sizeof set, &set);
    seen->processors = CPU_COUNT(&set);
    seen->seccomp = -1;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Seccomp: %d", &seen->seccomp);
    if (file)
        fclose(file);
}

void std_thread(foreign_thread *seen)
{
    std::thread(look, seen).join();
}

void c11_thread(foreign_thread *seen)
{
    thrd_t thread;
    auto start = [](void *arg) {
        look(static_cast<foreign_thread *>(arg));
        return 0;
    };
    if (thrd_create(&thread, start, seen) == thrd_success)
        thrd_join(thread, nullptr);
}

pid_t spawn(const char *command)
{
    char *arguments[] = {const_cast<char *>("sh"), const_cast<char *>("-c"),
                         const_cast<char *>(command), nullptr};
    pid_t pid = -1;
    return posix_spawn(&pid, "/bin/sh", nullptr, nullptr, arguments, environ) ? -1 : pid;
}

int spawn_by_vfork(const char *command)
{
    int status = -1;
    pid_t pid = vfork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, nullptr);
        _exit(127);
    }
    return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

size_t output_of(const char *command, char *buffer, size_t bytes)
{
    FILE *stream = popen(command, "r");
    size_t count = stream ? fread(buffer, 1, bytes - 1, stream) : 0;
    buffer[count] = 0;
    if (stream)
        pclose(stream);
    return count;
}

ssize_t read_checked(int fd, void *buffer, size_t bytes)
{
    return __read_chk(fd, buffer, bytes, bytes);
}

// As OpenSSL's table of methods: the address lies in the data of the library.
ssize_t (*volatile method)(int, void *, size_t) = read;

ssize_t read_by_pointer(int fd, void *buffer, size_t bytes)
{
    return method(fd, buffer, bytes);
}

ssize_t read_by_name(int fd, void *buffer, size_t bytes)
{
    auto found = reinterpret_cast<ssize_t (*)(int, void *, size_t)>(dlsym(RTLD_DEFAULT, "read"));
    return found(fd, buffer, bytes);
}

ssize_t read_directly(int fd, void *buffer, size_t bytes)
{
    return read(fd, buffer, bytes);
}

int run(const char *command)
{
    return system(command);
}

} // namespace

const foreign *foreign_calls()
{
    static const foreign calls = {std_thread,      c11_thread,  spawn,         spawn_by_vfork,
                                  output_of,       run,         read_directly, read_checked,
                                  read_by_pointer, read_by_name};
    return &calls;
}
