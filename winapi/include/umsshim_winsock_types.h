/* SPDX-License-Identifier: MIT
 *
 * umsshim_winsock_types.h - Winsock's types and numbers. A part of winsock2.h.
 *
 * `struct sockaddr`, `sockaddr_storage`, `linger`, `timeval`, `hostent`, `servent` and `protoent`
 * are libc's. Addresses have libc's layout, and Windows' names for its parts beside libc's.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WINSOCK_TYPES_H
#define UMSSHIM_WINSOCK_TYPES_H

#ifdef UMSSHIM_WINSOCK_BEHIND
#define UMSSHIM_WS(name) umsshim_ws_##name
#else
#define UMSSHIM_WS(name) name
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef UINT_PTR SOCKET;
typedef unsigned int GROUP;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;

#define INVALID_SOCKET ((SOCKET) ~(SOCKET)0)
#define SOCKET_ERROR (-1)
#define WSAAPI
#define WINSOCK_API_LINKAGE
#define WINSOCK_VERSION MAKEWORD(2, 2)

/* ---- Addresses ------------------------------------------------------------------------------- */

typedef USHORT ADDRESS_FAMILY;

#ifndef UMSSHIM_WINSOCK_BEHIND
struct in_addr {
    __extension__ union {
        union {
            struct {
                UCHAR s_b1, s_b2, s_b3, s_b4;
            } S_un_b;
            struct {
                USHORT s_w1, s_w2;
            } S_un_w;
            ULONG S_addr;
        } S_un;
        ULONG s_addr;
    };
};

struct in6_addr {
    __extension__ union {
        union {
            UCHAR Byte[16];
            USHORT Word[8];
        } u;
        union { /* s6_addr and libc's IN6_ macros read these */
            UCHAR __u6_addr8[16];
            USHORT __u6_addr16[8];
            ULONG __u6_addr32[4];
        } __in6_u;
    };
};

struct sockaddr_in {
    ADDRESS_FAMILY sin_family;
    USHORT sin_port;
    struct in_addr sin_addr;
    unsigned char sin_zero[8];
};

struct sockaddr_in6 {
    ADDRESS_FAMILY sin6_family;
    USHORT sin6_port;
    ULONG sin6_flowinfo;
    struct in6_addr sin6_addr;
    ULONG sin6_scope_id;
};

struct ip_mreq {
    struct in_addr imr_multiaddr;
    struct in_addr imr_interface;
};

struct ip_mreq_source { /* in libc's order */
    struct in_addr imr_multiaddr;
    struct in_addr imr_interface;
    struct in_addr imr_sourceaddr;
};

struct ipv6_mreq {
    struct in6_addr ipv6mr_multiaddr;
    unsigned int ipv6mr_interface;
};

struct in_pktinfo { /* in libc's order */
    ULONG ipi_ifindex;
    struct in_addr ipi_spec_dst; /* not Windows' */
    struct in_addr ipi_addr;
};

struct in6_pktinfo {
    struct in6_addr ipi6_addr;
    ULONG ipi6_ifindex;
};

extern const struct in6_addr in6addr_any __asm__("in6addr_any");
extern const struct in6_addr in6addr_loopback __asm__("in6addr_loopback");
#endif

