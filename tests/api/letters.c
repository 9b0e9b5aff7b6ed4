/* SPDX-License-Identifier: MIT
 *
 * letters.c - see letters.h.
 */
#include "letters.h"

#include "gtest_c.h"

#include <string.h>

LPFN_WSARECVMSG receive_message;
LPFN_WSASENDMSG send_message;

WSAMSG *prepare(struct letter *letter)
{
    memset(letter, 0, sizeof *letter);
    letter->part = (WSABUF){sizeof letter->text, letter->text};
    letter->message = (WSAMSG){.name = (struct sockaddr *)&letter->name,
                               .namelen = sizeof letter->name,
                               .lpBuffers = &letter->part,
                               .dwBufferCount = 1,
                               .Control = {sizeof letter->control, letter->control}};
    return &letter->message;
}

WSAMSG *write_to(struct letter *letter, const void *address, int length)
{
    WSAMSG *message = prepare(letter);

    memcpy(&letter->name, address, (size_t)length);
    message->namelen = length;
    message->Control = (WSABUF){0, NULL};
    memcpy(letter->text, "hello", 5);
    letter->part.len = 5;
    return message;
}

void *control_of(WSAMSG *message, int level, int type)
{
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(message); at; at = WSA_CMSG_NXTHDR(message, at))
        if (at->cmsg_level == level && at->cmsg_type == type)
            return WSA_CMSG_DATA(at);
    return NULL;
}

void *add_control(WSAMSG *message, struct letter *letter, int level, int type, size_t bytes)
{
    WSACMSGHDR *header = (WSACMSGHDR *)(void *)letter->control;

    message->Control = (WSABUF){(ULONG)WSA_CMSG_SPACE(bytes), letter->control};
    *header = (WSACMSGHDR){WSA_CMSG_LEN(bytes), level, type};
    return WSA_CMSG_DATA(header);
}

static SOCKET bound_to_loopback(int family, struct pair *pair)
{
    SOCKET made = socket(family, SOCK_DGRAM, 0);

    memset(&pair->address, 0, sizeof pair->address);
    pair->length = family == AF_INET ? sizeof pair->address.v4 : sizeof pair->address.v6;
    pair->address.any.sa_family = (ADDRESS_FAMILY)family;
    if (family == AF_INET)
        pair->address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        pair->address.v6.sin6_addr = in6addr_loopback;
    if (made != INVALID_SOCKET && bind(made, &pair->address.any, pair->length)) {
        closesocket(made);
        made = INVALID_SOCKET;
    }
    return made;
}

bool open_pair(int family, struct pair *pair)
{
    pair->other = bound_to_loopback(family, pair);
    if (pair->other == INVALID_SOCKET)
        return false;
    pair->one = bound_to_loopback(family, pair);
    EXPECT_EQ(getsockname(pair->one, &pair->address.any, &pair->length), 0);
    receive_message = (LPFN_WSARECVMSG)socket_extension(pair->one, (GUID)WSAID_WSARECVMSG);
    send_message = (LPFN_WSASENDMSG)socket_extension(pair->one, (GUID)WSAID_WSASENDMSG);
    return EXPECT_OK(receive_message != NULL && send_message != NULL);
}

void close_pair(struct pair *pair)
{
    socket_close(pair->one);
    socket_close(pair->other);
}

void ask_for_addresses(SOCKET one, int family)
{
    DWORD on = 1;

    EXPECT_EQ(setsockopt(one, family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
                         family == AF_INET ? IP_PKTINFO : IPV6_PKTINFO, (char *)&on, sizeof on),
              0);
}
