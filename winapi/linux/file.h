/* SPDX-License-Identifier: MIT
 *
 * file.h - files, pipes, terminals and sockets as objects. One without FILE_FLAG_OVERLAPPED is
 * always signalled: every call on it has ended when it returns. Of the others overlapped.h tells.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_H
#define UMSSHIM_WINAPI_LINUX_FILE_H

#include "platform/linux/async/ready_set.h"
#include "winapi/linux/surface.h"

struct operation;
struct packet;

/* What takes the packets of a file's operations instead of a port: on any thread, without the heap.
 * The packet is from malloc, and the sink's from then on. */
struct packet_sink {
    void (*take)(struct packet_sink *sink, struct packet *packet);
    void (*file_ends)(struct packet_sink *sink); /* it takes none any more */
};

/* In which order the operations of a file are made. */
enum file_direction { IN_ANY_ORDER, INWARD, OUTWARD, DIRECTIONS };

enum file_access {
    FILE_MAY_READ = 1,
    FILE_MAY_WRITE = 2,
    FILE_IS_CONSOLE_INPUT = 4,
    FILE_MAY_EXECUTE = 8,
    FILE_MAY_SET = 16, /* attributes and times */
    FILE_MAY_DELETE = 32,
    FILE_CONTENT = FILE_MAY_READ | FILE_MAY_WRITE | FILE_MAY_EXECUTE,
};

struct file_share;
struct file_lock;
struct file;

/* What is special about a kind of file that has a record of its own: sockets, named pipes. */
struct file_kind {
    size_t bytes;                  /* of the record, from the heap; 0: end() sees to it */
    void (*closed)(struct file *); /* after what any file does with its last handle; or NULL */
    void (*end)(struct file *);    /* before the memory goes, and the record's with it */
    void (*forget)(struct file *); /* in a child after fork; or NULL */
};

struct file {
    struct object object;
    int fd;
    bool borrowed;             /* a standard descriptor: not ours to close */
    unsigned access;           /* enum file_access */
    DWORD type;                /* FILE_TYPE_* */
    struct deletion *deletion; /* of its name, when it is closed; or NULL */
    struct file_share *share;  /* or NULL: it keeps nobody out (file_share.h) */
    struct file_lock *locks;   /* of LockFile (file_lock.c) */
    _Atomic DWORD console_mode;
    _Atomic uint32_t console_rest; /* of ReadConsole (console_read.c) */
    bool overlapped;               /* its operations take an OVERLAPPED, and may outlast the call */
    bool socket;                   /* a SOCKET is this object's handle */
    bool named_pipe;               /* an end of a named pipe (pipe.h) */
    bool message_calls;            /* the descriptor is a socket's: a SOCKET's, or a named pipe's */
    _Atomic UCHAR notification;    /* FILE_SKIP_*: set once, never taken back */
    _Atomic(struct object *) port; /* set once, with a reference; NULL: none */
    uintptr_t key;                 /* the same, before `port` */
    _Atomic(struct packet_sink *) sink; /* instead of a port, and set like one */
    PLAT_LOCK(FILE) pending_lock;
    struct operation_queue {
        struct operation *first, *last;
        bool telling; /* one that has left it is being published: the next one has to wait */
        unsigned connections;     /* inward: how often the socket has got another file */
    } pending[DIRECTIONS];        /* under pending_lock */
    bool closed;                  /* the same: the last handle is gone */
    struct ready_watch ready;     /* the same: of its operations inward */
    const struct file_kind *kind; /* NULL: a file without a record */
    void *record;
};

/* A handle for a descriptor, which the file owns from then on unless it is borrowed. NULL: the last
 * error is set and the descriptor closed, if not borrowed. */
HANDLE win__file_handle(int fd, unsigned access, bool borrowed, char *delete_on_close);
/* The same in two steps, for a file that has more to be filled in: a file with one reference, which
 * the second step takes over. NULL, which that knows, too, is ERROR_NOT_ENOUGH_MEMORY. */
struct file *win__file_create(int fd, unsigned access, bool borrowed, char *delete_on_close);
HANDLE win__file_publish(struct file *file);
/* The same with a record; the descriptor may be -1. NULL: no memory, the descriptor is closed. */
struct file *win__file_create_kind(int fd, unsigned access, const struct file_kind *kind);

/* The file behind a handle with a reference (object_drop), or NULL with ERROR_INVALID_HANDLE. */
struct file *win__file(HANDLE handle);
/* The same if it may be accessed this way, else ERROR_ACCESS_DENIED. */
struct file *win__file_for(HANDLE handle, unsigned access);

/* Deletes this file from its path, unless something else has that by now. */
void win__delete_closed(const char *path, dev_t device, ino_t inode);

/* What a failed read or write of the file means. On any thread. */
DWORD win__read_error(const struct file *file, int posix_error);
DWORD win__write_error(const struct file *file, int posix_error);
/* Before the first write to a pipe: its having no reader is an error, and no signal. */
void win__no_pipe_signal(const struct file *file);

/* All of it, as blocking writes on Windows do; what was written goes to *written in any case. */
BOOL win__write_all(struct file *file, const void *bytes, DWORD count, DWORD *written);

#endif
