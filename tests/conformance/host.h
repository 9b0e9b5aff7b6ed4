/* SPDX-License-Identifier: MIT
 *
 * host.h - the little the kit asks of the system that is no Win32 call on every one of them.
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_HOST_H
#define UMSSHIM_TESTS_CONFORMANCE_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* System and build, as in "Windows 10.0.19045". */
void host_system(char *text, size_t size);
/* Whether this is a Windows with a UMS of its own, against which nothing of ours is measured: the
 * other way round. */
bool host_is_oracle(void);
/* A path for a scratch file of this process, ending in `suffix`. */
void host_scratch_path(char *path, size_t size, const char *suffix);

/* A program that is to start each process of ours, such as umsrun, or NULL. */
extern const char *host_launcher;

struct host_child {
    void *handle;
};

/* Starts this program anew with these arguments (argv[0] is replaced; NULL ends them) and one more
 * setting in its environment, or none. */
bool host_start(struct host_child *child, char *const argv[], const char *setting);
/* Waits that long for its end. True: it is over, with this status, or crashed. */
bool host_wait(struct host_child *child, unsigned milliseconds, int *status, bool *crashed);
/* Ends it the hard way, and waits until it is gone. */
void host_end(struct host_child *child);

/* Calls with known values, counted from `base`, in the registers that a function must preserve; the
 * number of those that came back changed. */
int host_registers_changed(void (*call)(void), unsigned base);

#endif
