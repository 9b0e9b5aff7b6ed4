/* SPDX-License-Identifier: MIT
 *
 * winsock_messages.c - WSASendMsg and WSARecvMsg: datagrams with control data, by the call itself, by event, procedure
 * and port.
 *
 * modes: ways
 * where: UNIX
 * with: sockets.c, letters.c
 */
#include "letters.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { LIMIT_MS = 10000 };

WINSOCK_TEST(WinsockMessages, addresses)
{
    struct pair pair;
    struct letter sent, got;
    struct sockaddr_in from;
    IN_PKTINFO *info;
    DWORD bytes = 0;
    int length = sizeof from;

    ASSERT_OK(open_pair(AF_INET, &pair));
    ask_for_addresses(pair.one, AF_INET);
    EXPECT_EQ(send_message(pair.other, write_to(&sent, &pair.address, pair.length), 0, &bytes, NULL,
                           NULL),
              0);
    EXPECT_EQ(bytes, 5);
    EXPECT_EQ(receive_message(pair.one, prepare(&got), &bytes, NULL, NULL), 0);
    EXPECT_EQ(bytes, 5);
    EXPECT_STREQ(got.text, "hello");
    EXPECT_EQ(got.message.dwFlags, 0);
    EXPECT_EQ(getsockname(pair.other, (struct sockaddr *)&from, &length), 0);
    EXPECT_EQ(got.message.namelen, length);
    EXPECT_EQ(memcmp(&got.name, &from, sizeof from), 0);
    info = control_of(&got.message, IPPROTO_IP, IP_PKTINFO);
    ASSERT_OK(info != NULL);
    EXPECT_EQ(info->ipi_addr.s_addr, htonl(INADDR_LOOPBACK));
    EXPECT_NE(info->ipi_ifindex, 0);
    close_pair(&pair);
}

/* The address to send from; of a machine's loopback any will do. */
WINSOCK_TEST(WinsockMessages, the_address_to_send_from)
{
    struct pair pair;
    struct letter sent, got;
    struct sockaddr_in any = {.sin_family = AF_INET};
    SOCKET sender = socket(AF_INET, SOCK_DGRAM, 0);
    IN_PKTINFO *info;
    DWORD bytes = 0;

    ASSERT_OK(open_pair(AF_INET, &pair));
    EXPECT_EQ(bind(sender, (struct sockaddr *)&any, sizeof any), 0);
    write_to(&sent, &pair.address, pair.length);
    info = add_control(&sent.message, &sent, IPPROTO_IP, IP_PKTINFO, sizeof *info);
    *info = (IN_PKTINFO){.ipi_addr = {.s_addr = htonl(0x7F000005)}};
    EXPECT_EQ(WSASendMsg(sender, &sent.message, 0, &bytes, NULL, NULL), 0);
    EXPECT_EQ(receive_message(pair.one, prepare(&got), &bytes, NULL, NULL), 0);
    EXPECT_EQ(((struct sockaddr_in *)&got.name)->sin_addr.s_addr, htonl(0x7F000005));
    close_pair(&pair);
    socket_close(sender);
}

WINSOCK_TEST(WinsockMessages, addresses_of_ipv6)
{
    struct pair pair;
    struct letter sent, got;
    IN6_PKTINFO *info;
    DWORD bytes = 0, on = 0;
    int length = sizeof on;

    if (!open_pair(AF_INET6, &pair))
        SKIP("this machine has no ::1");
    ask_for_addresses(pair.one, AF_INET6);
    EXPECT_EQ(getsockopt(pair.one, IPPROTO_IPV6, IPV6_PKTINFO, (char *)&on, &length), 0);
    EXPECT_EQ(on, 1);
    write_to(&sent, &pair.address, pair.length);
    info = add_control(&sent.message, &sent, IPPROTO_IPV6, IPV6_PKTINFO, sizeof *info);
    *info = (IN6_PKTINFO){.ipi6_addr = in6addr_loopback};
    EXPECT_EQ(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), 0);
    EXPECT_EQ(receive_message(pair.one, prepare(&got), &bytes, NULL, NULL), 0);
    info = control_of(&got.message, IPPROTO_IPV6, IPV6_PKTINFO);
    ASSERT_OK(info != NULL);
    EXPECT_EQ(memcmp(&info->ipi6_addr, &in6addr_loopback, sizeof in6addr_loopback), 0);
    EXPECT_NE(info->ipi6_ifindex, 0);
    close_pair(&pair);
}

