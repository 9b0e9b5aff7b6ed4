/* SPDX-License-Identifier: MIT
 *
 * shared_holder.h - another process's open file, found by the numbers of that process and of its
 * descriptor.
 *
 * Both numbers may mean something else by now, so the file's identity is compared. A process whose
 * first thread has ended has its files still, but only its other threads show them in /proc. A
 * process that is just ending counts as ended: its memory goes before its files do, and then only
 * root may look at them.
 *
 * Bare system calls only. Any thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_HOLDER_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_HOLDER_H

#include <stdint.h>

struct holder {
    int32_t process, fd;
};

struct file_identity {
    uint64_t device, inode;
};

/* 0: the process has that file open at that number; -ENOENT: it has not; -EACCES: this process may
 * not see that; or another -errno. */
long holder_look(struct holder holder, const struct file_identity *file);
/* Opens the file: a descriptor, or an error as above; -EPERM: this process may not open the file
 * itself. */
long holder_open(struct holder holder, const struct file_identity *file, uint32_t flags);

/* Both write at `at`, and return the text's end. */
char *put_text(char *at, const char *text);
char *put_number(char *at, uint64_t number, unsigned base);

#endif
