/* SPDX-License-Identifier: MIT
 *
 * volume.c - the file system of a folder, and the drives (drive.h).
 */
#include <errno.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/text.h"

/* NULL means the current folder. NULL with the last error. */
static char *path_of(LPCSTR name)
{
    return win__plain_path(name ? name : ".");
}

static DWORD ask(LPCSTR name, struct statvfs *status)
{
    char *path = path_of(name);
    if (!path)
        return GetLastError();
    DWORD error = ERROR_SUCCESS;
    if (statvfs(path, status))
        error = errno == ENOENT ? ERROR_PATH_NOT_FOUND : win__error_of(errno);
    free(path);
    return error;
}

BOOL WINAPI GetDiskFreeSpaceExA(LPCSTR lpDirectoryName, PULARGE_INTEGER lpFreeBytesAvailable,
                                PULARGE_INTEGER lpTotalNumberOfBytes,
                                PULARGE_INTEGER lpTotalNumberOfFreeBytes)
{
    struct statvfs status;
    DWORD error = ask(lpDirectoryName, &status);
    if (error)
        return win__fail(error);
    if (lpFreeBytesAvailable)
        lpFreeBytesAvailable->QuadPart = status.f_bavail * status.f_frsize;
    if (lpTotalNumberOfBytes)
        lpTotalNumberOfBytes->QuadPart = status.f_blocks * status.f_frsize;
    if (lpTotalNumberOfFreeBytes)
        lpTotalNumberOfFreeBytes->QuadPart = status.f_bfree * status.f_frsize;
    return TRUE;
}

BOOL WINAPI GetDiskFreeSpaceExW(LPCWSTR lpDirectoryName, PULARGE_INTEGER lpFreeBytesAvailable,
                                PULARGE_INTEGER lpTotalNumberOfBytes,
                                PULARGE_INTEGER lpTotalNumberOfFreeBytes)
{
    char *name = lpDirectoryName ? win__name(lpDirectoryName) : NULL;
    BOOL done = (name || !lpDirectoryName) &&
                GetDiskFreeSpaceExA(name, lpFreeBytesAvailable, lpTotalNumberOfBytes,
                                    lpTotalNumberOfFreeBytes);
    free(name);
    return done;
}

static DWORD at_most(uint64_t number)
{
    return number > MAXDWORD ? MAXDWORD : (DWORD)number;
}

/* A cluster is a block of the file system, and a sector has 512 bytes. */
BOOL WINAPI GetDiskFreeSpaceA(LPCSTR lpRootPathName, LPDWORD lpSectorsPerCluster,
                              LPDWORD lpBytesPerSector, LPDWORD lpNumberOfFreeClusters,
                              LPDWORD lpTotalNumberOfClusters)
{
    enum { SECTOR = 512 };
    struct statvfs status;
    DWORD error = ask(lpRootPathName, &status);
    if (error)
        return win__fail(error);
    if (lpSectorsPerCluster)
        *lpSectorsPerCluster = (DWORD)(status.f_frsize / SECTOR);
    if (lpBytesPerSector)
        *lpBytesPerSector = SECTOR;
    if (lpNumberOfFreeClusters)
        *lpNumberOfFreeClusters = at_most(status.f_bavail);
    if (lpTotalNumberOfClusters)
        *lpTotalNumberOfClusters = at_most(status.f_blocks);
    return TRUE;
}

BOOL WINAPI GetDiskFreeSpaceW(LPCWSTR lpRootPathName, LPDWORD lpSectorsPerCluster,
                              LPDWORD lpBytesPerSector, LPDWORD lpNumberOfFreeClusters,
                              LPDWORD lpTotalNumberOfClusters)
{
    char *name = lpRootPathName ? win__name(lpRootPathName) : NULL;
    BOOL done = (name || !lpRootPathName) &&
                GetDiskFreeSpaceA(name, lpSectorsPerCluster, lpBytesPerSector,
                                  lpNumberOfFreeClusters, lpTotalNumberOfClusters);
    free(name);
    return done;
}

/* ---- Kinds and names ----------------------------------------------------------------------- */

enum { SMB2 = (int)0xFE534D42, CIFS = (int)0xFF534D42 };

UINT WINAPI GetDriveTypeA(LPCSTR lpRootPathName)
{
    struct statfs status;
    char *path = path_of(lpRootPathName);
    int failed = path ? statfs(path, &status) : -1;
    free(path);
    if (failed)
        return DRIVE_NO_ROOT_DIR;
    switch ((int)status.f_type) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case SMB2:
    case CIFS:
    case CODA_SUPER_MAGIC:
    case V9FS_MAGIC:
        return DRIVE_REMOTE;
    case ISOFS_SUPER_MAGIC:
    case UDF_SUPER_MAGIC:
        return DRIVE_CDROM;
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
        return DRIVE_RAMDISK;
    default:
        return DRIVE_FIXED;
    }
}

UINT WINAPI GetDriveTypeW(LPCWSTR lpRootPathName)
{
    char *name = lpRootPathName ? win__name(lpRootPathName) : NULL;
    UINT type = name || !lpRootPathName ? GetDriveTypeA(name) : DRIVE_UNKNOWN;
    free(name);
    return type;
}

