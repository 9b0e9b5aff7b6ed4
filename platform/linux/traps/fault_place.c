/* SPDX-License-Identifier: MIT
 *
 * fault_place.c - see fault_place.h.
 */
#include "platform/linux/traps/fault_place.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/calls.h"

static int file_of(struct fault_files *files, pid_t tid, const char *name)
{
    unsigned at = (unsigned)tid % (sizeof files->files / sizeof files->files[0]);
    char path[64];
    if (files->files[at].tid == tid)
        return files->files[at].fd;
    if (files->files[at].tid)
        own_file_close(files->files[at].fd);
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
    int fd = fd_move_high((int)RAW3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0));
    files->files[at].fd = fd;
    files->files[at].tid = fd < 0 ? 0 : tid;
    return fd;
}

static bool read_file(struct fault_files *files, pid_t tid, const char *name, char *text,
                      size_t size)
{
    int fd = file_of(files, tid, name);
    long got = fd < 0 ? -1 : RAW4(SYS_pread64, fd, text, size - 1, 0);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* The file has "running", or the number of the system call, which is -1 in a fault. After a call's
 * number come the call's arguments. The stack pointer and the instruction come last. */
enum sleep_kind fault_place_find(struct fault_files *syscalls, pid_t tid, struct fault_place *place)
{
    char text[256], *rest;
    long arguments[6];
    if (!read_file(syscalls, tid, "syscall", text, sizeof text))
        return SLEEP_UNKNOWN;
    if (text[0] == 'r')
        return SLEEP_NONE;
    place->call = strtol(text, &rest, 10);
    for (int i = 0; place->call >= 0 && i < 6; i++)
        arguments[i] = (long)strtoul(rest, &rest, 16);
    place->stack = strtoul(rest, &rest, 16);
    place->code = strtoul(rest, NULL, 16);
    if (place->call >= 0 && !lent_gate_holds(place->code) &&
        !call_is_steady(place->call, arguments))
        return SLEEP_CALL;
    return place->code ? SLEEP_UNSEEN : SLEEP_UNKNOWN;
}

/* The number in a field of a thread's stat. `text` begins with the third field. */
static unsigned long field(const char *text, int number)
{
    for (int at = 3; at < number && text; at++) {
        text = strchr(text, ' ');
        text += text != NULL;
    }
    return text ? strtoul(text, NULL, 10) : 0;
}

static bool stat_lasts(const char *text, uint64_t bit, bool pending)
{
    enum { PENDING = 31, BLOCKED = 32 };
    const char *state = strrchr(text, ')'); /* the thread's name before it may have blanks */
    return state && state[1] == ' ' && state[2] == 'D' && !(field(state + 2, BLOCKED) & bit) &&
           (!pending || field(state + 2, PENDING) & bit);
}

static bool mask_has(const char *text, const char *mask, uint64_t bit)
{
    const char *at = strstr(text, mask);
    return at && strtoul(at + strlen(mask), NULL, 16) & bit;
}

static bool status_lasts(const char *text, uint64_t bit, bool pending)
{
    return strstr(text, "\nState:\tD") && !mask_has(text, "\nSigBlk:\t", bit) &&
           (!pending || mask_has(text, "\nSigPnd:\t", bit));
}

/* `stat` tells only of signals below 32, and takes a third of the time of `status`. The stop signal
 * is below 32, unless the program has a handler for that one (stop.c). */
bool fault_sleep_lasts(struct fault_files *states, pid_t tid, int signal, bool pending)
{
    char text[4096];
    bool low = signal < 32;
    return read_file(states, tid, low ? "stat" : "status", text, sizeof text) &&
           (low ? stat_lasts : status_lasts)(text, SIGNAL_BIT(signal), pending);
}

bool fault_sleep_yields(struct fault_files *wchans, pid_t tid)
{
    char text[64];
    return read_file(wchans, tid, "wchan", text, sizeof text) && !strcmp(text, "handle_userfault");
}

void fault_files_close(struct fault_files *files)
{
    for (unsigned i = 0; i < sizeof files->files / sizeof files->files[0]; i++) {
        if (files->files[i].tid)
            own_file_close(files->files[i].fd);
        files->files[i].tid = 0;
    }
}
