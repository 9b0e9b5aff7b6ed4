/* SPDX-License-Identifier: MIT
 *
 * kernel_task.c - states that the kernel keeps for the calling task: a worker that moves keeps its
 * own, or the library refuses the call, and nothing has changed.
 *
 * modes: ways, UMSSHIM_FAULTS=1
 */
#include "block_case.h"
#include "child.h"
#include "filters.h"
#include "fleet.h"
#include "gtest_c.h"
#include "two_schedulers.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 4, ROUNDS = 12, THREAD_KEYRING = -1, IOPRIO_PROCESS = 1, IOPRIO_BEST = 2 << 13 };

/* ---- Rings of one issuer ---- */

static void submit_to(struct worker *self, unsigned flags)
{
    struct io_uring_params params = {.flags = flags};
    long ring = syscall(SYS_io_uring_setup, 4, &params);

    if (ring < 0 && (errno == EPERM || errno == ENOSYS || errno == EINVAL))
        return; /* no io_uring here, or one that is older than the flag */
    ASSERT_GE(ring, 0);
    EXPECT_EQ(params.flags, flags);
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        leave_scheduler(self, i);
        /* Nothing is submitted, but the kernel looks who asks. */
        EXPECT_EQ(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0), 0);
        EXPECT_EQ(syscall(SYS_io_uring_enter, ring, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0), 0);
    }
    close((int)ring);
}

static void use_rings(struct worker *self)
{
    const unsigned single = 1u << 12, deferred = 1u << 13, cooperative = 1u << 8;
    struct io_uring_params params = {.flags = deferred};

    submit_to(self, single);
    submit_to(self, single | deferred);
    submit_to(self, cooperative);
    EXPECT_ERRNO(syscall(SYS_io_uring_setup, 4, &params), EINVAL);
    EXPECT_ERRNO(syscall(SYS_io_uring_setup, 4, NULL), EFAULT);
}

TEST(KernelTask, rings_of_one_issuer)
{
    struct io_uring_params params = {0};
    long ring = syscall(SYS_io_uring_setup, 4, &params);

    if (ring < 0) {
        SKIP("no io_uring here");
        return;
    }
    close((int)ring);
    run_on_two(WORKERS, use_rings);
}

/* ---- Kept at home ---- */

static long thread_key(const char *name)
{
    return syscall(SYS_add_key, "user", name, "x", 1, THREAD_KEYRING);
}

static void keep(struct worker *self)
{
    const unsigned long slack = 60000 + (unsigned long)self->index;
    const int signal = self->index % 2 ? SIGUSR1 : SIGUSR2, priority = IOPRIO_BEST | self->index;
    int seen = 0;
    char name[16];

    snprintf(name, sizeof name, "key-%d", self->index);
    EXPECT_EQ(prctl(PR_SET_TIMERSLACK, slack), 0);
    EXPECT_EQ(prctl(PR_SET_PDEATHSIG, signal), 0);
    EXPECT_EQ(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
    EXPECT_EQ(prctl(PR_GET_SECCOMP), 0);
    EXPECT_EQ(syscall(SYS_ioprio_set, IOPRIO_PROCESS, 0, priority), 0);
    long key = thread_key(name);
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        leave_scheduler(self, i);
        EXPECT_EQ(prctl(PR_GET_TIMERSLACK), (int)slack);
        EXPECT_EQ(prctl(PR_GET_PDEATHSIG, &seen), 0);
        EXPECT_EQ(seen, signal);
        EXPECT_EQ(syscall(SYS_ioprio_get, IOPRIO_PROCESS, 0), priority);
        if (key > 0) /* KEYCTL_SEARCH; the key of another's ring is not found */
            EXPECT_EQ(syscall(SYS_keyctl, 10, THREAD_KEYRING, "user", name, 0), key);
    }
}

