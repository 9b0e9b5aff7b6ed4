/* SPDX-License-Identifier: MIT
 *
 * credentials.h - setuid and its kin.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_CREDENTIALS_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_CREDENTIALS_H

/* The system call, in every thread of the process; -1 and errno when it is refused. */
int credentials_change(long nr, long a, long b, long c);
void credentials_forget(void);

#endif
