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

/* What was pending before the write is the program's. Only a signal that it blocks can be. */
static uint64_t pending(uint64_t blocked)
{
    uint64_t set = 0;
    if (blocked & signals_of_writing)
        RAW2(SYS_rt_sigpending, &set, sizeof set);
    return set;
}

/* Removes the signal that came with this error. `kept`: signals of the program's. */
static void drop_signals(const uint64_t *before, uint64_t kept, long error)
{
    uint64_t came = error == -EFBIG   ? SIGNAL_BIT(SIGXFSZ)
                    : error == -EPIPE ? SIGNAL_BIT(SIGPIPE)
                                      : 0;
    struct timespec now = {0};
    came &= ~kept;
    if (came)
        RAW4(SYS_rt_sigtimedwait, &came, NULL, &now, sizeof came);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
}

long own_write(int fd, const void *data, size_t bytes)
{
    uint64_t before = 0;
    bool held = hold_signals(&before);
    uint64_t kept = pending(before);
    long written = RAW3(SYS_write, fd, data, bytes);
    if (held)
        drop_signals(&before, kept, written);
    return written;
}
