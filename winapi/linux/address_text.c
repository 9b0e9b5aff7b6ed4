/* SPDX-License-Identifier: MIT
 *
 * address_text.c - converts addresses to text and back, and numbers to the network's order of bytes
 * and back.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/socket.h"
#include "winapi/linux/text.h"

enum { LONGEST = 96 }; /* an IPv6 address in brackets, a scope, a port, and more */

ULONG umsshim_ws_inet_addr(const char *cp)
{
    struct in_addr address;
    if (cp && !strcmp(cp, " "))
        return INADDR_ANY; /* as documented */
    return cp && inet_aton(cp, &address) ? address.s_addr : INADDR_NONE;
}

char *umsshim_ws_inet_ntoa(struct in_addr in)
{
    return inet_ntoa(in);
}

const char *umsshim_ws_inet_ntop(int Family, const void *pAddr, char *pStringBuf,
                                 size_t StringBufSize)
{
    const char *text = NULL;
    if (Family != AF_INET && Family != AF_INET6)
        win__fail(WSAEAFNOSUPPORT);
    else if (!pAddr || !pStringBuf)
        win__fail(ERROR_INVALID_PARAMETER);
    else if (!(text = inet_ntop(Family, pAddr, pStringBuf, (socklen_t)StringBufSize)))
        win__fail(ERROR_INVALID_PARAMETER);
    return text;
}

int umsshim_ws_inet_pton(int Family, const char *pszAddrString, void *pAddrBuf)
{
    if (Family != AF_INET && Family != AF_INET6)
        return win__winsock_fail(WSAEAFNOSUPPORT);
    if (!pszAddrString || !pAddrBuf)
        return win__winsock_fail(WSAEFAULT);
    return inet_pton(Family, pszAddrString, pAddrBuf);
}

PCWSTR InetNtopW(INT Family, const VOID *pAddr, PWSTR pStringBuf, size_t StringBufSize)
{
    char text[LONGEST];
    if (!umsshim_ws_inet_ntop(Family, pAddr, pStringBuf ? text : NULL, sizeof text))
        return NULL;
    if (strlen(text) >= StringBufSize) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    for (size_t i = 0; i <= strlen(text); i++)
        pStringBuf[i] = (WCHAR)text[i];
    return pStringBuf;
}

INT InetPtonW(INT Family, PCWSTR pszAddrString, PVOID pAddrBuf)
{
    char *text = NULL;
    if (pszAddrString &&
        !(text = win__narrow(pszAddrString, win__wide_length(pszAddrString), NULL)))
        return win__winsock_fail(WSA_NOT_ENOUGH_MEMORY);
    int result = umsshim_ws_inet_pton(Family, text, pAddrBuf);
    free(text);
    return result;
}

/* ---- WSAAddressToString ---------------------------------------------------------------------- */

/* Writes an address as text. 0 or Winsock's error. */
static DWORD write_address(const SOCKADDR *address, DWORD bytes, char text[LONGEST])
{
    char host[INET6_ADDRSTRLEN] = "", scope[16] = "", port[16] = "";
    if (!address || bytes < sizeof address->sa_family)
        return WSAEFAULT;
    const SOCKADDR_IN *four = (const SOCKADDR_IN *)address;
    const SOCKADDR_IN6 *six = (const SOCKADDR_IN6 *)address;
    bool is_six = address->sa_family == AF_INET6;
    if (address->sa_family != AF_INET && !is_six)
        return WSAEINVAL;
    if (bytes < (DWORD)win__address_bytes(address->sa_family))
        return is_six ? WSAEINVAL : WSAEFAULT;
    unsigned number = ntohs(is_six ? six->sin6_port : four->sin_port);
    inet_ntop(address->sa_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host,
              sizeof host);
    if (is_six && six->sin6_scope_id)
        snprintf(scope, sizeof scope, "%%%u", six->sin6_scope_id);
    if (number)
        snprintf(port, sizeof port, "%s:%u", is_six ? "]" : "", number);
    snprintf(text, LONGEST, "%s%s%s%s", is_six && number ? "[" : "", host, scope, port);
    return 0;
}

/* Writes an address as text, for a buffer of *room units; *room becomes the number that the text
 * takes. 0 if the buffer is large enough, else SOCKET_ERROR with the last error. */
static int text_of(LPSOCKADDR address, DWORD bytes, char text[LONGEST], const void *buffer,
                   DWORD *room)
{
    if (!win__winsock_started())
        return SOCKET_ERROR;
    DWORD error = room ? write_address(address, bytes, text) : WSAEFAULT;
    if (error)
        return win__winsock_fail(error);
    DWORD length = (DWORD)strlen(text) + 1, given = *room;
    *room = length;
    return !buffer || given < length ? win__winsock_fail(WSAEFAULT) : 0;
}

INT WSAAddressToStringA(LPSOCKADDR lpsaAddress, DWORD dwAddressLength,
                        LPWSAPROTOCOL_INFOA lpProtocolInfo, LPSTR lpszAddressString,
                        LPDWORD lpdwAddressStringLength)
{
    char text[LONGEST] = "";
    (void)lpProtocolInfo;
    if (text_of(lpsaAddress, dwAddressLength, text, lpszAddressString, lpdwAddressStringLength))
        return SOCKET_ERROR;
    memcpy(lpszAddressString, text, *lpdwAddressStringLength);
    return 0;
}

