/* SPDX-License-Identifier: MIT
 *
 * sandboxes.c - what each sandbox refuses, and where that was read.
 *
 * A container's filter lists what it allows; here stands what such a list leaves out for a container without
 * further capabilities. Left out here are calls of other architectures, and personality, whose five allowed
 * values no program of ours asks for.
 *
 * docker     github.com/moby/moby, profiles/seccomp/default.json (now in github.com/moby/profiles); io_uring
 *            left its list with pull request 46762 (Docker 25), clone3 answers ENOSYS since 42681. runc answers
 *            ENOSYS for calls that are newer than all that the profile names. Capabilities: moby issue 39149.
 * podman     github.com/containers/common, pkg/seccomp/seccomp.json: ENOSYS for what is not named (pull request
 *            573), EPERM for a few by name.
 * podman-2021 the same before process_vm_readv and its kin were allowed to everybody.
 * wsl-mirrored github.com/microsoft/WSL issue 9548 and pull request 41125: pid 1 of each distribution has a
 *            listener for bind and listen, which everything inherits.
 * nested     a sandbox that watches programs being started, as in github.com/fencesandbox/fence issue 220.
 * gvisor     github.com/google/gvisor, pkg/sentry/syscalls/linux: linux64.go, sys_seccomp.go (no flag but
 *            TSYNC), sys_prctl.go (EINVAL for what it does not know). AT_HWCAP2 without FSGSBASE:
 *            github.com/Krilliac/SparkEngine pull request 473. Not simulated: gVisor's own scheduling and its
 *            priorities and affinities that change nothing.
 * rhel9      github.com/axboe/liburing issue 989 and Red Hat's release notes of 9.3, "Technology previews":
 *            kernel.io_uring_disabled is 2, io_uring_setup gives EPERM to root as well. Linux 5.14 has neither
 *            killable notifications (5.19) nor synchronous wake-ups (6.6) nor futex_waitv (5.16).
 */
#include "sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

enum {
    NAMESPACES = 0x7e020000, /* the flags of clone that make one */
    FLAG_LISTENER = 1 << 3,
    FLAG_KILLABLE = 1 << 5,
    PRCTL_SYSCALL_USER_DISPATCH = 59,
    PRCTL_FUTEX_HASH = 78,
    FAMILY_VSOCK = 40,
    IOCTL_LISTENER_FLAGS = 0x40082104, /* SECCOMP_IOCTL_NOTIF_SET_FLAGS */
    CALL_FIRST_AFTER_5_14 = 448,       /* process_mrelease is of 5.15 */
    CALL_FIRST_UNKNOWN = 463           /* setxattrat: what profiles of 2025 do not name */
};

#define REFUSED(call, error)                                                                       \
    {                                                                                              \
        SYS_##call, error, ALWAYS, 0, 0, 0                                                         \
    }
#define END_OF_REFUSALS                                                                            \
    {                                                                                              \
        0, 0, ALWAYS, 0, 0, 0                                                                      \
    }

/* Calls for which a capability is asked, in every container's profile. */
#define REFUSED_WITHOUT_CAPABILITIES(error)                                                        \
    REFUSED(acct, error), REFUSED(bpf, error), REFUSED(clock_settime, error),                      \
        REFUSED(delete_module, error), REFUSED(fanotify_init, error),                              \
        REFUSED(finit_module, error), REFUSED(get_mempolicy, error), REFUSED(init_module, error),  \
        REFUSED(ioperm, error), REFUSED(iopl, error), REFUSED(kcmp, error),                        \
        REFUSED(lookup_dcookie, error), REFUSED(mbind, error), REFUSED(open_by_handle_at, error),  \
        REFUSED(perf_event_open, error), REFUSED(process_madvise, error),                          \
        REFUSED(quotactl, error), REFUSED(set_mempolicy, error), REFUSED(setdomainname, error),    \
        REFUSED(sethostname, error), REFUSED(settimeofday, error), REFUSED(vhangup, error)

/* Calls that no profile names. */
#define REFUSED_ALWAYS(error)                                                                      \
    REFUSED(_sysctl, error), REFUSED(add_key, error), REFUSED(create_module, error),               \
        REFUSED(get_kernel_syms, error), REFUSED(io_uring_enter, error),                           \
        REFUSED(io_uring_register, error), REFUSED(io_uring_setup, error),                         \
        REFUSED(mount_setattr, error), REFUSED(query_module, error), REFUSED(quotactl_fd, error),  \
        REFUSED(request_key, error), REFUSED(set_mempolicy_home_node, error)

