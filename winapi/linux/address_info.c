/* SPDX-License-Identifier: MIT
 *
 * address_info.c - getaddrinfo and getnameinfo, by libc's. A failure returns Winsock's error, and
 * sets it as the last error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/socket.h"
#include "winapi/linux/text.h"

static int resolver_error(int failure)
{
    switch (failure) {
    case 0:
        return 0;
    case EAI_AGAIN:
        return WSATRY_AGAIN;
    case EAI_BADFLAGS:
        return WSAEINVAL;
    case EAI_FAMILY:
    case EAI_ADDRFAMILY:
        return WSAEAFNOSUPPORT;
    case EAI_MEMORY:
        return WSA_NOT_ENOUGH_MEMORY;
    case EAI_NONAME:
    case EAI_NODATA:
        return WSAHOST_NOT_FOUND;
    case EAI_SERVICE:
        return WSATYPE_NOT_FOUND;
    case EAI_SOCKTYPE:
        return WSAESOCKTNOSUPPORT;
    case EAI_OVERFLOW:
        return ERROR_INSUFFICIENT_BUFFER;
    case EAI_SYSTEM:
        return (int)win__winsock_error(errno);
    default:
        return WSANO_RECOVERY;
    }
}

static int report(int error)
{
    if (error)
        win__fail((DWORD)error);
    return error;
}

/* Makes an answer in one piece of memory: the struct, the address, the name. */
static ADDRINFOA *copy_of(const struct addrinfo *from, bool any_type)
{
    size_t name = from->ai_canonname ? strlen(from->ai_canonname) + 1 : 0;
    ADDRINFOA *to = calloc(1, sizeof *to + sizeof(struct sockaddr_storage) + name);
    if (!to)
        return NULL;
    to->ai_flags = from->ai_flags;
    to->ai_family = from->ai_family;
    to->ai_socktype = any_type ? 0 : from->ai_socktype;
    to->ai_protocol = any_type ? 0 : from->ai_protocol;
    to->ai_addrlen = from->ai_addrlen;
    to->ai_addr = (struct sockaddr *)(to + 1);
    memcpy(to->ai_addr, from->ai_addr, from->ai_addrlen);
    if (name)
        to->ai_canonname =
            memcpy((char *)(to + 1) + sizeof(struct sockaddr_storage), from->ai_canonname, name);
    return to;
}

void umsshim_ws_freeaddrinfo(ADDRINFOA *pAddrInfo)
{
    while (pAddrInfo) {
        ADDRINFOA *next = pAddrInfo->ai_next;
        free(pAddrInfo);
        pAddrInfo = next;
    }
}

static int look_up(const char *node, const char *service, const ADDRINFOA *hints, ADDRINFOA **list)
{
    struct addrinfo wanted = {.ai_family = AF_UNSPEC}, *found = NULL;
    if (hints && (hints->ai_addrlen || hints->ai_canonname || hints->ai_addr || hints->ai_next))
        return WSANO_RECOVERY;
    if (hints)
        wanted = (struct addrinfo){.ai_flags = hints->ai_flags,
                                   .ai_family = hints->ai_family,
                                   .ai_socktype = hints->ai_socktype,
                                   .ai_protocol = hints->ai_protocol};
    /* Windows gives an address once if the caller asks for no type, Linux once for each type. */
    bool any_type = !wanted.ai_socktype && !wanted.ai_protocol;
    if (any_type)
        wanted.ai_socktype = SOCK_STREAM;
    char own[256];
    if (node && !*node) { /* an empty name: this machine */
        if (umsshim_ws_gethostname(own, sizeof own))
            return (int)GetLastError();
        node = own;
    }
    int error = resolver_error(getaddrinfo(node, service, &wanted, &found));
    ADDRINFOA **end = list;
    for (struct addrinfo *one = found; one && !error; one = one->ai_next) {
        *end = copy_of(one, any_type);
        if (*end)
            end = &(*end)->ai_next;
        else
            error = WSA_NOT_ENOUGH_MEMORY;
    }
    if (found)
        freeaddrinfo(found);
    if (error) {
        umsshim_ws_freeaddrinfo(*list);
        *list = NULL;
    }
    return error;
}

int umsshim_ws_getaddrinfo(const char *pNodeName, const char *pServiceName, const ADDRINFOA *pHints,
                           ADDRINFOA **ppResult)
{
    if (!win__winsock_started())
        return WSANOTINITIALISED;
    if (!ppResult)
        return report(WSAEFAULT);
    *ppResult = NULL;
    if (!pNodeName && !pServiceName)
        return report(WSAHOST_NOT_FOUND);
    return report(look_up(pNodeName, pServiceName, pHints, ppResult));
}

