/* SPDX-License-Identifier: MIT
 *
 * dos_device.h - the names that mean a device wherever they stand in a path.
 *
 * The rule is that of Windows 10, whose UMS this is: NUL, CON, CONIN$, CONOUT$, AUX, PRN, COM1 to
 * COM9 and LPT1 to LPT9 (the digits also as the superscripts 1, 2 and 3) are devices in any case,
 * in any folder, and with anything after a dot or colon: C:\dir\nul.txt is NUL. Behind \\.\ only
 * the name itself is, with dots and spaces after it; behind \\?\ only the name as it is; and a path
 * on a server (\\server\share\nul) has none.
 *
 * Such a name never reaches the file system: no call here deletes, creates or shortens anything by
 * it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DOS_DEVICE_H
#define UMSSHIM_WINAPI_LINUX_DOS_DEVICE_H

enum dos_device {
    DEVICE_NONE, /* a path of the file system */
    DEVICE_NUL,
    DEVICE_CONIN,
    DEVICE_CONOUT,
    DEVICE_CON,    /* one of the two, by the access asked for */
    DEVICE_ABSENT, /* reserved, and no such device here: AUX, PRN, COM1, ... */
};

enum dos_device win__dos_device(const char *path);

#endif
