/* SPDX-License-Identifier: MIT
 *
 * mswsock.h - Microsoft's additions to Winsock: natively this library's (see winsock2.h).
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../um/mswsock.h>
#elif defined(_WIN32) || defined(_MSC_VER)
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <mswsock.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_MSWSOCK_H
#define UMSSHIM_MSWSOCK_H

#define _MSWSOCK_

#include <winsock2.h>

#define TF_DISCONNECT 0x01
#define TF_REUSE_SOCKET 0x02
#define TF_WRITE_BEHIND 0x04
#define TF_USE_DEFAULT_WORKER 0x00
#define TF_USE_SYSTEM_THREAD 0x10
#define TF_USE_KERNEL_APC 0x20

#define WSAID_TRANSMITFILE                                                                         \
    {                                                                                              \
        0xb5367df0, 0xcbac, 0x11cf,                                                                \
        {                                                                                          \
            0x95, 0xca, 0x00, 0x80, 0x5f, 0x48, 0xa1, 0x92                                         \
        }                                                                                          \
    }
#define WSAID_ACCEPTEX                                                                             \
    {                                                                                              \
        0xb5367df1, 0xcbac, 0x11cf,                                                                \
        {                                                                                          \
            0x95, 0xca, 0x00, 0x80, 0x5f, 0x48, 0xa1, 0x92                                         \
        }                                                                                          \
    }
#define WSAID_GETACCEPTEXSOCKADDRS                                                                 \
    {                                                                                              \
        0xb5367df2, 0xcbac, 0x11cf,                                                                \
        {                                                                                          \
            0x95, 0xca, 0x00, 0x80, 0x5f, 0x48, 0xa1, 0x92                                         \
        }                                                                                          \
    }
#define WSAID_CONNECTEX                                                                            \
    {                                                                                              \
        0x25a207b9, 0xddf3, 0x4660,                                                                \
        {                                                                                          \
            0x8e, 0xe9, 0x76, 0xe5, 0x8c, 0x74, 0x06, 0x3e                                         \
        }                                                                                          \
    }
#define WSAID_DISCONNECTEX                                                                         \
    {                                                                                              \
        0x7fda2e11, 0x8630, 0x436f,                                                                \
        {                                                                                          \
            0xa0, 0x31, 0xf5, 0x36, 0xa6, 0xee, 0xc1, 0x57                                         \
        }                                                                                          \
    }

#define WSAID_WSARECVMSG                                                                           \
    {                                                                                              \
        0xf689d7c8, 0x6f1f, 0x436b,                                                                \
        {                                                                                          \
            0x8a, 0x53, 0xe5, 0x4f, 0xe3, 0x51, 0xc3, 0x22                                         \
        }                                                                                          \
    }
#define WSAID_WSASENDMSG                                                                           \
    {                                                                                              \
        0xa441e712, 0x754f, 0x43ca,                                                                \
        {                                                                                          \
            0x84, 0xa7, 0x0d, 0xee, 0x44, 0xcf, 0x60, 0x6d                                         \
        }                                                                                          \
    }

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _TRANSMIT_FILE_BUFFERS {
    LPVOID Head;
    DWORD HeadLength;
    LPVOID Tail;
    DWORD TailLength;
} TRANSMIT_FILE_BUFFERS, *PTRANSMIT_FILE_BUFFERS, *LPTRANSMIT_FILE_BUFFERS;

typedef BOOL(PASCAL *LPFN_ACCEPTEX)(SOCKET, SOCKET, PVOID, DWORD, DWORD, DWORD, LPDWORD,
                                    LPOVERLAPPED);
typedef BOOL(PASCAL *LPFN_CONNECTEX)(SOCKET, const struct sockaddr *, int, PVOID, DWORD, LPDWORD,
                                     LPOVERLAPPED);
typedef BOOL(PASCAL *LPFN_DISCONNECTEX)(SOCKET, LPOVERLAPPED, DWORD, DWORD);
typedef VOID(PASCAL *LPFN_GETACCEPTEXSOCKADDRS)(PVOID, DWORD, DWORD, DWORD, struct sockaddr **,
                                                LPINT, struct sockaddr **, LPINT);
typedef BOOL(PASCAL *LPFN_TRANSMITFILE)(SOCKET, HANDLE, DWORD, DWORD, LPOVERLAPPED,
                                        LPTRANSMIT_FILE_BUFFERS, DWORD);
typedef INT(PASCAL *LPFN_WSARECVMSG)(SOCKET, LPWSAMSG, LPDWORD, LPWSAOVERLAPPED,
                                     LPWSAOVERLAPPED_COMPLETION_ROUTINE);
typedef INT(PASCAL *LPFN_WSASENDMSG)(SOCKET, LPWSAMSG, DWORD, LPDWORD, LPWSAOVERLAPPED,
                                     LPWSAOVERLAPPED_COMPLETION_ROUTINE);

BOOL AcceptEx(SOCKET, SOCKET, PVOID, DWORD, DWORD, DWORD, LPDWORD, LPOVERLAPPED);
VOID GetAcceptExSockaddrs(PVOID, DWORD, DWORD, DWORD, struct sockaddr **, LPINT, struct sockaddr **,
                          LPINT);
BOOL TransmitFile(SOCKET, HANDLE, DWORD, DWORD, LPOVERLAPPED, LPTRANSMIT_FILE_BUFFERS, DWORD);

#ifdef __cplusplus
}
#endif

#endif
#endif
