/* SPDX-License-Identifier: MIT
 *
 * events.h - a trace's events for Windows' own tools, by Event Tracing for Windows.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INSPECT_EVENTS_H
#define UMSSHIM_PLATFORM_WINDOWS_INSPECT_EVENTS_H

/* Makes the provider known to the system, where that has providers. At the first UMS call. */
void events_register(void);
/* The DLL goes. No call of the system comes any more. */
void events_unregister(void);

#endif
