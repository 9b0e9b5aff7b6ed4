/* SPDX-License-Identifier: MIT
 *
 * winsock_messages.c - WSASendMsg and WSARecvMsg: datagrams with control data, by the call itself, by event, procedure
 * and port.
 *
 * modes: ways
 * where: UNIX
 * with: sockets.c
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { LIMIT_MS = 10000 };

static LPFN_WSARECVMSG receive_message;
static LPFN_WSASENDMSG send_message;

static void *extension(SOCKET one, GUID id)
{
    void *function = NULL;
    DWORD bytes = 0;

    EXPECT_EQ(WSAIoctl(one, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &function,
                       sizeof function, &bytes, NULL, NULL),
              0);
    return function;
}

/* A message with room for everything. */
struct letter {
    WSAMSG message;
    WSABUF part;
    struct sockaddr_storage name;
    char text[16];
    _Alignas(8) char control[128];
};

static WSAMSG *prepare(struct letter *letter)
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

static WSAMSG *write_to(struct letter *letter, const void *address, int length)
{
    WSAMSG *message = prepare(letter);

    memcpy(&letter->name, address, (size_t)length);
    message->namelen = length;
    message->Control = (WSABUF){0, NULL};
    memcpy(letter->text, "hello", 5);
    letter->part.len = 5;
    return message;
}

/* Data of this kind in what came, or NULL. */
static void *control_of(WSAMSG *message, int level, int type)
{
    for (WSACMSGHDR *at = WSA_CMSG_FIRSTHDR(message); at; at = WSA_CMSG_NXTHDR(message, at))
        if (at->cmsg_level == level && at->cmsg_type == type)
            return WSA_CMSG_DATA(at);
    return NULL;
}

static void *add_control(WSAMSG *message, struct letter *letter, int level, int type, size_t bytes)
{
    WSACMSGHDR *header = (WSACMSGHDR *)(void *)letter->control;

    message->Control = (WSABUF){(ULONG)WSA_CMSG_SPACE(bytes), letter->control};
    *header = (WSACMSGHDR){WSA_CMSG_LEN(bytes), level, type};
    return WSA_CMSG_DATA(header);
}

/* Two of this family on its loopback; the first asks for the addresses of what it receives. */
struct pair {
    SOCKET one, other;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    int length;
};

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

/* False: no loopback of this family. */
static bool open_pair(int family, struct pair *pair)
{
    pair->other = bound_to_loopback(family, pair);
    if (pair->other == INVALID_SOCKET)
        return false;
    pair->one = bound_to_loopback(family, pair);
    EXPECT_EQ(getsockname(pair->one, &pair->address.any, &pair->length), 0);
    receive_message = (LPFN_WSARECVMSG)extension(pair->one, (GUID)WSAID_WSARECVMSG);
    send_message = (LPFN_WSASENDMSG)extension(pair->one, (GUID)WSAID_WSASENDMSG);
    return EXPECT_OK(receive_message != NULL && send_message != NULL);
}

static void close_pair(struct pair *pair)
{
    socket_close(pair->one);
    socket_close(pair->other);
}

static void ask_for_addresses(SOCKET one, int family)
{
    DWORD on = 1;

    EXPECT_EQ(setsockopt(one, family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
                         family == AF_INET ? IP_PKTINFO : IPV6_PKTINFO, (char *)&on, sizeof on),
              0);
}

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

WINSOCK_TEST(WinsockMessages, bad_input)
{
    struct pair pair;
    struct letter sent, got;
    SOCKET unbound = socket(AF_INET, SOCK_DGRAM, 0), stream = socket(AF_INET, SOCK_STREAM, 0);
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    WSAOVERLAPPED overlapped = {0};
    DWORD bytes = 0;

    ASSERT_OK(open_pair(AF_INET, &pair));
    prepare(&got);
    EXPECT_WSA(receive_message(INVALID_SOCKET, &got.message, &bytes, NULL, NULL), WSAENOTSOCK);
    EXPECT_WSA(receive_message((SOCKET)event, &got.message, &bytes, NULL, NULL), WSAENOTSOCK);
    EXPECT_WSA(receive_message(pair.one, NULL, &bytes, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(receive_message(pair.one, &got.message, NULL, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(receive_message(unbound, &got.message, &bytes, NULL, NULL), WSAEINVAL);
    EXPECT_WSA(receive_message(stream, &got.message, &bytes, NULL, NULL), WSAEOPNOTSUPP);
    got.message.namelen = 4;
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEFAULT);
    prepare(&got)->dwFlags = MSG_OOB;
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEOPNOTSUPP);
    prepare(&got)->dwFlags = MSG_PEEK;
    EXPECT_WSA(receive_message(pair.one, &got.message, NULL, &overlapped, NULL), WSAEOPNOTSUPP);
    prepare(&got)->dwBufferCount = 0;
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEINVAL);
    prepare(&got)->dwBufferCount = 0x10000000; /* overflows what its parts take */
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEINVAL);
    write_to(&sent, &pair.address, pair.length);
    EXPECT_WSA(WSASendMsg(stream, &sent.message, 0, &bytes, NULL, NULL), WSAEOPNOTSUPP);
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, MSG_OOB, &bytes, NULL, NULL), WSAEOPNOTSUPP);
    EXPECT_WSA(WSASendMsg(pair.other, NULL, 0, &bytes, NULL, NULL), WSAEFAULT);
    sent.message.Control.len = 0x7FFFFFFF;
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEFAULT);
    sent.message.Control.buf = sent.control;
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAENOBUFS);
    add_control(&sent.message, &sent, SOL_SOCKET, 1, sizeof(int)); /* Linux's SCM_RIGHTS */
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEINVAL);
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, NULL, &overlapped, NULL), WSAEINVAL);
    add_control(&sent.message, &sent, IPPROTO_IP, IP_PKTINFO, 2); /* too short for what it is */
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEINVAL);
    write_to(&sent, &pair.address, 4);
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEFAULT);
    close_pair(&pair);
    socket_close(unbound);
    socket_close(stream);
    EXPECT_OK(CloseHandle(event));
}
