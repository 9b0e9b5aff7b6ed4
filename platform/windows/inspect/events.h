/* SPDX-License-Identifier: MIT
 *
 * events.h - a trace's events for Windows' own tools, by Event Tracing for Windows.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INSPECT_EVENTS_H
#define UMSSHIM_PLATFORM_WINDOWS_INSPECT_EVENTS_H

/* Registers the provider, if the system has the functions for it. At the first UMS call. */
void events_register(void);
/* The DLL is unloaded. Afterwards the system makes no call into it. */
void events_unregister(void);

#endif
