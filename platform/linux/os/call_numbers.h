/* SPDX-License-Identifier: MIT
 *
 * call_numbers.h - numbers of system calls: the kernel's, and those that are newer than the headers
 * this may be built with.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CALL_NUMBERS_H
#define UMSSHIM_PLATFORM_LINUX_OS_CALL_NUMBERS_H

#include <sys/syscall.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

/* All numbers of calls are smaller than this. */
#define CALL_NUMBERS 512

#endif