static const struct refusal docker[] = {
    REFUSED_WITHOUT_CAPABILITIES(EPERM),
    REFUSED_ALWAYS(EPERM),
    REFUSED(fsconfig, EPERM),
    REFUSED(fsmount, EPERM),
    REFUSED(fsopen, EPERM),
    REFUSED(fspick, EPERM),
    REFUSED(kexec_file_load, EPERM),
    REFUSED(kexec_load, EPERM),
    REFUSED(keyctl, EPERM),
    REFUSED(migrate_pages, EPERM),
    REFUSED(mount, EPERM),
    REFUSED(move_mount, EPERM),
    REFUSED(move_pages, EPERM),
    REFUSED(nfsservctl, EPERM),
    REFUSED(open_tree, EPERM),
    REFUSED(pidfd_getfd, EPERM),
    REFUSED(pivot_root, EPERM),
    REFUSED(reboot, EPERM),
    REFUSED(setns, EPERM),
    REFUSED(swapoff, EPERM),
    REFUSED(swapon, EPERM),
    REFUSED(sysfs, EPERM),
    REFUSED(syslog, EPERM),
    REFUSED(umount2, EPERM),
    REFUSED(unshare, EPERM),
    REFUSED(uselib, EPERM),
    REFUSED(userfaultfd, EPERM),
    REFUSED(ustat, EPERM),
    {SYS_clone, EPERM, ANY_BIT, 0, NAMESPACES, 0},
    {SYS_socket, EPERM, EQUAL, 0, UINT32_MAX, FAMILY_VSOCK},
    REFUSED(clone3, ENOSYS),
    END_OF_REFUSALS,
};

#define PODMAN                                                                                     \
    REFUSED_WITHOUT_CAPABILITIES(EPERM), REFUSED_ALWAYS(ENOSYS), REFUSED(io_pgetevents, EPERM),    \
        REFUSED(kexec_file_load, EPERM), REFUSED(kexec_load, EPERM), REFUSED(membarrier, EPERM),   \
        REFUSED(migrate_pages, EPERM), REFUSED(move_pages, EPERM), REFUSED(nfsservctl, EPERM),     \
        REFUSED(setns, EPERM), REFUSED(swapoff, EPERM), REFUSED(swapon, EPERM),                    \
        REFUSED(sysfs, EPERM), REFUSED(uselib, EPERM), REFUSED(userfaultfd, EPERM),                \
        REFUSED(ustat, EPERM), REFUSED(vmsplice, EPERM), REFUSED(futex_waitv, ENOSYS),             \
        REFUSED(landlock_add_rule, ENOSYS), REFUSED(landlock_create_ruleset, ENOSYS),              \
        REFUSED(landlock_restrict_self, ENOSYS), REFUSED(memfd_secret, ENOSYS),                    \
        REFUSED(process_mrelease, ENOSYS)

static const struct refusal podman[] = {PODMAN, END_OF_REFUSALS};

static const struct refusal podman_2021[] = {
    PODMAN,
    REFUSED(process_vm_readv, EPERM),
    REFUSED(process_vm_writev, EPERM),
    REFUSED(ptrace, EPERM),
    END_OF_REFUSALS,
};

/* A sandbox that is written by hand for one program: seccomp itself is refused, too. */
static const struct refusal strict[] = {
    REFUSED_WITHOUT_CAPABILITIES(EPERM),
    REFUSED_ALWAYS(EPERM),
    REFUSED(clone3, ENOSYS),
    REFUSED(process_vm_readv, EPERM),
    REFUSED(process_vm_writev, EPERM),
    REFUSED(ptrace, EPERM),
    REFUSED(membarrier, EPERM),
    REFUSED(rseq, EPERM),
    REFUSED(seccomp, EPERM),
    REFUSED(userfaultfd, EPERM),
    END_OF_REFUSALS,
};

