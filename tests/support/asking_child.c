/* SPDX-License-Identifier: MIT
 *
 * asking_child.c - see asking_child.h.
 */
#include "asking_child.h"
#include "gtest_c.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER = 4711 };

static struct {
    pid_t child;
    int listener, go[2];
} asker;

static void send_descriptor(int socket, int fd)
{
    char byte = 0;
    struct iovec data = {&byte, 1};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};

    memset(&control, 0, sizeof control);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    if (sendmsg(socket, &message, 0) != 1)
        _exit(3);
}

static int receive_descriptor(int socket)
{
    char byte;
    struct iovec data = {&byte, 1};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    int fd = -1;

    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 &&
        message.msg_controllen >= CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
    return fd;
}

/* One getpgid for each byte; then its end. */
static void ask(int socket)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    char byte;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(asker.go[1]);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        _exit(1);
    long listener =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        _exit(2);
    send_descriptor(socket, (int)listener);
    close((int)listener);
    while (read(asker.go[0], &byte, 1) == 1)
        if (syscall(SYS_getpgid, 0) != ANSWER)
            _exit(4);
    _exit(0);
}

int asking_child_start(void)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pipe(asker.go) != 0) {
        tc_fail(TC_HERE, "no sockets, or no pipe");
        return 0;
    }
    asker.child = fork();
    if (asker.child == 0) {
        close(pair[0]);
        ask(pair[1]);
    }
    close(pair[1]);
    close(asker.go[0]);
    asker.listener = receive_descriptor(pair[0]);
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
