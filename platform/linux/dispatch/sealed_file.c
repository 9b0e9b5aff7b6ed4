/* SPDX-License-Identifier: MIT
 *
 * sealed_file.c - see sealed_file.h.
 */
#include "platform/linux/dispatch/sealed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "platform/linux/dispatch/shared_folder.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

bool file_size_limited(uint64_t bytes)
{
    struct rlimit limit;
    return !RAW4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) && limit.rlim_cur < bytes;
}

/* Gives the file its size and the memory for it, and seals it. 0 or -errno. */
static long fill(int fd, size_t bytes)
{
    long error;
    do
        error = RAW4(SYS_fallocate, fd, 0, 0, bytes);
    while (error == -EINTR);
    return error ? error : RAW3(SYS_fcntl, fd, F_ADD_SEALS, SEALS);
}

int sealed_file(const char *text, size_t bytes)
{
    long made = RAW2(SYS_memfd_create, text, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made < 0)
        return (int)made;
    int fd = fd_move_high((int)made);
    long error = fill(fd, bytes);
    if (error)
        own_file_close(fd);
    return error ? (int)error : fd;
}

int sealed_file_error(long error)
{
    switch (-error) {
    case EMFILE:
    case ENFILE:
        return 4;
    case EACCES:
    case EINVAL:
    case ENOSYS:
    case EOPNOTSUPP:
    case EPERM:
        return FOLDER_REFUSED;
    default:
        return 8;
    }
}

int sealed_file_map(int fd, size_t bytes, void **memory, uint64_t *number)
{
    struct stat status;
    long seals = RAW2(SYS_fcntl, fd, F_GET_SEALS);
    if (RAW2(SYS_fstat, fd, &status) || (size_t)status.st_size != bytes || seals < 0 ||
        !(seals & F_SEAL_SHRINK))
        return 1306;
    long address = RAW6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address < 0 && address > -4096)
        return 8;
    *memory = (void *)address;
    *number = status.st_ino;
    return 0;
}
