/* SPDX-License-Identifier: MIT
 *
 * terminal.c - see terminal.h.
 */
#include "platform/linux/traps/terminal.h"

#include <asm/termbits.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/open_call.h"
#include "platform/linux/traps/sigpipe.h"

static bool settings_of(int fd, struct termios *settings)
{
    return RAW3(SYS_ioctl, fd, TCGETS, settings) == 0;
}

static bool is_performance_counter(int fd)
{
    uint64_t id;
    return RAW3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &id) == 0;
}

bool device_reads_unready(int fd, long length)
{
    struct termios settings;
    if (!settings_of(fd, &settings))
        return is_performance_counter(fd);
    if (settings.c_lflag & ICANON)
        return false;
    return !settings.c_cc[VMIN] || (!settings.c_cc[VTIME] && length < settings.c_cc[VMIN]);
}

bool is_terminal(int fd)
{
    struct termios settings;
    return settings_of(fd, &settings);
}

bool tells_room(int fd)
{
    struct stat file;
    return (fd_stat(fd, &file) && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode))) ||
           is_terminal(fd);
}

enum outcome terminal_write(struct call *call, long length, bool room)
{
    if (!room)
        return CALL_WAIT;
    if (call->in_flight || !open_can_be_ended(call) || !open_made(call))
        return CALL_HELPER;
    if (call->result < 0)
        return call_done(call, raise_sigpipe(call, call->result));
    call->progress = call->result;
    return call->progress < length ? CALL_HELPER : call_done(call, call->progress);
}
