/* SPDX-License-Identifier: MIT
 *
 * process_mark.c - see process_mark.h.
 */
#include "platform/linux/os/process_mark.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

#include "platform/linux/os/directory_entry.h"
#include "platform/linux/os/raw.h"

enum { LIMIT_OF_LOCKS = 10, PID_LIMIT = 1 << 22, BUFFER_BYTES = 4096 };
#define IS_MARK ((uint64_t)0x554a << 48) /* the bits above the random ones */

struct limit {
    uint64_t soft, hard;
};

uint64_t mark_fresh(void)
{
    uint64_t random = 0;
    while (RAW3(SYS_getrandom, &random, sizeof random, 0) < 0)
        continue; /* interrupted, soon after the machine's start */
    return IS_MARK | (random >> 16 & ~(uint64_t)MARK_BITS);
}

static bool limit_of(pid_t pid, struct limit *limit)
{
    return RAW4(SYS_prlimit64, pid, LIMIT_OF_LOCKS, 0, limit) == 0;
}

uint64_t mark_of(pid_t pid)
{
    struct limit limit;
    return limit_of(pid, &limit) && limit.soft >> 48 == IS_MARK >> 48 ? limit.soft : 0;
}

long mark_give(pid_t pid, uint64_t mark)
{
    struct limit limit;
    long error = RAW4(SYS_prlimit64, pid, LIMIT_OF_LOCKS, 0, &limit);
    if (error)
        return error;
    limit.soft = mark ? mark : limit.hard;
    return limit.soft > limit.hard ? -1 /* EPERM */
                                   : RAW4(SYS_prlimit64, pid, LIMIT_OF_LOCKS, &limit, 0);
}

static pid_t number_of(const char *name)
{
    pid_t pid = 0;
    for (; *name >= '0' && *name <= '9' && pid < PID_LIMIT; name++)
        pid = pid * 10 + (*name - '0');
    return *name ? 0 : pid;
}

static bool has_ended(int pidfd)
{
    struct pollfd file = {.fd = pidfd, .events = POLLIN};
    return RAW3(SYS_poll, &file, 1, 0) == 1;
}

static void visit(pid_t pid, uint64_t mark, void (*fn)(pid_t, int, void *), void *arg)
{
    if (pid <= 0 || !mark_same(mark_of(pid), mark))
        return;
    long pidfd = RAW2(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return;
    if (mark_same(mark_of(pid), mark) && !has_ended((int)pidfd))
        fn(pid, (int)pidfd, arg);
    RAW1(SYS_close, pidfd);
}

bool mark_each(uint64_t mark, void (*fn)(pid_t pid, int pidfd, void *arg), void *arg)
{
    _Alignas(struct directory_entry) char buffer[BUFFER_BYTES];
    long folder = RAW4(SYS_openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0)
        return false;
    for (long n; (n = RAW3(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (const char *at = buffer; at < buffer + n;) {
            const struct directory_entry *entry = (const struct directory_entry *)at;
            visit(number_of(entry->name), mark, fn, arg);
            at += entry->bytes;
        }
    RAW1(SYS_close, folder);
    return true;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

struct ender {
    void (*end)(pid_t pid, int pidfd, void *arg);
    void *arg;
    pid_t self;
    unsigned char *seen; /* a bit for each process number */
    bool fresh;          /* this pass found a process that no pass before has seen */
};

static void end_one(pid_t pid, int pidfd, void *arg)
{
    struct ender *ender = arg;
    if (pid == ender->self)
        return;
    unsigned char *byte = &ender->seen[pid / 8], bit = (unsigned char)(1 << pid % 8);
    ender->fresh |= !(*byte & bit);
    *byte |= bit;
    if (ender->end)
        ender->end(pid, pidfd, ender->arg);
    else
        RAW4(SYS_pidfd_send_signal, pidfd, SIGKILL, 0, 0);
}

void mark_end_all(uint64_t mark, void (*end)(pid_t pid, int pidfd, void *arg), void *arg)
{
    struct ender ender = {.end = end, .arg = arg, .self = (pid_t)RAW0(SYS_getpid)};
    long room = RAW6(SYS_mmap, 0, PID_LIMIT / 8, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room < 0 && room > -4096)
        return; /* there is no memory for half a megabyte of addresses */
    ender.seen = (unsigned char *)room;
    do
        ender.fresh = false;
    while (mark_each(mark, end_one, &ender) && ender.fresh);
    RAW2(SYS_munmap, room, PID_LIMIT / 8);
}
