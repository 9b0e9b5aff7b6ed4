/* SPDX-License-Identifier: MIT
 *
 * Control data that are sent (winapi/linux/socket_control.c): no length in them leads out of them. The copy ends at a
 * page without access, and each end and each length of two headers is tried.
 */
#include "winapi/linux/socket_control.c"

#include "doubles.h"
#include "gtest_c.h"

#include <sys/mman.h>

enum { PAGE_BYTES = 4096, LONGEST = 64, ADDRESS = sizeof(struct in_pktinfo) };

/* The end of memory that may be used. */
static char *edge(void)
{
    static char *end;

    if (!end) {
        char *pages =
            mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        end = pages + PAGE_BYTES;
        EXPECT_EQ(mprotect(end, PAGE_BYTES, PROT_NONE), 0);
    }
    return end;
}

static void put_header(char *at, size_t room, size_t length, int level, int type)
{
    struct cmsghdr header = {.cmsg_len = length, .cmsg_level = level, .cmsg_type = type};

    memcpy(at, &header, room < sizeof header ? room : sizeof header);
}

/* Aligned as headers are: of an odd end, up to seven bytes more may be used. */
static char *control(size_t bytes)
{
    char *at = edge() - CMSG_ALIGN(bytes);

    memset(at, 0, CMSG_ALIGN(bytes));
    return at;
}

static bool fits(size_t length, size_t bytes)
{
    return length >= sizeof(struct cmsghdr) && length <= bytes;
}

static const size_t huge[] = {(size_t)-1, (size_t)-8, (size_t)-16, (size_t)-24, SIZE_MAX / 2 + 1};

enum { HUGE = sizeof huge / sizeof *huge };

static size_t length_at(size_t i)
{
    return i <= LONGEST ? i : huge[i - LONGEST - 1];
}

TEST(Control, one_header_of_any_length)
{
    for (size_t bytes = 0; bytes <= LONGEST; bytes++)
        for (size_t i = 0; i <= LONGEST + HUGE; i++) {
            size_t length = length_at(i);
            char *at = control(bytes);
            bool good = bytes < sizeof(struct cmsghdr) || fits(length, bytes);

            put_header(at, bytes, length, IPPROTO_IP, IP_PKTINFO);
            /* Behind the first is room for a second, which has no length. */
            if (fits(length, bytes) && CMSG_ALIGN(length) + sizeof(struct cmsghdr) <= bytes)
                good = false;
            EXPECT_EQ(win__control_to_send(at, bytes), good ? 0 : WSAEINVAL);
        }
}

TEST(Control, a_second_header_of_any_length)
{
    enum { FIRST = CMSG_SPACE(sizeof(int)) };

    for (size_t room = sizeof(struct cmsghdr); room <= LONGEST; room += sizeof(size_t))
        for (size_t i = 0; i <= LONGEST + HUGE; i++) {
            size_t length = length_at(i);
            char *at = control(FIRST + room);
            bool good = fits(length, room) && CMSG_ALIGN(length) + sizeof(struct cmsghdr) > room;

            put_header(at, FIRST, CMSG_LEN(sizeof(int)), IPPROTO_IP, IP_TTL);
            put_header(at + FIRST, room, length, IPPROTO_IP, IP_PKTINFO);
            EXPECT_EQ(win__control_to_send(at, FIRST + room), good ? 0 : WSAEINVAL);
        }
}

TEST(Control, the_address_to_send_from)
{
    struct in_pktinfo info = {.ipi_ifindex = 3, .ipi_addr = {.s_addr = 0x0500007F}};
    char *at = control(CMSG_SPACE(ADDRESS));

    put_header(at, CMSG_SPACE(ADDRESS), CMSG_LEN(ADDRESS), IPPROTO_IP, IP_PKTINFO);
    memcpy(CMSG_DATA((struct cmsghdr *)(void *)at), &info, sizeof info);
    EXPECT_EQ(win__control_to_send(at, CMSG_LEN(ADDRESS)), 0);
    memcpy(&info, CMSG_DATA((struct cmsghdr *)(void *)at), sizeof info);
    EXPECT_EQ(info.ipi_spec_dst.s_addr, 0x0500007F);
    EXPECT_EQ(info.ipi_ifindex, 3);
}

TEST(Control, other_levels)
{
    for (int level = -1; level < 300; level++) {
        char *at = control(CMSG_LEN(0));

        put_header(at, CMSG_LEN(0), CMSG_LEN(0), level, 1);
        EXPECT_EQ(win__control_to_send(at, CMSG_LEN(0)),
                  level == IPPROTO_IP || level == IPPROTO_IPV6 ? 0 : WSAEINVAL);
    }
}