INT WSAAddressToStringW(LPSOCKADDR lpsaAddress, DWORD dwAddressLength,
                        LPWSAPROTOCOL_INFOW lpProtocolInfo, LPWSTR lpszAddressString,
                        LPDWORD lpdwAddressStringLength)
{
    char text[LONGEST] = "";
    (void)lpProtocolInfo;
    if (text_of(lpsaAddress, dwAddressLength, text, lpszAddressString, lpdwAddressStringLength))
        return SOCKET_ERROR;
    for (DWORD i = 0; i < *lpdwAddressStringLength; i++)
        lpszAddressString[i] = (WCHAR)text[i];
    return 0;
}

/* ---- WSAStringToAddress ---------------------------------------------------------------------- */

/* Reads a decimal number up to `most`, which is the whole text. */
static bool read_number(const char *text, unsigned long most, unsigned long *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *number = strtoul(text, &end, 10);
    return !*end && *number <= most;
}

/* Reads host[:port]. */
static bool read_four(char *text, SOCKADDR_IN *address)
{
    unsigned long port = 0;
    char *colon = strchr(text, ':');
    if (colon && !read_number(colon + 1, 65535, &port))
        return false;
    if (colon)
        *colon = 0;
    address->sin_port = htons((uint16_t)port);
    return inet_aton(text, &address->sin_addr) != 0;
}

/* Reads host[%scope], or the same in brackets and then [:port]. */
static bool read_six(char *text, SOCKADDR_IN6 *address)
{
    unsigned long port = 0, scope = 0;
    if (*text == '[') {
        char *end = strchr(++text, ']');
        if (!end || (end[1] && (end[1] != ':' || !read_number(end + 2, 65535, &port))))
            return false;
        *end = 0;
    }
    char *percent = strchr(text, '%');
    if (percent && !read_number(percent + 1, 0xffffffff, &scope)) {
        scope = if_nametoindex(percent + 1);
        if (!scope)
            return false;
    }
    if (percent)
        *percent = 0;
    address->sin6_port = htons((uint16_t)port);
    address->sin6_scope_id = (uint32_t)scope;
    return inet_pton(AF_INET6, text, &address->sin6_addr) == 1;
}

INT WSAStringToAddressA(LPSTR AddressString, INT AddressFamily, LPWSAPROTOCOL_INFOA lpProtocolInfo,
                        LPSOCKADDR lpAddress, LPINT lpAddressLength)
{
    char text[LONGEST] = "";
    (void)lpProtocolInfo;
    if (!win__winsock_started())
        return SOCKET_ERROR;
    if (!lpAddress || !lpAddressLength)
        return win__winsock_fail(WSAEFAULT);
    if (AddressFamily != AF_INET && AddressFamily != AF_INET6)
        return win__winsock_fail(WSAEINVAL);
    int bytes = win__address_bytes(AddressFamily);
    if (*lpAddressLength < bytes) {
        *lpAddressLength = bytes;
        return win__winsock_fail(WSAEFAULT);
    }
    memset(lpAddress, 0, (size_t)bytes);
    lpAddress->sa_family = (sa_family_t)AddressFamily;
    bool good = AddressString && *AddressString && strlen(AddressString) < sizeof text;
    if (good)
        strcpy(text, AddressString);
    if (good)
        good = AddressFamily == AF_INET ? read_four(text, (SOCKADDR_IN *)lpAddress)
                                        : read_six(text, (SOCKADDR_IN6 *)lpAddress);
    if (!good)
        lpAddress->sa_family = AF_UNSPEC;
    *lpAddressLength = bytes;
    return good ? 0 : win__winsock_fail(WSAEINVAL);
}

INT WSAStringToAddressW(LPWSTR AddressString, INT AddressFamily, LPWSAPROTOCOL_INFOW lpProtocolInfo,
                        LPSOCKADDR lpAddress, LPINT lpAddressLength)
{
    char *text = NULL;
    (void)lpProtocolInfo;
    if (AddressString &&
        !(text = win__narrow(AddressString, win__wide_length(AddressString), NULL)))
        return win__winsock_fail(WSA_NOT_ENOUGH_MEMORY);
    INT result = WSAStringToAddressA(text, AddressFamily, NULL, lpAddress, lpAddressLength);
    DWORD error = GetLastError();
    free(text);
    return result ? win__winsock_fail(error) : 0;
}

/* ---- The order of bytes: of the network, for every socket that there is ---------------------- */

#define CONVERSION(name, type, convert)                                                            \
    int name(SOCKET s, type from, type *to)                                                        \
    {                                                                                              \
        struct file *file = win__socket_begin(s);                                                  \
        if (!file)                                                                                 \
            return SOCKET_ERROR;                                                                   \
        if (to)                                                                                    \
            *to = convert(from);                                                                   \
        return win__socket_end(file, to ? 0 : WSAEFAULT);                                          \
    }

CONVERSION(WSAHtonl, ULONG, htonl)
CONVERSION(WSAHtons, USHORT, htons)
CONVERSION(WSANtohl, ULONG, ntohl)
CONVERSION(WSANtohs, USHORT, ntohs)
