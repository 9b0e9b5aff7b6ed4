/* SPDX-License-Identifier: MIT
 *
 * hook_effect.h - whether calls arrive at the hooks, shown by making some.
 *
 * That a stub has our jump does not say that kernelbase goes through it: another product may have
 * put its own back, a hot patch may lead elsewhere, and on Arm processors code of the system's
 * calls around x64's stubs.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_HOOK_EFFECT_H
#define UMSSHIM_PLATFORM_WINDOWS_HOOK_EFFECT_H

#include <stdbool.h>

/* The hooks are on; any thread, once. NULL: all calls arrived; else one that did not. */
const char *hook_effect_missing(void);

#endif