/* What does not fit is told, and the datagram is gone; a look at it takes nothing. */
WINSOCK_TEST(WinsockMessages, cut)
{
    struct pair pair;
    struct letter sent, got;
    DWORD bytes = 0;

    ASSERT_OK(open_pair(AF_INET, &pair));
    ask_for_addresses(pair.one, AF_INET);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(WSASendMsg(pair.other, write_to(&sent, &pair.address, pair.length), 0, &bytes,
                             NULL, NULL),
                  0);
    prepare(&got)->dwFlags = MSG_PEEK;
    EXPECT_EQ(receive_message(pair.one, &got.message, &bytes, NULL, NULL), 0);
    prepare(&got)->lpBuffers->len = 2;
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEMSGSIZE);
    EXPECT_EQ(got.message.dwFlags, MSG_TRUNC);
    EXPECT_EQ(bytes, 2);
    EXPECT_OK(control_of(&got.message, IPPROTO_IP, IP_PKTINFO) != NULL);
    prepare(&got)->Control.len = 8;
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEMSGSIZE);
    EXPECT_EQ(got.message.dwFlags, MSG_CTRUNC);
    EXPECT_EQ(bytes, 5);
    EXPECT_OK(WSA_CMSG_FIRSTHDR(&got.message) == NULL);
    close_pair(&pair);
}

static DWORD told_error, told_bytes, told_count;

static void CALLBACK tell(DWORD error, DWORD bytes, LPWSAOVERLAPPED overlapped, DWORD flags)
{
    told_error = error;
    told_bytes = bytes;
    told_count++;
}

WINSOCK_TEST(WinsockMessages, by_event_and_procedure)
{
    struct pair pair;
    struct letter sent, got, small;
    WSAOVERLAPPED receiving = {.hEvent = WSACreateEvent()}, sending = {0}, cut = {0};
    DWORD bytes = 0, flags = 0;

    ASSERT_OK(open_pair(AF_INET, &pair));
    ask_for_addresses(pair.one, AF_INET);
    told_count = 0;
    EXPECT_WSA(receive_message(pair.one, prepare(&got), NULL, &receiving, NULL), WSA_IO_PENDING);
    prepare(&small)->lpBuffers->len = 2;
    EXPECT_WSA(receive_message(pair.one, &small.message, NULL, &cut, tell), WSA_IO_PENDING);
    write_to(&sent, &pair.address, pair.length);
    EXPECT_EQ(WSASendMsg(pair.other, &sent.message, 0, NULL, &sending, NULL), 0);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &receiving.hEvent, TRUE, LIMIT_MS, FALSE),
              WSA_WAIT_EVENT_0);
    EXPECT_OK(WSAGetOverlappedResult(pair.one, &receiving, &bytes, FALSE, &flags));
    EXPECT_EQ(bytes, 5);
    EXPECT_STREQ(got.text, "hello");
    EXPECT_OK(control_of(&got.message, IPPROTO_IP, IP_PKTINFO) != NULL);
    EXPECT_EQ(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), 0);
    while (!told_count && SleepEx(LIMIT_MS, TRUE) == WAIT_IO_COMPLETION)
        ;
    EXPECT_EQ(told_count, 1);
    EXPECT_EQ(told_error, WSAEMSGSIZE);
    EXPECT_EQ(told_bytes, 2);
    EXPECT_EQ(small.message.dwFlags, MSG_TRUNC);
    EXPECT_OK(WSACloseEvent(receiving.hEvent));
    close_pair(&pair);
}

static void expect_packet(HANDLE port, OVERLAPPED *overlapped, DWORD bytes, DWORD error)
{
    DWORD got = 77;
    ULONG_PTR key = 0;
    OVERLAPPED *whose = NULL;
    BOOL done = GetQueuedCompletionStatus(port, &got, &key, &whose, LIMIT_MS);

    EXPECT_EQ(done ? 0 : GetLastError(), error);
    EXPECT_EQ((void *)whose, (void *)overlapped);
    EXPECT_EQ(got, bytes);
}

/* Cancelled ones and those of a closed socket end once, and leave the messages alone. */
WINSOCK_TEST(WinsockMessages, by_port_and_cancelled)
{
    struct pair pair;
    struct letter sent, first, second;
    OVERLAPPED one = {0}, other = {0}, sending = {0};
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    HANDLE sent_port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);

    ASSERT_OK(open_pair(AF_INET, &pair));
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pair.one, port, 1, 0), port);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pair.other, sent_port, 2, 0), sent_port);
    EXPECT_WSA(receive_message(pair.one, prepare(&first), NULL, &one, NULL), WSA_IO_PENDING);
    EXPECT_WSA(receive_message(pair.one, prepare(&second), NULL, &other, NULL), WSA_IO_PENDING);
    EXPECT_OK(CancelIoEx((HANDLE)pair.one, &one));
    expect_packet(port, &one, 0, ERROR_OPERATION_ABORTED);
    EXPECT_EQ(first.message.Control.len, sizeof first.control);
    write_to(&sent, &pair.address, pair.length);
    EXPECT_EQ(WSASendMsg(pair.other, &sent.message, 0, NULL, &sending, NULL), 0);
    expect_packet(sent_port, &sending, 5, 0);
    expect_packet(port, &other, 5, 0);
    EXPECT_STREQ(second.text, "hello");
    EXPECT_WSA(receive_message(pair.one, prepare(&first), NULL, &one, NULL), WSA_IO_PENDING);
    socket_close(pair.one);
    expect_packet(port, &one, 0, ERROR_OPERATION_ABORTED);
    socket_close(pair.other);
    EXPECT_OK(CloseHandle(port));
    EXPECT_OK(CloseHandle(sent_port));
}
