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
    long (*try)(const long args[3]);  /* of `make`: another thread makes it, and it may fail */
    long nr, args[3];
    const char *what; /* is changed, for messages */
};
/* 0 or more: all have made it; -errno: nobody has. The caller makes a system call first, and takes
 * its refusal for the result; `make` it calls last, once another thread has tried it. */
long in_every_thread(const struct order *order);

/* The system call, in every thread of the process; -1 and errno when it is refused. */
int credentials_change(long nr, long a, long b, long c);
void credentials_forget(void);

#endif
