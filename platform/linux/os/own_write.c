/* SPDX-License-Identifier: MIT
 *
 * own_write.c - see own_write.h.
 */
#include "platform/linux/os/own_write.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/raw.h"

static const uint64_t signals_of_writing = SIGNAL_BIT(SIGXFSZ) | SIGNAL_BIT(SIGPIPE);

static bool hold_signals(uint64_t *before)
{
    return RAW4(SYS_rt_sigprocmask, SIG_BLOCK, &signals_of_writing, before, sizeof *before) == 0;
}

/* Removes the signal that came with this error, unless the program had it blocked. */
static void drop_signals(const uint64_t *before, long error)
{
    uint64_t came = error == -EFBIG   ? SIGNAL_BIT(SIGXFSZ)
                    : error == -EPIPE ? SIGNAL_BIT(SIGPIPE)
                                      : 0;
    struct timespec now = {0};
    came &= ~*before;
    if (came)
        RAW4(SYS_rt_sigtimedwait, &came, NULL, &now, sizeof came);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
}

long own_write(int fd, const void *data, size_t bytes)
{
    uint64_t before = 0;
    bool held = hold_signals(&before);
    long written = RAW3(SYS_write, fd, data, bytes);
    if (held)
        drop_signals(&before, written);
    return written;
}
