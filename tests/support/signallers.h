/* SPDX-License-Identifier: MIT
 *
 * signallers.h - plain threads that set an event all the time: a wait for it may be over before it
 * begins.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SIGNALLERS_H
#define UMSSHIM_TESTS_SUPPORT_SIGNALLERS_H

#include <windows.h>

void signallers_start(HANDLE event);
/* Ends the threads, and closes the event. */
void signallers_stop(void);

#endif
