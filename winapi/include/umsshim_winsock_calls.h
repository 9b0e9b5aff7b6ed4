/* SPDX-License-Identifier: MIT
 *
 * umsshim_winsock_calls.h - Winsock's functions. A part of winsock2.h.
 *
 * A function whose name libc has, too, is umsshim_ws_... in the library: a label gives the
 * declaration here that symbol. umsshim_winsock_libc.h tells the function's name in the source.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WINSOCK_CALLS_H
#define UMSSHIM_WINSOCK_CALLS_H

#ifdef UMSSHIM_WINSOCK_BEHIND
#define UMSSHIM_WS_CALL(result, name, parameters) result umsshim_ws_##name parameters
#else
#define UMSSHIM_WS_CALL(result, name, parameters)                                                  \
    result name parameters __asm__("umsshim_ws_" #name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Names that libc has, too ---------------------------------------------------------------- */

UMSSHIM_WS_CALL(SOCKET, socket, (int, int, int));
UMSSHIM_WS_CALL(int, bind, (SOCKET, const struct sockaddr *, int));
UMSSHIM_WS_CALL(int, listen, (SOCKET, int));
UMSSHIM_WS_CALL(SOCKET, accept, (SOCKET, struct sockaddr *, int *));
UMSSHIM_WS_CALL(int, connect, (SOCKET, const struct sockaddr *, int));
UMSSHIM_WS_CALL(int, send, (SOCKET, const char *, int, int));
UMSSHIM_WS_CALL(int, recv, (SOCKET, char *, int, int));
UMSSHIM_WS_CALL(int, sendto, (SOCKET, const char *, int, int, const struct sockaddr *, int));
UMSSHIM_WS_CALL(int, recvfrom, (SOCKET, char *, int, int, struct sockaddr *, int *));
UMSSHIM_WS_CALL(int, shutdown, (SOCKET, int));
UMSSHIM_WS_CALL(int, getsockname, (SOCKET, struct sockaddr *, int *));
UMSSHIM_WS_CALL(int, getpeername, (SOCKET, struct sockaddr *, int *));
UMSSHIM_WS_CALL(int, getsockopt, (SOCKET, int, int, char *, int *));
UMSSHIM_WS_CALL(int, setsockopt, (SOCKET, int, int, const char *, int));
UMSSHIM_WS_CALL(int, gethostname, (char *, int));
UMSSHIM_WS_CALL(struct hostent *, gethostbyname, (const char *));
UMSSHIM_WS_CALL(struct hostent *, gethostbyaddr, (const char *, int, int));
UMSSHIM_WS_CALL(struct servent *, getservbyname, (const char *, const char *));
UMSSHIM_WS_CALL(struct servent *, getservbyport, (int, const char *));
UMSSHIM_WS_CALL(struct protoent *, getprotobyname, (const char *));
UMSSHIM_WS_CALL(struct protoent *, getprotobynumber, (int));
UMSSHIM_WS_CALL(ULONG, inet_addr, (const char *));
UMSSHIM_WS_CALL(char *, inet_ntoa, (struct in_addr));

/* A program sets the room of its sets by FD_SETSIZE, which the library does not know. So select
 * looks at no more members of each set than the set's own count says. */
int umsshim_ws_select(int, UMSSHIM_WS(fd_set) *, UMSSHIM_WS(fd_set) *, UMSSHIM_WS(fd_set) *,
                      const struct timeval *);

/* ---- Names that are Winsock's alone ---------------------------------------------------------- */

int closesocket(SOCKET);
int ioctlsocket(SOCKET, LONG, ULONG *);
int __WSAFDIsSet(SOCKET, UMSSHIM_WS(fd_set) *);

int WSAStartup(WORD, LPWSADATA);
int WSACleanup(void);
int WSAGetLastError(void);
void WSASetLastError(int);
SOCKET WSASocketA(int, int, int, LPWSAPROTOCOL_INFOA, GROUP, DWORD);
SOCKET WSASocketW(int, int, int, LPWSAPROTOCOL_INFOW, GROUP, DWORD);
SOCKET WSAAccept(SOCKET, struct sockaddr *, LPINT, LPCONDITIONPROC, DWORD_PTR);
int WSAConnect(SOCKET, const struct sockaddr *, int, LPWSABUF, LPWSABUF, LPQOS, LPQOS);
int WSASend(SOCKET, LPWSABUF, DWORD, LPDWORD, DWORD, LPWSAOVERLAPPED,
            LPWSAOVERLAPPED_COMPLETION_ROUTINE);
int WSARecv(SOCKET, LPWSABUF, DWORD, LPDWORD, LPDWORD, LPWSAOVERLAPPED,
            LPWSAOVERLAPPED_COMPLETION_ROUTINE);
int WSASendTo(SOCKET, LPWSABUF, DWORD, LPDWORD, DWORD, const struct sockaddr *, int,
              LPWSAOVERLAPPED, LPWSAOVERLAPPED_COMPLETION_ROUTINE);
