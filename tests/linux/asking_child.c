/* SPDX-License-Identifier: MIT
 *
 * asking_child.c - see asking_child.h.
 */
#include "asking_child.h"
#include "filters.h"
#include "gtest_c.h"
#include "passed_descriptor.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER = 4711 };

static struct {
    pid_t child;
    int listener, go[2];
} asker;

/* The child makes one getpgid for each byte it reads, and ends with the pipe. */
static void ask(int socket)
{
    char byte;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(asker.go[1]);
    int listener = listen_to_call(SYS_getpgid);
    if (listener < 0)
        _exit(2);
    if (!descriptor_send(socket, listener))
        _exit(3);
    close(listener);
    while (read(asker.go[0], &byte, 1) == 1)
        if (syscall(SYS_getpgid, 0) != ANSWER)
            _exit(4);
    _exit(0);
}

int asking_child_start(void)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pipe(asker.go) != 0) {
        FAIL("no sockets, or no pipe");
        return 0;
    }
    asker.child = fork();
    if (asker.child == 0) {
        close(pair[0]);
        ask(pair[1]);
    }
    close(pair[1]);
    close(asker.go[0]);
    asker.listener = descriptor_receive(pair[0]);
    close(pair[0]);
    EXPECT_GE(asker.listener, 0);
    return asker.listener >= 0;
}

void asking_child_asks(void)
{
    EXPECT_EQ(write(asker.go[1], "g", 1), 1);
}

void asking_child_end(void)
{
    int status = -1;

    close(asker.go[1]);
    close(asker.listener); /* a call that waits for its answer fails now */
    EXPECT_EQ(waitpid(asker.child, &status, 0), asker.child);
    EXPECT_EQ(status, 0);
}

int asking_child_answer(void)
{
    struct seccomp_notif asked;
    struct seccomp_notif_resp answer;

    memset(&asked, 0, sizeof asked);
    memset(&answer, 0, sizeof answer);
    errno = 0;
    if (ioctl(asker.listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
        return errno;
    EXPECT_EQ(asked.data.nr, SYS_getpgid);
    answer.id = asked.id;
    answer.val = ANSWER;
    EXPECT_EQ(ioctl(asker.listener, SECCOMP_IOCTL_NOTIF_SEND, &answer), 0);
    return 0;
}
