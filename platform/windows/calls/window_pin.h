/* SPDX-License-Identifier: MIT
 *
 * window_pin.h - a worker that makes a window call stays on its own thread from the first one on.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_PIN_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_PIN_H

/* The calling thread is about to make a window call: pins it if it is a worker. It changes nothing
 * that the program can see. window_calls.S calls it. */
void window_call(void);

#endif
