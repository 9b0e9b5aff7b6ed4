/* SPDX-License-Identifier: MIT
 *
 * copy.c - see copy.h. A worker's own stack, or that of a worker that waits, needs no system call.
 * Other memory needs one, or a pipe where a sandbox refuses it.
 *
 * Memory on the calling worker's stack, between its stack pointer and the stack's end, is certainly
 * there. Strict sandboxes refuse process_vm_readv, even of a process on itself. A write to a pipe
 * and a read from it touch memory in the same careful way, and no sandbox can refuse those. The
 * first refusal makes the pipe, which stays. It is empty whenever its lock is free.
 */
#include "platform/linux/os/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

enum { AT_ONCE = 4096 }; /* bytes that an empty pipe takes without waiting, on every kernel */

static _Atomic bool refused;
static PLAT_LOCK(COPY) pipe_lock; /* for the ends, and the contents of the pipe */
static int read_end = -1, write_end = -1;

/* Makes the pipe through which bytes are copied. The caller has the lock. */
static int make_pipe(void)
{
    int ends[2];
    long error = RAW2(SYS_pipe2, ends, O_CLOEXEC);
    if (error)
        return (int)error;
    read_end = fd_move_high(ends[0]);
    write_end = fd_move_high(ends[1]);
    return 0;
}

/* With the lock. When this returns the pipe is empty, or closed. */
static int pass_through(char *to, const char *from, size_t bytes)
{
    long written = RAW3(SYS_write, write_end, from, bytes);
    long taken = written > 0 ? RAW3(SYS_read, read_end, to, written) : 0;
    if (taken != written) {
        own_file_close(read_end);
        own_file_close(write_end);
        read_end = write_end = -1;
    }
    return taken == (long)bytes ? 0 : -EFAULT;
}

static int copy_by_pipe(char *to, const char *from, size_t bytes)
{
    int error = 0;
    plat_lock(&pipe_lock);
    while (bytes && !error) {
        size_t part = bytes < AT_ONCE ? bytes : AT_ONCE;
        error = read_end < 0 ? make_pipe() : 0;
        if (!error)
            error = pass_through(to, from, part);
        to += part;
        from += part;
        bytes -= part;
    }
    plat_unlock(&pipe_lock);
    return error;
}

static int copy(long nr, void *local, void *remote, size_t bytes)
{
    struct iovec here = {local, bytes}, there = {remote, bytes};
    if (atomic_load_explicit(&refused, memory_order_relaxed))
        return -ENOSYS;
    long copied = RAW6(nr, RAW0(SYS_getpid), &here, 1, &there, 1, 0);
    if (copied >= 0 || copied == -EFAULT)
        return copied == (long)bytes ? 0 : -EFAULT;
    atomic_store_explicit(&refused, true, memory_order_relaxed);
    return -ENOSYS;
}

static bool lies_in(uintptr_t low, uintptr_t high, const void *at, size_t bytes)
{
    uintptr_t first = (uintptr_t)at;
    return first >= low && first <= high && bytes <= high - first;
}

static bool on_own_stack(const void *at, size_t bytes)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= plat_tls.room.low && lies_in(here, plat_tls.room.high, at, bytes);
}

int copy_in(void *to, const void *from, size_t bytes)
{
    if (on_own_stack(from, bytes)) {
        memcpy(to, from, bytes);
        return 0;
    }
    int error = copy(SYS_process_vm_readv, to, (void *)from, bytes);
    return error == -ENOSYS ? copy_by_pipe(to, from, bytes) : error;
}

int copy_out(void *to, const void *from, size_t bytes)
{
    if (on_own_stack(to, bytes)) {
        memcpy(to, from, bytes);
        return 0;
    }
    int error = copy(SYS_process_vm_writev, (void *)from, to, bytes);
    return error == -ENOSYS ? copy_by_pipe(to, from, bytes) : error;
}

int copy_out_to(const struct call_room *stack, void *to, const void *from, size_t bytes)
{
    if (!lies_in(stack->low, stack->high, to, bytes))
        return copy_out(to, from, bytes);
    memcpy(to, from, bytes);
    return 0;
}

bool copy_is_direct(void)
{
    return !atomic_load_explicit(&refused, memory_order_relaxed);
}

/* Closes the pipe: the parent has it as well, and might read what the child writes. */
void copy_forget(void)
{
    plat_lock_forget(&pipe_lock);
    if (read_end >= 0) {
        own_file_close(read_end);
        own_file_close(write_end);
    }
    read_end = write_end = -1;
}
