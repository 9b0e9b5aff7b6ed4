/* SPDX-License-Identifier: MIT
 *
 * launcher.c - "sandbox NAME COMMAND [ARGUMENT...]" runs a command as a system would that refuses some of what
 * the engine uses: seccomp filters that answer as the real ones do, limits, namespaces. "sandbox --list" names
 * them. sandboxes.c says what each refuses.
 *
 * The launcher's own process stays outside: it holds the listener that a sandbox has, and lets the watched calls
 * pass, as a sandbox does whose answer is yes. It ends as the command ended.
 *
 * Exit status: the command's; 128 + N after signal N; 77 where this sandbox cannot be made here, 2 for bad
 * arguments, each with one line.
 */
#include "passed_descriptor.h"
#include "sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void cannot(const char *what)
{
    fprintf(stderr, "sandbox: cannot be made here: %s: %s\n", what, strerror(errno));
    exit(CANNOT_BE_MADE);
}

/* ---- The listener goes to the launcher -------------------------------------------------------------- */

/* Says yes to everything, until the command has ended. */
static int watch(pid_t child, int listener)
{
    union {
        struct seccomp_notif request;
        char room[256];
    } asked;
    union {
        struct seccomp_notif_resp response;
        char room[128];
    } yes;
    int ended = (int)syscall(SYS_pidfd_open, child, 0), status = 0;
    struct pollfd both[2] = {{ended, POLLIN, 0}, {listener, POLLIN, 0}};

    if (ended < 0)
        cannot("waiting for a process (pidfd_open)");
    while (!both[0].revents) {
        both[1].fd = both[1].revents & (POLLHUP | POLLERR) ? -1 : both[1].fd;
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            cannot("poll");
        memset(&asked, 0, sizeof asked);
        memset(&yes, 0, sizeof yes);
        if (both[1].revents & POLLIN && ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0) {
            yes.response.id = asked.request.id;
            yes.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
            ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &yes); /* the thread that asked may be gone */
        }
    }
    waitpid(child, &status, 0);
    return status;
}

/* ---- The command ------------------------------------------------------------------------------------- */

static _Noreturn void run(const struct sandbox *sandbox, char **command, int through)
{
    char byte;
    int listener;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sandbox->without_fsgsbase && read(through, &byte, 1) < 0) /* until it is followed */
        cannot("waiting to be followed");
    if (sandbox->without_proc)
        hide_proc();
    if (sandbox->capabilities)
        limit_capabilities(sandbox->capabilities);
    if (sandbox->descriptors)
        limit_descriptors(sandbox->descriptors);
    if (sandbox->threads)
        limit_threads(sandbox->threads);
    listener = filter_around(sandbox);
    if (listener >= 0) {
        if (!descriptor_send(through, listener))
            cannot("handing the listener over");
        close(listener);
    }
    close(through);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user forgets it */
    execvp(command[0], command);
    fprintf(stderr, "sandbox: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

static int run_and_wait(const struct sandbox *sandbox, char **command)
{
    int ends[2], status = 0, listener;
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        cannot("a pair of sockets");
    child = fork();
    if (child < 0)
        cannot("a process");
    if (child == 0) {
        close(ends[0]);
        run(sandbox, command, ends[1]);
    }
    close(ends[1]);
    if (sandbox->without_fsgsbase)
        return run_without_fsgsbase(child, ends[0]);
    listener = sandbox->watched ? descriptor_receive(ends[0]) : -1;
    if (listener >= 0)
        return watch(child, listener);
    waitpid(child, &status, 0);
    return status;
}

static const struct sandbox *find(const char *name)
{
    const struct sandbox *sandbox = sandboxes;

    while (sandbox->name && strcmp(sandbox->name, name))
        sandbox++;
    return sandbox->name ? sandbox : NULL;
}

int main(int argc, char **argv)
{
    const struct sandbox *sandbox = argc > 2 ? find(argv[1]) : NULL;
    int status;

    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (sandbox = sandboxes; sandbox->name; sandbox++)
            printf("%-16s %s\n", sandbox->name, sandbox->what);
        return 0;
    }
    if (!sandbox) {
        fprintf(stderr,
                argc > 2 ? "sandbox: there is no \"%s\"; --list names them\n"
                         : "usage: sandbox NAME COMMAND [ARGUMENT...]; --list\n",
                argc > 2 ? argv[1] : "");
        return BAD_ARGUMENTS;
    }
    status = run_and_wait(sandbox, argv + 2);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