int umsshim_ws_getnameinfo(const struct sockaddr *pSockaddr, int SockaddrLength, char *pNodeBuffer,
                           DWORD NodeBufferSize, char *pServiceBuffer, DWORD ServiceBufferSize,
                           int Flags)
{
    if (!win__winsock_started())
        return WSANOTINITIALISED;
    if (!pSockaddr)
        return report(WSAEFAULT);
    if (!win__address_bytes(pSockaddr->sa_family))
        return report(WSAEAFNOSUPPORT);
    if (SockaddrLength < win__address_bytes(pSockaddr->sa_family))
        return report(WSAEFAULT);
    if (!pNodeBuffer && !pServiceBuffer)
        return report(WSAHOST_NOT_FOUND);
    return report(resolver_error(getnameinfo(pSockaddr, (socklen_t)SockaddrLength, pNodeBuffer,
                                             pNodeBuffer ? NodeBufferSize : 0, pServiceBuffer,
                                             pServiceBuffer ? ServiceBufferSize : 0, Flags)));
}

/* ---- The same in UTF-16 ---------------------------------------------------------------------- */

void FreeAddrInfoW(PADDRINFOW pAddrInfo)
{
    while (pAddrInfo) {
        PADDRINFOW next = pAddrInfo->ai_next;
        free(pAddrInfo->ai_canonname);
        free(pAddrInfo);
        pAddrInfo = next;
    }
}

/* Makes a narrow copy of a text, NULL of NULL. False: no memory. */
static bool narrow(PCWSTR text, char **copy)
{
    *copy = text ? win__narrow(text, win__wide_length(text), NULL) : NULL;
    return *copy || !text;
}

static PADDRINFOW wide_copy(const ADDRINFOA *from)
{
    PADDRINFOW to = calloc(1, sizeof *to + sizeof(struct sockaddr_storage));
    if (!to)
        return NULL;
    memcpy(to, from, offsetof(ADDRINFOW, ai_canonname));
    to->ai_addr = memcpy(to + 1, from->ai_addr, from->ai_addrlen);
    if (from->ai_canonname)
        to->ai_canonname = win__widen(from->ai_canonname, strlen(from->ai_canonname), NULL);
    return to;
}

INT GetAddrInfoW(PCWSTR pNodeName, PCWSTR pServiceName, const ADDRINFOW *pHints,
                 PADDRINFOW *ppResult)
{
    char *node, *service;
    ADDRINFOA *list = NULL;
    if (!ppResult)
        return win__winsock_started() ? report(WSAEFAULT) : WSANOTINITIALISED;
    *ppResult = NULL;
    bool have_node = narrow(pNodeName, &node), have_service = narrow(pServiceName, &service);
    bool enough = have_node && have_service;
    /* ADDRINFOA and ADDRINFOW differ only in pointers, which must be NULL in hints. */
    int error = enough ? umsshim_ws_getaddrinfo(node, service, (const ADDRINFOA *)pHints, &list)
                       : report(WSA_NOT_ENOUGH_MEMORY);
    free(node);
    free(service);
    PADDRINFOW *end = ppResult;
    for (const ADDRINFOA *one = list; one && !error; one = one->ai_next) {
        *end = wide_copy(one);
        if (*end)
            end = &(*end)->ai_next;
        else
            error = report(WSA_NOT_ENOUGH_MEMORY);
    }
    umsshim_ws_freeaddrinfo(list);
    if (error) {
        FreeAddrInfoW(*ppResult);
        *ppResult = NULL;
    }
    return error;
}

/* False: the text does not fit. */
static bool put_wide(const char *text, PWCHAR to, DWORD room)
{
    size_t length = 0;
    WCHAR *wide = to ? win__widen(text, strlen(text), &length) : NULL;
    bool fits = !to || (wide && length < room);
    if (to && fits) {
        memcpy(to, wide, length * sizeof *wide);
        to[length] = 0;
    }
    free(wide);
    return fits;
}

INT GetNameInfoW(const SOCKADDR *pSockaddr, int SockaddrLength, PWCHAR pNodeBuffer,
                 DWORD NodeBufferSize, PWCHAR pServiceBuffer, DWORD ServiceBufferSize, INT Flags)
{
    char node[1025] = "", service[256] = "";
    int error =
        umsshim_ws_getnameinfo(pSockaddr, SockaddrLength, pNodeBuffer ? node : NULL, sizeof node,
                               pServiceBuffer ? service : NULL, sizeof service, Flags);
    if (!error && (!put_wide(node, pNodeBuffer, NodeBufferSize) ||
                   !put_wide(service, pServiceBuffer, ServiceBufferSize)))
        error = report(ERROR_INSUFFICIENT_BUFFER);
    return error;
}
