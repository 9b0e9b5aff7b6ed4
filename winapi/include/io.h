/* SPDX-License-Identifier: MIT
 *
 * io.h - Microsoft's names for calls on file descriptors. There is no text mode to leave here.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/io.h>
#elif defined(_MSC_VER)
#include_next <io.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <io.h>
#elif !defined(UMSSHIM_IO_H)
#define UMSSHIM_IO_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
int fchmod(int descriptor, mode_t mode);
int fdatasync(int descriptor);
int fsync(int descriptor);
int ftruncate(int descriptor, off_t length);
#endif

#define _access access
#define _close close
#define _dup dup
#define _dup2 dup2
#define _isatty isatty
#define _read read
#define _setmode(descriptor, mode) ((void)(descriptor), (void)(mode), _O_BINARY)
#define _unlink unlink
#define _write write
#define _lseek lseek
#define _lseeki64 lseek
#define _commit fsync

/* The user's mask decides which users may read and write. This function only takes away the right
 * to write, for all. */
static inline mode_t umsshim_mode(int permissions)
{
    return permissions & _S_IWRITE ? 0666 : 0444;
}

static inline int _open(const char *path, int flags, ...)
{
    int permissions = 0;

    if (flags & _O_CREAT) {
        va_list arguments;

        va_start(arguments, flags);
        permissions = va_arg(arguments, int);
        va_end(arguments);
    }
    flags &= ~(_O_TEXT | _O_BINARY | _O_WTEXT | _O_SEQUENTIAL);
    return open(path, flags, umsshim_mode(permissions));
}

/* `sharing` has no effect: Linux shares every file. */
#define _sopen(path, flags, sharing, ...) ((void)(sharing), _open(path, flags, ##__VA_ARGS__))

static inline errno_t _sopen_s(int *descriptor, const char *path, int flags, int sharing,
                               int permissions)
{
    umsshim_require(descriptor, "_sopen_s", EINVAL, EINVAL);
    *descriptor = -1;
    umsshim_require(path, "_sopen_s", EINVAL, EINVAL);
    (void)sharing;
    *descriptor = _open(path, flags, permissions);
    return *descriptor < 0 ? errno : 0;
}

static inline int _creat(const char *path, int permissions)
{
    return _open(path, _O_CREAT | _O_TRUNC | _O_WRONLY, permissions);
}

static inline errno_t _access_s(const char *path, int mode)
{
    return access(path, mode) ? errno : 0;
}

static inline int64_t _telli64(int descriptor)
{
    return lseek(descriptor, 0, SEEK_CUR);
}
#define _tell _telli64

static inline int64_t _filelengthi64(int descriptor)
{
    struct stat status;

    return fstat(descriptor, &status) ? -1 : status.st_size;
}
#define _filelength _filelengthi64

/* 1: at the end of the file; 0: before it; -1 with errno. */
static inline int _eof(int descriptor)
{
    int64_t at = _telli64(descriptor);
    int64_t length = _filelengthi64(descriptor);

    return at < 0 || length < 0 ? -1 : at >= length;
}

static inline int _chsize(int descriptor, int64_t size)
{
    return ftruncate(descriptor, size);
}

static inline errno_t _chsize_s(int descriptor, int64_t size)
{
    return ftruncate(descriptor, size) ? errno : 0;
}

/* `size` is a hint: the call succeeds even if the kernel gives the pipe another size. */
static inline int _pipe(int *descriptors, unsigned size, int mode)
{
    umsshim_require(descriptors, "_pipe", EINVAL, -1);
    if (pipe(descriptors))
        return -1;
    if (mode & _O_NOINHERIT) {
        fcntl(descriptors[0], F_SETFD, FD_CLOEXEC);
        fcntl(descriptors[1], F_SETFD, FD_CLOEXEC);
    }
#ifdef F_SETPIPE_SZ
    if (size > 65536)
        (void)fcntl(descriptors[1], F_SETPIPE_SZ, (int)size);
#else
    (void)size;
#endif
    return 0;
}

/* ---- Searching a folder: functions of the library -------------------------------------------- */

#define _A_NORMAL 0x00
#define _A_RDONLY 0x01
#define _A_HIDDEN 0x02
#define _A_SYSTEM 0x04
#define _A_SUBDIR 0x10
#define _A_ARCH 0x20

struct _finddata_t { /* times and sizes have 64 bits, as everywhere here */
    unsigned attrib;
    __time64_t time_create;
    __time64_t time_access;
    __time64_t time_write;
    int64_t size;
    char name[260];
};
#define _finddatai64_t _finddata_t
#define _finddata64_t _finddata_t
#define __finddata64_t _finddata_t
#define _finddata64i32_t _finddata_t

#ifdef __cplusplus
extern "C" {
#endif
/* The handle is good until the descriptor is closed. On failure -1, with EBADF. */
intptr_t _get_osfhandle(int descriptor);
/* A descriptor of the handle's file. The program closes the descriptor, which closes the file, and
 * not the handle. On failure -1, with EBADF. */
int _open_osfhandle(intptr_t handle, int flags);
intptr_t _findfirst(const char *pattern, struct _finddata_t *to);
int _findnext(intptr_t search, struct _finddata_t *to);
int _findclose(intptr_t search);
#ifdef __cplusplus
}
#endif
#define _findfirsti64 _findfirst
#define _findnexti64 _findnext
#define _findfirst64 _findfirst
#define _findnext64 _findnext

#if __SIZEOF_WCHAR_T__ == 2 && !defined(UMSSHIM_WIDE_CRT_H)
#include "umsshim_wide_crt.h"
#endif

#endif
#endif /* _MSC_VER */