static const struct refusal gvisor[] = {
    {SYS_seccomp, EINVAL, ANY_BIT, 1, ~(uint32_t)SECCOMP_FILTER_FLAG_TSYNC, 0},
    {SYS_prctl, EINVAL, EQUAL, 0, UINT32_MAX, PRCTL_SYSCALL_USER_DISPATCH},
    {SYS_prctl, EINVAL, EQUAL, 0, UINT32_MAX, PRCTL_FUTEX_HASH},
    REFUSED(copy_file_range, ENOSYS),
    REFUSED(fanotify_init, ENOSYS),
    REFUSED(fanotify_mark, ENOSYS),
    REFUSED(io_pgetevents, ENOSYS),
    REFUSED(io_uring_enter, ENOSYS),
    REFUSED(io_uring_register, ENOSYS),
    REFUSED(io_uring_setup, ENOSYS),
    REFUSED(mq_timedreceive, ENOSYS),
    REFUSED(mq_timedsend, ENOSYS),
    REFUSED(perf_event_open, ENODEV),
    REFUSED(pkey_alloc, ENOSYS),
    REFUSED(rseq, ENOSYS),
    REFUSED(setfsgid, ENOSYS),
    REFUSED(setfsuid, ENOSYS),
    REFUSED(userfaultfd, ENOSYS),
    REFUSED(vmsplice, ENOSYS),
    END_OF_REFUSALS,
};

static const struct refusal rhel9[] = {
    REFUSED(io_uring_setup, EPERM),
    {SYS_seccomp, EINVAL, ANY_BIT, 1, FLAG_KILLABLE, 0},
    {SYS_ioctl, EINVAL, EQUAL, 1, UINT32_MAX, IOCTL_LISTENER_FLAGS},
    {SYS_prctl, EINVAL, EQUAL, 0, UINT32_MAX, PRCTL_FUTEX_HASH},
    END_OF_REFUSALS,
};

static const struct refusal clone3[] = {REFUSED(clone3, ENOSYS), END_OF_REFUSALS};

static const int wsl_watches[] = {SYS_bind, SYS_listen, 0};
static const int nested_watches[] = {SYS_execve, SYS_execveat, SYS_connect, 0};

#define CAN(name) (UINT64_C(1) << CAP_##name)
#define CAPABILITIES_OF_PODMAN                                                                     \
    (CAN(CHOWN) | CAN(DAC_OVERRIDE) | CAN(FOWNER) | CAN(FSETID) | CAN(KILL) |                      \
     CAN(NET_BIND_SERVICE) | CAN(SETFCAP) | CAN(SETGID) | CAN(SETPCAP) | CAN(SETUID) |             \
     CAN(SYS_CHROOT))
#define CAPABILITIES_OF_DOCKER                                                                     \
    (CAPABILITIES_OF_PODMAN | CAN(AUDIT_WRITE) | CAN(MKNOD) | CAN(NET_RAW))

const struct sandbox sandboxes[] = {
    {.name = "docker",
     .what = "Docker's default profile: io_uring and much else EPERM, clone3 ENOSYS",
     .refusals = docker,
     .unknown_from = CALL_FIRST_UNKNOWN,
     .capabilities = CAPABILITIES_OF_DOCKER},
    {.name = "podman",
     .what = "Podman's: io_uring and all that is not named ENOSYS",
     .refusals = podman,
     .unknown_from = SYS_set_mempolicy_home_node,
     .capabilities = CAPABILITIES_OF_PODMAN},
    {.name = "podman-2021",
     .what = "the same, and process_vm_readv EPERM",
     .refusals = podman_2021,
     .unknown_from = SYS_set_mempolicy_home_node,
     .capabilities = CAPABILITIES_OF_PODMAN},
    {.name = "strict",
     .what = "seccomp, process_vm_readv, io_uring, rseq EPERM",
     .refusals = strict},
    {.name = "wsl-mirrored",
     .what = "WSL2 with mirrored networking: a listener of its own, for bind and listen",
     .watched = wsl_watches},
    {.name = "nested",
     .what = "a sandbox that watches exec and connect by a listener of its own",
     .watched = nested_watches},
    {.name = "gvisor",
     .what = "gVisor: no listener (EINVAL), no io_uring, no rseq, no FSGSBASE",
     .refusals = gvisor,
     .unknown_from = SYS_epoll_pwait2 + 1,
     .without_fsgsbase = true},
    {.name = "rhel9",
     .what = "RHEL 9: io_uring switched off, no killable notifications, Linux 5.14",
     .refusals = rhel9,
     .unknown_from = CALL_FIRST_AFTER_5_14},
    {.name = "no-clone3", .what = "clone3 ENOSYS", .refusals = clone3},
    {.name = "no-proc", .what = "nothing in /proc", .without_proc = true},
    {.name = "few-descriptors", .what = "64 descriptors", .descriptors = 64},
    {.name = "few-threads", .what = "64 threads for the user", .threads = 64},
    {.name = NULL},
};