DWORD WINAPI GetLogicalDrives(VOID)
{
    plat_set_last_error(ERROR_SUCCESS);
    return win__drives();
}

/* Lists the drives' roots, each with a zero, and one more zero at the end. */
static DWORD give_roots(DWORD size, LPSTR narrow, LPWSTR wide)
{
    static const char root[] = "A:\\";
    DWORD length = (DWORD)(__builtin_popcount(win__drives()) * sizeof root), at = 0;
    if (length >= size || !(narrow || wide))
        return length + 1;
    for (int letter = 0; win__drives() >> letter; letter++)
        for (size_t i = 0; win__drives() >> letter & 1 && i < sizeof root; i++, at++) {
            char unit = (char)(root[i] + (i ? 0 : letter));
            if (narrow)
                narrow[at] = unit;
            else
                wide[at] = (WCHAR)unit;
        }
    if (narrow)
        narrow[at] = 0;
    else
        wide[at] = 0;
    return length;
}

DWORD WINAPI GetLogicalDriveStringsA(DWORD nBufferLength, LPSTR lpBuffer)
{
    return give_roots(nBufferLength, lpBuffer, NULL);
}

DWORD WINAPI GetLogicalDriveStringsW(DWORD nBufferLength, LPWSTR lpBuffer)
{
    return give_roots(nBufferLength, NULL, lpBuffer);
}

/* The kind of the file system that is mounted from this device. */
static void name_of(dev_t device, char *name, size_t size)
{
    char line[4096];
    snprintf(name, size, "unknown");
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent entry;
    struct stat status;
    while (mounts && getmntent_r(mounts, &entry, line, sizeof line))
        if (!stat(entry.mnt_dir, &status) && status.st_dev == device)
            snprintf(name, size, "%s", entry.mnt_type); /* the last entry hides those before it */
    if (mounts)
        endmntent(mounts);
}

static BOOL give_or_fail(const char *text, LPSTR buffer, DWORD size)
{
    if (!buffer)
        return TRUE;
    return win__give_text(text, buffer, size) < size || win__fail(ERROR_BAD_LENGTH);
}

BOOL WINAPI GetVolumeInformationA(LPCSTR lpRootPathName, LPSTR lpVolumeNameBuffer,
                                  DWORD nVolumeNameSize, LPDWORD lpVolumeSerialNumber,
                                  LPDWORD lpMaximumComponentLength, LPDWORD lpFileSystemFlags,
                                  LPSTR lpFileSystemNameBuffer, DWORD nFileSystemNameSize)
{
    struct statvfs space;
    struct stat status;
    char kind[64], *path = path_of(lpRootPathName);
    if (!path)
        return FALSE;
    DWORD error = stat(path, &status) || statvfs(path, &space) ? win__open_error(path) : 0;
    free(path);
    if (error)
        return win__fail(error);
    if (lpVolumeSerialNumber)
        *lpVolumeSerialNumber = (DWORD)status.st_dev;
    if (lpMaximumComponentLength)
        *lpMaximumComponentLength = (DWORD)space.f_namemax;
    if (lpFileSystemFlags)
        *lpFileSystemFlags = FILE_CASE_SENSITIVE_SEARCH | FILE_CASE_PRESERVED_NAMES |
                             FILE_UNICODE_ON_DISK | FILE_SUPPORTS_SPARSE_FILES |
                             FILE_SUPPORTS_REPARSE_POINTS |
                             (space.f_flag & ST_RDONLY ? FILE_READ_ONLY_VOLUME : 0);
    name_of(status.st_dev, kind, sizeof kind);
    return give_or_fail("", lpVolumeNameBuffer, nVolumeNameSize) &&
           give_or_fail(kind, lpFileSystemNameBuffer, nFileSystemNameSize);
}

BOOL WINAPI GetVolumeInformationW(LPCWSTR lpRootPathName, LPWSTR lpVolumeNameBuffer,
                                  DWORD nVolumeNameSize, LPDWORD lpVolumeSerialNumber,
                                  LPDWORD lpMaximumComponentLength, LPDWORD lpFileSystemFlags,
                                  LPWSTR lpFileSystemNameBuffer, DWORD nFileSystemNameSize)
{
    char kind[64], *name = lpRootPathName ? win__name(lpRootPathName) : NULL;
    BOOL done = (name || !lpRootPathName) &&
                GetVolumeInformationA(name, NULL, 0, lpVolumeSerialNumber, lpMaximumComponentLength,
                                      lpFileSystemFlags, kind, sizeof kind);
    free(name);
    if (!done)
        return FALSE;
    if ((lpVolumeNameBuffer && win__give_wide("", lpVolumeNameBuffer, nVolumeNameSize) > 0) ||
        (lpFileSystemNameBuffer &&
         win__give_wide(kind, lpFileSystemNameBuffer, nFileSystemNameSize) >= nFileSystemNameSize))
        return win__fail(ERROR_BAD_LENGTH);
    return TRUE;
}
