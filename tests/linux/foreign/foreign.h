/* SPDX-License-Identifier: MIT
 *
 * foreign.h - calls of a library that knows nothing of umsshim, on threads, processes and files.
 */
#ifndef UMSSHIM_TESTS_LINUX_FOREIGN_H
#define UMSSHIM_TESTS_LINUX_FOREIGN_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct foreign_thread {
    unsigned long long blocked; /* the kernel thread's signal mask */
    int processors;
    int seccomp;
};

struct foreign {
    void (*std_thread)(struct foreign_thread *seen); /* libstdc++ makes it */
    void (*c11_thread)(struct foreign_thread *seen);
    pid_t (*spawn)(const char *command);        /* posix_spawn of a shell */
    int (*spawn_by_vfork)(const char *command); /* vfork and exec; the exit status */
    size_t (*output_of)(const char *command, char *buffer, size_t bytes); /* popen */
    int (*system)(const char *command);
    ssize_t (*read)(int fd, void *buffer, size_t bytes);
    ssize_t (*read_checked)(int fd, void *buffer, size_t bytes); /* as _FORTIFY_SOURCE reads */
    ssize_t (*read_by_pointer)(int fd, void *buffer,
                               size_t bytes); /* kept in a table since it was loaded */
    ssize_t (*read_by_name)(int fd, void *buffer, size_t bytes); /* dlsym(RTLD_DEFAULT) */
};

const struct foreign *foreign_calls(void);

#ifdef __cplusplus
}
#endif
#endif
