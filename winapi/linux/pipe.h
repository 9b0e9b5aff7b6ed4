/* SPDX-License-Identifier: MIT
 *
 * pipe.h - named pipes: each end is a file (file.h).
 *
 * A pipe's name is the abstract address of a listening Unix socket, which has the user's number in
 * it: such an address disappears with its process, however the process ends, while a socket in a
 * folder would stay. Any user may connect to the address. So each side asks the kernel for the
 * other one's user (SO_PEERCRED), and talks only to processes of its own user. All instances of a
 * name belong to one process.
 *
 * A client connects, and sends its request (struct pipe_request). The thread ums:watch of the
 * server's process answers (pipe_server.c). It makes a pair of sockets, gives one to an instance
 * that listens, and sends the other to the client; or it sends an error. So a client with a handle
 * has an instance, whether or not the server ever calls ConnectNamedPipe.
 *
 * The sockets of a pipe of bytes are plain streams: a program that inherits the client's end reads
 * and writes it as a pipe. Those of a pipe of messages carry packets. Each packet has a byte in
 * front that says whether the message ends with it (pipe_message.h).
 *
 * A thread changes an instance's state and its link under both the lock of all pipes and the file's
 * pending_lock, and reads them under either. Each call and each operation has a reference to the
 * link, so the link's descriptor stays open until they end. No call meets the next connection at
 * the same number. A thread that is ended in a call gives the reference back (sync_call.h).
 *
 *     LISTENING     the end has no link. A client may come
 *     CONNECTED     the end has a link, even if the client has left
 *     DISCONNECTED  the end has no link, and no client may come
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_H
#define UMSSHIM_WINAPI_LINUX_PIPE_H

#include "platform/linux/interrupt/turn.h"
#include "winapi/linux/file.h"
#include "winapi/linux/pipe_message.h"

enum pipe_state { PIPE_LISTENING, PIPE_CONNECTED, PIPE_DISCONNECTED };

/* The connection of one end to the other. */
struct pipe_link {
    struct object object;
    int fd;           /* the socket; in a client's end it is the file's own */
    int parting;      /* readable once the server's end has disconnected; both have it */
    bool server;      /* a server's end: the link closes the descriptor */
    bool messages;    /* PIPE_TYPE_MESSAGE */
    DWORD peer;       /* the process id of the other end */
    uint32_t parents; /* in a child after fork: references of the parent's threads, which stay */
    struct pipe_rest rest;        /* messages: bytes that have come and were not read yet */
    struct turn reading, writing; /* for calls that are no operations: one at a time */
};

/* The facts that both ends of a pipe know. */
struct pipe_facts {
    DWORD access; /* PIPE_ACCESS_* */
    DWORD limit;  /* instances at most; PIPE_UNLIMITED_INSTANCES: no limit */
    DWORD out_bytes, in_bytes;
    DWORD default_wait; /* milliseconds */
    DWORD instances;    /* the number of instances; at the client: when it came */
    DWORD messages;     /* PIPE_TYPE_MESSAGE or 0 */
};

struct pipe_name;

struct pipe_end {
    struct file *file;
    struct pipe_name *name;              /* a server's end; a client's: NULL */
    void (*leave)(struct pipe_end *end); /* at the last handle; set with the name */
    char *key;                           /* a client's end: the name */
    struct pipe_end *next;               /* of the same name, the oldest first */
    enum pipe_state state;
    struct pipe_link *link;
    int ready; /* a server's end: readable unless it is LISTENING; else -1 */
    struct pipe_facts facts;
    _Atomic DWORD mode; /* PIPE_READMODE_*, PIPE_NOWAIT */
};

static inline struct pipe_end *win__pipe_end(const struct file *file)
{
    return file->record;
}

/* ---- Names ---- */

/* Whether the path is that of a named pipe: \\.\pipe\NAME. */
bool win__is_pipe_path(LPCSTR path);
/* The key by which the name is looked up, in malloc's memory. NULL with the last error: no memory,
 * or ERROR_INVALID_NAME for a path that is no pipe's. */
char *win__pipe_key(LPCSTR path);
struct sockaddr_un;
unsigned win__pipe_address(const char *key, struct sockaddr_un *address); /* returns its length */

/* ---- Between a client and the server's ums:watch ---- */

enum pipe_wish { PIPE_OPEN = 1, PIPE_WAIT_FOR, PIPE_QUERY };
enum { PIPE_MAGIC = 0x70736d75 };

enum pipe_gift { GIFT_SOCKET, GIFT_PARTING, GIFTS };

struct pipe_request {
    uint32_t magic, wish;
    uint32_t access; /* FILE_MAY_READ, FILE_MAY_WRITE */
};

/* The answer to PIPE_OPEN: 0 with the descriptors of enum pipe_gift, or ERROR_PIPE_BUSY or
 * ERROR_ACCESS_DENIED. To PIPE_WAIT_FOR: 0 once an instance listens; before that ERROR_PIPE_BUSY,
 * if none does. To PIPE_QUERY: 0. */
struct pipe_answer {
    uint32_t magic, error;
    struct pipe_facts facts;
};

/* ---- Ends and links ---- */

/* Makes a file that is an end of a pipe, with one reference. NULL: no memory, and `fd` is
 * closed. */
struct file *win__pipe_file(int fd, unsigned access, const struct pipe_facts *facts);
/* Makes a link that owns both descriptors; a client's link owns only `parting`. NULL: no memory. */
struct pipe_link *win__pipe_link(int fd, int parting, bool server, bool messages);
/* Makes the link of an instance. *socket becomes the socket for its client, or -1. NULL: no memory,
 * or no descriptor. */
struct pipe_link *win__pipe_pair(DWORD peer, bool messages, int *socket);
/* The file of a handle that is an end of a named pipe. NULL with the last error. */
struct file *win__pipe(HANDLE handle);
/* The end's link, with a reference. NULL with *error: ERROR_PIPE_LISTENING,
 * ERROR_PIPE_NOT_CONNECTED, ERROR_INVALID_HANDLE. */
struct pipe_link *win__pipe_hold(struct file *file, DWORD *error);
/* The Win32 error of a failed read or write of a link. `failure` 0: the other end is gone. Any
 * thread. */
DWORD win__pipe_failure(const struct pipe_link *link, int failure, bool writes);
/* Whether the connection has ended, as the kernel sees it. */
bool win__pipe_is_over(int fd);

/* ---- The server's side ---- */

void pipes_forget(void); /* in a child after fork: the names are the parent's */

/* ---- The client's side ---- */

HANDLE win__pipe_open(LPCSTR path, unsigned access, DWORD disposition, DWORD flags, bool inherited);
/* Asks the server of this name for its facts. 0 or a Win32 error. */
DWORD win__pipe_query(const char *key, struct pipe_facts *facts);

/* ---- Data: like ReadFile and WriteFile; the calls take over the caller's reference ---- */

BOOL win__pipe_read(struct file *file, void *buffer, DWORD count, DWORD *moved,
                    OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);
BOOL win__pipe_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                     OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);

#endif
