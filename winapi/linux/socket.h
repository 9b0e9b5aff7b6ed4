/* SPDX-License-Identifier: MIT
 *
 * socket.h - Winsock's sockets: files (file.h) with a descriptor that is a socket, and a state.
 *
 * The library's own sources see libc's names for libc's calls, and Winsock's calls as
 * umsshim_ws_...: winapi/include/umsshim_winsock_libc.h.
 *
 * A call on a socket begins and ends (win__socket_begin, win__socket_end): meanwhile it has a
 * reference to the file and is counted in `calls`. The last handle's end sets SOCKET_CLOSED and
 * then reads `calls`; a call is counted and then reads SOCKET_CLOSED; both with sequentially
 * consistent order. So either the call sees that the socket is closed, or the closing thread sees
 * the call, and shuts the descriptor down: whatever the call waits for is over then. The descriptor
 * itself goes with the last reference.
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
    SOCKET_CLOSED = 1,       /* the last handle has gone */
    SOCKET_NONBLOCKING = 2,  /* FIONBIO, WSAEventSelect */
    SOCKET_BOUND = 4,        /* has an address of its own, as far as is known */
    SOCKET_LISTENING = 8,    /* listen has succeeded */
    SOCKET_CONNECTING = 16,  /* a connect without blocking is under way, or has failed untold */
    SOCKET_CONNECTED = 32,   /* has or had a peer */
    SOCKET_NO_SEND = 64,     /* shutdown */
    SOCKET_NO_RECEIVE = 128, /* shutdown */
    SOCKET_REUSE = 256,      /* SO_REUSEADDR, as the program set it */
    SOCKET_EXCLUSIVE = 512,  /* SO_EXCLUSIVEADDRUSE */
    SOCKET_NO_RESETS = 1024, /* SIO_UDP_CONNRESET: that nobody listens there fails no receive */
    SOCKET_RENEWED = 2048,   /* TF_REUSE_SOCKET: ConnectEx wants no bind */
    SOCKET_SHARING = SOCKET_REUSE | SOCKET_EXCLUSIVE,
};

struct socket {
    int family, type, protocol;
    _Atomic unsigned flags; /* enum socket_flag */
    _Atomic unsigned calls; /* that have begun and have not ended */
    _Atomic DWORD send_limit, receive_limit;
    _Atomic uint64_t connected_at; /* plat_now(); 0: never */
    _Atomic int connect_error;     /* of a connect without blocking: for SO_ERROR, once */
    _Atomic int deferred;          /* a connection that the next accept takes; -1: none */
    struct network_events network; /* under the file's pending_lock */
};

/* Whether WSAStartup was called, and not as many WSACleanup; else the last error says so. */
bool win__winsock_started(void);

/* A handle for a descriptor that is a socket, which the file owns from now on. INVALID_SOCKET: the
 * last error is set and the descriptor closed. */
SOCKET win__socket_handle(int fd, int family, int type, int protocol, unsigned flags,
                          bool overlapped);

/* The options of a new descriptor, which on Windows sockets have. Any thread. */
void win__socket_new_options(int fd, int family, int type);
/* A connection has the options of its listener's descriptor: its file tells of them. Any thread. */
void win__socket_inherit(struct file *accepted, const struct file *listener);

/* Begins a call: the file of a socket. NULL: the last error is set. */
struct file *win__socket_begin(SOCKET handle);
/* Ends it; 0: with success, else with that last error and SOCKET_ERROR. */
int win__socket_end(struct file *file, DWORD error);
/* The end of a call that goes on as an operation: gives its reference to that. */
void win__socket_leave(struct file *file);
/* What a call has to say that has failed with this errno on this socket. */
DWORD win__socket_error(const struct file *file, int posix_error);
/* The same without a socket. */
DWORD win__winsock_error(int posix_error);

/* 0 or Winsock's error. */
DWORD win__set_nonblocking(struct file *file, bool on);

/* Sets the last error; SOCKET_ERROR. */
int win__winsock_fail(DWORD error);

static inline struct socket *win__socket_of(const struct file *file)
{
    return file->record;
}

static inline bool win__socket_is(const struct file *file, unsigned flags)
{
    return atomic_load(&win__socket_of(file)->flags) & flags;
}

/* The bytes of an address of this family, as Winsock wants them at least; 0: unknown family. */
int win__address_bytes(int family);

#endif
