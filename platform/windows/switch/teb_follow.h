/* SPDX-License-Identifier: MIT
 *
 * teb_follow.h - see teb_follow.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_FOLLOW_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_FOLLOW_H

#include "platform/windows/plat_types.h"

/* The saved worker, which has left from within a call on another TEB than this one, is about to go
 * on here. */
void teb_follow(const struct plat_context *worker, const void *now);

#endif