typedef struct in_addr IN_ADDR, *PIN_ADDR, *LPIN_ADDR;
typedef struct in6_addr IN6_ADDR, *PIN6_ADDR, *LPIN6_ADDR;
typedef struct sockaddr SOCKADDR, *PSOCKADDR, *LPSOCKADDR;
typedef struct sockaddr_in SOCKADDR_IN, *PSOCKADDR_IN, *LPSOCKADDR_IN;
typedef struct sockaddr_in6 SOCKADDR_IN6, *PSOCKADDR_IN6, *LPSOCKADDR_IN6;
typedef struct sockaddr_storage SOCKADDR_STORAGE, *PSOCKADDR_STORAGE, *LPSOCKADDR_STORAGE;
typedef struct ip_mreq IP_MREQ, *PIP_MREQ;
typedef struct ipv6_mreq IPV6_MREQ, *PIPV6_MREQ;
typedef struct in_pktinfo IN_PKTINFO, *PIN_PKTINFO;
typedef struct in6_pktinfo IN6_PKTINFO, *PIN6_PKTINFO;
typedef struct linger LINGER, *PLINGER, *LPLINGER;
typedef struct timeval TIMEVAL, *PTIMEVAL, *LPTIMEVAL;
typedef struct hostent HOSTENT, *PHOSTENT, *LPHOSTENT;
typedef struct servent SERVENT, *PSERVENT, *LPSERVENT;
typedef struct protoent PROTOENT, *PPROTOENT, *LPPROTOENT;

typedef union _SOCKADDR_INET {
    SOCKADDR_IN Ipv4;
    SOCKADDR_IN6 Ipv6;
    ADDRESS_FAMILY si_family;
} SOCKADDR_INET, *PSOCKADDR_INET;

typedef struct _SOCKET_ADDRESS {
    LPSOCKADDR lpSockaddr;
    INT iSockaddrLength;
} SOCKET_ADDRESS, *PSOCKET_ADDRESS, *LPSOCKET_ADDRESS;

typedef struct _SOCKET_ADDRESS_LIST {
    INT iAddressCount;
    SOCKET_ADDRESS Address[1];
} SOCKET_ADDRESS_LIST, *PSOCKET_ADDRESS_LIST, *LPSOCKET_ADDRESS_LIST;

#define __CSADDR_DEFINED__
typedef struct _CSADDR_INFO {
    SOCKET_ADDRESS LocalAddr;
    SOCKET_ADDRESS RemoteAddr;
    INT iSocketType;
    INT iProtocol;
} CSADDR_INFO, *PCSADDR_INFO, *LPCSADDR_INFO;

#define ADDR_ANY INADDR_ANY
#define s_net S_un.S_un_b.s_b1
#define s_host S_un.S_un_b.s_b2
#define s_lh S_un.S_un_b.s_b3
#define s_impno S_un.S_un_b.s_b4
#define s_imp S_un.S_un_w.s_w2
#define in_addr6 in6_addr
#define s6_bytes u.Byte
#define s6_words u.Word
#ifndef h_addr
#define h_addr h_addr_list[0]
#endif
#undef h_errno
#define h_errno WSAGetLastError()

/* ---- Sockets --------------------------------------------------------------------------------- */

#define FROM_PROTOCOL_INFO (-1)
#define WSA_FLAG_OVERLAPPED 0x01
#define WSA_FLAG_MULTIPOINT_C_ROOT 0x02
#define WSA_FLAG_MULTIPOINT_C_LEAF 0x04
#define WSA_FLAG_MULTIPOINT_D_ROOT 0x08
#define WSA_FLAG_MULTIPOINT_D_LEAF 0x10
#define WSA_FLAG_ACCESS_SYSTEM_SECURITY 0x40
#define WSA_FLAG_NO_HANDLE_INHERIT 0x80

#define SO_EXCLUSIVEADDRUSE ((int)~SO_REUSEADDR)
#define SO_DONTLINGER ((int)~SO_LINGER)
#define SO_USELOOPBACK 0x4040
#define SO_MAX_MSG_SIZE 0x2003
#define SO_PROTOCOL_INFOA 0x2004
#define SO_PROTOCOL_INFOW 0x2005
#define SO_CONDITIONAL_ACCEPT 0x3002
#define SO_OPENTYPE 0x7008
#define SO_UPDATE_ACCEPT_CONTEXT 0x700B
#define SO_CONNECT_TIME 0x700C
#define SO_UPDATE_CONNECT_CONTEXT 0x7010
#define SO_SYNCHRONOUS_ALERT 0x10
#define SO_SYNCHRONOUS_NONALERT 0x20

