/* SPDX-License-Identifier: MIT
 *
 * lent_call.c - see lent_call.h.
 *
 * Not here: calls of calls.def, whose waits are noticed in any case; what waits for nobody; and
 * what acts on the calling kernel thread (clone, exit, rt_sigreturn, ptrace).
 */
#include "platform/linux/traps/lent_call.h"

#include <sys/syscall.h>

#include "platform/linux/engine.h"
#include "platform/linux/interrupt/fault.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/fault_watch.h"

static const bool lent[] = {
    /* A device waits as it likes; a lingering socket for its peer; a ring or a queue for what is in
     * flight. */
    [SYS_ioctl] = true,
    [SYS_close] = true,
    [SYS_close_range] = true,
    [SYS_dup2] = true,
    [SYS_dup3] = true,
    [SYS_io_uring_enter] = true,
    [SYS_io_uring_register] = true,
    [SYS_io_submit] = true,
    [SYS_io_destroy] = true,
    /* A path leads through a file system, and that may be another process or another machine. */
    [SYS_open] = true,
    [SYS_openat] = true,
    [SYS_stat] = true,
    [SYS_lstat] = true,
    [SYS_fstat] = true,
    [SYS_newfstatat] = true,
    [SYS_statx] = true,
    [SYS_access] = true,
    [SYS_faccessat] = true,
    [SYS_readlink] = true,
    [SYS_readlinkat] = true,
    [SYS_getdents] = true,
    [SYS_getdents64] = true,
    [SYS_statfs] = true,
    [SYS_fstatfs] = true,
    [SYS_chdir] = true,
    [SYS_fchdir] = true,
    [SYS_mkdir] = true,
    [SYS_mkdirat] = true,
    [SYS_rmdir] = true,
    [SYS_unlink] = true,
    [SYS_unlinkat] = true,
    [SYS_rename] = true,
    [SYS_renameat] = true,
    [SYS_renameat2] = true,
    [SYS_link] = true,
    [SYS_linkat] = true,
    [SYS_symlink] = true,
    [SYS_symlinkat] = true,
    [SYS_mknod] = true,
    [SYS_mknodat] = true,
    [SYS_chmod] = true,
    [SYS_fchmod] = true,
    [SYS_fchmodat] = true,
    [SYS_chown] = true,
    [SYS_lchown] = true,
    [SYS_fchown] = true,
    [SYS_fchownat] = true,
    [SYS_utime] = true,
    [SYS_utimes] = true,
    [SYS_futimesat] = true,
    [SYS_utimensat] = true,
    [SYS_truncate] = true,
    [SYS_ftruncate] = true,
    [SYS_fallocate] = true,
    [SYS_fadvise64] = true,
    [SYS_readahead] = true,
    [SYS_setxattr] = true,
    [SYS_lsetxattr] = true,
    [SYS_fsetxattr] = true,
    [SYS_getxattr] = true,
    [SYS_lgetxattr] = true,
    [SYS_fgetxattr] = true,
    [SYS_listxattr] = true,
    [SYS_llistxattr] = true,
    [SYS_flistxattr] = true,
    [SYS_removexattr] = true,
    [SYS_lremovexattr] = true,
    [SYS_fremovexattr] = true,
    [SYS_inotify_add_watch] = true,
    [SYS_mount] = true,
    [SYS_umount2] = true,
    [SYS_quotactl] = true,
    /* Another process answers: who has the memory. */
    [SYS_process_vm_readv] = true,
    [SYS_process_vm_writev] = true,
    [SYS_move_pages] = true,
    [SYS_migrate_pages] = true,
    [SYS_mbind] = true};

bool call_is_lent(long number)
{
    return number >= 0 && number < (long)sizeof lent && lent[number] && fault_watch_wanted();
}

long lent_call(struct plat_context *self, long number, const long args[6], uintptr_t behind,
               bool cancellable)
{
    struct plat_context *scheduler = self->is_scheduler ? NULL : self->scheduler;
    if (!fault_watch_wanted() || !scheduler || !scheduler->lane || !scheduler->lane->hosts)
        return raw_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    return fault_lent_call(self, number, args, behind, cancellable);
}
