/* SPDX-License-Identifier: MIT
 *
 * job_keeper.c - see job_keeper.h.
 *
 * A broker's thread makes the keeper, by a clone whose end sends no signal: a copy of this process
 * with that one thread. The keeper makes only bare system calls, for any lock of libc may be held
 * in the copy. It gives the program's memory back, so that the kernel need not copy it. It closes
 * all descriptors but its socket, and leaves the session and this process's mark.
 *
 * A message has one mark. The keeper notes a mark that it does not know yet, and forgets one that
 * it knows.
 */
#include "platform/linux/async/job_keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "platform/linux/calls/broker_once.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/engine.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/process_mark.h"
#include "platform/linux/os/raw.h"
#include "platform/platform.h"

static int keeper = -1;         /* our end of the socket */
static struct broker_once once; /* `keeper` is written before it is done */
static PLAT_LOCK(KEEPER) keeper_lock;
static unsigned marks; /* how many marks the keeper knows; with the lock */

/* ---- In the keeper --------------------------------------------------------------------------- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { LINE_BYTES = 512 };

static uintptr_t hexadecimal(const char **at)
{
    uintptr_t value = 0;
    for (;; ++*at) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uintptr_t)(c - 'a' + 10);
        else
            return value;
    }
}

/* Gives back the memory of this line of /proc/self/maps, unless it is a file's or the keeper's
 * own. */
static void let_go(const char *line, uintptr_t stack, uintptr_t tls)
{
    const char *at = line;
    uintptr_t start = hexadecimal(&at);
    if (*at++ != '-')
        return;
    uintptr_t end = hexadecimal(&at);
    int words = 0;
    for (; *at && words < 4; at++) /* permissions, offset, device, inode: the fifth is the path */
        words += *at == ' ' && at[1] != ' ';
    const char *inode = at;
    while (*at && *at != ' ')
        at++;
    while (*at == ' ')
        at++;
    bool unnamed = !*at || (at[0] == '[' && (at[1] == 'h' || at[1] == 's' || at[1] == 'a'));
    bool ours = (stack >= start && stack < end) || (tls >= start && tls < end);
    if (*inode == '0' && unnamed && !ours)
        RAW3(SYS_madvise, start, end - start, MADV_DONTNEED);
}

static void let_memory_go(void)
{
    char line[LINE_BYTES], buffer[LINE_BYTES];
    uintptr_t tls;
    __asm__("mov %%fs:0, %0" : "=r"(tls));
    unsigned length = 0;
    long maps = RAW4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (maps < 0)
        return;
    for (long n; (n = RAW3(SYS_read, maps, buffer, sizeof buffer)) > 0;)
        for (long i = 0; i < n; i++)
            if (buffer[i] == '\n') {
                line[length] = 0;
                let_go(line, (uintptr_t)line, tls);
                length = 0;
            } else if (length < sizeof line - 1) {
                line[length++] = buffer[i];
            }
    RAW1(SYS_close, maps);
}
#else
static void let_memory_go(void)
{
}
#endif

/* The same mark again takes it out. */
static void note(uint64_t *table, uint64_t mark)
{
    unsigned at = 0;
    while (at < KEEPER_MARKS && table[at] != mark)
        at++;
    bool known = at < KEEPER_MARKS;
    for (unsigned i = 0; !known && i < KEEPER_MARKS; i++)
        if (!table[i]) {
            table[i] = mark;
            return;
        }
    if (known)
        table[at] = 0;
}

static __attribute__((noreturn)) void keeper_main(long socket)
{
    uint64_t table[KEEPER_MARKS], mark, all_signals = ~(uint64_t)0;
    for (unsigned i = 0; i < KEEPER_MARKS; i++)
        table[i] = 0;
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &all_signals, 0, sizeof all_signals);
    RAW0(SYS_setsid);
    RAW2(SYS_prctl, PR_SET_NAME, "ums:keeper");
    RAW1(SYS_chdir, "/");
    mark_give(0, 0);
    bool clear = (!socket || !RAW3(SYS_close_range, 0, socket - 1, 0)) &&
                 !RAW3(SYS_close_range, socket + 1, UINT32_MAX, 0);
    let_memory_go();
    /* Tells the parent that it is ready. Without close_range it would keep the program's files
     * open: then it sends nothing, and ends. */
    long heard = clear ? RAW6(SYS_sendto, socket, "", 1, MSG_NOSIGNAL, 0, 0) : 0;
    while (heard > 0) {
        heard = RAW6(SYS_recvfrom, socket, &mark, sizeof mark, 0, 0, 0);
        if (heard == sizeof mark)
            note(table, mark);
    }
    for (unsigned i = 0; clear && i < KEEPER_MARKS; i++)
        if (table[i])
            mark_end_all(table[i], NULL, NULL);
    for (;;)
        RAW1(SYS_exit_group, 0);
}

/* ---- In this process ------------------------------------------------------------------------- */

/* On a broker's thread: no filter stops its calls. A worker that waits for it has left its
 * scheduler. */
static bool create(void)
{
    int ends[2];
    char ready;
    if (RAW4(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return false;
    long pid = RAW5(SYS_clone, 0, 0, 0, 0, 0);
    if (pid == 0)
        keeper_main(ends[1]);
    RAW1(SYS_close, ends[1]);
    if (pid > 0 && RAW6(SYS_recvfrom, ends[0], &ready, 1, 0, 0, 0) == 1)
        keeper = fd_move_high(ends[0]);
    else
        RAW1(SYS_close, ends[0]);
    return keeper >= 0;
}

static bool start(void)
{
    if (broker_once_done(&once))
        return true;
    return !dispatch_hooks.start() && broker_once(&once, create);
}

static bool tell(uint64_t mark)
{
    return RAW6(SYS_sendto, keeper, &mark, sizeof mark, MSG_NOSIGNAL, 0, 0) == sizeof mark;
}

bool job_keeper_add(uint64_t mark)
{
    if (!start())
        return false;
    plat_lock(&keeper_lock);
    bool told = marks < KEEPER_MARKS && tell(mark);
    marks += told;
    plat_unlock(&keeper_lock);
    return told;
}

void job_keeper_remove(uint64_t mark)
{
    plat_lock(&keeper_lock);
    if (tell(mark))
        marks--;
    plat_unlock(&keeper_lock);
}

void job_keeper_forget(void)
{
    plat_lock_forget(&keeper_lock);
    if (keeper >= 0)
        own_file_close(keeper);
    keeper = -1;
    marks = 0;
    broker_once_forget(&once);
}
