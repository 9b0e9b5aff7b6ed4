/* SPDX-License-Identifier: MIT
 *
 * redirect.h - binds modules that were bound to libc's functions to the library's fronts.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_REDIRECT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_REDIRECT_H

#include <stdbool.h>

/* Redirects the modules that are loaded now, if one may need it. Not from within the dynamic
 * linker. */
void redirect_modules(void);

/* The front for each row of front.def (front_ours); set ahead of this library's constructors. */
extern void *const *redirect_ours;

/* A function that stands before libc's only where there is no listener. */
struct unseen_row {
    const char *name; /* NULL ends the rows */
    void *ours;
    void *libcs; /* found when `ours` is put before it */
};
/* From now on these functions stand before libc's, too, in modules that come later as well. Not
 * from within the dynamic linker. The rows are the same at each call. */
void redirect_unseen(struct unseen_row *rows);

#endif
