/* SPDX-License-Identifier: MIT
 *
 * winsock_bad_messages.c - sockets, counts and control data that WSASendMsg and WSARecvMsg refuse.
 *
 * modes: ways
 * where: UNIX
 * with: sockets.c, letters.c
 */
#include "letters.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

/* A control header is refused if its length is more than there is room for, or less than a
 * header's, wherever it stands. */
WINSOCK_TEST(WinsockBadMessages, lengths_of_control_data)
{
    static const struct {
        ULONG bytes;
        SIZE_T first, second; /* lengths; the second header is 24 bytes behind the first */
    } rows[] = {
        {16, 28, 0},         {24, 28, 0},           {27, 28, 0},         {16, 15, 0},
        {16, 0, 0},          {40, 20, 28},          {48, 20, 28},        {51, 20, 28},
        {40, 20, 15},        {40, 20, 0},           {40, 20, 17},        {16, (SIZE_T)-16, 0},
        {16, (SIZE_T)-1, 0}, {40, 20, (SIZE_T)-24}, {40, (SIZE_T)-8, 16}};
    struct pair pair;
    struct letter sent, got;
    DWORD bytes = 0;

    ASSERT_OK(open_pair(AF_INET, &pair));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        WSAOVERLAPPED overlapped = {0};
        WSACMSGHDR *header, *second;

        write_to(&sent, &pair.address, pair.length);
        header = (WSACMSGHDR *)(void *)sent.control;
        second = (WSACMSGHDR *)(void *)(sent.control + WSA_CMSG_SPACE(sizeof(int)));
        *header = (WSACMSGHDR){rows[i].first, IPPROTO_IP, rows[i].second ? IP_TTL : IP_PKTINFO};
        *(int *)(void *)WSA_CMSG_DATA(header) = 1;
        *second = (WSACMSGHDR){rows[i].second, IPPROTO_IP, IP_PKTINFO};
        sent.message.Control = (WSABUF){rows[i].bytes, sent.control};
        EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEINVAL);
        EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, NULL, &overlapped, NULL), WSAEINVAL);
    }
    sent.message.Control = (WSABUF){0, NULL};
    sent.text[0] = 'j';
    EXPECT_EQ(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), 0);
    EXPECT_EQ(receive_message(pair.one, prepare(&got), &bytes, NULL, NULL), 0);
    EXPECT_STREQ(got.text, "jello"); /* and nothing else was sent */
    close_pair(&pair);
}

/* The system reads the message's memory, as for the older calls, and says that it cannot. */
WINSOCK_TEST(WinsockBadMessages, memory_that_cannot_be_read)
{
    enum { PAGE = 4096 };
    struct pair pair;
    struct letter sent, got;
    WSAOVERLAPPED overlapped = {0};
    DWORD bytes = 0;
    char *page = VirtualAlloc(NULL, PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);

    ASSERT_OK(page);
    ASSERT_OK(open_pair(AF_INET, &pair));
    write_to(&sent, &pair.address, pair.length)->Control = (WSABUF){32, page};
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, NULL, &overlapped, NULL), WSAEFAULT);
    write_to(&sent, &pair.address, pair.length)->name = (struct sockaddr *)(void *)page;
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, NULL, &overlapped, NULL), WSAEFAULT);
    write_to(&sent, &pair.address, pair.length)->lpBuffers->buf = page;
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEFAULT);
    write_to(&sent, &pair.address, pair.length)->lpBuffers = (WSABUF *)(void *)page;
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, &bytes, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(WSASendMsg(pair.other, &sent.message, 0, NULL, &overlapped, NULL), WSAEFAULT);
    EXPECT_WSA(WSASendMsg(pair.other, (WSAMSG *)(void *)page, 0, &bytes, NULL, NULL), WSAEFAULT);
    prepare(&got)->lpBuffers = (WSABUF *)(void *)page;
    EXPECT_WSA(receive_message(pair.one, &got.message, &bytes, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(receive_message(pair.one, &got.message, NULL, &overlapped, NULL), WSAEFAULT);
    EXPECT_WSA(receive_message(pair.one, (WSAMSG *)(void *)page, &bytes, NULL, NULL), WSAEFAULT);
    EXPECT_OK(VirtualFree(page, 0, MEM_RELEASE));
    close_pair(&pair);
}

WINSOCK_TEST(WinsockBadMessages, bad_input)
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
