/* SPDX-License-Identifier: MIT
 *
 * switch_mode.h - see switch_mode.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_MODE_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_MODE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads UMSSHIM_SWITCH. True: it does not rule in-place switching out, so its hooks are wanted.
 * Called once, before switch_mode_choose. */
bool switch_mode_may_be_in_place(void);

/* Decides and sets engine_in_place. Writes a line on stderr if it decides against the user's wish,
 * or because of an unexpected property of this system. `lacking`: a call that could not be hooked
 * and without which workers cannot be switched in place, or NULL. */
void switch_mode_choose(const char *lacking);

/* Writes "switching: in place", or "pinned" with the reason; returns what snprintf returns. */
int switch_mode_describe(char *room, size_t size);

#endif
