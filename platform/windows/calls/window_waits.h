/* SPDX-License-Identifier: MIT
 *
 * window_waits.h - see window_waits.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_WAITS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_WAITS_H

struct window_wait {
    const char *name;
    void *handler;
    void *original; /* the copied stub; set before the first call arrives */
};

enum { WINDOW_WAITS = 2 };
extern struct window_wait window_waits[WINDOW_WAITS];

#endif
