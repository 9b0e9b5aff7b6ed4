/* SPDX-License-Identifier: MIT
 *
 * lent_call.c - see lent_call.h.
 *
 * Not here: calls of calls.def, whose waits are noticed in any case; what waits for nobody; and what acts on the
 * calling kernel thread (clone, exit, rt_sigreturn, ptrace).
 */
#include "platform/linux/traps/lent_call.h"

#include <sys/syscall.h>

#include "platform/linux/engine.h"
#include "platform/linux/interrupt/fault.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/fault_watch.h"

static const short numbers[] = {
    /* A device waits as it likes; a lingering socket for its peer; a ring or a queue for what is in flight. */
    SYS_ioctl, SYS_close, SYS_close_range, SYS_dup2, SYS_dup3, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_io_submit, SYS_io_destroy,
    /* A path leads through a file system, and that may be another process or another machine. */
    SYS_open, SYS_openat, SYS_stat, SYS_lstat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_access,
    SYS_faccessat, SYS_readlink, SYS_readlinkat, SYS_getdents, SYS_getdents64, SYS_statfs,
    SYS_fstatfs, SYS_chdir, SYS_fchdir, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_unlink, SYS_unlinkat,
    SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink, SYS_symlinkat,
    SYS_mknod, SYS_mknodat, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_chown, SYS_lchown, SYS_fchown,
    SYS_fchownat, SYS_utime, SYS_utimes, SYS_futimesat, SYS_utimensat, SYS_truncate, SYS_ftruncate,
    SYS_fallocate, SYS_fadvise64, SYS_readahead, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_inotify_add_watch, SYS_mount,
    SYS_umount2, SYS_quotactl,
    /* Another process answers: a key's maker, or who has the memory. */
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_move_pages, SYS_migrate_pages, SYS_mbind};

void lent_calls_each(void (*visit)(long number, void *arg), void *arg)
{
    for (unsigned i = 0; fault_watch_wanted() && i < sizeof numbers / sizeof *numbers; i++)
        visit(numbers[i], arg);
}

bool call_is_lent(long number)
{
    for (unsigned i = 0; fault_watch_wanted() && i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

long lent_call(struct plat_context *self, long number, const long args[6], uintptr_t behind,
               bool cancellable)
{
    struct plat_context *scheduler = self->is_scheduler ? NULL : self->scheduler;
    if (!fault_watch_wanted() || !scheduler || !scheduler->lane || scheduler->lane->listener < 0)
        return raw_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    return fault_lent_call(self, number, args, behind, cancellable);
}
