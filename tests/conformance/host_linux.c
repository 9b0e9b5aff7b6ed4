/* SPDX-License-Identifier: MIT
 *
 * host_linux.c - host.h on Linux.
 */
#include "host.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SETTINGS = 512, MAX_ARGUMENTS = 48 };

extern char **environ;

void host_system(char *text, size_t size)
{
    struct utsname name;

    uname(&name);
    snprintf(text, size, "%s %s %s, %ld processors", name.sysname, name.release, name.machine,
             sysconf(_SC_NPROCESSORS_ONLN));
}

bool host_is_oracle(void)
{
    return false;
}

void host_scratch_path(char *path, size_t size, const char *suffix)
{
    const char *folder = getenv("TMPDIR");

    snprintf(path, size, "%s/ums_conformance.%ld%s", folder ? folder : "/tmp", (long)getpid(),
             suffix);
}

bool host_start(struct host_child *child, char *const argv[], const char *setting)
{
    char *environment[MAX_SETTINGS + 2];
    size_t name = setting ? strcspn(setting, "=") + 1 : 0;
    char *arguments[MAX_ARGUMENTS + 2] = {NULL}, self[4096] = "";
    int count = 0;
    pid_t pid;

    for (char **entry = environ; *entry && count < MAX_SETTINGS; entry++)
        if (!setting || strncmp(*entry, setting, name))
            environment[count++] = *entry;
    if (setting)
        environment[count++] = (char *)setting;
    environment[count] = NULL;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) /* no /proc: as it was started */
        snprintf(self, sizeof self, "%s", (const char *)getauxval(AT_EXECFN));
    arguments[0] = (char *)host_launcher;
    arguments[1] = self;
    for (count = 1; argv[count] && count < MAX_ARGUMENTS; count++)
        arguments[count + 1] = argv[count];
    if (posix_spawnp(&pid, host_launcher ? host_launcher : self, NULL, NULL,
                     arguments + !host_launcher, environment))
        return false;
    child->handle = (void *)(intptr_t)pid;
    return true;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool host_wait(struct host_child *child, unsigned milliseconds, int *status, bool *crashed)
{
    int64_t deadline = now_ms() + milliseconds;
    pid_t pid = (pid_t)(intptr_t)child->handle;
    int word;

    while (waitpid(pid, &word, WNOHANG) != pid) {
        if (now_ms() >= deadline)
            return false;
        poll(NULL, 0, 1);
    }
    *crashed = WIFSIGNALED(word);
    *status = WIFSIGNALED(word) ? WTERMSIG(word) : WEXITSTATUS(word);
    return true;
}

void host_end(struct host_child *child)
{
    pid_t pid = (pid_t)(intptr_t)child->handle;

    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* rsp is kept in r12, which the call must preserve, too. rbp is the frame pointer's in unoptimised
 * builds, so it is only looked at: the check would not come back with a wrong one. */
int host_registers_changed(void (*call)(void), unsigned base)
{
    uint64_t changed, pattern = base;

    __asm__ volatile("movq %%rsp, %%r12\n\t"
                     "subq $128, %%rsp\n\t"
                     "andq $-16, %%rsp\n\t"
                     "movq %%rdx, 40(%%rsp)\n\t"
                     "leaq 0x1bbb(%%rdx), %%rbx\n\t"
                     "leaq 0x1ddd(%%rdx), %%r13\n\t"
                     "leaq 0x1eee(%%rdx), %%r14\n\t"
                     "leaq 0x1fff(%%rdx), %%r15\n\t"
                     "call *%%rax\n\t"
                     "movq 40(%%rsp), %%r9\n\t"
                     "movq %%r12, %%rsp\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "leaq 0x1bbb(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%rbx\n\t"
                     "setne %%al\n\t"
                     "xorl %%ecx, %%ecx\n\t"
                     "leaq 0x1ddd(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%r13\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "leaq 0x1eee(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%r14\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     "leaq 0x1fff(%%r9), %%r8\n\t"
                     "cmpq %%r8, %%r15\n\t"
                     "setne %%cl\n\t"
                     "addl %%ecx, %%eax\n\t"
                     : "=a"(changed), "+d"(pattern)
                     : "a"(call)
                     : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
                       "memory");
    return (int)changed;
}
