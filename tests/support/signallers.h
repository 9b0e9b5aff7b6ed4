/* SPDX-License-Identifier: MIT
 *
 * signallers.h - plain threads that set an event all the time: waits for it may be over before they begin.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SIGNALLERS_H
#define UMSSHIM_TESTS_SUPPORT_SIGNALLERS_H

#include <windows.h>

void signallers_start(HANDLE event);
/* They end, and the event is closed. */
void signallers_stop(void);

#endif
