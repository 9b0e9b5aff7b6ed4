/* SPDX-License-Identifier: MIT
 *
 * start.h - bringing the engine up.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_START_H
#define UMSSHIM_PLATFORM_LINUX_START_H

#include <stdbool.h>

/* The threads that workers need; before the first scheduler runs. 0 or 8. */
int engine_start(void);
void engine_forget(void);

#endif
