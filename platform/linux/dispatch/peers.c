/* SPDX-License-Identifier: MIT
 *
 * peers.c - see peers.h.
 */
#include "platform/linux/dispatch/peers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "platform/linux/dispatch/sealed_file.h"
#include "platform/linux/dispatch/shared_holder.h"
#include "platform/linux/dispatch/shared_name.h"
#include "platform/linux/dispatch/shared_trouble.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"

struct slot {
    _Alignas(64) _Atomic uint32_t number;
    _Atomic int32_t process, fd; /* and its pipe; the process that has the slot writes them */
    _Atomic uint64_t device, inode;
    _Atomic uint32_t bell;   /* futex */
    _Atomic uint32_t sleeps; /* the process's thread is about to sleep on `bell`, or does */
    _Atomic uint64_t which;
};
_Static_assert(sizeof(struct slot) == 64, "processes that ring write one line");

enum { BYTES = PEERS * sizeof(struct slot), KIND = 1000, THERE = 183 };
_Static_assert((int)BYTES <= SEALED_MOST, "it fits");

static struct slot *slots; /* mapped; written before `self` is, as the next three */
static uint64_t file_number;
static uid_t user; /* the user of these processes */
static int file = -1;
static int own_pipe = -1;
static _Atomic uint32_t self;

uint32_t peer_self(void)
{
    return atomic_load_explicit(&self, memory_order_acquire);
}

uint64_t peers_file(void)
{
    return file_number;
}

bool peers_are_ours(void)
{
    return user == geteuid();
}

/* ---- Joining --------------------------------------------------------------------------------- */

static int error_of(long error)
{
    return shared_trouble(sealed_file_error(error));
}

static int map(int fd)
{
    void *memory;
    int error = sealed_file_map(fd, BYTES, &memory, &file_number);
    if (error)
        return error;
    file = fd;
    user = geteuid();
    atomic_signal_fence(memory_order_release); /* a child of fork has all of it, or begins anew */
    slots = memory;
    return 0;
}

/* The file stays open: other processes find it by this descriptor, and this process's lock needs
 * it. */
static int find_slots(void)
{
    struct shared_object object = {.flags = O_RDWR, .high = true};
    struct shared_name *name;
    int fd = object.fd = sealed_file("umsshim-peers", BYTES);
    if (fd < 0)
        return error_of(fd);
    int error = shared_name_enter("\\peers", KIND, &object, &name);
    if (error)
        own_file_close(fd);
    if (error && error != THERE)
        return error;
    error = map(object.fd);
    if (error) {
        shared_name_end(name);
        own_file_close(object.fd);
    }
    return error;
}

static int open_pipe(struct file_identity *pipe)
{
    int ends[2];
    struct stat status;
    long error = RAW2(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK);
    if (error)
        return error_of(error);
    RAW1(SYS_close, ends[0]);
    own_pipe = fd_move_high(ends[1]);
    RAW2(SYS_fstat, own_pipe, &status);
    *pipe = (struct file_identity){status.st_dev, status.st_ino};
    return 0;
}

static struct flock lock_at(unsigned index)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)index, .l_len = 1};
}

static uint32_t next_number(unsigned index, uint32_t last)
{
    uint32_t generation = (last / PEERS + 1) % PEER_GENERATIONS;
    return (generation ? generation : 1) * PEERS + index;
}

/* A process that still uses the slot's last number meets one of three things, and each is harmless:
 * the number has changed, the slot's file lock is free, or pipe and process are a dead one's. */
static uint32_t take(unsigned index, const struct file_identity *pipe)
{
    struct slot *slot = &slots[index];
    uint32_t number = next_number(index, atomic_load_explicit(&slot->number, memory_order_relaxed));
    atomic_store_explicit(&slot->number, number, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&slot->process, own_pid(), memory_order_relaxed);
    atomic_store_explicit(&slot->fd, own_pipe, memory_order_relaxed);
    atomic_store_explicit(&slot->device, pipe->device, memory_order_relaxed);
    atomic_store_explicit(&slot->inode, pipe->inode, memory_order_relaxed);
    atomic_store_explicit(&slot->sleeps, 0, memory_order_relaxed);
    return number;
}

