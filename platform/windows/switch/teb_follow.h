/* SPDX-License-Identifier: MIT
 *
 * teb_follow.h - see teb_follow.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_FOLLOW_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_FOLLOW_H

#include "platform/windows/plat_types.h"

/* The saved worker has left from within a call on another TEB than `now`, and is about to go on
 * there. Changes the old TEB's address in its frames. */
void teb_follow(const struct plat_context *worker, const void *now);

#endif