int WSASendMsg(SOCKET, LPWSAMSG, DWORD, LPDWORD, LPWSAOVERLAPPED,
               LPWSAOVERLAPPED_COMPLETION_ROUTINE);
int WSARecvFrom(SOCKET, LPWSABUF, DWORD, LPDWORD, LPDWORD, struct sockaddr *, LPINT,
                LPWSAOVERLAPPED, LPWSAOVERLAPPED_COMPLETION_ROUTINE);
int WSASendDisconnect(SOCKET, LPWSABUF);
int WSARecvDisconnect(SOCKET, LPWSABUF);
int WSAIoctl(SOCKET, DWORD, LPVOID, DWORD, LPVOID, DWORD, LPDWORD, LPWSAOVERLAPPED,
             LPWSAOVERLAPPED_COMPLETION_ROUTINE);
BOOL WSAGetOverlappedResult(SOCKET, LPWSAOVERLAPPED, LPDWORD, BOOL, LPDWORD);
int WSAPoll(LPWSAPOLLFD, ULONG, INT);
WSAEVENT WSACreateEvent(void);
BOOL WSACloseEvent(WSAEVENT);
BOOL WSASetEvent(WSAEVENT);
BOOL WSAResetEvent(WSAEVENT);
DWORD WSAWaitForMultipleEvents(DWORD, const WSAEVENT *, BOOL, DWORD, BOOL);
int WSAEventSelect(SOCKET, WSAEVENT, long);
int WSAEnumNetworkEvents(SOCKET, WSAEVENT, LPWSANETWORKEVENTS);
INT WSAAddressToStringA(LPSOCKADDR, DWORD, LPWSAPROTOCOL_INFOA, LPSTR, LPDWORD);
INT WSAAddressToStringW(LPSOCKADDR, DWORD, LPWSAPROTOCOL_INFOW, LPWSTR, LPDWORD);
INT WSAStringToAddressA(LPSTR, INT, LPWSAPROTOCOL_INFOA, LPSOCKADDR, LPINT);
INT WSAStringToAddressW(LPWSTR, INT, LPWSAPROTOCOL_INFOW, LPSOCKADDR, LPINT);
int WSAHtonl(SOCKET, ULONG, ULONG *);
int WSAHtons(SOCKET, USHORT, USHORT *);
int WSANtohl(SOCKET, ULONG, ULONG *);
int WSANtohs(SOCKET, USHORT, USHORT *);

#ifdef __cplusplus
}
#endif

#ifdef UNICODE
#define WSASocket WSASocketW
#define WSAAddressToString WSAAddressToStringW
#define WSAStringToAddress WSAStringToAddressW
#else
#define WSASocket WSASocketA
#define WSAAddressToString WSAAddressToStringA
#define WSAStringToAddress WSAStringToAddressA
#endif

#ifndef UMSSHIM_WINSOCK_BEHIND

/* ---- Sets of sockets ------------------------------------------------------------------------- */

#define FD_ZERO(set) ((void)((set)->fd_count = 0))
#define FD_SET(socket, set) umsshim_ws_fd_add((socket), (set))
#define FD_CLR(socket, set) umsshim_ws_fd_remove((socket), (set))
#define FD_ISSET(socket, set) __WSAFDIsSet((SOCKET)(socket), (set))

static inline void umsshim_ws_fd_add(SOCKET one, fd_set *set)
{
    u_int i = 0;

    while (i < set->fd_count && set->fd_array[i] != one)
        i++;
    if (i == set->fd_count && i < FD_SETSIZE)
        set->fd_array[set->fd_count++] = one;
}

static inline void umsshim_ws_fd_remove(SOCKET one, fd_set *set)
{
    u_int i = 0;

    while (i < set->fd_count && set->fd_array[i] != one)
        i++;
    if (i == set->fd_count)
        return;
    for (set->fd_count--; i < set->fd_count; i++)
        set->fd_array[i] = set->fd_array[i + 1];
}

/* ---- Programs write unsigned long, which has 64 bits, for u_long ----------------------------- */

static inline int umsshim_ws_ioctl_wide(SOCKET one, LONG command, unsigned long *argument)
{
    ULONG narrow = (ULONG)*argument;
    int result = ioctlsocket(one, command, &narrow);

    *argument = narrow;
    return result;
}

#ifdef __cplusplus
static inline int ioctlsocket(SOCKET one, LONG command, unsigned long *argument)
{
    return umsshim_ws_ioctl_wide(one, command, argument);
}

/* libc's select is for libc's own sets. */
static inline int select(int count, fd_set *readable, fd_set *writable, fd_set *failed,
                         const struct timeval *limit)
{
    return umsshim_ws_select(count, readable, writable, failed, limit);
}
#else
#define ioctlsocket(one, command, argument)                                                        \
    _Generic((argument), unsigned long *: umsshim_ws_ioctl_wide, default: ioctlsocket)(            \
        (one), (LONG)(command), (argument))
#endif

#endif

#endif
