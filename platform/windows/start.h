/* SPDX-License-Identifier: MIT
 *
 * start.h - a function of the layer above that the engine's start calls.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_START_H
#define UMSSHIM_PLATFORM_WINDOWS_START_H

/* Puts on the hooks of the layer above, at the first UMS call, and returns how many were refused.
 * May be NULL. */
extern int (*engine_at_start)(void);

#endif
