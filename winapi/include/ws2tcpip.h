/* SPDX-License-Identifier: MIT
 *
 * ws2tcpip.h - names to addresses and back: natively this library's (see winsock2.h).
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../um/ws2tcpip.h>
#elif defined(_WIN32) || defined(_MSC_VER)
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <ws2tcpip.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WS2TCPIP_H
#define UMSSHIM_WS2TCPIP_H

#define _WS2TCPIP_H_
#define __WS2TCPIP__

#include <winsock2.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The structure has Windows' layout, not libc's. */
typedef struct UMSSHIM_WS(addrinfo) {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    size_t ai_addrlen;
    char *ai_canonname;
    struct sockaddr *ai_addr;
    struct UMSSHIM_WS(addrinfo) * ai_next;
} ADDRINFOA, *PADDRINFOA, ADDRINFO, *LPADDRINFO;

typedef struct addrinfoW {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    size_t ai_addrlen;
    PWSTR ai_canonname;
    struct sockaddr *ai_addr;
    struct addrinfoW *ai_next;
} ADDRINFOW, *PADDRINFOW;

#ifndef UMSSHIM_WINSOCK_BEHIND
/* Linux's numbers, which libc hides with -std=c11. */
#undef AI_PASSIVE
#undef AI_CANONNAME
#undef AI_NUMERICHOST
#undef AI_V4MAPPED
#undef AI_ALL
#undef AI_ADDRCONFIG
#undef AI_NUMERICSERV
#define AI_PASSIVE 0x0001
#define AI_CANONNAME 0x0002
#define AI_NUMERICHOST 0x0004
#define AI_V4MAPPED 0x0008
#define AI_ALL 0x0010
#define AI_ADDRCONFIG 0x0020
#define AI_NUMERICSERV 0x0400
#undef NI_MAXHOST
#undef NI_MAXSERV
#undef NI_NUMERICHOST
#undef NI_NUMERICSERV
#undef NI_NOFQDN
#undef NI_NAMEREQD
#undef NI_DGRAM
#define NI_MAXHOST 1025
#define NI_MAXSERV 32
#define NI_NUMERICHOST 1
#define NI_NUMERICSERV 2
#define NI_NOFQDN 4
#define NI_NAMEREQD 8
#define NI_DGRAM 16
/* getaddrinfo returns Winsock's errors. */
#undef EAI_AGAIN
#undef EAI_BADFLAGS
#undef EAI_FAIL
#undef EAI_FAMILY
#undef EAI_MEMORY
#undef EAI_NODATA
#undef EAI_NONAME
#undef EAI_SERVICE
#undef EAI_SOCKTYPE
#define EAI_AGAIN WSATRY_AGAIN
#define EAI_BADFLAGS WSAEINVAL
#define EAI_FAIL WSANO_RECOVERY
#define EAI_FAMILY WSAEAFNOSUPPORT
#define EAI_MEMORY WSA_NOT_ENOUGH_MEMORY
#define EAI_NODATA EAI_NONAME
#define EAI_NONAME WSAHOST_NOT_FOUND
#define EAI_SERVICE WSATYPE_NOT_FOUND
#define EAI_SOCKTYPE WSAESOCKTNOSUPPORT
#endif
#define INET_ADDRSTRLEN 22
#undef INET6_ADDRSTRLEN
#define INET6_ADDRSTRLEN 65

UMSSHIM_WS_CALL(int, getaddrinfo,
                (const char *, const char *, const struct UMSSHIM_WS(addrinfo) *,
                 struct UMSSHIM_WS(addrinfo) **));
UMSSHIM_WS_CALL(void, freeaddrinfo, (struct UMSSHIM_WS(addrinfo) *));
UMSSHIM_WS_CALL(int, getnameinfo,
                (const struct sockaddr *, int, char *, DWORD, char *, DWORD, int));
UMSSHIM_WS_CALL(const char *, inet_ntop, (int, const void *, char *, size_t));
UMSSHIM_WS_CALL(int, inet_pton, (int, const char *, void *));
INT GetAddrInfoW(PCWSTR, PCWSTR, const ADDRINFOW *, PADDRINFOW *);
void FreeAddrInfoW(PADDRINFOW);
INT GetNameInfoW(const SOCKADDR *, int, PWCHAR, DWORD, PWCHAR, DWORD, INT);
PCWSTR InetNtopW(INT, const VOID *, PWSTR, size_t);
INT InetPtonW(INT, PCWSTR, PVOID);

#ifdef __cplusplus
}
#endif

#ifndef UMSSHIM_WINSOCK_BEHIND
#define GetAddrInfoA getaddrinfo
#define FreeAddrInfoA freeaddrinfo
#define GetNameInfoA getnameinfo
#define InetNtopA inet_ntop
#define InetPtonA inet_pton
#ifdef UNICODE
#define GetAddrInfo GetAddrInfoW
#define FreeAddrInfo FreeAddrInfoW
#define GetNameInfo GetNameInfoW
#define InetNtop InetNtopW
#define InetPton InetPtonW
typedef ADDRINFOW ADDRINFOT, *PADDRINFOT;
#else
#define GetAddrInfo GetAddrInfoA
#define FreeAddrInfo FreeAddrInfoA
#define GetNameInfo GetNameInfoA
#define InetNtop InetNtopA
#define InetPton InetPtonA
typedef ADDRINFOA ADDRINFOT, *PADDRINFOT;
#endif

/* The text is in memory of the thread, which the thread's next call overwrites, as on Windows. */
static inline char *gai_strerrorA(int error)
{
    static __thread char text[1025];

    if (!FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                        (DWORD)error, 0, text, sizeof(text), NULL))
        text[0] = 0;
    return text;
}

static inline WCHAR *gai_strerrorW(int error)
{
    static __thread WCHAR text[1025];

    if (!FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                        (DWORD)error, 0, text, 1025, NULL))
        text[0] = 0;
    return text;
}

#undef gai_strerror
#ifdef UNICODE
#define gai_strerror gai_strerrorW
#else
#define gai_strerror gai_strerrorA
#endif
#endif

#endif
#endif
