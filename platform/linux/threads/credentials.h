/* SPDX-License-Identifier: MIT
 *
 * credentials.h - setuid and its kin, and any other call that every thread has to make.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_CREDENTIALS_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_CREDENTIALS_H

/* A call that every thread makes, in a signal handler: without thread-local data, and with the same
 * result. */
struct order {
    long (*make)(const long args[3]); /* NULL: the system call `nr` */
    long (*try)(const long args[3]);  /* tries `make` on another thread; it may fail */
    long nr, args[3];
    const char *what; /* the thing that changes, for messages */
};
/* 0 or more: all threads have made it; -errno: none has. The caller makes a system call first, and
 * returns the error if the kernel refuses. With `try` another thread tries first, and the caller
 * calls `make` last. */
long in_every_thread(const struct order *order);

/* Makes the system call in every thread of the process; -1 and errno if the kernel refuses it. */
int credentials_change(long nr, long a, long b, long c);
void credentials_forget(void);

#endif
