/* SPDX-License-Identifier: MIT
 *
 * pipe.h - named pipes: files (file.h) that are an end of one.
 *
 * A pipe's name is the abstract address of a listening Unix socket, which has the user's number in
 * it: such an address is gone with its process, however that ends, and nothing is left to be
 * cleaned up, as a socket in a folder would be. The address keeps nobody out: each side asks the
 * kernel who the other one is (SO_PEERCRED), and speaks to processes of its own user only.
 * All instances of a name belong to one process.
 *
 * A client connects, and sends what it wants (struct pipe_request). The thread ums:watch of the
 * server's process answers (pipe_server.c): it makes a pair of sockets, gives one to an instance
 * that listens, and sends the other one; or it says why not. So a client that has its handle has
 * its instance, whether or not the server ever calls ConnectNamedPipe.
 *
 * The pair of a pipe of bytes is of streams and nothing more: a program that inherits the client's
 * end reads and writes it as a pipe. That of a pipe of messages is of packets, each with a byte in
 * front that says whether the message ends with it (pipe_message.h).
 *
 * An instance's state and its link change under the lock of all pipes and the file's pending_lock,
 * and are read under either. A link lives as long as somebody uses it: each call and each operation
 * has a reference. So a descriptor's number never becomes the next connection's under a call.
 *
 *     LISTENING     the end has no link. A client may come
 *     CONNECTED     the end has a link, also when the client is gone already
 *     DISCONNECTED  the end has no link, and no client may come
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_H
#define UMSSHIM_WINAPI_LINUX_PIPE_H

#include "winapi/linux/file.h"
#include "winapi/linux/pipe_message.h"

enum pipe_state { PIPE_LISTENING, PIPE_CONNECTED, PIPE_DISCONNECTED };

/* Of an end to the other one. */
struct pipe_link {
    struct object object;
    int fd;                   /* the socket; the file's own if this is a client's end */
    int parting;              /* readable once the server's end has disconnected; both have it */
    bool server;              /* the descriptor goes with the link */
    bool messages;            /* PIPE_TYPE_MESSAGE */
    DWORD peer;               /* process */
    _Atomic unsigned calls;   /* that wait without being an operation */
    struct pipe_rest rest;    /* of messages: what has come and was not read yet */
    SRWLOCK reading, writing; /* calls that are no operations: one at a time */
};

/* The two ends of a pipe know this much about it. */
struct pipe_facts {
    DWORD access; /* PIPE_ACCESS_* */
    DWORD limit;  /* of instances; PIPE_UNLIMITED_INSTANCES: none */
    DWORD out_bytes, in_bytes;
    DWORD default_wait; /* milliseconds */
    DWORD instances;    /* that there are, or were when the client came */
    DWORD messages;     /* PIPE_TYPE_MESSAGE or 0 */
};

struct pipe_name;

struct pipe_end {
    struct file *file;
    struct pipe_name *name;              /* of a server's end; a client's: NULL */
    void (*leave)(struct pipe_end *end); /* set with the name: the last handle is gone */
    char *key;                           /* of a client's end */
    struct pipe_end *next;               /* of the same name, in the order of their creation */
    enum pipe_state state;
    struct pipe_link *link;
    int ready; /* of a server's end: readable unless it is LISTENING; -1 */
    struct pipe_facts facts;
    _Atomic DWORD mode; /* PIPE_READMODE_*, PIPE_NOWAIT */
};

static inline struct pipe_end *win__pipe_end(const struct file *file)
{
    return file->record;
}

/* ---- Names ---- */

/* Whether the path is a named pipe's: \\.\pipe\NAME. */
bool win__is_pipe_path(LPCSTR path);
/* The name as it is looked up, from malloc. NULL with the last error: no name, or none of a pipe's
 * is ERROR_INVALID_NAME. */
char *win__pipe_key(LPCSTR path);
struct sockaddr_un;
unsigned win__pipe_address(const char *key, struct sockaddr_un *address); /* its length */

/* ---- From the client to the server's ums:watch, and back ---- */

enum pipe_wish { PIPE_OPEN = 1, PIPE_WAIT_FOR, PIPE_QUERY };
enum { PIPE_MAGIC = 0x70736d75 };

enum pipe_gift { GIFT_SOCKET, GIFT_PARTING, GIFTS };

struct pipe_request {
    uint32_t magic, wish;
    uint32_t access; /* FILE_MAY_READ, FILE_MAY_WRITE */
};

/* To PIPE_OPEN: 0, and with it the descriptors of enum pipe_gift; or ERROR_PIPE_BUSY,
 * ERROR_ACCESS_DENIED.
 * To PIPE_WAIT_FOR: 0 once an instance listens, and ERROR_PIPE_BUSY before, if none does.
 * To PIPE_QUERY: 0. */
struct pipe_answer {
    uint32_t magic, error;
    struct pipe_facts facts;
};

/* ---- Ends and links ---- */

/* A file that is an end of a pipe, with one reference; NULL: no memory, and `fd` is closed. */
struct file *win__pipe_file(int fd, unsigned access, const struct pipe_facts *facts);
/* A link that owns both descriptors (of a client's end: `parting` only). NULL: no memory. */
struct pipe_link *win__pipe_link(int fd, int parting, bool server, bool messages);
/* The link of an instance, and the socket for its client, which goes to *socket, or -1. NULL: no
 * memory, or no descriptor. */
struct pipe_link *win__pipe_pair(DWORD peer, bool messages, int *socket);
/* The file behind a handle if it is a named pipe's end. NULL: the last error is set. */
struct file *win__pipe(HANDLE handle);
/* The link of an end with a reference, for a call that may wait on it (win__pipe_leave). NULL:
 * *error says why: ERROR_PIPE_LISTENING, ERROR_PIPE_NOT_CONNECTED, ERROR_INVALID_HANDLE. */
struct pipe_link *win__pipe_enter(struct file *file, DWORD *error);
void win__pipe_leave(struct pipe_link *link);
/* The same for an operation: the reference becomes its. */
struct pipe_link *win__pipe_hold(struct file *file, DWORD *error);
/* ERROR_PIPE_NOT_CONNECTED if the server's end has disconnected, else this. On any thread. */
DWORD win__pipe_parted(const struct pipe_link *link, DWORD otherwise);
/* What a failed read or write of a link means; failure 0: the other end is gone. Any thread. */
DWORD win__pipe_failure(const struct pipe_link *link, int failure, bool writes);
/* The kernel says so of a connection. */
bool win__pipe_is_over(int fd);

/* ---- The server's side ---- */

void pipes_forget(void); /* in a child after fork: names are the parent's */

/* ---- The client's side ---- */

HANDLE win__pipe_open(LPCSTR path, unsigned access, DWORD disposition, DWORD flags, bool inherited);
/* One question to the server of this name. 0, or a Win32 error. */
DWORD win__pipe_query(const char *key, struct pipe_facts *facts);

/* ---- Data: as ReadFile and WriteFile, and take over the caller's reference ---- */

BOOL win__pipe_read(struct file *file, void *buffer, DWORD count, DWORD *moved,
                    OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);
BOOL win__pipe_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                     OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine);

#endif
