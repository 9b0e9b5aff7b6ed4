/* SPDX-License-Identifier: MIT
 *
 * terminal.c - see terminal.h.
 */
#include "platform/linux/traps/terminal.h"

#include <asm/termbits.h>
#include <sys/ioctl.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/open_call.h"
#include "platform/linux/traps/sigpipe.h"

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

bool is_terminal(int fd)
{
    struct termios settings;
    return settings_of(fd, &settings);
}

enum outcome terminal_write(struct call *call, long length)
{
    if (call->in_flight || !open_can_be_ended(call) || !open_made(call))
        return CALL_HELPER;
    if (call->result < 0)
        return call_done(call, raise_sigpipe(call, call->result));
    call->progress = call->result;
    return call->progress < length ? CALL_HELPER : call_done(call, call->progress);
}
