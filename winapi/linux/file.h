/* SPDX-License-Identifier: MIT
 *
 * file.h - files, pipes, terminals and sockets as objects. A file without FILE_FLAG_OVERLAPPED is
 * always signalled, as no operation outlasts its call. overlapped.h is about the others.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_H
#define UMSSHIM_WINAPI_LINUX_FILE_H

#include "platform/linux/async/ready_set.h"
#include "winapi/linux/surface.h"

struct operation;
struct packet;

/* Takes the packets of a file's operations instead of a port, on any thread, without the heap. A
 * packet is malloc's memory, which `take` takes over. */
struct packet_sink {
    void (*take)(struct packet_sink *sink, struct packet *packet);
    void (*file_ends)(struct packet_sink *sink); /* no more packets follow */
};

/* Operations of one direction are made in the order of their calls. */
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

/* The special parts of a kind of file that has a record of its own: sockets, named pipes. */
struct file_kind {
    size_t bytes;                  /* of the record, from the heap; 0: end() frees it */
    void (*closed)(struct file *); /* after the usual steps at the last handle; or NULL */
    void (*end)(struct file *);    /* called before the memory of file and record is freed */
    void (*forget)(struct file *); /* in a child after fork; or NULL */
};

struct file {
    struct object object;
    int fd;
    bool borrowed;             /* the file does not close it: a standard descriptor, for one */
    unsigned access;           /* enum file_access */
    DWORD type;                /* FILE_TYPE_* */
    struct deletion *deletion; /* deletes its name when it is closed; or NULL */
    struct file_share *share;  /* NULL: all others may use the file (file_share.h) */
    struct file_lock *locks;   /* of LockFile (file_lock.c) */
    _Atomic DWORD console_mode;
    _Atomic uint32_t console_rest; /* left over from ReadConsole (console_read.c) */
    bool overlapped;               /* its operations take an OVERLAPPED, and may outlast the call */
    bool socket;                   /* its handle is a SOCKET */
    bool named_pipe;               /* an end of a named pipe (pipe.h) */
    bool message_calls;            /* the descriptor is a socket: a SOCKET's, or a named pipe's */
    _Atomic UCHAR notification;    /* FILE_SKIP_*: set once, never taken back */
    _Atomic(struct object *) port; /* set once, with a reference; NULL: none */
    uintptr_t key;                 /* the port's; set once, before `port` */
    _Atomic(struct packet_sink *) sink; /* instead of a port; set once, too */
    PLAT_LOCK(FILE) pending_lock;
    struct operation_queue {
        struct operation *first, *last;
        bool telling; /* a finished operation is being published; the next one waits for that */
        unsigned connections; /* the number of times that the socket got another file */
        _Atomic int old;   /* the file before, plus 1, while an operation of its time is there; 0 */
    } pending[DIRECTIONS]; /* under pending_lock */
    bool closed;           /* under pending_lock: the last handle is gone */
    struct ready_watch ready;     /* under pending_lock: for operations inward */
    const struct file_kind *kind; /* NULL: a file without a record */
    void *record;
};

/* Makes a handle for a descriptor, which the file owns from then on unless it is borrowed. NULL
 * with the last error; then the descriptor is closed, unless borrowed. */
HANDLE win__file_handle(int fd, unsigned access, bool borrowed, char *delete_on_close);
/* The same in two steps, so that the caller can fill more in between. The first makes a file with
 * one reference, which the second takes over. The first may give NULL, for ERROR_NOT_ENOUGH_MEMORY,
 * and the second takes that, too. */
struct file *win__file_create(int fd, unsigned access, bool borrowed, char *delete_on_close);
HANDLE win__file_publish(struct file *file);
/* As win__file_create, for a file with a record of its kind. fd may be -1. NULL: no memory; then fd
 * is closed. */
struct file *win__file_create_kind(int fd, unsigned access, const struct file_kind *kind);

/* In a child after fork, at a file's last handle: references of the parent's threads keep its
 * descriptor for good. From now on that is no file that another process has. */
void win__file_let_go(int fd);

/* The file of a handle, with a reference (object_drop). NULL: ERROR_INVALID_HANDLE. */
struct file *win__file(HANDLE handle);
/* The same for a handle with this access. NULL: also ERROR_ACCESS_DENIED. */
struct file *win__file_for(HANDLE handle, unsigned access);

struct stat;
/* Deletes the name of an open file: the one that it has by now, as it or a folder above it may have
 * moved, else `path`; neither, if another file has that. `ends`: the process ends. Then the calls
 * use no heap, and the calling worker keeps its scheduler: no thread may be left that goes on. */
void win__delete_name(const char *path, int fd, const struct stat *file, bool ends);

/* The Win32 error of a failed read or write. On any thread. */
DWORD win__read_error(const struct file *file, int posix_error);
DWORD win__write_error(const struct file *file, int posix_error);
/* Before the first write to a pipe: without a reader the write fails, but raises no SIGPIPE. */
void win__no_pipe_signal(const struct file *file);

/* Writes all bytes, as blocking writes on Windows do. Sets *written also when it fails. */
BOOL win__write_all(struct file *file, const void *bytes, DWORD count, DWORD *written);

#endif
