/* SPDX-License-Identifier: MIT
 *
 * front.c - the fronts of libc's I/O functions: a UMS thread makes its calls without a
 * notification.
 *
 * The filter stops every call that may wait, and each stop costs two switches of kernel threads.
 * These definitions stand before libc's for the whole process (front.def). They attempt a worker's
 * call without waiting. If the call has to wait, the worker leaves its scheduler in user mode, and
 * holds no kernel thread (user_call.h). They simply make a scheduler's call. Any other thread gets
 * libc's own function.
 *
 * Nothing depends on these fronts: the filter sees calls that come in another way (bare system
 * calls, libc's own from within). UMSSHIM_FRONT=0 turns them off.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/libc/front.h"
#include "platform/linux/libc/waiting_receive.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/user_call.h"

static long as_libc(long result)
{
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

long front_wait(struct plat_context *self, long nr, const long args[6])
{
    return as_libc(user_call_of_libc(self, nr, args));
}

static inline __attribute__((always_inline)) long front_call(struct plat_context *self, long nr,
                                                             const long args[6])
{
    long result = front_wait(self, nr, args);
    stop_look();
    return result;
}

/* The calling UMS thread, if it is to use these fronts; else NULL. */
static struct plat_context *front_self(void)
{
    struct plat_context *self = plat_tls.current;
    return UMS_UNLIKELY(self != NULL) && engine_caps.front ? self : NULL;
}

#define ARGS(a, b, c, d, e, f)                                                                     \
    ((const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)})

STOP_LOOKS ssize_t read(int fd, void *buffer, size_t bytes)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_read, ARGS(fd, buffer, bytes, 0, 0, 0))
                : LIBC(read)(fd, buffer, bytes);
}

STOP_LOOKS ssize_t write(int fd, const void *buffer, size_t bytes)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_write, ARGS(fd, buffer, bytes, 0, 0, 0))
                : LIBC(write)(fd, buffer, bytes);
}

STOP_LOOKS ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_pread64, ARGS(fd, buffer, bytes, offset, 0, 0))
                : LIBC(pread)(fd, buffer, bytes, offset);
}

STOP_LOOKS ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_pwrite64, ARGS(fd, buffer, bytes, offset, 0, 0))
                : LIBC(pwrite)(fd, buffer, bytes, offset);
}

STOP_LOOKS ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_pread64, ARGS(fd, buffer, bytes, offset, 0, 0))
                : LIBC(pread64)(fd, buffer, bytes, offset);
}

STOP_LOOKS ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_pwrite64, ARGS(fd, buffer, bytes, offset, 0, 0))
                : LIBC(pwrite64)(fd, buffer, bytes, offset);
}

STOP_LOOKS ssize_t readv(int fd, const struct iovec *iov, int count)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_readv, ARGS(fd, iov, count, 0, 0, 0))
                : LIBC(readv)(fd, iov, count);
}

STOP_LOOKS ssize_t writev(int fd, const struct iovec *iov, int count)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_writev, ARGS(fd, iov, count, 0, 0, 0))
                : LIBC(writev)(fd, iov, count);
}

STOP_LOOKS ssize_t recvfrom(int fd, void *restrict buffer, size_t bytes, int flags,
                            struct sockaddr *restrict address, socklen_t *restrict length)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_recvfrom, ARGS(fd, buffer, bytes, flags, address, length))
                : LIBC(recvfrom)(fd, buffer, bytes, flags, address, length);
}

STOP_LOOKS ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_recvfrom, ARGS(fd, buffer, bytes, flags, 0, 0))
                : LIBC(recv)(fd, buffer, bytes, flags);
}

ssize_t waiting_receive(int fd, void *buffer, size_t bytes)
{
    struct plat_context *self = front_self();
    return self ? as_libc(user_call_by_row(self, &row_of_waiting_receive,
                                           ARGS(fd, buffer, bytes, 0, 0, 0)))
                : LIBC(recv)(fd, buffer, bytes, 0);
}

STOP_LOOKS ssize_t sendto(int fd, const void *buffer, size_t bytes, int flags,
                          const struct sockaddr *address, socklen_t length)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_sendto, ARGS(fd, buffer, bytes, flags, address, length))
                : LIBC(sendto)(fd, buffer, bytes, flags, address, length);
}

STOP_LOOKS ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_sendto, ARGS(fd, buffer, bytes, flags, 0, 0))
                : LIBC(send)(fd, buffer, bytes, flags);
}

STOP_LOOKS ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_recvmsg, ARGS(fd, message, flags, 0, 0, 0))
                : LIBC(recvmsg)(fd, message, flags);
}

STOP_LOOKS ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_sendmsg, ARGS(fd, message, flags, 0, 0, 0))
                : LIBC(sendmsg)(fd, message, flags);
}

/* ---- The same under other names -------------------------------------------------------------- */

__typeof__(read) __read FRONT_EXPORT;
__typeof__(write) __write FRONT_EXPORT;
__typeof__(send) __send FRONT_EXPORT;

STOP_LOOKS ssize_t __read(int fd, void *buffer, size_t bytes)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_read, ARGS(fd, buffer, bytes, 0, 0, 0))
                : LIBC(__read)(fd, buffer, bytes);
}

STOP_LOOKS ssize_t __write(int fd, const void *buffer, size_t bytes)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_write, ARGS(fd, buffer, bytes, 0, 0, 0))
                : LIBC(__write)(fd, buffer, bytes);
}

STOP_LOOKS ssize_t __send(int fd, const void *buffer, size_t bytes, int flags)
{
    struct plat_context *self = front_self();
    return self ? front_call(self, SYS_sendto, ARGS(fd, buffer, bytes, flags, 0, 0))
                : LIBC(__send)(fd, buffer, bytes, flags);
}

/* Programs that are built with _FORTIFY_SOURCE call the following, where the compiler knows the
 * size of the buffer. If the buffer is too small libc's function says so, and does not return. */
FRONT_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t size);
FRONT_EXPORT ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t size, int flags);
FRONT_EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t size, int flags,
                                    struct sockaddr *address, socklen_t *length);

STOP_LOOKS ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t size)
{
    struct plat_context *self = front_self();
    return self && bytes <= size ? front_call(self, SYS_read, ARGS(fd, buffer, bytes, 0, 0, 0))
                                 : LIBC(__read_chk)(fd, buffer, bytes, size);
}

STOP_LOOKS ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t size, int flags)
{
    struct plat_context *self = front_self();
    return self && bytes <= size
               ? front_call(self, SYS_recvfrom, ARGS(fd, buffer, bytes, flags, 0, 0))
               : LIBC(__recv_chk)(fd, buffer, bytes, size, flags);
}

STOP_LOOKS ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t size, int flags,
                                  struct sockaddr *address, socklen_t *length)
{
    struct plat_context *self = front_self();
    return self && bytes <= size
               ? front_call(self, SYS_recvfrom, ARGS(fd, buffer, bytes, flags, address, length))
               : LIBC(__recvfrom_chk)(fd, buffer, bytes, size, flags, address, length);
}