TEST(KernelTask, kept_for_the_worker)
{
    run_on_two(WORKERS, keep);
    int signal = 77;
    EXPECT_EQ(prctl(PR_GET_PDEATHSIG, &signal), 0);
    EXPECT_EQ(signal, 0);
}

/* A tracer's requests come from the task that has attached. */
static void trace(struct worker *self)
{
    struct child child = child_start((child_body)(void *)pause, NULL);
    int status;

    ASSERT_EQ(ptrace(PTRACE_SEIZE, child.pid, NULL, NULL), 0);
    for (int i = 0; i < 4; i++) {
        leave_scheduler(self, i);
        EXPECT_EQ(ptrace(PTRACE_INTERRUPT, child.pid, NULL, NULL), 0);
        EXPECT_EQ(waitpid(child.pid, &status, __WALL), child.pid);
        leave_scheduler(self, i + 1);
        EXPECT_EQ(ptrace(PTRACE_CONT, child.pid, NULL, NULL), 0);
    }
    kill(child.pid, SIGKILL);
    child_wait(child, 5000);
}

TEST(KernelTask, tracers)
{
    run_on_two(WORKERS, trace);
}

/* ---- Refused ---- */

static void ask_for(struct worker *self)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2], none[2] = {{0}, {0}}, after[2];
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &allow};
    int numbers[2] = {0, 0};

    EXPECT_EQ(syscall(SYS_capget, &header, data), 0);
    EXPECT_ERRNO(syscall(SYS_capset, &header, none), EPERM);
    EXPECT_ERRNO(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), EACCES);
    EXPECT_ERRNO(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0), EACCES);
    /* So libseccomp and others ask which operations and flags the kernel knows. */
    EXPECT_ERRNO(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL), EINVAL);
    EXPECT_ERRNO(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL), EFAULT);
    EXPECT_ERRNO(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL),
                 EFAULT);
    EXPECT_ERRNO(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0), EFAULT);
    uint32_t action = SECCOMP_RET_ALLOW;
    EXPECT_EQ(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action), 0);
    EXPECT_ERRNO(prctl(PR_CAPBSET_DROP, CAP_SYS_TIME, 0, 0, 0), EPERM);
    EXPECT_ERRNO(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0), EINVAL);
    EXPECT_ERRNO(unshare(CLONE_FILES), EPERM);
    EXPECT_EQ(unshare(0), 0);
    EXPECT_ERRNO(setns(-1, 0), EPERM);
    EXPECT_ERRNO(syscall(SYS_personality, 0x0400000), EINVAL);
    EXPECT_GE(syscall(SYS_personality, 0xffffffff), 0);
    EXPECT_ERRNO(syscall(SYS_arch_prctl, ARCH_SET_GS, numbers), EPERM);
    EXPECT_ERRNO(syscall(SYS_rseq, numbers, 32, 0, 0), ENOSYS);
    EXPECT_ERRNO(syscall(SYS_io_uring_register, -1, 20, numbers, 1), EINVAL);
    EXPECT_EQ(setfsuid(12345), (int)geteuid());
    EXPECT_EQ(setfsuid((uid_t)-1), (int)geteuid());
    leave_scheduler(self, 2);
    EXPECT_EQ(syscall(SYS_capget, &header, after), 0);
    EXPECT_EQ(memcmp(data, after, sizeof data), 0);
}

static int ask_in_child(void *arg)
{
    run_on_two(WORKERS, ask_for);
    return 0;
}

TEST(KernelTask, refused_with_one_line_each)
{
    struct child_result result = child_run(ask_in_child, NULL, 20000);
    const char *const calls[] = {"capset", "seccomp", "prctl",      "unshare",
                                 "setns",  "rseq",    "arch_prctl", "personality"};

    EXPECT_CHILD_OK(result);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char line[96];

        snprintf(line, sizeof line, "umsshim: refused to a worker or scheduler: %s ", calls[i]);
        EXPECT_THAT(child_said(&result, line) == 1, "\"%s\" is not once in \"%s\"", line,
                    result.output);
    }
}
