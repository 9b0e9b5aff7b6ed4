/* SPDX-License-Identifier: MIT
 *
 * switch_mode.h - see switch_mode.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_MODE_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_MODE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether in-place switching is not ruled out by the user: then its hooks are wanted. Once,
 * first. */
bool switch_mode_may_be_in_place(void);

/* Decides, sets engine_in_place, and says so on stderr if it had to be decided against a wish or
 * because this system is not what it should be. lacking: a call without whose hook workers cannot
 * be switched in place, or NULL. */
void switch_mode_choose(const char *lacking);

/* "switching: in place", or "pinned" with the reason; what snprintf returns. */
int switch_mode_describe(char *room, size_t size);

#endif