#define SD_RECEIVE 0
#define SD_SEND 1
#define SD_BOTH 2

/* Windows' 0x8000 is Linux's MSG_MORE. Linux's numbers end at bit 30, so this is bit 31. */
#define MSG_PARTIAL ((int)0x80000000)

#undef IOC_IN
#undef IOC_OUT
#undef IOC_INOUT
#define IOC_UNIX 0x00000000u
#define IOC_WS2 0x08000000u
#define IOC_PROTOCOL 0x10000000u
#define IOC_VENDOR 0x18000000u
#define IOC_VOID 0x20000000u
#define IOC_OUT 0x40000000u
#define IOC_IN 0x80000000u
#define IOC_INOUT (IOC_IN | IOC_OUT)
#define _WSAIO(x, y) (IOC_VOID | (x) | (y))
#define _WSAIOR(x, y) (IOC_OUT | (x) | (y))
#define _WSAIOW(x, y) (IOC_IN | (x) | (y))
#define _WSAIORW(x, y) (IOC_INOUT | (x) | (y))
#ifndef SIOCATMARK
#define SIOCATMARK 0x8905
#endif
#define SIO_ADDRESS_LIST_QUERY _WSAIOR(IOC_WS2, 22)
#define SIO_FLUSH _WSAIO(IOC_WS2, 4)
#define SIO_GET_EXTENSION_FUNCTION_POINTER _WSAIORW(IOC_WS2, 6)
#define SIO_BASE_HANDLE _WSAIOR(IOC_WS2, 34)
#define SIO_KEEPALIVE_VALS _WSAIOW(IOC_VENDOR, 4)
#define SIO_UDP_CONNRESET _WSAIOW(IOC_VENDOR, 12)
#define SIO_LOOPBACK_FAST_PATH _WSAIOW(IOC_VENDOR, 16)

#ifndef UMSSHIM_WINSOCK_BEHIND
#ifndef FD_SETSIZE
#define FD_SETSIZE 64
#endif
#define UMSSHIM_FD_SETSIZE FD_SETSIZE
#else
#define UMSSHIM_FD_SETSIZE 64
#endif

typedef struct UMSSHIM_WS(fd_set) {
    u_int fd_count;
    SOCKET fd_array[UMSSHIM_FD_SETSIZE];
} UMSSHIM_WS(fd_set);

typedef struct _WSAPOLLFD {
    SOCKET fd;
    SHORT events;
    SHORT revents;
} WSAPOLLFD, *PWSAPOLLFD, *LPWSAPOLLFD;

#ifndef POLLRDNORM /* libc hides these with -std=c11 */
#define POLLRDNORM 0x040
#define POLLRDBAND 0x080
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#endif

/* ---- Data, protocols, events ----------------------------------------------------------------- */

typedef struct _WSABUF {
    ULONG len;
    CHAR *buf;
} WSABUF, *LPWSABUF;

typedef struct _WSAMSG {
    LPSOCKADDR name;
    INT namelen;
    LPWSABUF lpBuffers;
    ULONG dwBufferCount;
    WSABUF Control;
    ULONG dwFlags;
} WSAMSG, *PWSAMSG, *LPWSAMSG;

typedef struct _WSACMSGHDR { /* the same as Linux's */
    SIZE_T cmsg_len;
    INT cmsg_level;
    INT cmsg_type; /* the data follow */
} WSACMSGHDR, *PWSACMSGHDR, *LPWSACMSGHDR;

