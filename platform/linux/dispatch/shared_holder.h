/* SPDX-License-Identifier: MIT
 *
 * shared_holder.h - another process's open file, found by that process's number and the file's.
 *
 * Both numbers may be somebody else's by now, so the file's identity is compared. A process whose
 * first thread has ended has its files still, but only its other threads show them in /proc. One
 * that is just ending counts as ended: its memory goes before its files do, and then nobody but
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

/* 0: it has that file open at that number; -ENOENT: it has not; -EACCES: that is not to be seen;
 * or another -errno. */
long holder_look(struct holder holder, const struct file_identity *file);
/* Opens it: a descriptor, or the same; -EPERM: the file itself is closed to this process. */
long holder_open(struct holder holder, const struct file_identity *file, uint32_t flags);

/* Both return the text's end. */
char *put_text(char *at, const char *text);
char *put_number(char *at, uint64_t number, unsigned base);

#endif
