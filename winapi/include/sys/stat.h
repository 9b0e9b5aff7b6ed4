/* SPDX-License-Identifier: MIT
 *
 * sys/stat.h - libc's, plus Microsoft's names: each size of a file and of a time is 64 bits here.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/sys/stat.h>
#elif defined(_MSC_VER)
#include_next <sys/stat.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <sys/stat.h>

#if !defined(_WIN32) && !defined(UMSSHIM_SYS_STAT_H)
#define UMSSHIM_SYS_STAT_H

#include "../umsshim_crt.h"

#define _stat stat /* the structure and the function */
#define _stat32 stat
#define _stat64 stat
#define _stati64 stat
#define _stat64i32 stat
#define _stat32i64 stat
#define __stat64 stat
#define _fstat fstat
#define _fstat32 fstat
#define _fstat64 fstat
#define _fstati64 fstat
#define _fstat64i32 fstat
#define _chmod chmod
#define _umask umask

#define _S_IFMT 0170000
#define _S_IFDIR 0040000
#define _S_IFCHR 0020000
#define _S_IFIFO 0010000
#define _S_IFREG 0100000
#define _S_IREAD 0000400
#define _S_IWRITE 0000200
#define _S_IEXEC 0000100

static inline errno_t _umask_s(int mode, int *before)
{
    umsshim_require(before, "_umask_s", EINVAL, EINVAL);
    *before = (int)umask((mode_t)mode);
    return 0;
}

#endif
#endif /* _MSC_VER */