#define WSA_CMSGHDR_ALIGN(length) (((length) + 7) & ~(SIZE_T)7)
#define WSA_CMSGDATA_ALIGN(length) WSA_CMSGHDR_ALIGN(length)
#define WSA_CMSG_SPACE(length) (sizeof(WSACMSGHDR) + WSA_CMSGHDR_ALIGN(length))
#define WSA_CMSG_LEN(length) (sizeof(WSACMSGHDR) + (length))
#define WSA_CMSG_DATA(header) ((UCHAR *)((WSACMSGHDR *)(header) + 1))
#define WSA_CMSG_FIRSTHDR(message)                                                                 \
    ((message)->Control.len >= sizeof(WSACMSGHDR) ? (WSACMSGHDR *)(void *)(message)->Control.buf   \
                                                  : (WSACMSGHDR *)0)
#define WSA_CMSG_NXTHDR(message, header) umsshim_next_control(message, header)

static inline WSACMSGHDR *umsshim_next_control(const WSAMSG *message, const WSACMSGHDR *header)
{
    SIZE_T at, length;

    if (!header)
        return WSA_CMSG_FIRSTHDR(message);
    at = (SIZE_T)((const char *)header - message->Control.buf);
    length = header->cmsg_len;
    if (length < sizeof *header || length > message->Control.len - at)
        return (WSACMSGHDR *)0;
    at += WSA_CMSGHDR_ALIGN(length);
    return at + sizeof *header <= message->Control.len
               ? (WSACMSGHDR *)(void *)(message->Control.buf + at)
               : (WSACMSGHDR *)0;
}

#define WSADESCRIPTION_LEN 256
#define WSASYS_STATUS_LEN 128
typedef struct WSAData {
    WORD wVersion;
    WORD wHighVersion;
    WORD iMaxSockets;
    WORD iMaxUdpDg;
    char *lpVendorInfo;
    char szDescription[WSADESCRIPTION_LEN + 1];
    char szSystemStatus[WSASYS_STATUS_LEN + 1];
} WSADATA, *LPWSADATA;

#define MAX_PROTOCOL_CHAIN 7
typedef struct _WSAPROTOCOLCHAIN {
    int ChainLen;
    DWORD ChainEntries[MAX_PROTOCOL_CHAIN];
} WSAPROTOCOLCHAIN, *LPWSAPROTOCOLCHAIN;

#define WSAPROTOCOL_LEN 255
#define UMSSHIM_PROTOCOL_INFO(letter, character)                                                   \
    typedef struct _WSAPROTOCOL_INFO##letter {                                                     \
        DWORD dwServiceFlags1, dwServiceFlags2, dwServiceFlags3, dwServiceFlags4;                  \
        DWORD dwProviderFlags;                                                                     \
        GUID ProviderId;                                                                           \
        DWORD dwCatalogEntryId;                                                                    \
        WSAPROTOCOLCHAIN ProtocolChain;                                                            \
        int iVersion, iAddressFamily, iMaxSockAddr, iMinSockAddr, iSocketType, iProtocol;          \
        int iProtocolMaxOffset, iNetworkByteOrder, iSecurityScheme;                                \
        DWORD dwMessageSize;                                                                       \
        DWORD dwProviderReserved;                                                                  \
        character szProtocol[WSAPROTOCOL_LEN + 1];                                                 \
    } WSAPROTOCOL_INFO##letter, *LPWSAPROTOCOL_INFO##letter
UMSSHIM_PROTOCOL_INFO(A, CHAR);
UMSSHIM_PROTOCOL_INFO(W, WCHAR);

typedef ULONG SERVICETYPE;
typedef struct _flowspec {
    ULONG TokenRate, TokenBucketSize, PeakBandwidth, Latency, DelayVariation;
    SERVICETYPE ServiceType;
    ULONG MaxSduSize, MinimumPolicedSize;
} FLOWSPEC, *PFLOWSPEC, *LPFLOWSPEC;

typedef struct _QualityOfService {
    FLOWSPEC SendingFlowspec, ReceivingFlowspec;
    WSABUF ProviderSpecific;
} QOS, *LPQOS;

#define CF_ACCEPT 0
#define CF_REJECT 1
#define CF_DEFER 2
typedef int(CALLBACK *LPCONDITIONPROC)(LPWSABUF, LPWSABUF, LPQOS, LPQOS, LPWSABUF, LPWSABUF,
                                       GROUP *, DWORD_PTR);

