/* SPDX-License-Identifier: MIT
 *
 * redirect.h - modules that were bound to libc's functions are bound to ours.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_REDIRECT_H
#define UMSSHIM_PLATFORM_LINUX_REDIRECT_H

#include <stdbool.h>

/* Redirects what is to be redirected among the modules that are loaded now, if there may be any. Not
 * from within the dynamic linker. */
void redirect_modules(void);

/* From now on the functions of unseen.c stand before libc's, too, in modules that come later as well. Not
 * from within the dynamic linker. */
void redirect_unseen(void);

#endif
