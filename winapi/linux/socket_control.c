/* SPDX-License-Identifier: MIT
 *
 * socket_control.c - see socket_control.h.
 *
 * The lengths in the control data are the program's. libc's CMSG_FIRSTHDR and CMSG_NXTHDR do not
 * check all of them against the size, so this code does.
 */
#include "winapi/linux/socket_control.h"

#include <string.h>

/* Windows has the address to send from in ipi_addr, Linux in ipi_spec_dst. */
static void translate(struct cmsghdr *header)
{
    struct in_pktinfo info;
    if (header->cmsg_level != IPPROTO_IP || header->cmsg_type != IP_PKTINFO ||
        header->cmsg_len < CMSG_LEN(sizeof info))
        return;
    memcpy(&info, CMSG_DATA(header), sizeof info);
    info.ipi_spec_dst = info.ipi_addr;
    memcpy(CMSG_DATA(header), &info, sizeof info);
}

DWORD win__control_to_send(void *copy, size_t bytes)
{
    char *at = copy;
    while (bytes >= sizeof(struct cmsghdr)) {
        struct cmsghdr *header = (struct cmsghdr *)(void *)at;
        if (header->cmsg_len < sizeof *header || header->cmsg_len > bytes ||
            (header->cmsg_level != IPPROTO_IP && header->cmsg_level != IPPROTO_IPV6))
            return WSAEINVAL;
        translate(header);
        size_t step = CMSG_ALIGN(header->cmsg_len);
        if (step >= bytes)
            break;
        at += step;
        bytes -= step;
    }
    return 0;
}
