/* SPDX-License-Identifier: MIT
 *
 * auxv.c - a kernel that does not offer FSGSBASE: the bit is taken out of AT_HWCAP2 of each program that is
 * started, by ptrace, before its first instruction.
 *
 * Followed are the command and the programs that its main thread starts; a program that one of these starts is
 * not. Other threads are not traced, and a followed thread stops for nothing but exec, fork and its signals,
 * which it gets as they are.
 */
#include "sandbox.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HWCAP2_FSGSBASE_BIT = 2 };

static long word_at(pid_t process, unsigned long address)
{
    return ptrace(PTRACE_PEEKDATA, process, (void *)address, NULL);
}

/* At its first instruction: argc, argv, NULL, the environment, NULL, pairs of tag and value. */
static void rewrite(pid_t process)
{
    struct user_regs_struct registers;
    unsigned long at;

    if (ptrace(PTRACE_GETREGS, process, NULL, &registers))
        cannot("reading registers");
    at = registers.rsp + 8 * (2 + (unsigned long)word_at(process, registers.rsp));
    while (word_at(process, at))
        at += 8;
    for (at += 8; word_at(process, at) != AT_NULL; at += 16) {
        if (word_at(process, at) == AT_HWCAP2) {
            long value = word_at(process, at + 8) & ~(long)HWCAP2_FSGSBASE_BIT;

            if (ptrace(PTRACE_POKEDATA, process, (void *)(at + 8), (void *)value))
                cannot("writing the auxiliary vector");
        }
    }
}

/* A stop of a followed thread: lets it go on. */
static void let_go_on(pid_t process, pid_t command, int status)
{
    int event = status >> 16, signal = WSTOPSIG(status);

    switch (event) {
    case PTRACE_EVENT_EXEC:
        rewrite(process);
        ptrace(process == command ? PTRACE_CONT : PTRACE_DETACH, process, NULL, NULL);
        break;
    case PTRACE_EVENT_STOP: /* a new child, or stopped by a signal for all */
        ptrace(signal == SIGTRAP ? PTRACE_CONT : PTRACE_LISTEN, process, NULL, NULL);
        break;
    case 0:
        ptrace(PTRACE_CONT, process, NULL, (void *)(long)signal);
        break;
    default:
        ptrace(PTRACE_CONT, process, NULL, NULL);
    }
}

int run_without_fsgsbase(pid_t child, int go)
{
    long options =
        PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
    int status;

    if (ptrace(PTRACE_SEIZE, child, NULL, (void *)options))
        cannot("following a program (ptrace)");
    close(go);
    for (;;) {
        pid_t process = waitpid(-1, &status, __WALL);

        if (process < 0 && errno != EINTR)
            cannot("waiting for the command");
        if (process == child && (WIFEXITED(status) || WIFSIGNALED(status)))
            return status;
        if (process > 0 && WIFSTOPPED(status))
            let_go_on(process, child, status);
    }
}
