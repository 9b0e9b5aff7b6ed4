/* SPDX-License-Identifier: MIT
 *
 * start.h - what the engine's start asks of the layer above.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_START_H
#define UMSSHIM_PLATFORM_WINDOWS_START_H

/* What the layer above hooks, at the first UMS call; how many hooks were refused. May be NULL. */
extern int (*engine_at_start)(void);

#endif
