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

/* Whether an alert has arrived while wake(arg) woke a thread that waits for an address. An alert is
 * sent only to a thread that waits, and another thread cannot begin everywhere where the first UMS
 * call may be made: so this is for the trial. No worker is there yet. */
bool hook_effect_of_alerts(void (*wake)(void *arg), void *arg);

#endif
