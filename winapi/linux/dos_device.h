/* SPDX-License-Identifier: MIT
 *
 * dos_device.h - the names that mean a device wherever they stand in a path.
 *
 * The rule is that of Windows 10, the last with UMS: NUL, CON, CONIN$, CONOUT$, AUX, PRN, COM1 to
 * COM9 and LPT1 to LPT9 (the digits also as the superscripts 1, 2 and 3) are devices in any case,
 * in any folder, and with anything after a dot or colon: C:\dir\nul.txt is NUL. Behind \\.\ a
 * device's name may have only dots and spaces after it; behind \\?\ nothing may follow. A path on a
 * server (\\server\share\nul) names no device.
 *
 * Such a name never reaches the file system: no call creates, changes or deletes a file by it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DOS_DEVICE_H
#define UMSSHIM_WINAPI_LINUX_DOS_DEVICE_H

enum dos_device {
    DEVICE_NONE, /* a path of the file system */
    DEVICE_NUL,
    DEVICE_CONIN,
    DEVICE_CONOUT,
    DEVICE_CON,    /* one of the two, by the access that the program asks for */
    DEVICE_ABSENT, /* reserved, but there is no such device here: AUX, PRN, COM1, ... */
};

enum dos_device win__dos_device(const char *path);

#endif
