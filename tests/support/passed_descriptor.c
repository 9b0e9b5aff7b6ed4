/* SPDX-License-Identifier: MIT
 *
 * passed_descriptor.c - see passed_descriptor.h.
 */
#include "passed_descriptor.h"

#include <string.h>
#include <sys/socket.h>

/* One byte goes with the descriptor: some kernels pass none without data. */
struct passing {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    char byte;
    struct iovec data;
    struct msghdr message;
};

static struct msghdr *prepare(struct passing *passing)
{
    memset(passing, 0, sizeof *passing);
    passing->data = (struct iovec){&passing->byte, 1};
    passing->message = (struct msghdr){.msg_iov = &passing->data,
                                       .msg_iovlen = 1,
                                       .msg_control = passing->control.room,
                                       .msg_controllen = sizeof passing->control.room};
    return &passing->message;
}

bool descriptor_send(int through, int descriptor)
{
    struct passing passing;
    struct msghdr *message = prepare(&passing);

    passing.control.header.cmsg_len = CMSG_LEN(sizeof descriptor);
    passing.control.header.cmsg_level = SOL_SOCKET;
    passing.control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&passing.control.header), &descriptor, sizeof descriptor);
    return sendmsg(through, message, 0) == 1;
}

int descriptor_receive(int through)
{
    struct passing passing;
    struct msghdr *message = prepare(&passing);
    int descriptor = -1;

    if (recvmsg(through, message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(message))
        memcpy(&descriptor, CMSG_DATA(&passing.control.header), sizeof descriptor);
    return descriptor;
}
