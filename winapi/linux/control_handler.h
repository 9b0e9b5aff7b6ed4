/* SPDX-License-Identifier: MIT
 *
 * control_handler.h - Ctrl-C in a fork's child.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CONTROL_HANDLER_H
#define UMSSHIM_WINAPI_LINUX_CONTROL_HANDLER_H

#include "winapi/linux/surface.h"

/* In a child after fork: the thread that calls the handlers is gone, so Ctrl-C ends the child. */
void control_handlers_forget(void);

#endif
