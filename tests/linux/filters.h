/* SPDX-License-Identifier: MIT
 *
 * filters.h - seccomp filters that a sandbox may have put around the program.
 */
#ifndef UMSSHIM_TESTS_LINUX_FILTERS_H
#define UMSSHIM_TESTS_LINUX_FILTERS_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int install_filter(struct sock_filter *code, unsigned short length, unsigned flags)
{
    struct sock_fprog program = {length, code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Installs a filter that takes this action on one system call, and allows all others. */
static inline int filter_call(unsigned number, unsigned action, unsigned flags)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return install_filter(code, 4, flags);
}

/* Refuses one system call with this error. 0 or -1. */
static inline int refuse_call(unsigned number, unsigned error)
{
    return filter_call(number, SECCOMP_RET_ERRNO | error, 0);
}

/* Installs a filter by which one system call waits for an answer at a listener. Returns the
 * listener's descriptor, or -1. */
static inline int listen_to_call(unsigned number)
{
    return filter_call(number, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

/* Allows everything, but occupies the one listener a process can have. The descriptor, or -1. */
static inline int occupy_listener(void)
{
    struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

    return install_filter(code, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

#endif