#define WSAEVENT HANDLE
#define LPWSAEVENT LPHANDLE
#define WSAOVERLAPPED OVERLAPPED
typedef struct _OVERLAPPED *LPWSAOVERLAPPED;
typedef void(CALLBACK *LPWSAOVERLAPPED_COMPLETION_ROUTINE)(DWORD, DWORD, LPWSAOVERLAPPED, DWORD);

#define WSA_IO_PENDING ERROR_IO_PENDING
#define WSA_IO_INCOMPLETE ERROR_IO_INCOMPLETE
#define WSA_INVALID_HANDLE ERROR_INVALID_HANDLE
#define WSA_INVALID_PARAMETER ERROR_INVALID_PARAMETER
#define WSA_NOT_ENOUGH_MEMORY ERROR_NOT_ENOUGH_MEMORY
#define WSA_OPERATION_ABORTED ERROR_OPERATION_ABORTED
#ifndef WSAHOST_NOT_FOUND
#define WSAHOST_NOT_FOUND 11001
#define WSATRY_AGAIN 11002
#define WSANO_RECOVERY 11003
#define WSANO_DATA 11004
#endif
#define WSANO_ADDRESS WSANO_DATA

#define WSA_INVALID_EVENT ((WSAEVENT)NULL)
#define WSA_MAXIMUM_WAIT_EVENTS MAXIMUM_WAIT_OBJECTS
#define WSA_WAIT_FAILED WAIT_FAILED
#define WSA_WAIT_EVENT_0 WAIT_OBJECT_0
#define WSA_WAIT_IO_COMPLETION WAIT_IO_COMPLETION
#define WSA_WAIT_TIMEOUT WAIT_TIMEOUT
#define WSA_INFINITE INFINITE

#define FD_READ_BIT 0
#define FD_WRITE_BIT 1
#define FD_OOB_BIT 2
#define FD_ACCEPT_BIT 3
#define FD_CONNECT_BIT 4
#define FD_CLOSE_BIT 5
#define FD_QOS_BIT 6
#define FD_GROUP_QOS_BIT 7
#define FD_ROUTING_INTERFACE_CHANGE_BIT 8
#define FD_ADDRESS_LIST_CHANGE_BIT 9
#define FD_MAX_EVENTS 10
#define FD_READ (1 << FD_READ_BIT)
#define FD_WRITE (1 << FD_WRITE_BIT)
#define FD_OOB (1 << FD_OOB_BIT)
#define FD_ACCEPT (1 << FD_ACCEPT_BIT)
#define FD_CONNECT (1 << FD_CONNECT_BIT)
#define FD_CLOSE (1 << FD_CLOSE_BIT)
#define FD_QOS (1 << FD_QOS_BIT)
#define FD_GROUP_QOS (1 << FD_GROUP_QOS_BIT)
#define FD_ROUTING_INTERFACE_CHANGE (1 << FD_ROUTING_INTERFACE_CHANGE_BIT)
#define FD_ADDRESS_LIST_CHANGE (1 << FD_ADDRESS_LIST_CHANGE_BIT)
#define FD_ALL_EVENTS ((1 << FD_MAX_EVENTS) - 1)

typedef struct _WSANETWORKEVENTS {
    long lNetworkEvents;
    int iErrorCode[FD_MAX_EVENTS];
} WSANETWORKEVENTS, *LPWSANETWORKEVENTS;

#ifdef UNICODE
typedef WSAPROTOCOL_INFOW WSAPROTOCOL_INFO, *LPWSAPROTOCOL_INFO;
#else
typedef WSAPROTOCOL_INFOA WSAPROTOCOL_INFO, *LPWSAPROTOCOL_INFO;
#endif

#ifdef __cplusplus
}
#endif

#endif
