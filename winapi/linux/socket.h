/* SPDX-License-Identifier: MIT
 *
 * socket.h - Winsock's sockets: files (file.h) with a descriptor that is a socket, and a state.
 *
 * The library's own sources see libc's names for libc's calls, and Winsock's calls as
 * umsshim_ws_...: winapi/include/umsshim_winsock_libc.h.
 *
 * Between win__socket_begin and win__socket_end a call has a reference to the file and is counted
 * in `calls`. The end of the last handle sets SOCKET_CLOSED and then reads `calls`. A call counts
 * itself and then reads SOCKET_CLOSED. All four are sequentially consistent. So either the call
 * sees that the socket is closed, or the closing thread sees the call, and shuts the descriptor
 * down, which ends the call's wait. The descriptor is closed with the last reference.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_H

#include "winapi/linux/socket_network_events.h"
#pragma GCC visibility push(default) /* umsshim.map has the last word */
#define UMSSHIM_WINSOCK_BEHIND
#include "winapi/include/mswsock.h"
#include "winapi/include/ws2tcpip.h"
#pragma GCC visibility pop

enum socket_flag {
    SOCKET_CLOSED = 1,       /* the last handle is closed */
    SOCKET_NONBLOCKING = 2,  /* FIONBIO, WSAEventSelect */
    SOCKET_BOUND = 4,        /* has an address of its own, as far as the library knows */
    SOCKET_LISTENING = 8,    /* listen has succeeded */
    SOCKET_CONNECTING = 16,  /* a connect without blocking goes on, or its failure is untold */
    SOCKET_CONNECTED = 32,   /* has or had a peer */
    SOCKET_NO_SEND = 64,     /* shutdown has ended sends */
    SOCKET_NO_RECEIVE = 128, /* shutdown has ended receives */
    SOCKET_REUSE = 256,      /* SO_REUSEADDR, as the program set it */
    SOCKET_EXCLUSIVE = 512,  /* SO_EXCLUSIVEADDRUSE */
    SOCKET_NO_RESETS = 1024, /* SIO_UDP_CONNRESET: a peer's closed port fails no receive */
    SOCKET_RENEWED = 2048,   /* TF_REUSE_SOCKET: ConnectEx needs no bind */
    SOCKET_SHARING = SOCKET_REUSE | SOCKET_EXCLUSIVE,
};

struct socket {
    int family, type, protocol;
    _Atomic unsigned flags; /* enum socket_flag */
    _Atomic unsigned calls; /* calls that have begun and not ended */
    unsigned parents;       /* in a child after fork: those of the parent's threads, which stay */
    _Atomic DWORD send_limit, receive_limit;
    _Atomic uint64_t connected_at; /* plat_now(); 0: never */
    _Atomic int connect_error;     /* of a connect without blocking; SO_ERROR reports it once */
    _Atomic int deferred;          /* a descriptor that the next accept returns; -1: none */
    struct network_events network; /* under the file's pending_lock */
};

/* Whether WSAStartup was called more often than WSACleanup. False with the last error. */
bool win__winsock_started(void);

/* Makes a handle for a socket's descriptor, which the file owns from then on. INVALID_SOCKET with
 * the last error; then the descriptor is closed. */
SOCKET win__socket_handle(int fd, int family, int type, int protocol, unsigned flags,
                          bool overlapped);

/* Sets the options that a new socket has on Windows. Any thread. */
void win__socket_new_options(int fd, int family, int type);
/* A new connection's descriptor has its listener's options: notes them in the connection's file.
 * Any thread. */
void win__socket_inherit(struct file *accepted, const struct file *listener);

/* Begins a call. Returns the socket's file; NULL with the last error. */
struct file *win__socket_begin(SOCKET handle);
/* Ends a call. 0; or, for an error, SOCKET_ERROR with that last error. */
int win__socket_end(struct file *file, DWORD error);
/* Ends a call that goes on as an operation, which gets its reference. */
void win__socket_leave(struct file *file);
/* Winsock's error for an errno of a call on this socket. */
DWORD win__socket_error(const struct file *file, int posix_error);
/* The same without a socket. */
DWORD win__winsock_error(int posix_error);

/* Has the socket block or not. 0 or Winsock's error. */
DWORD win__set_nonblocking(struct file *file, bool on);

/* Sets the last error. Returns SOCKET_ERROR. */
int win__winsock_fail(DWORD error);

static inline struct socket *win__socket_of(const struct file *file)
{
    return file->record;
}

static inline bool win__socket_is(const struct file *file, unsigned flags)
{
    return atomic_load(&win__socket_of(file)->flags) & flags;
}

/* The least size of an address of this family for Winsock; 0: an unknown family. */
int win__address_bytes(int family);

#endif
