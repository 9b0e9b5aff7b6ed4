/* SPDX-License-Identifier: MIT
 *
 * path_steps.h - a path as a text of steps, which slashes divide. No file is looked at.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PATH_STEPS_H
#define UMSSHIM_WINAPI_LINUX_PATH_STEPS_H

#include <stdbool.h>

/* Of either kind. */
bool win__is_slash(char c);
/* The last part of a path: behind its last slash of either kind. */
const char *win__last_step(const char *path);
/* Makes backslashes slashes, in place. */
void win__forward(char *path);
/* Takes . and .. and double slashes out of an absolute path, in place; two dots at the root stay
 * there. A slash at its end stays. */
void win__take_dots(char *path);

#endif
