/* SPDX-License-Identifier: MIT
 *
 * umsshim_winsock_libc.h - reads libc's socket headers so that Winsock can have their names. A part
 * of winsock2.h.
 *
 * libc has `send`, `bind`, `struct in_addr` and their like with a meaning of its own: its sockets
 * are descriptors, Winsock's are handles. A file that includes only POSIX headers keeps libc's. In
 * a file that includes <winsock2.h>, before or after POSIX headers, the names are Winsock's:
 *
 * - If none of libc's socket headers was read before, this header reads them, with umsshim_libc_
 *   before the names. So the plain names are free, and umsshim_winsock_calls.h declares them as
 *   Winsock's. A later include of libc's headers does nothing.
 * - If one was read before, the plain names are taken. Then they become macros for names with
 *   umsshim_ws_ before them, which are also the functions' names in the library.
 * - `select`, `fd_set` and `gethostname` come with <stdlib.h> and <unistd.h>. So they are always
 *   macros, except `select` in C++, which is an overload.
 *
 * Numbers (AF_INET6, SOL_SOCKET, SO_RCVBUF, MSG_PEEK ...) are Linux's: programs use their names. A
 * name that Linux lacks has Windows' number.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WINSOCK_LIBC_H
#define UMSSHIM_WINSOCK_LIBC_H

#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(UMSSHIM_WINSOCK_BEHIND) /* the library itself, which uses libc's names */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#else

#ifndef _SYS_SOCKET_H /* all of libc's socket headers read that one */
#define socket umsshim_libc_socket
#define bind umsshim_libc_bind
#define listen umsshim_libc_listen
#define accept umsshim_libc_accept
#define connect umsshim_libc_connect
#define send umsshim_libc_send
#define recv umsshim_libc_recv
#define sendto umsshim_libc_sendto
#define recvfrom umsshim_libc_recvfrom
#define shutdown umsshim_libc_shutdown
#define getsockname umsshim_libc_getsockname
#define getpeername umsshim_libc_getpeername
#define getsockopt umsshim_libc_getsockopt
#define setsockopt umsshim_libc_setsockopt
#define gethostbyname umsshim_libc_gethostbyname
#define gethostbyaddr umsshim_libc_gethostbyaddr
#define getservbyname umsshim_libc_getservbyname
#define getservbyport umsshim_libc_getservbyport
#define getprotobyname umsshim_libc_getprotobyname
#define getprotobynumber umsshim_libc_getprotobynumber
#define getaddrinfo umsshim_libc_getaddrinfo
#define freeaddrinfo umsshim_libc_freeaddrinfo
#define getnameinfo umsshim_libc_getnameinfo
#define gai_strerror umsshim_libc_gai_strerror
#define inet_addr umsshim_libc_inet_addr
#define inet_ntoa umsshim_libc_inet_ntoa
#define inet_ntop umsshim_libc_inet_ntop
#define inet_pton umsshim_libc_inet_pton
#define in_addr umsshim_libc_in_addr
#define in6_addr umsshim_libc_in6_addr
#define sockaddr_in umsshim_libc_sockaddr_in
#define sockaddr_in6 umsshim_libc_sockaddr_in6
#define in6addr_any umsshim_libc_in6addr_any
#define in6addr_loopback umsshim_libc_in6addr_loopback
#define ip_mreq umsshim_libc_ip_mreq
#define ip_mreq_source umsshim_libc_ip_mreq_source
#define ipv6_mreq umsshim_libc_ipv6_mreq
#define in_pktinfo umsshim_libc_in_pktinfo
#define in6_pktinfo umsshim_libc_in6_pktinfo
#define addrinfo umsshim_libc_addrinfo
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#undef socket
#undef bind
#undef listen
#undef accept
#undef connect
#undef send
#undef recv
#undef sendto
#undef recvfrom
#undef shutdown
#undef getsockname
#undef getpeername
#undef getsockopt
#undef setsockopt
#undef gethostbyname
#undef gethostbyaddr
#undef getservbyname
#undef getservbyport
#undef getprotobyname
#undef getprotobynumber
#undef getaddrinfo
#undef freeaddrinfo
#undef getnameinfo
#undef gai_strerror
#undef inet_addr
#undef inet_ntoa
#undef inet_ntop
#undef inet_pton
#undef in_addr
#undef in6_addr
#undef sockaddr_in
#undef sockaddr_in6
#undef in6addr_any
#undef in6addr_loopback
#undef ip_mreq
#undef ip_mreq_source
#undef ipv6_mreq
#undef in_pktinfo
#undef in6_pktinfo
#undef addrinfo
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#define socket umsshim_ws_socket
#define bind umsshim_ws_bind
#define listen umsshim_ws_listen
#define accept umsshim_ws_accept
#define connect umsshim_ws_connect
#define send umsshim_ws_send
#define recv umsshim_ws_recv
#define sendto umsshim_ws_sendto
#define recvfrom umsshim_ws_recvfrom
#define shutdown umsshim_ws_shutdown
#define getsockname umsshim_ws_getsockname
#define getpeername umsshim_ws_getpeername
#define getsockopt umsshim_ws_getsockopt
#define setsockopt umsshim_ws_setsockopt
#define gethostbyname umsshim_ws_gethostbyname
#define gethostbyaddr umsshim_ws_gethostbyaddr
#define getservbyname umsshim_ws_getservbyname
#define getservbyport umsshim_ws_getservbyport
#define getprotobyname umsshim_ws_getprotobyname
#define getprotobynumber umsshim_ws_getprotobynumber
#define getaddrinfo umsshim_ws_getaddrinfo
#define freeaddrinfo umsshim_ws_freeaddrinfo
#define getnameinfo umsshim_ws_getnameinfo
#define inet_addr umsshim_ws_inet_addr
#define inet_ntoa umsshim_ws_inet_ntoa
#define inet_ntop umsshim_ws_inet_ntop
#define inet_pton umsshim_ws_inet_pton
#define in_addr umsshim_ws_in_addr
#define in6_addr umsshim_ws_in6_addr
#define sockaddr_in umsshim_ws_sockaddr_in
#define sockaddr_in6 umsshim_ws_sockaddr_in6
#define in6addr_any umsshim_ws_in6addr_any
#define in6addr_loopback umsshim_ws_in6addr_loopback
#define ip_mreq umsshim_ws_ip_mreq
#define ip_mreq_source umsshim_ws_ip_mreq_source
#define ipv6_mreq umsshim_ws_ipv6_mreq
#define in_pktinfo umsshim_ws_in_pktinfo
#define in6_pktinfo umsshim_ws_in6_pktinfo
#define addrinfo umsshim_ws_addrinfo
#endif

#ifndef __cplusplus
#define select umsshim_ws_select
#endif
#define fd_set umsshim_ws_fd_set
#define gethostname umsshim_ws_gethostname
#undef FD_SETSIZE
#undef FD_CLR
#undef FD_SET
#undef FD_ZERO
#undef FD_ISSET
#endif

/* unsigned long has 64 bits here. */
#define u_long ULONG

/* By these a program sees that Winsock was included, and Wine's other headers of Winsock declare
 * nothing. */
#define _WINSOCK2API_
#define _WINSOCKAPI_
#define _WS2DEF_
#define __WS2IPDEF__
#define __INADDR_H__
#define __IN6ADDR__

#endif
