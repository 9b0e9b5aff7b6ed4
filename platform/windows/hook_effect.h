/* SPDX-License-Identifier: MIT
 *
 * hook_effect.h - whether calls arrive at the hooks, shown by making some.
 *
 * The engine's jump in a stub does not prove that kernelbase's calls come there. Another product
 * may have put its own jump back, a hot patch may lead elsewhere, and on Arm processors the system
 * calls past the x64 stubs.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_HOOK_EFFECT_H
#define UMSSHIM_PLATFORM_WINDOWS_HOOK_EFFECT_H

#include <stdbool.h>

/* Called once, on any thread, when the hooks are on. Returns a call that did not arrive, or
 * NULL. */
const char *hook_effect_missing(void);

/* Whether an alert has arrived while wake(arg) woke a thread that waits for an address. Only the
 * trial calls it, before there are workers: it needs a second thread that waits, and the first UMS
 * call may be made where no thread can begin. */
bool hook_effect_of_alerts(void (*wake)(void *arg), void *arg);

#endif
