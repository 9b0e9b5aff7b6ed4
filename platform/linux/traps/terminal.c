/* SPDX-License-Identifier: MIT
 *
 * terminal.c - see terminal.h.
 */
#include "platform/linux/traps/terminal.h"

#include <asm/termbits.h>
#include <sys/ioctl.h>

#include "platform/linux/os/raw.h"

static bool settings_of(int fd, struct termios *settings)
{
    return RAW3(SYS_ioctl, fd, TCGETS, settings) == 0;
}

bool terminal_reads_unready(int fd, long length)
{
    struct termios settings;
    if (!settings_of(fd, &settings) || settings.c_lflag & ICANON)
        return false;
    return !settings.c_cc[VMIN] || (!settings.c_cc[VTIME] && length < settings.c_cc[VMIN]);
}

bool terminal_writes_late(int fd)
{
    struct termios settings;
    return settings_of(fd, &settings);
}