static int take_slot(const struct file_identity *pipe)
{
    for (unsigned i = 0; i < PEERS; i++) {
        struct flock lock = lock_at(i);
        long error = RAW3(SYS_fcntl, file, F_SETLK, &lock);
        if (error == -EAGAIN || error == -EACCES)
            continue;
        if (error)
            return error_of(error);
        atomic_store_explicit(&self, take(i, pipe), memory_order_release);
        return 0;
    }
    return 1450;
}

int peers_join(void)
{
    struct file_identity pipe;
    int error = slots ? 0 : find_slots();
    if (!error)
        error = open_pipe(&pipe);
    if (!error)
        error = take_slot(&pipe);
    if (error && own_pipe >= 0) {
        own_file_close(own_pipe);
        own_pipe = -1;
    }
    return error;
}

/* ---- Others ---------------------------------------------------------------------------------- */

bool peer_alive(uint32_t number)
{
    if (number == peer_self())
        return true;
    struct slot *slot = &slots[peer_slot(number)];
    struct flock lock = lock_at(peer_slot(number));
    if (atomic_load_explicit(&slot->number, memory_order_acquire) != number)
        return false;
    return RAW3(SYS_fcntl, file, F_GETLK, &lock) || lock.l_type != F_UNLCK;
}

int peer_open(uint32_t number)
{
    struct slot *slot = &slots[peer_slot(number)];
    struct holder holder = {atomic_load_explicit(&slot->process, memory_order_relaxed),
                            atomic_load_explicit(&slot->fd, memory_order_relaxed)};
    struct file_identity pipe = {atomic_load_explicit(&slot->device, memory_order_relaxed),
                                 atomic_load_explicit(&slot->inode, memory_order_relaxed)};
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&slot->number, memory_order_relaxed) != number)
        return -ENOENT;
    long fd = holder_open(holder, &pipe, O_RDONLY);
    return fd < 0 ? (int)fd : fd_move_high((int)fd);
}

/* ---- Bells ----------------------------------------------------------------------------------- */

/* Sets the bits and rings. True: a thread was woken; or it does not sleep, and had looked at these
 * bits since the last ring. */
static bool ring(struct slot *slot, uint64_t which)
{
    uint64_t before = atomic_fetch_or_explicit(&slot->which, which, memory_order_seq_cst);
    atomic_fetch_add_explicit(&slot->bell, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&slot->sleeps, memory_order_seq_cst))
        return RAW3(SYS_futex, &slot->bell, FUTEX_WAKE, 1) > 0;
    return (before & which) != which;
}

/* ring() is also false where another process has just woken the thread, or where the thread has not
 * looked since the last ring. peer_alive tells whether the process has died. */
bool peer_ring(uint32_t number, uint64_t which)
{
    struct slot *slot = &slots[peer_slot(number)];
    return atomic_load_explicit(&slot->number, memory_order_acquire) == number &&
           (ring(slot, which) || peer_alive(number));
}

void peer_ring_self(uint64_t which)
{
    if (peer_self())
        ring(&slots[peer_slot(peer_self())], which);
}

uint64_t peer_listen(int limit_ms)
{
    struct slot *slot = &slots[peer_slot(peer_self())];
    struct timespec limit = {limit_ms / 1000, limit_ms % 1000 * 1000000L};
    for (;;) {
        uint32_t seen = atomic_load_explicit(&slot->bell, memory_order_seq_cst);
        uint64_t which = atomic_exchange_explicit(&slot->which, 0, memory_order_seq_cst);
        if (which)
            return which;
        atomic_exchange_explicit(&slot->sleeps, 1, memory_order_seq_cst);
        long error =
            RAW6(SYS_futex, &slot->bell, FUTEX_WAIT, seen, limit_ms < 0 ? NULL : &limit, 0, 0);
        atomic_store_explicit(&slot->sleeps, 0, memory_order_relaxed);
        if (error == -ETIMEDOUT)
            return atomic_exchange_explicit(&slot->which, 0, memory_order_seq_cst);
    }
}

/* ---- After a fork ---------------------------------------------------------------------------- */

void peers_forget(void)
{
    if (own_pipe >= 0)
        own_file_close(own_pipe); /* only the parent is to have it */
    own_pipe = -1;
    atomic_store_explicit(&self, 0, memory_order_relaxed);
}
