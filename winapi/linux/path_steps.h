/* SPDX-License-Identifier: MIT
 *
 * path_steps.h - paths as texts: steps that slashes divide. No file is looked at.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PATH_STEPS_H
#define UMSSHIM_WINAPI_LINUX_PATH_STEPS_H

#include <stdbool.h>

/* Whether it is a slash or a backslash. */
bool win__is_slash(char c);
/* The last part of a path, behind the last slash of either kind. */
const char *win__last_step(const char *path);
/* Turns backslashes into slashes, in place. */
void win__forward(char *path);
/* Takes . and .. and double slashes out of an absolute path, in place. A .. at the root leads to
 * the root. A slash at the end stays. */
void win__take_dots(char *path);

#endif
