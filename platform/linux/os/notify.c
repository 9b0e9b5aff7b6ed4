/* SPDX-License-Identifier: MIT
 *
 * notify.c - thin wrappers over the ioctls of a seccomp listener.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>

#include "platform/linux/os/notify.h"
#include "platform/linux/os/raw.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#define FD_SYNC_WAKE_UP 1UL

/* The kernel's structures may be larger than those of our headers. */
union request_space {
    struct seccomp_notif request;
    char room[256];
};
union response_space {
    struct seccomp_notif_resp response;
    char room[128];
};

int notify_receive(int listener, struct notification *n)
{
    union request_space space;
    memset(&space, 0, sizeof space); /* the kernel refuses other contents */
    long r = RAW3(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, &space);
    if (r < 0)
        return (int)r;
    n->id = space.request.id;
    n->tid = space.request.pid;
    n->nr = space.request.data.nr;
    n->behind = space.request.data.instruction_pointer;
    for (int i = 0; i < 6; i++)
        n->args[i] = (long)space.request.data.args[i];
    return 0;
}

int notify_continue(int listener, uint64_t id)
{
    union response_space space;
    memset(&space, 0, sizeof space);
    space.response.id = id;
    space.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    long r;
    do /* after EINTR nothing was answered: a signal came first */
        r = RAW3(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &space);
    while (r == -EINTR);
    return (int)r;
}

bool notify_valid(int listener, uint64_t id)
{
    long r;
    do
        r = RAW3(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id);
    while (r == -EINTR);
    return r == 0;
}

/* Makes the call on descriptor -1, which is no listener: the kernel answers EBADF. Any other answer
 * is a sandbox's. */
bool notify_refused(void)
{
    uint64_t none = 0;
    return RAW3(SYS_ioctl, -1, SECCOMP_IOCTL_NOTIF_ID_VALID, &none) != -EBADF;
}

/* Makes the kernel wake each side on its waker's processor: the two run in turns, never at once. */
int notify_sync_wakeup(int listener)
{
    return (int)RAW3(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, FD_SYNC_WAKE_UP);
}
